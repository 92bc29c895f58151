import { Refused } from '@carillon/eventing';
import { Commits } from './commits';
import type { Database } from './database';
import type { Feed } from './feed';
import { Locks } from './locks';
import type { Log } from './log';
import type { Logger } from './logger';
import { moveAll } from './positions';
import type { Lag, ProjectionState } from './progress';
import type { AnyProjection } from './selection';
import { rebuild } from './rebuild';
import { Runner } from './runner';

/** Rows that lack for so long what this process knows of the log are no truth any more; a takeover takes less. */
const defaultLagMs = 10_000;
const tickMs = 1_000;
/** How late a stored position may be when nothing happened that the projection applies. */
const storeMs = 1_000;

/** Runs the projections of one service. Of several replicas one is active per projection. */
export class Projections {
  private readonly stopping = new AbortController();
  private readonly locks: Locks;
  private readonly runners: ReadonlyMap<string, Runner>;
  private running: Promise<void>[] = [];
  private ticking: NodeJS.Timeout | undefined;
  private storing: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    feed: Feed,
    projections: readonly AnyProjection[],
    private readonly logger: Logger,
    { lagMs = defaultLagMs }: { readonly lagMs?: number } = {},
  ) {
    this.locks = new Locks(database);
    const parts = {
      database,
      commits: new Commits(database),
      log,
      feed,
      locks: this.locks,
      logger,
      stopping: this.stopping.signal,
      lagMs,
    };
    this.runners = new Map(projections.map((projection) => [projection.name, new Runner(projection, parts)]));
    if (this.runners.size < projections.length) throw new Error('Two projections have the same name');
  }

  /** Resolves when each projection has become active or found another that is. */
  async start(): Promise<void> {
    if (this.running.length > 0) return;
    const runners = [...this.runners.values()];
    this.running = runners.map((runner) => runner.run());
    this.ticking = setInterval(() => runners.forEach((runner) => runner.progress.tick()), tickMs);
    this.storing = setInterval(() => this.storePositions(), storeMs);
    await Promise.all(runners.map((runner) => runner.started));
  }

  /** In one statement for all projections that had nothing to do with what happened since. */
  private storePositions(): void {
    const late = [...this.runners.values()].flatMap((runner) => {
      const move = runner.lateMove;
      return move ? [{ runner, move }] : [];
    });
    if (late.length === 0) return;
    const outcome = moveAll(
      this.database,
      late.map(({ move }) => move),
    );
    for (const { runner, move } of late)
      runner.moves(
        move,
        outcome.then((of) => of(move)),
      );
    outcome.catch((error: unknown) =>
      this.logger.warn({ err: error }, 'Failed to store checkpoints: events are read again after a restart'),
    );
  }

  /**
   * For who answers from rows: resolves when they are current and have everything up to the position, if one is given.
   * Throws `Refused('projection.behind')` after two seconds.
   */
  async reached(name: string, position?: string): Promise<void> {
    await this.current(name);
    const runner = this.runner(name);
    if (position !== undefined) await runner.progress.reached(BigInt(position));
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
    if (!runner.progress.isCurrent) await runner.progress.current();
  }

  /**
   * For who is about to say no because of what the rows lack: resolves when they have all that this process knew of the
   * log when it was asked. Throws `Refused('projection.behind')`.
   */
  async abreast(name: string): Promise<void> {
    await this.current(name);
    await this.runner(name).progress.abreast();
  }

  /**
   * Asks the rows for one thing. That there is none counts only when they have all that this process knew of the log
   * when it was asked. Throws `Refused('projection.behind')`.
   */
  async find<Found>(name: string, ask: () => Promise<Found | undefined>): Promise<Found | undefined> {
    await this.current(name);
    const runner = this.runner(name);
    const wasAbreast = runner.progress.isAbreast;
    const found = await ask();
    if (found !== undefined || wasAbreast) return found;
    await runner.progress.abreast();
    return ask();
  }

  /** Whether the rows have everything up to the position, as far as this process knows. */
  has(name: string, position: bigint): boolean {
    return this.runner(name).progress.has(position);
  }

  /** Resolves when each projection, wherever it runs, has caught up once; never when this process stops before that. */
  async caughtUpOnce(): Promise<void> {
    await Promise.all([...this.runners.values()].map((runner) => runner.progress.caughtUpOnce));
  }

  /** How all projections stand. */
  statuses(): ProjectionState[] {
    return [...this.runners.values()].map((runner) => runner.progress.standing());
  }

  /** How far all projections are behind the log. */
  lags(): Lag[] {
    return [...this.runners.values()].map((runner) => runner.progress.lagging());
  }

  /** Makes the projection's rows anew from the log, beside the live ones, and switches. */
  async rebuild(name: string): Promise<{ events: number }> {
    return rebuild(this.database, this.log, this.runner(name).projection);
  }

  /** How far the projection is behind what this process knows of the log, in log positions. */
  lag(name: string): bigint {
    return this.runner(name).progress.lag;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.ticking);
    clearInterval(this.storing);
    await Promise.all(this.running);
    await this.locks.close();
  }

  private runner(name: string): Runner {
    const runner = this.runners.get(name);
    if (!runner) throw new Error(`There is no projection named ${name}`);
    return runner;
  }
}
