import { Bus } from '@carillon/bus';
import { Notifications, type PasskeyDisabled } from '@carillon/contracts';
import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { account } from './account';

interface DisabledPasskey {
  readonly eventId: string;
  readonly accountId: string;
  readonly passkeyId: string;
  readonly disabledAt: string;
}

/** The idempotency key of a notification holds for this long; an older notice is not sent. */
const newsMs = 24 * 60 * 60_000;
const timeoutMs = 20_000;

/** Notifies a person once that a passkey was disabled, since somebody else may have its key. */
@Injectable()
export class PasskeyNotices extends Timers {
  readonly name = 'passkey_notices';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super(database, clock);
  }

  /** Enqueues the notice in the transaction of the projection. */
  async order(sql: Sql, { id, event }: Recorded<PasskeyDisabled>): Promise<void> {
    const { accountId, passkeyId, disabledAt } = event;
    const order: DisabledPasskey = { eventId: id, accountId, passkeyId, disabledAt };
    await this.set(sql, `disabled ${id}`, disabledAt, order);
  }

  protected async issue({ command }: Timer): Promise<void> {
    const { eventId, accountId, passkeyId, disabledAt } = command as DisabledPasskey;
    if (this.clock.ms() - millis(disabledAt) >= newsMs) return;
    const { state } = await this.log.load(account, streamTail(accountId));
    if (!state || state.suspended) return;
    const name = state.passkeys.find(({ id }) => id === passkeyId)?.name ?? 'Passkey';
    const notice = {
      title: 'A passkey was disabled',
      body: `"${name}" may have been copied: its counter did not go up at a sign-in. It lets nobody in any more. Remove it, and add a new one.`,
    };
    await this.bus.ask(Notifications.send, notice, {
      commandId: eventId,
      correlationId: eventId,
      caller: { accountId, tokenName: 'Carillon', process: 'accounts.passkeys' },
      deadline: Date.now() + timeoutMs,
      idempotency: { key: `passkey disabled ${eventId}`, fingerprint: eventId },
    });
  }
}
