import { answer, type Answer, Handles } from '@carillon/bus';
import { Accounts, HoldWaitPermits, type RateGrant, TakeRates } from '@carillon/contracts';
import { Clock } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { WaitPermits } from './wait-permits.entity';
import { RateWindows } from './windows.entity';

@Controller()
export class RateHandlers {
  constructor(
    @Inject(RateWindows) private readonly windows: RateWindows,
    @Inject(WaitPermits) private readonly permits: WaitPermits,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Accounts.takeRates)
  async take({ takes }: TakeRates): Promise<Answer<{ grants: RateGrant[] }>> {
    const atMs = this.clock.ms();
    const back = takes.filter(({ count }) => count < 0);
    if (back.length > 0) await this.windows.release(back, atMs);
    const taken = takes.map((take) => ({ ...take, count: Math.max(0, take.count) }));
    return answer({ grants: await this.windows.take(taken, atMs) });
  }

  @Handles(Accounts.holdWaitPermits)
  async hold({ gateway, wants }: HoldWaitPermits): Promise<Answer<{ held: number[] }>> {
    return answer({ held: await this.permits.hold(gateway, wants) });
  }
}
