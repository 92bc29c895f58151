import { answer, type Answer, Handles } from '@carillon/bus';
import { Accounts, HoldPlaces, type RateGrant, TakeRates } from '@carillon/contracts';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Controller, Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { WaitPlaces } from './wait-places.entity';
import { RateWindows } from './windows.entity';

const forgetEveryMs = 5 * 60_000;

@Controller()
export class RateHandlers implements OnModuleInit, OnModuleDestroy {
  private forgetting: NodeJS.Timeout | undefined;

  constructor(
    @Inject(RateWindows) private readonly windows: RateWindows,
    @Inject(WaitPlaces) private readonly places: WaitPlaces,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.forgetting = setInterval(() => {
      Promise.all([this.windows.forget(this.clock.ms()), this.places.forget()]).catch((error: unknown) =>
        this.logger.warn({ err: error }, 'Old counters were not removed'),
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
    if (back.length > 0) await this.windows.giveBack(back, atMs);
    const taken = takes.map((take) => ({ ...take, count: Math.max(0, take.count) }));
    return answer({ grants: await this.windows.take(taken, atMs) });
  }

  @Handles(Accounts.holdPlaces)
  async hold({ gateway, wants }: HoldPlaces): Promise<Answer<{ held: number[] }>> {
    return answer({ held: await this.places.hold(gateway, wants) });
  }
}
