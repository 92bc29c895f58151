import { setTimeout as sleep } from 'node:timers/promises';
import {
  Database,
  type EventStore,
  Log,
  type LogPage,
  type Sql,
  StoreRefused,
  StreamDeleted,
} from '@carillon/event-store';
import { type Instant, millis } from '@carillon/eventing';
import { atEachLook, logCleanupLagSeconds, logStreamsCut } from '@carillon/metrics';
import {
  Clock,
  type DeleteBatch,
  keepDays,
  keptSince,
  type Logger,
  LOGGER,
  PeriodicCleanup,
} from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { type Cut, planOf } from './log-retention';

/** The events that are read at once. */
const batchSize = 500;
/** The streams that are cut at once. */
const concurrency = 8;

interface Row {
  position: string;
  next_at: Date | null;
}

interface Batch {
  readonly position: bigint;
  /** The time of the next event, which is not too old yet; null at the end of the log. */
  readonly nextAt: Instant | null;
  readonly hasMore: boolean;
}

/**
 * Cuts from the log what is older than `CARILLON_KEEP_DAYS` days (ADR 63). It goes through the log once, from its
 * stored position up to the first event that is not too old. A repeated cut changes nothing, so that a process that was
 * killed goes on at the stored position.
 */
@Injectable()
export class LogCleanup extends PeriodicCleanup {
  protected readonly name = 'log';
  protected readonly everyMs = 10 * 60 * 1000;
  private readonly days = keepDays();
  private readonly store: EventStore;
  private stopMeasuring = (): void => {};

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(LOGGER) logger: Logger,
    @Inject(Log) log: Log,
  ) {
    super(database, clock, logger);
    this.store = log.store;
  }

  override onModuleInit(): void {
    if (this.days === 0) return;
    super.onModuleInit();
    this.stopMeasuring = atEachLook(async () =>
      logCleanupLagSeconds.inc({ service: 'read-models' }, await this.lagSeconds()),
    );
  }

  override async onModuleDestroy(): Promise<void> {
    this.stopMeasuring();
    await super.onModuleDestroy();
  }

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const began = performance.now();
      const cut = await this.cutBatch();
      hasMore = false;
      // Only while this process has the lock, and is not to stop.
      await untilNone(async (sql) => {
        await this.move(sql, cut);
        hasMore = cut.hasMore;
        return 0;
      });
      // Rests as long as it worked, so that it leaves the store to requests.
      if (hasMore) await sleep(performance.now() - began);
    }
  }

  private async cutBatch(): Promise<Batch> {
    const [row] = await this.database.query<Row>(`SELECT position FROM log_cleanup`);
    const position = BigInt(row?.position ?? 0);
    const { events, last, end } = await this.after(position);
    const { cuts, stop } = planOf(events, this.cutBefore());
    await this.cut(cuts);
    const reached = stop === undefined ? last : events[stop.index - 1]?.position;
    return {
      position: reached ?? position,
      nextAt: stop?.at ?? null,
      hasMore: stop === undefined && !end,
    };
  }

  /** From the start of the log where it does not have the position: it was restored from a backup. */
  private async after(position: bigint): Promise<LogPage> {
    try {
      return await this.store.readAll(position, batchSize);
    } catch (error) {
      if (!(error instanceof StoreRefused)) throw error;
      return this.store.readAll(undefined, batchSize);
    }
  }

  private async move(sql: Sql, { position, nextAt }: Batch): Promise<void> {
    await sql.query(
      `INSERT INTO log_cleanup (name, position, next_at) VALUES ('log', $1, $2)
       ON CONFLICT (name) DO UPDATE SET position = excluded.position, next_at = excluded.next_at, updated_at = now()`,
      [String(position), nextAt],
    );
  }

  /** A day after lists hide a thing: none names what the log no longer has. */
  private cutBefore(): Instant {
    return keptSince(this.clock.now(), this.days + 1);
  }

  private async cut(cuts: readonly Cut[]): Promise<void> {
    const waiting = [...cuts];
    const work = async (): Promise<void> => {
      for (let cut = waiting.pop(); cut; cut = waiting.pop())
        if (await this.cutOne(cut)) logStreamsCut.inc({ outcome: cut.how });
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  /** Whether the stream was cut; false if it has a newer event. */
  private async cutOne({ stream, revision, how }: Cut): Promise<boolean> {
    if (how === 'deleted') return this.store.deleteForEver(stream, revision);
    try {
      await this.store.truncateBefore(stream, revision);
      return true;
    } catch (error) {
      if (error instanceof StreamDeleted) return false;
      throw error;
    }
  }

  /** For how long the next event to cut has been too old. */
  private async lagSeconds(): Promise<number> {
    const [row] = await this.database.query<Row>(`SELECT next_at FROM log_cleanup`);
    const at = row?.next_at?.getTime();
    return at === undefined ? 0 : Math.max(0, (millis(this.cutBefore()) - at) / 1_000);
  }
}
