import { isSet, setting } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same each time that the same mail is sent, so that a repeated one can be recognized. */
  readonly messageId: string;
}

const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 5_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
};

/** Hands mails to the server of `CARILLON_SMTP_URL`. Off without it and `CARILLON_MAIL_FROM`. */
@Injectable()
export class Smtp {
  private readonly options: ReturnType<typeof optionsOf> | undefined;
  private readonly from: string;

  constructor() {
    const isOn = isSet('CARILLON_SMTP_URL');
    if (isOn !== isSet('CARILLON_MAIL_FROM'))
      throw new Error(
        'The settings CARILLON_SMTP_URL and CARILLON_MAIL_FROM belong together: set both or none',
      );
    this.from = setting('CARILLON_MAIL_FROM', '');
    this.options = isOn ? optionsOf(setting('CARILLON_SMTP_URL')) : undefined;
  }

  get isOn(): boolean {
    return this.options !== undefined;
  }

  /** Throws what the server or the connection said. */
  async send({ to, subject, text, messageId }: OutgoingMail): Promise<void> {
    if (!this.options) throw new Error('A mail was sent without a mail server');
    // Loaded with the first mail: an installation without mail does not pay for it.
    const { createTransport } = await import('nodemailer');
    await createTransport(this.options).sendMail({
      from: this.from,
      to: { name: '', address: to },
      subject,
      text,
      messageId,
      // Nobody answers a machine.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}

function optionsOf(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('The setting CARILLON_SMTP_URL must be smtp:// or smtps://user:password@host:port');
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    // A password never crosses the network in clear.
    requireTLS: !secure && user !== '',
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
    ...timeouts,
  };
}

/** Whether the server has refused this recipient for good. Anything else may be over before the link is. */
export function isRecipientRefused(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 500;
}
