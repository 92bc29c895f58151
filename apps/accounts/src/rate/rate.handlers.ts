import { answer, type Answer, Handles } from '@carillon/bus';
import { Accounts, HoldWaitPermits, type RateGrant, TakeRates } from '@carillon/contracts';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Controller, Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { WaitPermits } from './wait-permits.entity';
import { RateWindows } from './windows.entity';

const forgetEveryMs = 5 * 60_000;

@Controller()
export class RateHandlers implements OnModuleInit, OnModuleDestroy {
  private forgetting: NodeJS.Timeout | undefined;

  constructor(
    @Inject(RateWindows) private readonly windows: RateWindows,
    @Inject(WaitPermits) private readonly permits: WaitPermits,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.forgetting = setInterval(() => {
      Promise.all([this.windows.forget(this.clock.ms()), this.permits.forget()]).catch((error: unknown) =>
        this.logger.warn({ err: error }, 'Failed to delete old rate counters: the next sweep tries again'),
      );
    }, forgetEveryMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.forgetting);
  }

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
