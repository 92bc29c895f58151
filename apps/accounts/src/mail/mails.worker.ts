import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, isBefore, plus } from '@carillon/eventing';
import { type Cause, Clock, CommandQueue, LOGGER, type Logger, secret, setting } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { emailKey } from '../account/email';
import { account } from '../account/account';
import { letterOf } from './letters';
import { mailLink, tokenOf } from './link';
import { isRecipientRefused, Smtp } from './smtp.client';

interface Command {
  readonly linkId: string;
}

const againAfterMs = 15_000;

/** Sends the mails of links. One that the mail server does not take is tried again until its link has expired. */
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

  /** Enqueues in the transaction of the event. */
  async add(sql: Sql, linkId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: linkId, command: { linkId }, from });
  }

  protected async execute({ linkId }: Command): Promise<Instant | void> {
    const tail = streamTail(linkId);
    const { state: link } = await this.log.load(mailLink, tail);
    if (!link || link.used || !this.smtp.isOn) return;
    if (!isBefore(this.clock.now(), link.expiresAt)) {
      this.logger.warn({ linkId }, 'Failed to send a mail before its link expired: it is not sent');
      return;
    }
    const { state: to } = await this.log.load(account, streamTail(link.accountId));
    // The account may be deleted or suspended by now, or have another address.
    if (!to || to.suspended || emailKey(this.pepper, to.email) !== link.emailKey) return;
    const letter = letterOf(link.purpose, tokenOf(this.pepper, tail), setting('CARILLON_BASE_URL'));
    const { host } = new URL(setting('CARILLON_BASE_URL'));
    try {
      await this.smtp.send({ ...letter, to: to.email, messageId: `<${linkId}@${host}>` });
    } catch (error) {
      if (isRecipientRefused(error)) {
        this.logger.warn(
          { err: error, linkId },
          'The mail server refuses the recipient of a mail: it is not sent',
        );
        return;
      }
      this.logger.warn(
        { err: error, linkId },
        'Failed to send a mail: it is tried again until its link expires',
      );
      return plus(this.clock.now(), againAfterMs);
    }
  }
}
