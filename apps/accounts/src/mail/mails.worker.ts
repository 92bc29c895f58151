import type { SessionStarted } from '@carillon/contracts';
import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, isBefore, plus } from '@carillon/eventing';
import { type Cause, Clock, CommandQueue, LOGGER, type Logger, secret, setting } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { emailKey } from '../account/email';
import { account, type Opened } from '../account/account';
import { letterOf, noticeOf } from './letters';
import { mailLink, tokenOf } from './link';
import { isRecipientRefused, type OutgoingMail, Smtp } from './smtp.client';

/** The mail of a link, or the notice of a sign-in. */
type Command =
  | { readonly linkId: string }
  | { readonly sessionId: string; readonly accountId: string; readonly startedAt: Instant };

type Unsent = Omit<OutgoingMail, 'messageId'>;

/** A notice that is older tells no news. */
const noticeMs = 24 * 60 * 60_000;
const againAfterMs = 15_000;

/** Sends mails. One that the server does not take is tried again until its link has expired, a notice for a day. */
@Injectable()
export class Mails extends CommandQueue<Command> {
  readonly name = 'mails';
  /** As many connections to the mail server. */
  override readonly capacity = 4;
  protected readonly process = 'accounts.mails';
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Smtp) private readonly smtp: Smtp,
  ) {
    super(database, clock);
  }

  /** Enqueues the mail of a link in the transaction of the event. */
  async addLink(sql: Sql, linkId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: linkId, command: { linkId }, from });
  }

  /** Enqueues the notice of a sign-in in the transaction of the event. Nothing waits for mail to be set up. */
  async addNotice(sql: Sql, { sessionId, accountId, startedAt }: SessionStarted, from: Cause): Promise<void> {
    if (!this.smtp.isOn) return;
    await this.enqueue(sql, { key: sessionId, command: { sessionId, accountId, startedAt }, from });
  }

  private get baseUrl(): string {
    return setting('CARILLON_BASE_URL');
  }

  protected async execute(command: Command): Promise<Instant | void> {
    if (!this.smtp.isOn) return;
    const id = 'linkId' in command ? command.linkId : command.sessionId;
    const mail = await ('linkId' in command ? this.mailOf(command.linkId) : this.noticeOf(command));
    if (mail === 'late') {
      this.logger.warn({ mail: id }, 'Failed to send a mail in time: it is not sent');
      return;
    }
    if (!mail) return;
    const { host } = new URL(this.baseUrl);
    try {
      await this.smtp.send({ ...mail, messageId: `<${id}@${host}>` });
    } catch (error) {
      if (isRecipientRefused(error)) {
        this.logger.warn(
          { err: error, mail: id },
          'The mail server refuses the recipient of a mail: it is not sent',
        );
        return;
      }
      this.logger.warn(
        { err: error, mail: id },
        'Failed to send a mail: it is tried again while it is of use',
      );
      return plus(this.clock.now(), againAfterMs);
    }
  }

  /** Undefined when nobody is to get it: the account may be deleted or suspended by now, or have another address. */
  private async mailOf(linkId: string): Promise<Unsent | 'late' | undefined> {
    const tail = streamTail(linkId);
    const { state: link } = await this.log.load(mailLink, tail);
    if (!link || link.used) return undefined;
    if (!isBefore(this.clock.now(), link.expiresAt)) return 'late';
    const to = await this.recipient(link.accountId);
    if (!to || emailKey(this.pepper, to.email) !== link.emailKey) return undefined;
    return { to: to.email, ...letterOf(link.purpose, tokenOf(this.pepper, tail), this.baseUrl) };
  }

  private async noticeOf({
    accountId,
    startedAt,
  }: Exclude<Command, { linkId: string }>): Promise<Unsent | 'late' | undefined> {
    if (!isBefore(this.clock.now(), plus(startedAt, noticeMs))) return 'late';
    const to = await this.recipient(accountId);
    return to && { to: to.email, ...noticeOf(startedAt, this.baseUrl) };
  }

  private async recipient(accountId: string): Promise<Opened | undefined> {
    const { state } = await this.log.load(account, streamTail(accountId));
    return state && !state.suspended ? state : undefined;
  }
}
