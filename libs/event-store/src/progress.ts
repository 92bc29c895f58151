import { type Instant, millis, type Recorded, Refused, errorFieldsOf } from '@carillon/eventing';
import type { Follower } from './follower';
import { type RunnerParts, pause } from './runner-parts';
import type { UnknownEvent } from './selection';

/** How long somebody waits for rows. */
const behindMs = 2_000;
const pollMs = 20;
/** How long what another process has just appended may take to get here, before the log is asked whether it has it. */
const momentMs = 50;
/**
 * What comes within this time of a commit waits for the next one: under load a few large transactions cost a fraction of
 * many small ones. After a pause the first event is applied at once, and nobody who reads is kept waiting for it.
 */
const gatherMs = 100;

/** How a projection stands, wherever it runs, as far as this process knows. */
export interface ProjectionState {
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

/** How far a projection is behind the log, as far as this process knows. */
export interface Lag {
  readonly projection: string;
  readonly current: boolean;
  /** This process applies its events. */
  readonly active: boolean;
  /** Undefined where nobody can tell, as at the start of making all rows anew. */
  readonly events: number | undefined;
  /** Since when the oldest of them has been in the log. */
  readonly seconds: number | undefined;
}

/** The rows know a position that the log does not have: they were made from another one, or the log was set back. */
export class ForeignRows extends Error {
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

/** How far the rows of one projection are, wherever it runs: what this process knows of it, and who waits for it. */
export class Progress {
  private markCaughtUp = (): void => {};
  readonly caughtUpOnce = new Promise<void>((resolve) => (this.markCaughtUp = resolve));
  /** This process applies its events. */
  isActive = false;
  /** Where it met an event that it does not know, and stopped. */
  failed: UnknownEvent | undefined;
  /** The failure that it is trying again after. */
  failure: unknown;
  /** Events that this process has looked at. */
  seen = 0;
  /** When the last of them was stored. */
  seenAt: Instant | undefined;
  /** The way along the log of the active one: what does not concern it moves it on without any work. */
  follower: Follower | undefined;
  /** What was applied up to here has been learnt of. */
  private known = 0n;
  private hasCaughtUp = false;
  private foreign: ForeignRows | undefined;
  /** The rows have been compared with the log, and were made from it. */
  isOfThisLog = false;
  private comparing: Promise<void> | undefined;
  private isLate = false;
  /** Where the log ended at a time. */
  private mark = { position: 0n, atMs: performance.now() };
  /** Where it stood when this process learned of it first. */
  private first: { readonly position: bigint; readonly atMs: number } | undefined;
  private readonly starting = new Set<() => void>();
  private polling: Promise<void> | undefined;
  private hurry = (): void => {};
  /** While somebody waits: the log may move on by what does not concern the projection. */
  private unwatch: (() => void) | undefined;
  private readonly waiting = new Set<{ position: bigint; wake: () => void }>();

  constructor(
    readonly name: string,
    private readonly parts: Pick<RunnerParts, 'database' | 'feed' | 'lagMs'>,
    private readonly wants: (recorded: Recorded) => boolean,
  ) {
    void parts.feed.begun.then(() => this.catchUp());
  }

  /** The position that the rows have, as far as this process knows. */
  get position(): bigint {
    const through = this.follower?.position ?? 0n;
    return through > this.known ? through : this.known;
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
    if (!this.isCurrent) throw new Refused('projection.behind', { projection: this.name });
  }

  has(position: bigint): boolean {
    return this.position >= position;
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
    if (this.failed && !this.isActive) this.poll().catch(() => {});
    if (this.has(this.mark.position)) this.mark = { position: this.parts.feed.position, atMs: nowMs };
    this.isLate = !this.has(this.mark.position) && nowMs - this.mark.atMs > this.parts.lagMs;
  }

  standing(): ProjectionState {
    const { origin = 0n } = this.parts.feed;
    const { first, seen: events } = this;
    const reason = this.trouble();
    const begun = first?.position ?? 0n;
    const done = this.position - begun;
    const all = origin - begun;
    const share = this.hasCaughtUp || all <= 0n ? 1 : Math.min(1, Number(done) / Number(all));
    const elapsedMs = first ? performance.now() - first.atMs : 0;
    return {
      projection: this.name,
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
  compare(): Promise<void> {
    this.comparing ??= this.compareNow().finally(() => (this.comparing = undefined));
    return this.comparing;
  }

  private async compareNow(): Promise<void> {
    const at = (await this.stored()) ?? 0n;
    const { extent } = this.parts.feed;
    const end = await extent.end(at);
    if (at > end || (at > 0n && !(await extent.has(at)))) {
      this.known = at;
      this.foreign = new ForeignRows(this.name, at, end);
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
    return this.has(position) ? 0n : position - this.position;
  }

  /** For who watches. Events further back than those at hand are estimated from what was seen on the way so far. */
  lagging(): Lag {
    const { name, first, isActive: active } = this;
    const { feed } = this.parts;
    const base = { projection: name, current: this.trouble() === undefined, active };
    if (this.has(feed.position)) return { ...base, events: 0, seconds: 0 };
    const near = feed.countAfter(this.position);
    const since = near ? near.first?.at : this.seenAt;
    const gone = first ? Number(this.position - first.position) : 0;
    const rate = gone > 0 ? this.seen / gone : undefined;
    const estimate = rate && Math.ceil(rate * Number(feed.position - this.position));
    const seconds = since === undefined ? undefined : Math.max(0, (Date.now() - millis(since)) / 1_000);
    return { ...base, events: near ? near.count : estimate, seconds: near && !near.first ? 0 : seconds };
  }

  async reached(asked: bigint): Promise<void> {
    const until = Date.now() + behindMs;
    const position = this.has(asked) ? asked : await this.inLog(asked);
    for (;;) {
      if (this.has(position)) return;
      const left = until - Date.now();
      if (left <= 0) throw new Refused('projection.behind', { projection: this.name });
      await this.advanced(position, this.isActive ? Math.min(left, 100) : Math.min(left, pollMs));
      if (!this.isActive && !this.has(position)) await this.poll().catch(() => {});
    }
  }

  /**
   * What there is to wait for: a position that the log does not have, which anybody may bring, means its end. Nothing is
   * hurried before that is known.
   */
  private async inLog(position: bigint): Promise<bigint> {
    const { feed } = this.parts;
    if (await this.isFed(position)) return position;
    const end = await feed.extent.end(position).catch(() => position);
    return end < position ? feed.position : position;
  }

  /** Whether the log is known up to a position, or is within a moment. */
  private isFed(position: bigint): Promise<boolean> {
    const { feed } = this.parts;
    if (feed.position >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const decide = (is: boolean): void => {
        clearTimeout(timer);
        stop();
        resolve(is);
      };
      const timer = setTimeout(() => decide(false), momentMs);
      const stop = feed.onMove(() => {
        if (feed.position >= position) decide(true);
      });
    });
  }

  /** Where the checkpoint stands; undefined before there is one. */
  async stored(): Promise<bigint | undefined> {
    const [row] = await this.parts.database.query<{ position: string }>(
      `SELECT position FROM projection_checkpoints WHERE name = $1`,
      [this.name],
    );
    return row && BigInt(row.position);
  }

  /** Asks the database how far the active replica is; all who wait share one question. */
  poll(): Promise<void> {
    this.polling ??= this.pollNow().finally(() => (this.polling = undefined));
    return this.polling;
  }

  /** The stored position does not move at once for what does not concern the projection: that is seen here too. */
  private async pollNow(): Promise<void> {
    const { feed } = this.parts;
    const position = (await this.stored()) ?? 0n;
    this.learn(position);
    if (!this.foreign && feed.hasNoneOf(this.wants, position)) this.learn(feed.position);
  }

  /** Notes how far the rows are, and wakes who has waited for that. */
  learn(position: bigint): void {
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
    this.wakeReached();
  }

  private stopWatching(): void {
    this.unwatch?.();
    this.unwatch = undefined;
  }

  private wakeReached(): void {
    for (const waiter of this.waiting) if (this.has(waiter.position)) waiter.wake();
  }

  /** Waits until the position is reached, `ms` at most. */
  private advanced(position: bigint, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter = {
        position,
        wake: (): void => {
          this.waiting.delete(waiter);
          clearTimeout(timer);
          if (this.waiting.size === 0) this.stopWatching();
          resolve();
        },
      };
      const timer = setTimeout(waiter.wake, ms);
      this.waiting.add(waiter);
      this.unwatch ??= this.parts.feed.onMove(() => this.wakeReached());
      this.hurry();
    });
  }

  /** Somebody waits for what comes: nothing is gathered any more. */
  press(): void {
    this.hurry();
  }

  /** Lets events come together for a moment, unless somebody waits for what they bring. */
  async gather(signal: AbortSignal): Promise<void> {
    if (this.waiting.size > 0) return;
    const awaited = new AbortController();
    this.hurry = () => awaited.abort();
    await pause(gatherMs, AbortSignal.any([signal, awaited.signal]));
    this.hurry = () => {};
  }
}

/** What kind of failure it is, without the values that its text may hold. */
function kindOf(error: unknown): string {
  const { name, code } = errorFieldsOf(error);
  return [typeof name === 'string' ? name : 'Error', code].filter((part) => part !== undefined).join(' ');
}
