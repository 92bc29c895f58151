import type { Clock, Logger } from '@carillon/runtime';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';

/** Deletes old rows at an interval, one sweep at a time. A later sweep deletes what a failed one left. */
export abstract class Sweep implements OnModuleInit, OnModuleDestroy {
  protected abstract readonly everyMs: number;
  /** The log message of a failed sweep. */
  protected abstract readonly failure: string;
  private timer: NodeJS.Timeout | undefined;
  private stopListening = (): void => {};
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    protected readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  protected abstract drop(): Promise<void>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.sweep(), this.everyMs).unref();
    this.stopListening = this.clock.onAdvance(() => this.sweep());
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopListening();
    await this.sweeping;
  }

  private sweep(): Promise<void> {
    this.sweeping = this.sweeping
      .then(() => this.drop())
      .catch((error: unknown) => this.logger.warn({ err: error }, this.failure));
    return this.sweeping;
  }
}
