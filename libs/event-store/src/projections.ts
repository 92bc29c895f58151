import { Refused } from '@carillon/eventing';
import { Commits } from './commits';
import type { Database } from './database';
import type { Feed } from './feed';
import { Leases } from './leases';
import type { Log } from './log';
import type { Logger } from './logger';
import { partitioningOf } from './checkpoints';
import { moveAll } from './positions';
import { Shares } from './shares';
import type { Lag, ProjectionState } from './status';
import type { AnyProjection } from './selection';
import type { GivenUp } from './dead-letter-box';
import { rebuild } from './rebuild';
import { Runner } from './runner';
import { listSetAside, Replay } from './set-aside-replay';

/** Rows that are behind this process's view of the log for longer than this are not current; a takeover takes less. */
const defaultLagMs = 10_000;
const tickMs = 1_000;
/** How late a stored checkpoint may be when no event concerned the projection. */
const storeMs = 1_000;

/** Runs the projections of one service. Per projection one of the replicas is active. */
export class Projections {
  private readonly stopping = new AbortController();
  private readonly runners: ReadonlyMap<string, Runner>;
  private running: Promise<void>[] = [];
  private ticking: NodeJS.Timeout | undefined;
  private storing: NodeJS.Timeout | undefined;
  private readonly unwants: readonly (() => void)[];
  /** The partitions that this process owns. */
  private readonly shares: Shares;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    feed: Feed,
    projections: readonly AnyProjection[],
    private readonly logger: Logger,
    { lagMs = defaultLagMs }: { readonly lagMs?: number } = {},
  ) {
    const leases = Leases.of(database);
    this.shares = new Shares(
      leases,
      log.partitions,
      logger,
      () => this.partitionedRunners.every(({ isFit }) => isFit),
      () => feed.hears,
    );
    const parts = {
      database,
      commits: new Commits(database),
      log,
      feed,
      leases,
      shares: this.shares,
      logger,
      lagMs,
    };
    // Each has a signal of its own: Node takes more than ten listeners of one for a leak.
    this.runners = new Map(
      projections.map((projection) => [
        projection.name,
        new Runner(projection, { ...parts, stopping: AbortSignal.any([this.stopping.signal]) }),
      ]),
    );
    this.unwants = [...this.runners.values()].map((runner) => runner.want());
    if (this.runners.size < projections.length) throw new Error('Two projections have the same name');
  }

  /** Resolves when each projection has become active or has found that another replica is. */
  async start(): Promise<void> {
    if (this.running.length > 0) return;
    const runners = [...this.runners.values()];
    if (this.partitionedRunners.length > 0) this.shares.start(this.stopping.signal);
    this.running = runners.map((runner) => runner.run());
    this.ticking = setInterval(() => {
      runners.forEach((runner) => runner.progress.tick());
      void this.storeComplete();
    }, tickMs);
    this.storing = setInterval(() => this.storePositions(), storeMs);
    await Promise.all(runners.map((runner) => runner.started));
  }

  private async storeComplete(): Promise<void> {
    const complete = [...this.runners.values()]
      .map(({ progress }) => progress)
      .filter((each) => each.isNewlyComplete);
    if (complete.length === 0) return;
    try {
      await this.database.query(`UPDATE projection_checkpoints SET is_complete = true WHERE name = ANY($1)`, [
        complete.map(({ name }) => name),
      ]);
      for (const progress of complete) progress.isComplete = true;
    } catch {
      // The next tick tries again.
    }
  }

  /** Moves the checkpoints of all projections that no event has concerned since, in one statement. */
  private storePositions(): void {
    const late = [...this.runners.values()]
      .map((runner) => ({ runner, moves: runner.lateMoves }))
      .filter(({ moves }) => moves.length > 0);
    if (late.length === 0) return;
    const outcome = moveAll(
      this.database,
      late.flatMap(({ moves }) => moves),
    );
    for (const { runner, moves } of late) runner.awaitMoves(moves, outcome);
    outcome.catch((error: unknown) =>
      this.logger.warn({ err: error }, 'Failed to store checkpoints: events are read again after a restart'),
    );
  }

  /**
   * For answers from rows: resolves when the rows are current and include the position, if one is given. With the
   * account or team whose rows are read, for a projection that sets accounts aside.
   * Throws `Refused('projection.behind')` after two seconds, or at once for an account that is set aside.
   */
  async reached(name: string, position?: string, accountId?: string): Promise<void> {
    await this.current(name, accountId);
    if (position === undefined) return;
    const { progress } = this.runner(name);
    await progress.reached(BigInt(position), accountId);
    progress.insist(accountId);
  }

  /**
   * Waits as `reached` does, after an append whose answer does not need the rows: the append counts even if the rows
   * are late, so this does not throw `Refused`.
   */
  async caughtUp(name: string, position: bigint, accountId?: string): Promise<void> {
    try {
      await this.reached(name, String(position), accountId);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  /**
   * For decisions by rows. Throws `Refused('projection.behind')` while the rows are not current: until the projection,
   * on whichever replica, has caught up once with the log as it was when this process began (waits two seconds for
   * that), and when the rows have been behind this process's view of the log for ten seconds.
   */
  async current(name: string, accountId?: string): Promise<void> {
    const { progress } = this.runner(name);
    if (!progress.isCurrent) await progress.current();
    progress.insist(accountId);
  }

  /** For a row whose account was not known before: throws `Refused('projection.behind')` when that is set aside. */
  insist(name: string, accountId: string): void {
    this.runner(name).progress.insist(accountId);
  }

  /** The accounts that are set aside, for work on several accounts that leaves them out. */
  accountsAside(name: string): ReadonlySet<string> {
    return this.runner(name).progress.setAside.accounts;
  }

  /**
   * For a refusal because a row is missing: resolves when the rows include everything that this process knew of the log
   * at the call. Throws `Refused('projection.behind')`.
   */
  async abreast(name: string, accountId?: string): Promise<void> {
    await this.current(name, accountId);
    const { progress } = this.runner(name);
    await progress.abreast(accountId);
    progress.insist(accountId);
  }

  /**
   * Looks for a row. The answer "none" is final only when the rows include everything that this process knew of the log
   * at the call, and no account is set aside, whose row it may be. Throws `Refused('projection.behind')`.
   */
  async find<Found>(name: string, ask: () => Promise<Found | undefined>): Promise<Found | undefined> {
    await this.current(name);
    const runner = this.runner(name);
    const wasAbreast = runner.progress.isAbreast;
    const found = await ask();
    if (found !== undefined) return found;
    if (!wasAbreast) await runner.progress.abreast();
    const late = wasAbreast ? undefined : await ask();
    if (late === undefined && runner.progress.setAside.accounts.size > 0)
      throw new Refused('projection.behind', { projection: name });
    return late;
  }

  /** Whether the rows include everything up to the position, as far as this process knows. */
  has(name: string, position: bigint): boolean {
    return this.runner(name).progress.has(position);
  }

  /**
   * Resolves when each projection but those that fill has caught up once, on whichever replica; never if this process
   * stops before that.
   */
  async caughtUpOnce(): Promise<void> {
    const runners = [...this.runners.values()];
    await Promise.all(runners.map((runner) => runner.progress.firstRead));
    await Promise.all(
      runners.filter((runner) => !this.fills(runner)).map((runner) => runner.progress.caughtUpOnce),
    );
  }

  /** A new projection fills its tables for the first time beside those that were served before it was there. */
  private fills({ progress }: Runner): boolean {
    return progress.isAddition && !progress.isComplete;
  }

  /** The status of all projections. */
  statuses(): ProjectionState[] {
    return [...this.runners.values()].map((runner) => ({
      ...runner.progress.state(),
      filling: this.fills(runner),
    }));
  }

  /** How far all projections are behind the log. */
  lags(): Lag[] {
    return [...this.runners.values()].map((runner) => ({
      ...runner.progress.lagging(),
      filling: this.fills(runner) || runner.isRebuilding,
    }));
  }

  /** The partitions of the service, and how many of them this process owns; undefined when nothing is partitioned. */
  partitions(): { readonly count: number; readonly owned: number } | undefined {
    if (this.partitionedRunners.length === 0) return undefined;
    return { count: this.log.partitions, owned: this.shares.owned };
  }

  /** Rebuilds the projection's rows from the log beside the live rows, and switches. */
  async rebuild(name: string): Promise<{ events: number }> {
    return rebuild(this.database, this.log, this.runner(name).projection);
  }

  /** The accounts that the projections have set aside, as dead letters. */
  setAside(): Promise<GivenUp[]> {
    return listSetAside(this.database);
  }

  /**
   * Applies what a projection left out for an account that it has set aside; `drop` skips the event that failed. False
   * when an event still cannot be applied.
   */
  async settleSetAside(name: string, accountId: string, how: 'retry' | 'drop'): Promise<boolean> {
    const { projection } = this.runner(name);
    const rows = await this.database.query<{ partition: number }>(
      `SELECT partition FROM set_aside WHERE projection = $1 AND account_id = $2`,
      [name, accountId],
    );
    let isSettled = true;
    for (const { partition } of rows) {
      const partitioning = partitioningOf(projection, this.log);
      const replay = new Replay(this.database, this.log, projection, accountId, partition, partitioning);
      if (how === 'retry') isSettled = (await replay.run()) && isSettled;
      else await replay.drop();
    }
    return isSettled;
  }

  /** How far the projection is behind what this process knows of the log, in log positions. */
  lag(name: string): bigint {
    return this.runner(name).progress.lag;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const unwant of this.unwants) unwant();
    clearInterval(this.ticking);
    clearInterval(this.storing);
    await Promise.all(this.running);
    await this.shares.stop();
  }

  private get partitionedRunners(): Runner[] {
    return [...this.runners.values()].filter(({ projection }) => projection.partitioned);
  }

  private runner(name: string): Runner {
    const runner = this.runners.get(name);
    if (!runner) throw new Error(`There is no projection named ${name}`);
    return runner;
  }
}
