import { type Instant, millis, type Recorded, Refused } from '@carillon/eventing';
import type { Follower } from './follower';
import type { Partitioning } from './partition';
import { type RunnerParts, pause } from './runner-parts';
import type { UnknownEvent } from './selection';
import { kindOfError, SetAside } from './set-aside';
import type { Lag, ProjectionState } from './status';

/** The maximum wait for rows. */
const behindMs = 2_000;
const pollMs = 20;
/** How long what another process has just appended may take to get here, before the log is asked whether it has it. */
const momentMs = 50;
/** When it is read from the log, where the subscription may leave it out. */
const lookMs = 10;

/** The checkpoint is at a position that the log does not have: the rows belong to another log, or the log was reset. */
export class ForeignRows extends Error {
  override readonly name = 'ForeignRows';

  constructor(
    readonly projection: string,
    readonly position: bigint,
    readonly end: bigint,
  ) {
    super(
      `The rows of ${projection} were made from another log, or from more of this one: they are at ${position}, and it ` +
        `ends at ${end}. Stop everything and rebuild all rows: npm start -- --new-rows, or node tools/rebuild.mjs --all`,
    );
  }
}

/** The rows of one partition; a projection that is not partitioned has one. */
interface Part {
  /** The rows are known to include all events of the partition up to this position. */
  known: bigint;
  /** Where the stored checkpoint was last. It goes back only when Postgres has lost its newest commits. */
  storedAt: bigint;
}

const nothing: ReadonlySet<number> = new Set();

/** The position of one projection's rows, as far as this process knows, and the requests that wait for it. */
export class Progress {
  private markCaughtUp = (): void => {};
  /** The accounts whose rows are behind for them alone. */
  readonly setAside: SetAside;
  readonly caughtUpOnce = new Promise<void>((resolve) => (this.markCaughtUp = resolve));
  /** The partitions whose events this process applies. */
  owned = nothing;
  /** Set when the projection has stopped at an unknown event. */
  failed: UnknownEvent | undefined;
  /** The version of the stored rows, once this process has read it. */
  rowsVersion: number | undefined;
  /** The rows have been at the end of the log once, in any process. */
  isComplete = false;
  /** Other projections of the service were complete before this one was added. */
  isAddition = false;
  private markRead = (): void => {};
  /** Resolves when the checkpoints were read for the first time, after they were written. */
  readonly firstRead = new Promise<void>((resolve) => (this.markRead = resolve));
  /** The last failure, while the projection retries. */
  failure: unknown;
  /** Events that this process has looked at. */
  seen = 0;
  /** When the last event looked at was stored. */
  seenAt: Instant | undefined;
  /** Follows the owned partitions: events that do not concern the projection advance it without work. */
  follower: Follower | undefined;
  private readonly partitions: readonly Part[];
  /** `database.losses` when the checkpoint was last read: after a further loss it must be read again. */
  private verifiedAt = 0;
  /** The rows were at the end of the log once, as it was when this process began or when Postgres lost rows. */
  private hasCaughtUp = false;
  /** After Postgres lost rows: the position from which on they count as caught up again. */
  private lostTo: bigint | undefined;
  private foreign: ForeignRows | undefined;
  /** The rows have been compared with the log and belong to it. */
  isOfThisLog = false;
  private comparing: Promise<void> | undefined;
  private isLate = false;
  /** The end of the log at a moment, to measure the lag. */
  private mark = { position: 0n, atMs: performance.now() };
  /** The first position of the rows that this process learned. */
  private first: { readonly position: bigint; readonly atMs: number } | undefined;
  private readonly starting = new Set<() => void>();
  private polling: Promise<void> | undefined;
  private endDebounce = (): void => {};
  /** Set while requests wait: the position may also advance by events that do not concern the projection. */
  private unwatch: (() => void) | undefined;
  private readonly waiting = new Set<{ position: bigint; partition: number | undefined; wake: () => void }>();

  constructor(
    readonly name: string,
    private readonly partitioning: Partitioning,
    private readonly parts: Pick<RunnerParts, 'database' | 'feed' | 'lagMs'>,
    private readonly wants: (recorded: Recorded) => boolean,
    /** Called when Postgres has lost the newest rows together with the checkpoint. */
    private readonly onLostRows: () => void = () => {},
  ) {
    this.setAside = new SetAside(name, partitioning);
    this.partitions = Array.from({ length: partitioning.count }, () => ({ known: 0n, storedAt: 0n }));
    void parts.feed.begun.then(() => this.catchUp());
  }

  /** The position of the rows of all partitions, as far as this process knows. */
  get position(): bigint {
    let least = this.positionOf(0);
    for (let partition = 1; partition < this.partitions.length; partition += 1) {
      const position = this.positionOf(partition);
      if (position < least) least = position;
    }
    return least;
  }

  private positionOf(partition: number): bigint {
    const { known } = this.partitions[partition]!;
    const through = this.owned.has(partition) ? (this.follower?.position ?? 0n) : 0n;
    return through > known ? through : known;
  }

  /** The position of all partitions that is stored or was applied by this process. */
  private get known(): bigint {
    return this.partitions.reduce(
      (least, { known }) => (known < least ? known : least),
      this.partitions[0]!.known,
    );
  }

  get isActive(): boolean {
    return this.owned.size > 0;
  }

  /** Whether this process applies the events of a partition, or of all. */
  private owns(partition: number | undefined): boolean {
    return partition === undefined ? this.owned.size === this.partitions.length : this.owned.has(partition);
  }

  get isCurrent(): boolean {
    return this.isVerified && this.isUpToDate;
  }

  private get isUpToDate(): boolean {
    return this.hasCaughtUp && !this.isLate && !this.foreign;
  }

  /** No connection was lost since the checkpoint was read: what is known of the rows holds. */
  private get isVerified(): boolean {
    return this.verifiedAt === this.parts.database.losses;
  }

  async current(): Promise<void> {
    if (!this.isVerified) await this.poll();
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
    if (!this.isUpToDate) throw new Refused('projection.behind', { projection: this.name });
  }

  /** Throws `Refused('projection.behind')` when the rows of an account are behind for it alone. */
  insist(accountId: string | undefined): void {
    if (accountId !== undefined && this.setAside.accounts.has(accountId))
      throw new Refused('projection.behind', { projection: this.name });
  }

  /** Whether the rows of the partition, or of all, include everything up to a position. */
  has(position: bigint, partition?: number): boolean {
    return (
      this.isVerified && (partition === undefined ? this.position : this.positionOf(partition)) >= position
    );
  }

  /** The partition with all rows that readers of an account see; undefined when these are in several. */
  private partitionOf(accountId: string | undefined): number | undefined {
    return accountId === undefined ? undefined : this.partitioning.of(accountId);
  }

  get isAbreast(): boolean {
    return this.has(this.parts.feed.position);
  }

  abreast(accountId?: string): Promise<void> {
    return this.reached(this.parts.feed.position, accountId);
  }

  /** Called once a second: checks whether the rows have been behind the log for too long. */
  tick(): void {
    const nowMs = performance.now();
    // Another replica may end the exception of an account, also where no event makes this one read it.
    const isPolled = this.isActive ? !this.owns(undefined) || this.setAside.accounts.size > 0 : this.failed;
    if (isPolled) this.poll().catch(() => {});
    const reached = this.position >= this.mark.position;
    if (reached) this.mark = { position: this.parts.feed.position, atMs: nowMs };
    this.isLate = !reached && nowMs - this.mark.atMs > this.parts.lagMs;
  }

  /** The rows are complete for the first time, which is not stored yet. */
  get isNewlyComplete(): boolean {
    return this.hasCaughtUp && !this.isComplete && this.rowsVersion !== undefined;
  }

  state(): Omit<ProjectionState, 'filling'> {
    const { origin = 0n } = this.parts.feed;
    const { first, seen: events } = this;
    const reason = this.trouble();
    const begun = first?.position ?? 0n;
    const done = this.position - begun;
    const all = (this.lostTo ?? origin) - begun;
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

  /** Checks that the position of the rows exists in the log. Throws `ForeignRows`. */
  compare(): Promise<void> {
    this.comparing ??= this.compareNow().finally(() => (this.comparing = undefined));
    return this.comparing;
  }

  private async compareNow(): Promise<void> {
    const at = newestOf(await this.stored());
    const { extent } = this.parts.feed;
    const end = await extent.end(at);
    if (at > end || (at > 0n && !(await extent.has(at)))) {
      for (const part of this.partitions) part.known = at;
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
      return `cannot follow the log: ${kindOfError(outage.error)}`;
    if (failure !== undefined && !this.isUpToDate) return `cannot go on: ${kindOfError(failure)}`;
    if (!this.hasCaughtUp) return 'has not caught up with the log yet';
    return this.isLate ? `is more than ${lagMs / 1000} s behind the log` : undefined;
  }

  /** Records when the rows have caught up for the first time. */
  private catchUp(): void {
    const { origin, position } = this.parts.feed;
    const goal = this.lostTo ?? origin;
    if (this.hasCaughtUp || goal === undefined || this.known < goal) return;
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
    return position > this.position ? position - this.position : 0n;
  }

  /** The lag for metrics. Events further back than the ring are estimated from the rate of events seen so far. */
  lagging(): Omit<Lag, 'filling'> {
    const { name, first, isActive: active } = this;
    const { feed } = this.parts;
    const setAside = this.setAside.accounts.size;
    const base = { projection: name, current: this.trouble() === undefined, active, setAside };
    if (this.lag === 0n) return { ...base, events: 0, seconds: 0 };
    const near = feed.countAfter(this.position);
    const since = near ? near.first?.at : this.seenAt;
    const gone = first ? Number(this.position - first.position) : 0;
    const rate = gone > 0 ? this.seen / gone : undefined;
    const estimate = rate && Math.ceil(rate * Number(feed.position - this.position));
    const seconds = since === undefined ? undefined : Math.max(0, (Date.now() - millis(since)) / 1_000);
    return { ...base, events: near ? near.count : estimate, seconds: near && !near.first ? 0 : seconds };
  }

  /** For the rows of an account, or of all: waits until they include everything up to a position. */
  async reached(asked: bigint, accountId?: string): Promise<void> {
    const until = Date.now() + behindMs;
    const partition = this.partitionOf(accountId);
    if (!this.isVerified) await this.poll();
    const position = this.has(asked, partition) ? asked : await this.inLog(asked);
    for (;;) {
      if (this.has(position, partition)) return;
      const left = until - Date.now();
      if (left <= 0) throw new Refused('projection.behind', { projection: this.name });
      const isOwned = this.owns(partition);
      if (this.parts.feed.position < position) this.parts.feed.look().catch(() => {});
      await this.waitUntilReached(
        position,
        partition,
        isOwned ? Math.min(left, 100) : Math.min(left, pollMs),
      );
      if (!this.isVerified || (!isOwned && !this.has(position, partition))) await this.poll().catch(() => {});
    }
  }

  /**
   * What there is to wait for: a position that the log does not have, which anybody may bring, means its end. Nothing
   * is hurried before that is known.
   */
  private async inLog(position: bigint): Promise<bigint> {
    const { feed } = this.parts;
    // A silent store tells nothing, and another process may make the rows meanwhile.
    if (!feed.hears || (await this.isFed(position))) return position;
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
        clearTimeout(look);
        stop();
        resolve(is);
      };
      const timer = setTimeout(() => decide(false), momentMs);
      const look = setTimeout(() => void feed.look().catch(() => {}), lookMs);
      const stop = feed.onMove(() => {
        if (feed.position >= position) decide(true);
      });
    });
  }

  /**
   * Reads the checkpoints by partition, without those that are not there yet. One that went back means that Postgres
   * lost its newest rows, as a replica that takes over may.
   */
  async stored(): Promise<ReadonlyMap<number, bigint>> {
    const { parts } = this;
    const { losses } = parts.database;
    const before = this.partitions.map(({ storedAt }) => storedAt);
    const rows = await parts.database.query<{
      partition: number;
      position: string;
      version: string | null;
      rows_version: number;
      is_complete: boolean;
      is_addition: boolean;
    }>(
      `SELECT partition, position, set_aside_version AS version, rows_version, is_complete, is_addition
       FROM projection_checkpoints WHERE name = $1`,
      [this.name],
    );
    await this.setAside.at(parts.database, rows);
    this.rowsVersion = rows[0]?.rows_version;
    this.isComplete = rows.length > 0 && rows.every(({ is_complete }) => is_complete);
    this.isAddition = rows.some(({ is_addition }) => is_addition);
    if (rows.length > 0) this.markRead();
    const stored = new Map(rows.map(({ partition, position }) => [partition, BigInt(position)]));
    if (before.some((position, partition) => (stored.get(partition) ?? 0n) < position)) this.lostRows(stored);
    for (const [partition, position] of stored) this.committed(position, partition);
    this.verifiedAt = losses;
    return stored;
  }

  /** Records that the checkpoint of a partition is stored at a position. */
  committed(position: bigint, partition: number): void {
    const part = this.partitions[partition];
    if (part && position > part.storedAt) part.storedAt = position;
  }

  private lostRows(stored: ReadonlyMap<number, bigint>): void {
    for (const [partition, part] of this.partitions.entries())
      part.known = part.storedAt = stored.get(partition) ?? 0n;
    this.follower = undefined;
    this.hasCaughtUp = false;
    this.lostTo = this.parts.feed.position;
    this.onLostRows();
  }

  /** Reads the checkpoints that other replicas move; concurrent calls share one query. */
  poll(): Promise<void> {
    this.polling ??= this.pollNow().finally(() => (this.polling = undefined));
    return this.polling;
  }

  /** The stored checkpoint moves late over events that do not concern the projection, so these are checked here too. */
  private async pollNow(): Promise<void> {
    const { feed } = this.parts;
    const stored = await this.stored();
    this.mayHaveBeenRebuilt(newestOf(stored));
    for (const partition of this.partitions.keys()) this.advanceTo(stored.get(partition) ?? 0n, partition);
    if (!this.foreign)
      for (const partition of this.partitions.keys())
        if (
          !this.owned.has(partition) &&
          feed.hasNoneOf(this.wantsOf(partition), this.partitions[partition]!.known)
        )
          this.advanceTo(feed.position, partition);
    this.advanced();
  }

  private wantsOf(partition: number): (recorded: Recorded) => boolean {
    if (this.partitions.length === 1) return this.wants;
    return (recorded) => this.partitioning.ofEvent(recorded).includes(partition) && this.wants(recorded);
  }

  /** Records the position of the rows of some partitions, and wakes the requests that wait for it. */
  advance(position: bigint, partitions: Iterable<number>): void {
    this.mayHaveBeenRebuilt(position);
    for (const partition of partitions) this.advanceTo(position, partition);
    this.advanced();
  }

  private mayHaveBeenRebuilt(position: bigint): void {
    if (!this.foreign || position === this.foreign.position) return;
    this.foreign = undefined;
    for (const part of this.partitions) part.known = 0n;
  }

  private advanceTo(position: bigint, partition: number): void {
    const part = this.partitions[partition]!;
    if (position > part.known) part.known = position;
  }

  private advanced(): void {
    const { position } = this;
    this.first ??= { position, atMs: performance.now() };
    if (position >= this.mark.position) this.isLate = false;
    this.catchUp();
    this.wakeReached();
  }

  private stopWatching(): void {
    this.unwatch?.();
    this.unwatch = undefined;
  }

  private wakeReached(): void {
    for (const { position, partition, wake } of this.waiting) if (this.has(position, partition)) wake();
  }

  /** Waits until the position is reached, `ms` at most. */
  private waitUntilReached(position: bigint, partition: number | undefined, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter = {
        position,
        partition,
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
      this.endDebounce();
    });
  }

  /** Ends the debounce: a request waits for the next events. */
  flush(): void {
    this.endDebounce();
  }

  /** Waits for more events for a moment, unless a request waits for those at hand. */
  async debounce(ms: number, signal: AbortSignal): Promise<void> {
    if (this.waiting.size > 0) return;
    const awaited = new AbortController();
    this.endDebounce = () => awaited.abort();
    await pause(ms, AbortSignal.any([signal, awaited.signal]));
    this.endDebounce = () => {};
  }
}

const newestOf = (stored: ReadonlyMap<number, bigint>): bigint =>
  [...stored.values()].reduce((newest, position) => (position > newest ? position : newest), 0n);
