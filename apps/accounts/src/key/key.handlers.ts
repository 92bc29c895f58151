import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { Accounts, RewrapKeys, type RewrappedKeys } from '@carillon/contracts';
import { Log, ownerOfKey, type Rewrapping } from '@carillon/event-store';
import { Clock, recordOperation } from '@carillon/runtime';
import { KeyRing } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { lookThrough } from '../history/look-through.service';

/** Maximum number of keys to rewrap for one answer; each takes two sequential writes. */
const maxKeys = 500;

/** Rotates the installation's key ring: rewraps the accounts' keys with its newest key (ADR 45). */
@Controller()
export class KeyHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(KeyRing) private readonly ring: KeyRing,
  ) {}

  /** A repeated command after a crash starts again and skips the keys that are rewrapped already. */
  @Handles(Accounts.rewrapKeys)
  async rewrap({ after }: RewrapKeys, context: Context): Promise<Answer<RewrappedKeys>> {
    insistOnOperator(context);
    if (after === '0') {
      const operated = { action: 'keys.rotate', service: 'accounts', target: this.ring.newest };
      await recordOperation(this.log, this.clock, operated, context);
    }
    const counted: Record<Rewrapping, number> = { rewrapped: 0, current: 0, gone: 0, broken: 0 };
    const next = await lookThrough(this.log.store, BigInt(after), async ({ stream }) => {
      const accountId = ownerOfKey(stream);
      if (accountId !== undefined) counted[await this.log.keys.rewrap(accountId)] += 1;
      return counted.rewrapped === maxKeys ? 'enough' : 'more';
    });
    const { rewrapped, broken } = counted;
    return answer({ rewrapped, broken, next: next === null ? null : String(next) });
  }
}
