import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { Accounts, RewrapKeys, type RewrappedKeys } from '@carillon/contracts';
import { Log, ownerOfKey, type Rewrapping } from '@carillon/event-store';
import { Clock, recordOperation } from '@carillon/runtime';
import { KeyRing } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';

/** So many events of the log are looked at for one answer, in pages. */
const maxPages = 8;
const pageSize = 500;
/** And so many keys are wrapped anew, each with two writes that are waited for. */
const maxKeys = 500;

/** The rotation of the installation's key ring: the accounts' keys come under its newest key. */
@Controller()
export class KeyHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(KeyRing) private readonly ring: KeyRing,
  ) {}

  /** Whoever dies in between begins anew: what was wrapped before is found to be. */
  @Handles(Accounts.rewrapKeys)
  async rewrap({ after }: RewrapKeys, context: Context): Promise<Answer<RewrappedKeys>> {
    insistOnOperator(context);
    if (after === '0') {
      const operated = { action: 'keys.rotate', service: 'accounts', target: this.ring.newest };
      await recordOperation(this.log, this.clock, operated, context);
    }
    const counted: Record<Rewrapping, number> = { rewrapped: 0, current: 0, gone: 0, broken: 0 };
    const told = (next: bigint | null): Answer<RewrappedKeys> => {
      const { rewrapped, broken } = counted;
      return answer({ rewrapped, broken, next: next === null ? null : String(next) });
    };
    let at = BigInt(after);
    for (let page = 0; page < maxPages; page += 1) {
      const { events, last, end } = await this.log.store.readAll(at, pageSize);
      for (const { stream, position } of events) {
        at = position;
        const accountId = ownerOfKey(stream);
        if (accountId === undefined) continue;
        counted[await this.log.keys.rewrap(accountId)] += 1;
        if (counted.rewrapped === maxKeys) return told(at);
      }
      if (end || last === undefined) return told(null);
      at = last;
    }
    return told(at);
  }
}
