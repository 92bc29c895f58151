import { Bus } from '@carillon/bus';
import { edgePulse, edgePulseMs } from '@carillon/contracts';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

/**
 * Tells services that the outside can be heard. Who waits for something from there does not take the silence for an
 * answer while nothing could have come in.
 */
@Injectable()
export class Pulse implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  onApplicationBootstrap(): void {
    const beat = (): void => this.bus.signal(edgePulse, 'gateway');
    beat();
    this.timer = setInterval(beat, edgePulseMs);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }
}
