import { Bus } from '@carillon/bus';
import { edgePulse, edgePulseMs } from '@carillon/contracts';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

/**
 * Tells services that this edge accepts requests. Services that wait for a caller do not take its silence for an answer
 * while no request could arrive.
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
