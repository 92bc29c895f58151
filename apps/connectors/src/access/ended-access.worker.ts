import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, plus, type Recorded } from '@carillon/eventing';
import { Clock, CommandQueue } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';

interface Command {
  readonly stream: string;
}

/** How long a stream is kept after the end of its pass or session, as a margin for wrong clocks. */
const keptMs = 60 * 60_000;

/** Deletes the streams of passes and gateway sessions once they are no longer needed. */
@Injectable()
export class EndedAccess extends CommandQueue<Command> {
  readonly name = 'ended_access';
  protected readonly process = 'connectors.ended_access';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the causing event. */
  async add(sql: Sql, until: Instant, from: Recorded): Promise<void> {
    const { stream } = from;
    await this.enqueue(sql, {
      key: `ended ${stream}`,
      command: { stream },
      from,
      at: plus(until, keptMs),
    });
  }

  protected async execute({ stream }: Command): Promise<void> {
    await this.log.store.delete(stream);
  }
}
