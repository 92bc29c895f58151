import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { AccountById, Accounts, type PastEvent, ReadHistory } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, recordOperation } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { pastEvent } from './past-event';

/** So many events of the log are looked at for one answer, in pages. */
const maxPages = 8;
const pageSize = 500;
/** An answer is cut when it has more than this: a quarter of what NATS carries in one message. */
const maxBytes = 256 * 1024;

/** All that the log has of an account, for who operates the installation and gives it to whose it is. */
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
    let bytes = 0;
    let at = BigInt(after);
    for (let page = 0; page < maxPages; page += 1) {
      const found = await this.log.store.readAll(at, pageSize);
      for (const raw of found.events) {
        if (raw.position > BigInt(until)) return answer({ events, next: null });
        at = raw.position;
        if (raw.metadata.accountId !== accountId) continue;
        const [recorded] = await this.log.open([raw]);
        const past = pastEvent(recorded!);
        events.push(past);
        bytes += Buffer.byteLength(JSON.stringify(past));
        if (bytes > maxBytes) return answer({ events, next: String(at) });
      }
      if (found.end || found.last === undefined) return answer({ events, next: null });
      at = found.last;
    }
    return answer({ events, next: String(at) });
  }
}
