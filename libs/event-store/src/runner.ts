import { StoreUnavailable } from './event-store';
import type { Held } from './locks';
import { ForeignRows, Progress } from './progress';
import { type AnyProjection, selection, UnknownEvent } from './projection';
import { type Parts, rest } from './runner-parts';
import type { Sql } from './sql';

const batchSize = 500;
/** How often a passive replica tries to become the active one. */
const takeoverMs = 1_000;
/** How late the stored position may be when nothing happened that the projection applies. */
const lazyMs = 200;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

/** Somebody else moved the checkpoint: a second active replica, or a rebuild. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Runs one projection: takes its lock and applies what comes; where another replica has the lock, watches how far it is. */
export class Runner {
  readonly started: Promise<void>;
  readonly progress: Progress;
  private markStarted = (): void => {};
  private backoffMs = firstBackoffMs;
  private readonly select;

  constructor(
    readonly projection: AnyProjection,
    private readonly parts: Parts,
  ) {
    this.progress = new Progress(projection.name, parts);
    this.select = selection(projection);
    this.started = new Promise((resolve) => (this.markStarted = resolve));
  }

  async run(): Promise<void> {
    const { database, locks, logger, stopping } = this.parts;
    const lock = `projection ${database.schema}.${this.projection.name}`;
    while (!stopping.aborted && !this.progress.failed) {
      let again = false;
      try {
        const held = await locks.take(lock);
        if (held) {
          this.progress.isActive = true;
          this.markStarted();
          again = await this.work(held);
        } else await this.progress.poll();
      } catch (error) {
        if (!stopping.aborted)
          logger.error({ err: error, projection: this.projection.name }, 'A projection cannot take its lock');
      }
      this.progress.isActive = false;
      this.markStarted();
      await locks.give(lock).catch(() => {});
      if (!again) await rest(takeoverMs, stopping);
    }
  }

  /** Applies what comes until the lock is lost. True when it should be taken again at once. */
  private async work(held: Held): Promise<boolean> {
    const { logger, stopping } = this.parts;
    const { name } = this.projection;
    const signal = AbortSignal.any([held.signal, stopping]);
    while (!signal.aborted) {
      try {
        await this.follow(signal);
      } catch (error) {
        if (stopping.aborted) return false;
        const isKnown = error instanceof ForeignRows && this.progress.failure instanceof ForeignRows;
        const fields = { err: error, projection: name, position: String(this.progress.position) };
        if (error instanceof Overtaken) {
          logger.info(fields, 'The checkpoint of a projection was moved by another');
          return true;
        }
        if (error instanceof UnknownEvent) {
          this.progress.failed = error;
          logger.error(
            { ...fields, type: error.event.type, stream: error.event.stream },
            'A projection met an event that it does not know, and has stopped',
          );
          return false;
        }
        this.progress.failure = error;
        if (error instanceof StoreUnavailable) logger.warn(fields, 'A projection cannot read the log');
        else if (!isKnown) logger.error(fields, 'A projection failed and will try again');
        await rest(this.backoffMs, signal);
        this.backoffMs = Math.min(this.backoffMs * 2, maxBackoffMs);
      }
    }
    return false;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { feed } = this.parts;
    let stored = await this.checkpoint();
    if (!this.progress.isOfThisLog || stored > feed.position) {
      await this.progress.compare();
      stored = await this.checkpoint();
    }
    let position = stored;
    let lateSince: number | undefined;
    this.progress.learn(position);
    while (!signal.aborted) {
      const waitMs = lateSince === undefined ? undefined : Math.max(0, lateSince + lazyMs - Date.now());
      // After a failure one after the other: all that can be applied is, and what cannot is named.
      const max = this.progress.failure === undefined ? batchSize : 1;
      const page = await feed.next(position, max, { signal, waitMs });
      if (feed.closed) return void (await rest(takeoverMs, signal));
      if (page.position > position) {
        this.progress.seen += page.events.length;
        const events = this.select(page.events);
        if (events.length > 0) {
          await this.commit(stored, page.position, events);
          stored = page.position;
          lateSince = undefined;
        } else lateSince ??= Date.now();
        position = page.position;
        this.progress.learn(position);
        if (events.length > 0) {
          this.tell(events);
          if (!this.projection.immediate && page.events.length < max) await this.progress.gather(signal);
        }
      }
      if (lateSince !== undefined && Date.now() - lateSince >= lazyMs) {
        await this.move(this.parts.database, stored, position);
        this.wentOn();
        stored = position;
        lateSince = undefined;
      }
    }
  }

  /**
   * Rows and checkpoint in one transaction. The checkpoint comes first: its row lock lets one in at a time, and only
   * who knew where it stood, so that two that both think they are active cannot apply the same events.
   */
  private async commit(
    from: bigint,
    to: bigint,
    events: readonly Parameters<Runner['tell']>[0][number][],
  ): Promise<void> {
    await this.parts.database.transaction(async (sql) => {
      await this.move(sql, from, to);
      await this.projection.apply(sql, events);
    });
    this.wentOn();
  }

  private wentOn(): void {
    this.backoffMs = firstBackoffMs;
    this.progress.failure = undefined;
  }

  private async move(sql: Pick<Sql, 'query'>, from: bigint, to: bigint): Promise<void> {
    const { name } = this.projection;
    const moved = await sql.query(
      `UPDATE projection_checkpoints SET position = $3, updated_at = now() WHERE name = $1 AND position = $2
       RETURNING name`,
      [name, String(from), String(to)],
    );
    if (moved.length === 0) throw new Overtaken(`The projection ${name} is not at ${from} any more`);
  }

  private tell(events: Parameters<NonNullable<AnyProjection['committed']>>[0]): void {
    try {
      this.projection.committed?.(events);
    } catch (error) {
      this.parts.logger.error(
        { err: error, projection: this.projection.name },
        'A projection could not tell others',
      );
    }
  }

  private async checkpoint(): Promise<bigint> {
    const position = await this.progress.stored();
    if (position !== undefined) return position;
    await this.parts.database.query(
      `INSERT INTO projection_checkpoints (name, position) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING`,
      [this.projection.name],
    );
    return (await this.progress.stored()) ?? 0n;
  }
}
