import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { AccountById, Accounts, type PastEvent, ReadHistory } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, recordOperation } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { lookThrough } from './look-through.service';
import { pastEvent } from './past-event';

/** An answer ends once it exceeds this: a quarter of the maximum size of a NATS message. */
const maxBytes = 256 * 1024;

/** Exports all that the log has of an account, for the operator, who passes it to the person. */
@Controller()
export class HistoryHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
  ) {}

  @Handles(Accounts.beginExport)
  async begin({ accountId }: AccountById, context: Context): Promise<Answer<{ until: string }>> {
    insistOnOperator(context);
    if (!(await this.opening.find(accountId))) throw new Refused('account.not_found');
    const until = await this.log.store.head();
    const operated = { action: 'account.export', service: 'accounts', target: accountId };
    await recordOperation(this.log, this.clock, operated, context);
    return answer({ until: String(until) });
  }

  @Handles(Accounts.history)
  async read(
    { accountId, after, until }: ReadHistory,
    context: Context,
  ): Promise<Answer<{ events: PastEvent[]; next: string | null }>> {
    insistOnOperator(context);
    const events: PastEvent[] = [];
    const end = BigInt(until);
    let bytes = 0;
    const next = await lookThrough(this.log.store, BigInt(after), async (raw) => {
      if (raw.position > end) return 'enough';
      if (raw.metadata.accountId !== accountId) return 'more';
      const [recorded] = await this.log.open([raw]);
      const past = pastEvent(recorded!);
      events.push(past);
      bytes += Buffer.byteLength(JSON.stringify(past));
      return bytes > maxBytes ? 'enough' : 'more';
    });
    return answer({ events, next: next === null || next > end ? null : String(next) });
  }
}
