/** A job that was given up, for an operator to inspect. */
export interface GivenUp {
  readonly queue: string;
  readonly id: string;
  readonly accountId: string;
  readonly reason: string;
  /** How often it was tried before it was given up. */
  readonly attempts: number;
  readonly since: string;
}

/** The jobs that a queue gave up. */
export interface DeadLetterBox {
  list(): Promise<readonly Omit<GivenUp, 'queue'>[]>;
  /** For metrics: also of those that a list leaves out. */
  count(): Promise<number>;
  /** Executes the job again and forgets it on success. False when it failed. */
  retry(id: string): Promise<boolean>;
  drop(id: string): Promise<void>;
}
