/** The status of a projection, on whichever replica it is active, as far as this process knows. */
export interface ProjectionState {
  readonly projection: string;
  /** The rows are up to date, and the projection follows the log. */
  readonly current: boolean;
  /** It is new, and fills its tables beside projections that were served before: the service is ready without it. */
  readonly filling: boolean;
  /** Why it is not current. Contains no event data. */
  readonly reason?: string;
  /** Progress towards the end of the log as it was when this process began. */
  readonly percent: number;
  /** Events that this process has looked at. */
  readonly events: number;
  readonly secondsLeft?: number;
}

/** How far a projection is behind the log, as far as this process knows. */
export interface Lag {
  readonly projection: string;
  readonly current: boolean;
  /** This process applies its events, or those of some of its partitions. */
  readonly active: boolean;
  /** Undefined while it cannot be estimated, as at the start of a rebuild. */
  readonly events: number | undefined;
  /** The age of the oldest of these events. */
  readonly seconds: number | undefined;
  /** The number of accounts that it has set aside. */
  readonly setAside: number;
  /** It is new and fills its tables, or this process rebuilds rows of another version. */
  readonly filling: boolean;
}
