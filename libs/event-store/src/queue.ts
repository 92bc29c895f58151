import { type Instant, Refused } from '@carillon/eventing';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueFailures } from '@carillon/metrics';
import type { Database } from './database';
import type { DeadLetterBox } from './dead-letter-box';
import type { Logger } from './logger';
import { orphaned, LeaseOwner } from './owner';
import type { Backlog, Found, LeaseClaim, LeasedJobs, RowLease } from './queue-terms';

/** The business clock. */
export interface QueueClock {
  ms(): number;
  now(): Instant;
  /** Calls `work`, which does everything due, when the clock was moved. Returns a function that stops the calls. */
  onAdvance(work: () => Promise<void>): () => void;
}

/** The duration of a lease of a row. */
const ownedSeconds = 30;
/** The leases of jobs that are still executed are renewed at this age. */
const renewAfterMs = 10_000;
const pollMs = 1_000;
const sweepEveryPolls = 2;
/** A job whose row was written under a claim begins within this time or not at all; its lease lasts longer. */
const takeOverWithinMs = 8_000;
const drainMs = 5_000;
/** How long the ends of jobs gather for which others wait: so long, and four times as long as the last look took. */
const gatherMs = 20;
const gatherLooks = 4;

/**
 * Jobs of one kind, in a table with the columns `owner integer` and `owned_until timestamptz`: how they are leased,
 * executed and released. `QueueRunner` runs it; a job is executed by one process at a time, and at least once (ADR 25).
 */
export abstract class Queue<Job> {
  /** The name in logs and metrics. */
  abstract readonly name: string;
  /** The maximum that this process has leased at once, in the weight of jobs. */
  readonly capacity: number = 100;
  private running: RunningQueue<Job> | undefined;

  /**
   * Leases due rows without an owner under the claim (`FOR UPDATE SKIP LOCKED`) and returns them as jobs.
   * One call at a time in a process. `leased` are the jobs that the process leased before and has not finished.
   */
  abstract take(claim: LeaseClaim, leased: readonly Job[]): Promise<LeasedJobs<Job>>;

  /** Extends the leases of these jobs, where their rows still have this owner. */
  abstract renew(jobs: readonly Job[], lease: RowLease): Promise<unknown>;

  /**
   * Executes one job and writes the outcome, which releases its row. While `isOurs()` is false another process may have
   * leased it: the job must do and write nothing more. An error postpones the job.
   */
  abstract do(job: Job, isOurs: () => boolean): Promise<void>;

  /** Postpones a failed job. */
  abstract postpone(job: Job, error: unknown): Promise<void>;

  /** Releases the rows that meet a condition on `owner` and `owned_until`; returns how many. */
  abstract release(which: string): Promise<number>;

  /** How much capacity a job takes. */
  weight(_job: Job): number {
    return 1;
  }

  /**
   * The account of a job. A queue with this method shares its capacity: half of the free capacity is always left to
   * other accounts. `take` leases no more than the other half, and no jobs of the `fullAccounts`.
   */
  accountOf?(job: Job): string;

  /** Jobs that are due and not leased, for metrics and the status. */
  abstract backlog(): Promise<Backlog>;

  /** The dead letters of a queue that gives jobs up. */
  get deadLetters(): DeadLetterBox | undefined {
    return undefined;
  }

  /** How much this process has leased, in the weight of jobs. */
  get leased(): number {
    return this.running?.load ?? 0;
  }

  /** The fields of a job for logs. */
  abstract about(job: Job): object;

  /** When the next row falls due, in milliseconds of the business clock, so that it does not wait for the next poll. */
  nextDueMs?(): Promise<number | undefined>;

  /** For a queue that is looked at together with others: calls `tell` about once a second until the returned call. */
  poll?(tell: (found?: Found) => void): () => void;

  /** Maintenance that runs with every sweep for orphaned leases. */
  tidy?(): Promise<void>;

  /** Resolves when the results of executed jobs can be read; a move of the clock waits for it. */
  settled?(): Promise<void>;

  /** Called at the start, before any job is leased. */
  prepare?(): Promise<void>;

  /** True between start and stop. */
  protected get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Looks for due jobs at once: call it after the commit that wrote some. */
  kick(): void {
    this.running?.kick();
  }

  /** The claim under which rows may be written as leased by this process; undefined when it leases none. */
  protected claim(): LeaseClaim | undefined {
    return this.running?.claim();
  }

  /** How much of an account this process has leased, in the weight of jobs. */
  protected leasedOf(accountId: string): number {
    return this.running?.loadOf(accountId) ?? 0;
  }

  /** The jobs that this process has leased and not finished. */
  protected get inHand(): readonly Job[] {
    return this.running?.inHand ?? [];
  }

  /** Due rows may wait that any job could begin: this process has no capacity for them, or is still looking. */
  protected get mayHaveMore(): boolean {
    return this.running?.mayHaveMore ?? true;
  }

  /** Due rows wait for the end of jobs like this one. */
  protected waitsFor(job: Job): boolean {
    return this.running?.waitsFor(job) ?? true;
  }

  /** Whether `takeOver` still begins jobs under the claim: not after a stop, a lost lease or a long transaction. */
  protected canTakeOver(claim: LeaseClaim): boolean {
    return this.running?.canTakeOver(claim) ?? false;
  }

  /** Begins a job whose row was written as leased under a claim, by the `clock_timestamp()` of Postgres. */
  protected takeOver(job: Job, claim: LeaseClaim): void {
    this.running?.takeOver(job, claim);
  }

  /** Executes all due jobs; resolves when none is left. */
  run(): Promise<void> {
    return this.running?.drainDue() ?? Promise.resolve();
  }

  /** For `QueueRunner` alone. */
  async start(database: Database, clock: QueueClock, logger: Logger): Promise<void> {
    if (this.running) return;
    // From here on a stop finds it, also while it waits for the database.
    const running = (this.running = new RunningQueue(this, LeaseOwner.of(database, logger), clock, logger));
    try {
      await running.start();
    } catch (error) {
      this.running = undefined;
      throw error;
    }
  }

  /** For `QueueRunner` alone. Waits a few seconds at most for running jobs and releases the rest. */
  async stop(): Promise<void> {
    const { running } = this;
    await running?.stop();
    this.running = undefined;
  }
}

/** The lease of one job, by the clock of this process. */
interface JobLease {
  readonly owner: number;
  untilMs: number;
}

/** One queue from its start to its stop. */
class RunningQueue<Job> {
  private readonly leased = new Map<Job, JobLease>();
  private readonly underway = new Set<Promise<void>>();
  load = 0;
  private readonly loads = new Map<string, number>();
  /** Until the first look rows of an earlier process may wait. */
  private more: LeasedJobs<Job>['more'] = true;
  private isLeasing = false;
  /** `stopping` leases nothing new; `closed` no longer waits for running jobs. */
  private phase: 'starting' | 'working' | 'stopping' | 'closed' = 'starting';
  private taking: Promise<number> = Promise.resolve(0);
  private nextTake: Promise<number> | undefined;
  private sweeping: Promise<void> | undefined;
  private stopPolling = (): void => {};
  private soon: NodeJS.Timeout | undefined;
  private placesFree: NodeJS.Timeout | undefined;
  private lookTookMs = 0;
  private polls = 0;
  private renewing = false;
  private stopListening = (): void => {};

  constructor(
    private readonly queue: Queue<Job>,
    private readonly owner: LeaseOwner,
    private readonly clock: QueueClock,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    await this.queue.prepare?.();
    await this.owner.join();
    if (this.phase !== 'starting') return this.owner.leave();
    this.phase = 'working';
    this.stopListening = this.clock.onAdvance(() => this.drainDue());
    this.stopPolling = this.queue.poll?.((found) => this.look(found)) ?? this.pollAlone();
    this.look();
  }

  private pollAlone(): () => void {
    // Each queue has a pace of its own: queues that look at the same moment need a connection each.
    const poll = setInterval(() => this.look(), pollMs * (1 + Math.random() / 4));
    return () => clearInterval(poll);
  }

  async stop(): Promise<void> {
    // A start that still waits for the database checks the phase when it continues.
    if (this.phase === 'starting') this.phase = 'closed';
    if (this.phase !== 'working') return;
    this.phase = 'stopping';
    this.stopPolling();
    clearTimeout(this.soon);
    clearTimeout(this.placesFree);
    this.stopListening();
    await this.taking.catch(() => {});
    await Promise.race([this.ended(), sleep(drainMs, undefined, { ref: false })]);
    this.phase = 'closed';
    const { me } = this.owner;
    if (me !== undefined)
      await this.queue
        .release(`owner = ${me}`)
        .catch((error: unknown) =>
          this.note(
            'warn',
            error,
            'Failed to release leased jobs: they are reclaimed when their leases expire',
          ),
        );
    await this.owner.leave();
  }

  private get isWorking(): boolean {
    return this.phase === 'working';
  }

  private get isClosed(): boolean {
    return this.phase === 'closed';
  }

  claim(): LeaseClaim | undefined {
    const { me } = this.owner;
    const available = this.queue.capacity - this.load;
    if (!this.isWorking || me === undefined || available <= 0) return undefined;
    const fullAccounts = [...this.loads]
      .filter(([, load]) => load >= available)
      .map(([accountId]) => accountId);
    return { owner: me, ownedSeconds, available, fullAccounts, atMs: performance.now() };
  }

  loadOf(accountId: string): number {
    return this.loads.get(accountId) ?? 0;
  }

  get inHand(): Job[] {
    return [...this.leased.keys()];
  }

  get mayHaveMore(): boolean {
    return this.more === true || this.isLeasing || this.nextTake !== undefined;
  }

  waitsFor(job: Job): boolean {
    return typeof this.more === 'function' ? this.more(job) : this.more;
  }

  kick(): void {
    if (this.isWorking) this.watch(this.takeAll(), 'Failed to lease due jobs: the next poll tries again');
  }

  async drainDue(): Promise<void> {
    if (!this.isWorking) return;
    await this.sweep();
    while (this.isWorking) {
      const count = await this.takeAll();
      if (count === 0 && this.underway.size === 0) break;
      await this.ended();
      // The executed jobs may have made more work.
      await this.queue.settled?.();
    }
    await this.queue.settled?.();
  }

  /** A stop releases the rows of this owner, and other processes release them when its lease is over. */
  canTakeOver({ owner, atMs }: LeaseClaim): boolean {
    return this.isWorking && this.owner.me === owner && performance.now() - atMs < takeOverWithinMs;
  }

  takeOver(job: Job, claim: LeaseClaim): void {
    if (this.canTakeOver(claim)) this.begin(job, claim);
  }

  private begin(job: Job, { owner, atMs }: LeaseClaim): void {
    const weight = this.queue.weight(job);
    this.weigh(job, weight);
    const lease = { owner, untilMs: atMs + ownedSeconds * 1_000 };
    this.leased.set(job, lease);
    const working = this.queue
      .do(job, () => !this.isClosed && this.isHeld(lease))
      .catch((error: unknown) => this.failed(job, error))
      .finally(() => {
        this.weigh(job, -weight);
        this.leased.delete(job);
        this.underway.delete(working);
        if (this.waitsFor(job)) this.kickAfterEnd();
      });
    this.underway.add(working);
  }

  /**
   * What waits for certain jobs alone is looked for together, a fifth of the time at most: a look holds up what others
   * could hand on.
   */
  private kickAfterEnd(): void {
    if (this.more === true) return this.kick();
    this.placesFree ??= setTimeout(
      () => {
        this.placesFree = undefined;
        this.kick();
      },
      Math.max(gatherMs, gatherLooks * this.lookTookMs),
    );
  }

  private weigh(job: Job, weight: number): void {
    this.load += weight;
    const accountId = this.queue.accountOf?.(job);
    if (accountId === undefined) return;
    const load = this.loadOf(accountId) + weight;
    if (load > 0) this.loads.set(accountId, load);
    else this.loads.delete(accountId);
  }

  private async ended(): Promise<void> {
    await Promise.all(this.underway);
  }

  /** Asks for nothing that is known from a look at several queues. */
  private look(found?: Found): void {
    if (!found || found.isDue) this.kick();
    else this.wakeFor(found.nextDueMs);
    this.watch(this.renew(), 'Failed to renew the leases of jobs: the next poll tries again');
    if (this.polls % sweepEveryPolls === 0 && (!found || found.isOrphaned || this.queue.tidy))
      this.watch(this.sweep(), 'Failed to reclaim jobs of dead processes: the next sweep tries again');
    this.polls += 1;
  }

  private isHeld({ owner, untilMs }: JobLease): boolean {
    return this.owner.me === owner && performance.now() < untilMs;
  }

  private async renew(): Promise<void> {
    const { me: owner } = this.owner;
    const atMs = performance.now();
    const untilMs = atMs + ownedSeconds * 1_000;
    const old = [...this.leased].filter(
      ([, lease]) => this.isHeld(lease) && untilMs - lease.untilMs >= renewAfterMs,
    );
    if (this.renewing || owner === undefined || old.length === 0) return;
    this.renewing = true;
    try {
      await this.queue.renew(
        old.map(([job]) => job),
        { owner, ownedSeconds },
      );
      for (const [, lease] of old) if (this.isHeld(lease)) lease.untilMs = untilMs;
    } finally {
      this.renewing = false;
    }
  }

  /** One sweep at a time: concurrent calls share it. */
  private sweep(): Promise<void> {
    this.sweeping ??= this.sweepOnce().finally(() => (this.sweeping = undefined));
    return this.sweeping;
  }

  private async sweepOnce(): Promise<void> {
    if (this.owner.me === undefined) return;
    if ((await this.queue.release(orphaned)) > 0) this.kick();
    await this.queue.tidy?.();
  }

  /** One at a time; a call during a running one gets the next one, which sees everything that is due by now. */
  private takeAll(): Promise<number> {
    this.nextTake ??= this.taking
      .catch(() => {})
      .then(() => {
        this.nextTake = undefined;
        return this.takeDue();
      });
    this.taking = this.nextTake;
    return this.nextTake;
  }

  private async takeDue(): Promise<number> {
    for (let count = 0; ;) {
      const claim = this.claim();
      if (!claim) {
        // Due jobs are looked for again when a job has ended.
        this.more = true;
        return count;
      }
      const available = this.queue.accountOf ? Math.ceil(claim.available / 2) : claim.available;
      const begun = await this.takeUnder({ ...claim, available });
      count += begun;
      if (begun > 0 && this.more === true) continue;
      if (this.more !== true) this.wakeFor(await this.queue.nextDueMs?.());
      return count;
    }
  }

  private async takeUnder(claim: LeaseClaim): Promise<number> {
    this.isLeasing = true;
    const began = performance.now();
    try {
      const { jobs, more } = await this.queue.take(claim, this.inHand);
      for (const job of jobs) this.begin(job, claim);
      this.more = claim.fullAccounts.length > 0 || more;
      return jobs.length;
    } finally {
      this.isLeasing = false;
      this.lookTookMs = performance.now() - began;
    }
  }

  private wakeFor(due: number | undefined): void {
    clearTimeout(this.soon);
    if (due === undefined || !this.isWorking) return;
    const ms = due - this.clock.ms();
    if (ms < pollMs) this.soon = setTimeout(() => this.kick(), Math.max(1, ms));
  }

  private async failed(job: Job, error: unknown): Promise<void> {
    if (this.isClosed) return;
    queueFailures.inc({ queue: this.queue.name });
    this.note(levelOf(error), error, 'A job failed: it is postponed or given up', this.queue.about(job));
    // The lease of a job that cannot be postponed is not renewed any more.
    await this.queue
      .postpone(job, error)
      .catch((failure: unknown) =>
        this.note(
          'warn',
          failure,
          'Failed to postpone a job: it is reclaimed when its lease expires',
          this.queue.about(job),
        ),
      );
  }

  private watch(work: Promise<unknown>, failure: string): void {
    work.catch((error: unknown) => this.note(levelOf(error), error, failure));
  }

  private note(level: 'warn' | 'error', error: unknown, message: string, about: object = {}): void {
    if (!this.isClosed) this.logger[level]({ err: error, queue: this.queue.name, ...about }, message);
  }
}

/** Expected outages (`Refused`) are logged as warnings; anything else is a bug, so an error. */
const levelOf = (error: unknown): 'warn' | 'error' => (error instanceof Refused ? 'warn' : 'error');
