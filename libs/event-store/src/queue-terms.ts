/** The lease of a row. */
export interface RowLease {
  /** For the column `owner`. */
  readonly owner: number;
  /** For the column `owned_until`: this many seconds from now, by the wall clock of the database. */
  readonly ownedSeconds: number;
}

/** The terms under which rows are leased. */
export interface LeaseClaim extends RowLease {
  /** The maximum to lease, in the weight of jobs. */
  readonly available: number;
  /** Accounts whose leased weight is at least the capacity left: no more of their jobs may be leased. */
  readonly fullAccounts: readonly string[];
  /** When the claim was made, by `performance.now()`: rows are leased under it only after that. */
  readonly atMs: number;
}

export interface LeasedJobs<Job> {
  readonly jobs: readonly Job[];
  /**
   * More jobs are due: another `take` follows, at once while there is capacity, else when a job has ended. A function
   * tells for the end of which jobs alone they wait.
   */
  readonly more: boolean | ((ended: Job) => boolean);
}

/** Rows that are due and not leased. */
export interface Backlog {
  readonly due: number;
  /** Since when the oldest row has been due; undefined when there is none. */
  readonly since: Date | undefined;
}

/** What a look at a queue found that is made for several queues at once. */
export interface Found {
  readonly isDue: boolean;
  /** Leases of dead processes are to be reclaimed. */
  readonly isOrphaned: boolean;
  /** When the next row falls due, by the business clock. */
  readonly nextDueMs: number | undefined;
}
