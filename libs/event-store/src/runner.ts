import type { Recorded } from '@carillon/eventing';
import { StoreUnavailable } from './event-store';
import { beginCheckpoints, partitioningOf } from './checkpoints';
import { gatherMs } from './gathering';
import { type Move, Overtaken } from './positions';
import { ForeignRows, Progress } from './progress';
import { accountOf, isOfEvent, maxFailures, setAside } from './set-aside';
import { type AnyProjection, mayWant, selection, UnknownEvent, wanting } from './selection';
import { rebuild, RebuildRunning } from './rebuild';
import { type RunnerParts, pause } from './runner-parts';
import type { Held } from './shares';

const batchSize = 500;
/** The maximum number of events in a transaction shared with other projections. */
const few = 20;
/** How often a passive replica tries to become the active one. */
const takeoverMs = 1_000;
/** How long a replica leaves rows of a newer version to the replicas that make them. */
const yieldMs = 3_000;
/** The pause before a failed rebuild is tried again. */
const rebuildPauseMs = 5_000;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

const undividedSet: ReadonlySet<number> = new Set([0]);
const nothing: ReadonlySet<number> = new Set();

/**
 * Runs one projection: applies the events of what this process holds of it, which is all of it or some partitions, and
 * polls the checkpoints of what other replicas hold.
 */
export class Runner {
  readonly started: Promise<void>;
  readonly progress: Progress;
  private markStarted = (): void => {};
  private backoffMs = firstBackoffMs;
  private readonly select;
  private readonly wants;
  private readonly partitioning;
  /** The stored checkpoints of the held partitions, as this process knows them. */
  private stored = new Map<number, bigint>();
  /** Up to here all events of the held partitions are applied. */
  private applied = 0n;
  /** The version of the rows that this process applies events to. */
  private rowsVersion = 0;
  private isCommitting = false;
  /** The position of the newest urgent event. */
  private urgentAt = 0n;
  /** Set while this process rebuilds the rows. */
  private rebuilding: Promise<void> | undefined;
  /** Set while the checkpoint is moved together with those of other projections. */
  private moving: Promise<void> | undefined;
  private overtaken = new AbortController();
  /** Events up to this position are applied one by one: one of them failed. */
  private carefulTo = 0n;
  /** The event that failed last when it was applied alone, and how many times it did. */
  private failing: { readonly event: Recorded; readonly error: unknown; readonly times: number } | undefined;

  constructor(
    readonly projection: AnyProjection,
    private readonly parts: RunnerParts,
  ) {
    this.wants = wanting(projection);
    this.partitioning = partitioningOf(projection, parts.log);
    this.progress = new Progress(projection.name, this.partitioning, parts, this.wants, () =>
      this.lostRows(),
    );
    this.select = selection(projection);
    this.started = new Promise((resolve) => (this.markStarted = resolve));
  }

  /** Lets the feed deliver what the projection follows, and read what this process applies of it. */
  want(): () => void {
    const { projection, partitioning } = this;
    return this.parts.feed.want((category, type) => mayWant(projection, category, type), {
      categories: Object.keys(projection.on),
      reads: ({ metadata: { partition, alsoIn } }) =>
        partitioning
          .ofEvent({ metadata: { partition, alsoIn } })
          .some((each) => this.progress.owned.has(each)),
    });
  }

  async run(): Promise<void> {
    const { logger, stopping } = this.parts;
    while (!stopping.aborted && !this.progress.failed) {
      let again = false;
      try {
        const held = await this.take();
        if (held) {
          // Their events are read from now on, those of others are only known to be there.
          this.progress.owned = held.partitions;
          this.parts.feed.reread();
          this.markStarted();
          again = await this.work(held);
        } else {
          await this.progress.poll();
          if (this.isNewer) this.rebuildRows();
        }
      } catch (error) {
        if (!stopping.aborted)
          logger.error(
            { err: error, projection: this.projection.name },
            'Failed to take the lease of a projection: trying again',
          );
      }
      this.progress.owned = nothing;
      this.markStarted();
      await this.release();
      if (again) await this.progress.poll().catch(() => {});
      if (this.isOlder && !this.projection.partitioned) await this.yieldLease();
      else if (!again) await this.rest();
    }
    await this.rebuilding;
  }

  /** What this process holds of the projection; undefined while other replicas hold all of it. */
  private async take(): Promise<Held | undefined> {
    const { feed, leases, shares } = this.parts;
    if (this.projection.partitioned) {
      // Hands the partitions over to replicas of a newer release first.
      if (this.isOlder) await shares.balance();
      return shares.current();
    }
    const lease = await leases.take(this.lease, () => feed.hears);
    return (
      lease && {
        partitions: undividedSet,
        signal: lease.signal,
        get isOver() {
          return lease.isOver;
        },
      }
    );
  }

  private get lease(): string {
    return `projection ${this.projection.name}`;
  }

  private async release(): Promise<void> {
    if (!this.projection.partitioned) await this.parts.leases.release(this.lease).catch(() => {});
  }

  /** Waits before the next try. */
  private async rest(): Promise<void> {
    const { stopping, shares } = this.parts;
    await pause(
      takeoverMs,
      this.projection.partitioned ? AbortSignal.any([stopping, shares.change]) : stopping,
    );
  }

  /** False when a replica of another release may be able to apply more of the events. */
  get isFit(): boolean {
    return !this.progress.failed && !this.isOlder;
  }

  get isRebuilding(): boolean {
    return this.rebuilding !== undefined;
  }

  private get isOlder(): boolean {
    return (this.progress.rowsVersion ?? 0) > this.projection.version;
  }

  private get isNewer(): boolean {
    const { rowsVersion } = this.progress;
    return rowsVersion !== undefined && rowsVersion < this.projection.version;
  }

  /** Leaves the lease to the replicas of a newer release, if there are any. */
  private async yieldLease(): Promise<void> {
    const { stopping } = this.parts;
    for (const untilMs = performance.now() + yieldMs; performance.now() < untilMs && this.isOlder;) {
      await pause(takeoverMs, stopping);
      if (stopping.aborted) return;
      await this.progress.poll().catch(() => {});
    }
  }

  /**
   * Rebuilds rows of another version beside them. Older rows are rebuilt by any replica, newer ones by the active one
   * only, since no replica of their version is left then.
   */
  private rebuildRows(): void {
    this.rebuilding ??= this.rebuildUntilDone().finally(() => (this.rebuilding = undefined));
  }

  private async rebuildUntilDone(): Promise<void> {
    const { database, log, logger, stopping } = this.parts;
    const { projection, progress } = this;
    while (!stopping.aborted && (this.isNewer || (this.isOlder && progress.isActive))) {
      const fields = { projection: projection.name, from: progress.rowsVersion, to: projection.version };
      try {
        logger.info(fields, 'A projection rebuilds its rows, which have another version');
        const { events } = await rebuild(database, log, projection, stopping);
        logger.info({ ...fields, events }, 'A projection has rebuilt its rows');
        return;
      } catch (error) {
        if (stopping.aborted) return;
        if (!(error instanceof RebuildRunning))
          logger.warn({ ...fields, err: error }, 'A projection failed to rebuild its rows: trying again');
      }
      await pause(rebuildPauseMs, stopping);
      await progress.poll().catch(() => {});
    }
  }

  /** Applies events until something of what is held is over. True when it should be taken again at once. */
  private async work(held: Held): Promise<boolean> {
    const { logger, stopping } = this.parts;
    const { name } = this.projection;
    const signal = AbortSignal.any([held.signal, stopping]);
    while (!signal.aborted) {
      try {
        await this.follow(held, signal);
      } catch (error) {
        if (stopping.aborted) return false;
        const isKnown = error instanceof ForeignRows && this.progress.failure instanceof ForeignRows;
        const fields = { err: error, projection: name, position: String(this.progress.position) };
        if (error instanceof Overtaken) {
          logger.info(fields, 'Another process moved the checkpoint of a projection: following from there');
          return true;
        }
        if (error instanceof UnknownEvent) {
          this.progress.failed = error;
          logger.error(
            { ...fields, type: error.event.type, stream: error.event.stream },
            'A projection met an unknown event type and stopped',
          );
          return false;
        }
        if (await this.leaveOut(error)) continue;
        this.progress.failure = error;
        if (error instanceof StoreUnavailable)
          logger.warn(fields, 'A projection failed to read the event store: trying again');
        else if (!isKnown) logger.error(fields, 'A projection failed to apply events: trying again');
        await pause(this.backoffMs, signal);
        this.backoffMs = Math.min(this.backoffMs * 2, maxBackoffMs);
      }
    }
    // Other partitions are held from now on.
    return this.projection.partitioned && !stopping.aborted;
  }

  private async follow(held: Held, signal: AbortSignal): Promise<void> {
    const { feed } = this.parts;
    const { partitions } = held;
    await this.moving;
    await this.readCheckpoints(partitions);
    const newest = [...this.stored.values()].reduce((most, each) => (each > most ? each : most), 0n);
    if (!this.progress.isOfThisLog || newest > feed.position) {
      await this.progress.compare();
      await this.readCheckpoints(partitions);
    }
    for (const [partition, position] of this.stored) this.progress.advance(position, [partition]);
    this.rowsVersion = this.progress.rowsVersion ?? this.projection.version;
    if (this.rowsVersion !== this.projection.version) this.rebuildRows();
    this.overtaken = new AbortController();
    const undisturbed = AbortSignal.any([signal, this.overtaken.signal]);
    const { projection } = this;
    const unlisten = projection.urgent ? feed.onEvent((recorded) => this.onUrgent(recorded)) : (): void => {};
    this.applied = [...this.stored.values()].reduce((least, each) => (each < least ? each : least), newest);
    const isHeld = (recorded: Recorded): boolean =>
      this.partitioning.ofEvent(recorded).some((each) => partitions.has(each));
    const follower = (this.progress.follower = feed.follow(
      this.applied,
      (recorded) => isHeld(recorded) && this.wants(recorded),
    ));
    try {
      while (!undisturbed.aborted) {
        // After a failure events are applied one by one: all before the failing event are applied, and the log names
        // it.
        const max = this.isCareful ? 1 : batchSize;
        const batch = await follower.next(max, undisturbed);
        if (feed.closed) return void (await pause(takeoverMs, signal));
        // After a freeze of this process another one may be active.
        if (held.isOver) return;
        this.progress.seen += batch.events.length;
        this.progress.seenAt = batch.events.at(-1)?.at ?? this.progress.seenAt;
        const events = this.select(batch.events.flatMap((recorded) => this.due(recorded, partitions) ?? []));
        if (events.some(({ unread }) => unread)) {
          feed.reread();
          throw new Error('An event reached a projection without having been read');
        }
        const touched = new Set(events.flatMap(this.partitioning.ofEvent));
        // Readers of other partitions need not wait for these rows.
        if (touched.size > 0 && touched.size < partitions.size)
          this.progress.advance(
            batch.position,
            [...partitions].filter((each) => !touched.has(each)),
          );
        if (events.length > 0) await this.commit(batch.position, events, touched);
        // What was applied may be lost, and is read again.
        if (this.overtaken.signal.aborted) break;
        follower.ack(batch.position);
        this.applied = batch.position;
        this.progress.advance(batch.position, partitions);
        if (events.length === 0) continue;
        this.announce(events);
        const waitMs = gatherMs({
          count: events.length,
          immediate: projection.immediate,
          noneUrgent: projection.urgent !== undefined && this.urgentAt <= batch.position,
        });
        if (waitMs > 0 && batch.events.length < max) await this.progress.debounce(waitMs, signal);
      }
    } finally {
      unlisten();
      this.progress.follower = undefined;
      feed.remove(follower);
    }
    if (!signal.aborted) throw this.overtaken.signal.reason;
  }

  /** The event for the rows of held partitions to which it was not applied before: others may be further behind. */
  private due(recorded: Recorded, partitions: ReadonlySet<number>): Recorded | undefined {
    return this.partitioning.part(
      recorded,
      (partition) => partitions.has(partition) && recorded.position > (this.stored.get(partition) ?? 0n),
    );
  }

  private onUrgent(recorded: Recorded): void {
    if (!this.projection.urgent?.(recorded) || !this.wants(recorded)) return;
    this.urgentAt = recorded.position;
    this.progress.flush();
  }

  /**
   * Writes rows and checkpoint in one transaction: shared with other projections, unless the projection is immediate or
   * has failed. Many events get a transaction of their own, so that nothing waits for other projections.
   */
  private async commit(
    to: bigint,
    events: readonly Recorded[],
    partitions: ReadonlySet<number>,
  ): Promise<void> {
    const { projection, parts, progress } = this;
    this.isCommitting = true;
    try {
      await this.moving;
      const { setAside } = progress;
      const moves = [...partitions].map((partition) => this.moveTo(to, partition));
      const part = { moves, projection, events, setAside };
      const isShared = events.length <= few && !projection.immediate && !this.isCareful;
      await (isShared ? parts.commits.together(part) : parts.commits.alone(part));
      for (const move of moves) this.moved(move);
    } catch (error) {
      this.noteFailure(to, events, error);
      throw error;
    } finally {
      this.isCommitting = false;
    }
    this.reset();
  }

  private get isCareful(): boolean {
    return this.progress.failure !== undefined || this.applied < this.carefulTo;
  }

  private noteFailure(to: bigint, [event, ...others]: readonly Recorded[], error: unknown): void {
    if (!event || !isOfEvent(error)) return;
    if (to > this.carefulTo) this.carefulTo = to;
    if (others.length > 0) return;
    const times = this.failing?.event.position === event.position ? this.failing.times + 1 : 1;
    this.failing = { event, error, times };
  }

  /** Sets the account of an event aside that has failed several times, so that all others go on. True when done. */
  private async leaveOut(error: unknown): Promise<boolean> {
    const { projection, failing, parts } = this;
    if (!failing || failing.error !== error || failing.times < maxFailures) return false;
    const { event } = failing;
    const accountId = accountOf(projection, event);
    if (accountId === '') return false;
    const { name } = projection;
    const fields = {
      err: error,
      projection: name,
      position: String(event.position),
      type: event.type,
      accountId,
    };
    try {
      const moves = this.partitioning.ofEvent(event).map((each) => this.moveTo(event.position, each));
      if (!(await setAside(parts.database, accountId, moves, event, error))) return false;
    } catch (failure) {
      parts.logger.warn({ ...fields, err: failure }, 'Failed to set an account aside: trying again');
      return false;
    }
    parts.logger.error(
      fields,
      'A projection cannot apply an event: its account is set aside, and the others go on',
    );
    this.carefulTo = 0n;
    this.reset();
    return true;
  }

  /** Moves of late checkpoints without rows, over events that do not concern the projection. */
  get lateMoves(): Move[] {
    const to = this.progress.follower?.position;
    if (to === undefined || this.isCommitting || this.moving) return [];
    return [...this.stored].filter(([, from]) => from < to).map(([partition]) => this.moveTo(to, partition));
  }

  private moveTo(to: bigint, partition: number): Move {
    const from = this.stored.get(partition) ?? 0n;
    return { name: this.projection.name, partition, from, to, rowsVersion: this.rowsVersion };
  }

  private moved({ partition, to }: Move): void {
    this.stored.set(partition, to);
    this.progress.committed(to, partition);
  }

  /** Tells the runner that its checkpoints are being moved; the runner commits nothing before the outcome. */
  awaitMoves(moves: readonly Move[], outcome: Promise<(move: Move) => 'moved' | 'busy' | 'overtaken'>): void {
    this.moving = outcome
      .then((of) => {
        for (const move of moves) {
          const how = of(move);
          if (how === 'overtaken') this.overtaken.abort(new Overtaken(move));
          if (how === 'moved') this.moved(move);
        }
        if (moves.every((move) => of(move) === 'moved')) this.reset();
      })
      .catch(() => {})
      .finally(() => (this.moving = undefined));
  }

  /** Follows again from the stored checkpoint. */
  private lostRows(): void {
    const { logger } = this.parts;
    const { name } = this.projection;
    logger.warn(
      { projection: name },
      'Postgres has lost the newest rows of a projection: they are made again',
    );
    this.overtaken.abort(new Overtaken(this.moveTo(this.applied, 0)));
  }

  private reset(): void {
    this.backoffMs = firstBackoffMs;
    this.progress.failure = undefined;
    this.failing = undefined;
  }

  private announce(events: Parameters<NonNullable<AnyProjection['committed']>>[0]): void {
    try {
      this.projection.committed?.(events);
    } catch (error) {
      this.parts.logger.error(
        { err: error, projection: this.projection.name },
        'Failed to announce the committed events of a projection: they are found at the next poll',
      );
    }
  }

  private async readCheckpoints(partitions: ReadonlySet<number>): Promise<void> {
    const { database, log } = this.parts;
    let stored = await this.progress.stored();
    if (stored.size < this.partitioning.count) {
      await beginCheckpoints(database, this.projection, log);
      stored = await this.progress.stored();
    }
    this.stored = new Map([...partitions].map((partition) => [partition, stored.get(partition) ?? 0n]));
  }
}
