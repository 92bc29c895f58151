import { Database } from '@carillon/event-store';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { dropOld } from './retentions.entity';

const everyMs = 60 * 60 * 1000;

/** Throws away events that are listed no more. */
@Injectable()
export class EventsWorker implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopListening = (): void => {};
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.sweep(), everyMs).unref();
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
      .catch((error: unknown) => this.logger.warn({ err: error }, 'Old events were not thrown away'));
    return this.sweeping;
  }

  private async drop(): Promise<void> {
    await dropOld(this.database, this.clock.now());
  }
}
