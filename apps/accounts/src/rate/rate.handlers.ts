import { answer, type Answer, Handles } from '@carillon/bus';
import { Accounts, HoldWaitPermits, type RatesTaken, TakeRates } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { Clock } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { recordWrites } from './gateway-writes.entity';
import { WaitPermits } from './wait-permits.entity';
import { RateWindows } from './windows.entity';

@Controller()
export class RateHandlers {
  constructor(
    @Inject(RateWindows) private readonly windows: RateWindows,
    @Inject(WaitPermits) private readonly permits: WaitPermits,
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Accounts.takeRates)
  async take({ takes, access }: TakeRates): Promise<Answer<RatesTaken>> {
    const atMs = this.clock.ms();
    const back = takes.filter(({ count }) => count < 0);
    if (back.length > 0) await this.windows.release(back, atMs);
    const taken = takes.map((take) => ({ ...take, count: Math.max(0, take.count) }));
    if (!access) return answer({ grants: await this.windows.take(taken, atMs) });
    await recordWrites(this.database, access.gateway, access.writing);
    return answer(await this.windows.takeFor(access, taken, atMs));
  }

  @Handles(Accounts.holdWaitPermits)
  async hold({ gateway, wants }: HoldWaitPermits): Promise<Answer<{ held: number[] }>> {
    return answer({ held: await this.permits.hold(gateway, wants) });
  }
}
