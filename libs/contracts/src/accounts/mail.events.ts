import type { Instant } from '@carillon/eventing';

/** Stream `mail_link-<tail of the link id>`: a link that is sent by mail, good once. */
export type MailLinkEvent = MailLinkRequested | MailLinkUsed;

export interface MailLinkRequested {
  readonly type: 'MailLinkRequested';
  readonly linkId: string;
  readonly accountId: string;
  readonly purpose: 'sign_in' | 'verification';
  /** The keyed hash of the address that it is sent to: the link is good as long as the account has this address. */
  readonly emailKey: string;
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
}

export interface MailLinkUsed {
  readonly type: 'MailLinkUsed';
  readonly linkId: string;
  readonly accountId: string;
  readonly usedAt: Instant;
}
