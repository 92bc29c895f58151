/** Statements in one transaction. */
export interface Sql {
  // A row has the shape that its statement gives it: only the caller knows.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  query<T = any>(text: string, parameters?: readonly unknown[]): Promise<T[]>;
  /** Calls `work` once the transaction is committed; never when it is not. */
  afterCommit?(work: () => void): void;
  /** True in a rebuild from old events: handlers must enqueue nothing. */
  readonly rebuilding?: boolean;
}
