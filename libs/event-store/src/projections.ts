import { Refused } from '@carillon/eventing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database';
import { type EventStore, StoreRefused, StoreUnavailable } from './event-store';
import type { Feed } from './feed';
import type { Log } from './log';
import { type Held, Locks } from './locks';
import type { Logger } from './logger';
import { type AnyProjection, selection, UnknownEvent } from './projection';
import { rebuild } from './rebuild';
import type { Sql } from './sql';

const batchSize = 500;
/** How often a passive replica tries to become the active one. */
const takeoverMs = 1_000;
/** How late the stored position may be when nothing happened that the projection applies. */
const lazyMs = 200;
/**
 * What comes within this time of a commit waits for the next one: under load a few large transactions cost a fraction of
 * many small ones. After a pause the first event is applied at once, and nobody who reads is kept waiting for it.
 */
const gatherMs = 100;
const behindMs = 2_000;
/** Rows that lack for so long what this process knows of the log are no truth any more; a takeover takes less. */
const usualLagMs = 10_000;
const tickMs = 1_000;
const pollMs = 20;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

interface Parts {
  readonly database: Database;
  readonly log: Log;
  readonly feed: Feed;
  readonly locks: Locks;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly lagMs: number;
}

/** How a projection stands, wherever it runs, as far as this process knows. */
export interface Standing {
  readonly projection: string;
  /** Its rows may be taken for the truth, and it follows the log. */
  readonly current: boolean;
  /** Why not. Names no value of an event. */
  readonly reason?: string;
  /** How far it is with what it had to catch up with when this process began. */
  readonly percent: number;
  /** Events that this process has looked at. */
  readonly events: number;
  readonly secondsLeft?: number;
}

/** Runs the projections of one service. Of several replicas one is active per projection. */
export class Projections {
  private readonly stopping = new AbortController();
  private readonly locks: Locks;
  private readonly runners: ReadonlyMap<string, Runner>;
  private running: Promise<void>[] = [];
  private ticking: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    feed: Feed,
    projections: readonly AnyProjection[],
    logger: Logger,
    { lagMs = usualLagMs }: { readonly lagMs?: number } = {},
  ) {
    this.locks = new Locks(database);
    const parts = { database, log, feed, locks: this.locks, logger, stopping: this.stopping.signal, lagMs };
    this.runners = new Map(projections.map((projection) => [projection.name, new Runner(projection, parts)]));
    if (this.runners.size < projections.length) throw new Error('Two projections have the same name');
  }

  /** Resolves when each projection has become active or found another that is. */
  async start(): Promise<void> {
    if (this.running.length > 0) return;
    const runners = [...this.runners.values()];
    this.running = runners.map((runner) => runner.run());
    this.ticking = setInterval(() => runners.forEach((runner) => runner.tick()), tickMs);
    await Promise.all(runners.map((runner) => runner.started));
  }

  /**
   * For who answers from rows: resolves when they are current and have everything up to the position, if one is given.
   * Throws `Refused('projection.behind')` after two seconds.
   */
  async reached(name: string, position?: string): Promise<void> {
    await this.current(name);
    const runner = this.runner(name);
    if (position !== undefined) await runner.reached(BigInt(position));
  }

  /**
   * Waits as `reached` does, for who has appended something and can answer without the rows: when they are late, what
   * was appended has happened all the same.
   */
  async caughtUp(name: string, position: bigint): Promise<void> {
    try {
      await this.reached(name, String(position));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  /**
   * For who decides by rows. Throws `Refused('projection.behind')` while they are no truth: until the projection,
   * wherever it runs, has caught up once with the log as it was when this process began (waits two seconds for that),
   * and when it has lacked for ten seconds what this process knows of the log.
   */
  async current(name: string): Promise<void> {
    const runner = this.runner(name);
    if (!runner.isCurrent) await runner.current();
  }

  /**
   * For who is about to say no because of what the rows lack: resolves when they have all that this process knew of the
   * log when it was asked. Throws `Refused('projection.behind')`.
   */
  async abreast(name: string): Promise<void> {
    await this.current(name);
    await this.runner(name).abreast();
  }

  /**
   * Asks the rows for one thing. That there is none counts only when they have all that this process knew of the log
   * when it was asked. Throws `Refused('projection.behind')`.
   */
  async find<Found>(name: string, ask: () => Promise<Found | undefined>): Promise<Found | undefined> {
    await this.current(name);
    const runner = this.runner(name);
    const wasAbreast = runner.isAbreast;
    const found = await ask();
    if (found !== undefined || wasAbreast) return found;
    await runner.abreast();
    return ask();
  }

  /** Whether the rows have everything up to the position, as far as this process knows. */
  has(name: string, position: bigint): boolean {
    return this.runner(name).has(position);
  }

  /** Resolves when each projection, wherever it runs, has caught up once; never when this process stops before that. */
  async caughtUpOnce(): Promise<void> {
    await Promise.all([...this.runners.values()].map((runner) => runner.caughtUpOnce));
  }

  /** How all projections stand. */
  standings(): Standing[] {
    return [...this.runners.values()].map((runner) => runner.standing());
  }

  /** Makes the projection's rows anew from the log, beside the live ones, and switches. */
  async rebuild(name: string): Promise<{ events: number }> {
    return rebuild(this.database, this.log, this.runner(name).projection);
  }

  /** How far the projection is behind what this process knows of the log, in log positions. */
  lag(name: string): bigint {
    return this.runner(name).lag;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.ticking);
    await Promise.all(this.running);
    await this.locks.close();
  }

  private runner(name: string): Runner {
    const runner = this.runners.get(name);
    if (!runner) throw new Error(`There is no projection named ${name}`);
    return runner;
  }
}

/** Whether an event of the log stands at this position: what is none of its positions, the store refuses to read from. */
async function isPlaceOf(store: EventStore, position: bigint): Promise<boolean> {
  try {
    await store.readAll(position, 1);
    return true;
  } catch (error) {
    if (error instanceof StoreRefused) return false;
    throw error;
  }
}

/** The rows know a place that the log does not have: they were made from another one, or the log was set back. */
class ForeignRows extends Error {
  override readonly name = 'ForeignRows';

  constructor(
    readonly projection: string,
    readonly position: bigint,
    readonly end: bigint,
  ) {
    super(
      `The rows of ${projection} were made from another log, or from more of this one: they are at ${position}, and it ` +
        `ends at ${end}. Stop everything and make all rows anew: npm start -- --new-rows, or node tools/rebuild.mjs --all`,
    );
  }
}

/** Somebody else moved the checkpoint: a second active replica, or a rebuild. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

class Runner {
  readonly started: Promise<void>;
  private markCaughtUp = (): void => {};
  readonly caughtUpOnce = new Promise<void>((resolve) => (this.markCaughtUp = resolve));
  private markStarted = (): void => {};
  private known = 0n;
  private active = false;
  /** Where it met an event that it does not know, and stopped. */
  private failed: UnknownEvent | undefined;
  /** The failure that it is trying again after. */
  private failure: unknown;
  private hasCaughtUp = false;
  private foreign: ForeignRows | undefined;
  private isOfThisLog = false;
  private comparing: Promise<void> | undefined;
  private isLate = false;
  /** Where the log ended at a time. */
  private mark = { position: 0n, atMs: performance.now() };
  /** Where it stood when this process learned of it first. */
  private first: { readonly position: bigint; readonly atMs: number } | undefined;
  private seen = 0;
  private readonly starting = new Set<() => void>();
  private pause = firstPauseMs;
  private polling: Promise<void> | undefined;
  private hurry = (): void => {};
  private readonly waiting = new Set<{ position: bigint; wake: () => void }>();
  private readonly select;

  constructor(
    readonly projection: AnyProjection,
    private readonly parts: Parts,
  ) {
    this.select = selection(projection);
    this.started = new Promise((resolve) => (this.markStarted = resolve));
    void parts.feed.begun.then(() => this.catchUp());
  }

  get isCurrent(): boolean {
    return this.hasCaughtUp && !this.isLate && !this.foreign;
  }

  async current(): Promise<void> {
    if (!this.hasCaughtUp)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.starting.delete(done);
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(done, behindMs);
        this.starting.add(done);
      });
    if (!this.isCurrent) throw new Refused('projection.behind', { projection: this.projection.name });
  }

  has(position: bigint): boolean {
    return this.known >= position;
  }

  get isAbreast(): boolean {
    return this.has(this.parts.feed.position);
  }

  abreast(): Promise<void> {
    return this.reached(this.parts.feed.position);
  }

  /** Looks once a second whether the rows lack what has been known for too long. */
  tick(): void {
    const nowMs = performance.now();
    if (this.failed && !this.active) this.poll().catch(() => {});
    if (this.known >= this.mark.position) this.mark = { position: this.parts.feed.position, atMs: nowMs };
    this.isLate = this.known < this.mark.position && nowMs - this.mark.atMs > this.parts.lagMs;
  }

  standing(): Standing {
    const { origin = 0n } = this.parts.feed;
    const { first, seen: events } = this;
    const reason = this.trouble();
    const begun = first?.position ?? 0n;
    const done = this.known - begun;
    const all = origin - begun;
    const share = this.hasCaughtUp || all <= 0n ? 1 : Math.min(1, Number(done) / Number(all));
    const elapsedMs = first ? performance.now() - first.atMs : 0;
    return {
      projection: this.projection.name,
      current: reason === undefined,
      ...(reason !== undefined && { reason }),
      percent: this.hasCaughtUp ? 100 : this.parts.feed.origin === undefined ? 0 : Math.floor(share * 100),
      events,
      ...(!this.hasCaughtUp &&
        share > 0 &&
        done > 0n && { secondsLeft: Math.ceil((elapsedMs * (1 - share)) / share / 1000) }),
    };
  }

  /** Compares how far the rows are with where the log ends. Throws `ForeignRows`. */
  private compare(): Promise<void> {
    this.comparing ??= this.compareNow().finally(() => (this.comparing = undefined));
    return this.comparing;
  }

  private async compareNow(): Promise<void> {
    const at = (await this.stored()) ?? 0n;
    const { store } = this.parts.log;
    const end = at > 0n ? await endOf(store) : 0n;
    if (at > end || (at > 0n && !(await isPlaceOf(store, at)))) {
      this.known = at;
      this.foreign = new ForeignRows(this.projection.name, at, end);
      throw this.foreign;
    }
    this.isOfThisLog = true;
    this.catchUp();
  }

  private trouble(): string | undefined {
    const { failed, failure } = this;
    if (this.foreign) return this.foreign.message;
    const { lagMs, feed } = this.parts;
    const { outage, origin } = feed;
    if (failed && this.known < failed.event.position)
      return `has stopped at an event that it does not know: ${failed.event.type} at ${failed.event.position}`;
    if (outage && (origin === undefined || performance.now() - outage.sinceMs > lagMs))
      return `cannot follow the log: ${kindOf(outage.error)}`;
    if (failure !== undefined && !this.isCurrent) return `cannot go on: ${kindOf(failure)}`;
    if (!this.hasCaughtUp) return 'has not caught up with the log yet';
    return this.isLate ? `is more than ${lagMs / 1000} s behind the log` : undefined;
  }

  /** Notes when it has caught up for the first time. */
  private catchUp(): void {
    const { origin, position } = this.parts.feed;
    if (this.hasCaughtUp || origin === undefined || this.known < origin) return;
    if (this.known > position && !this.isOfThisLog) {
      this.compare().catch(() => {});
      return;
    }
    this.hasCaughtUp = true;
    this.markCaughtUp();
    for (const wake of [...this.starting]) wake();
  }

  get lag(): bigint {
    const { position } = this.parts.feed;
    return position > this.known ? position - this.known : 0n;
  }

  async run(): Promise<void> {
    const { database, locks, logger, stopping } = this.parts;
    const lock = `projection ${database.schema}.${this.projection.name}`;
    while (!stopping.aborted && !this.failed) {
      let again = false;
      try {
        const held = await locks.take(lock);
        if (held) {
          this.active = true;
          this.markStarted();
          again = await this.work(held);
        } else await this.poll();
      } catch (error) {
        if (!stopping.aborted)
          logger.error({ err: error, projection: this.projection.name }, 'A projection cannot take its lock');
      }
      this.active = false;
      this.markStarted();
      await locks.give(lock).catch(() => {});
      if (!again) await this.rest(takeoverMs, stopping);
    }
  }

  async reached(position: bigint): Promise<void> {
    const until = Date.now() + behindMs;
    for (;;) {
      if (this.known >= position) return;
      const left = until - Date.now();
      if (left <= 0) throw new Refused('projection.behind', { projection: this.projection.name });
      await this.advanced(position, this.active ? Math.min(left, 100) : Math.min(left, pollMs));
      if (!this.active && this.known < position) await this.poll().catch(() => {});
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
        const isKnown = error instanceof ForeignRows && this.failure instanceof ForeignRows;
        const fields = { err: error, projection: name, position: String(this.known) };
        if (error instanceof Overtaken) {
          logger.info(fields, 'The checkpoint of a projection was moved by another');
          return true;
        }
        if (error instanceof UnknownEvent) {
          this.failed = error;
          logger.error(
            { ...fields, type: error.event.type, stream: error.event.stream },
            'A projection met an event that it does not know, and has stopped',
          );
          return false;
        }
        this.failure = error;
        if (error instanceof StoreUnavailable) logger.warn(fields, 'A projection cannot read the log');
        else if (!isKnown) logger.error(fields, 'A projection failed and will try again');
        await this.rest(this.pause, signal);
        this.pause = Math.min(this.pause * 2, longestPauseMs);
      }
    }
    return false;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { feed } = this.parts;
    let stored = await this.checkpoint();
    if (!this.isOfThisLog || stored > feed.position) {
      await this.compare();
      stored = await this.checkpoint();
    }
    let position = stored;
    let lateSince: number | undefined;
    this.learn(position);
    while (!signal.aborted) {
      const waitMs = lateSince === undefined ? undefined : Math.max(0, lateSince + lazyMs - Date.now());
      // After a failure one after the other: all that can be applied is, and what cannot is named.
      const max = this.failure === undefined ? batchSize : 1;
      const page = await feed.next(position, max, { signal, waitMs });
      if (feed.closed) return void (await this.rest(takeoverMs, signal));
      if (page.position > position) {
        this.seen += page.events.length;
        const events = this.select(page.events);
        if (events.length > 0) {
          await this.commit(stored, page.position, events);
          stored = page.position;
          lateSince = undefined;
        } else lateSince ??= Date.now();
        position = page.position;
        this.learn(position);
        if (events.length > 0) {
          this.tell(events);
          if (!this.projection.immediate && page.events.length < max) await this.gather(signal);
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
    this.pause = firstPauseMs;
    this.failure = undefined;
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
    const position = await this.stored();
    if (position !== undefined) return position;
    await this.parts.database.query(
      `INSERT INTO projection_checkpoints (name, position) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING`,
      [this.projection.name],
    );
    return (await this.stored()) ?? 0n;
  }

  private async stored(): Promise<bigint | undefined> {
    const [row] = await this.parts.database.query<{ position: string }>(
      `SELECT position FROM projection_checkpoints WHERE name = $1`,
      [this.projection.name],
    );
    return row && BigInt(row.position);
  }

  /** Asks the database how far the active replica is; all who wait share one question. */
  private poll(): Promise<void> {
    this.polling ??= this.stored()
      .then((position) => this.learn(position ?? 0n))
      .finally(() => (this.polling = undefined));
    return this.polling;
  }

  private learn(position: bigint): void {
    this.first ??= { position, atMs: performance.now() };
    if (this.foreign && position !== this.foreign.position) {
      // They were made anew.
      this.foreign = undefined;
      this.known = 0n;
    }
    if (position <= this.known) return;
    this.known = position;
    if (position >= this.mark.position) this.isLate = false;
    this.catchUp();
    for (const waiter of this.waiting) if (waiter.position <= position) waiter.wake();
  }

  /** Waits until the position is reached, `ms` at most. */
  private advanced(position: bigint, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter = {
        position,
        wake: (): void => {
          this.waiting.delete(waiter);
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(waiter.wake, ms);
      this.waiting.add(waiter);
      this.hurry();
    });
  }

  /** Lets events come together, unless somebody waits for what they bring. */
  private async gather(signal: AbortSignal): Promise<void> {
    if (this.waiting.size > 0) return;
    const awaited = new AbortController();
    this.hurry = () => awaited.abort();
    await this.rest(gatherMs, AbortSignal.any([signal, awaited.signal]));
    this.hurry = () => {};
  }

  private async rest(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}

/** The last place in the log, what the store itself wrote included. */
async function endOf(store: EventStore): Promise<bigint> {
  for (let at = await store.head(); ;) {
    const { last, end } = await store.readAll(at === 0n ? undefined : at, batchSize);
    at = last ?? at;
    if (end || last === undefined) return at;
  }
}

/** What kind of failure it is, without the values that its text may hold. */
function kindOf(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return [typeof name === 'string' ? name : 'Error', code].filter((part) => part !== undefined).join(' ');
}
