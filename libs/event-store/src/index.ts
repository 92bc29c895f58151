export { partitioningOf } from './checkpoints';
export { storeGroup, writeAccessLists } from './access-lists';
export { backlogOf } from './backlog';
export { columns, selected, type Selection } from './columns';
export { Database, whenAvailable } from './database';
export type { DatabaseOptions, TransactionOptions, WaitOptions } from './database';
export {
  isTooLarge,
  OutcomeUnknown,
  StoreRefused,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';
export type {
  Appended,
  EventStore,
  Expected,
  Listener,
  LogBatch as LogPage,
  NewEvent,
  RawEvent,
  Subscription,
} from './event-store';
export type { Migration } from './migrate';
export { baseMigrations } from './migrations';
export { openEventStore } from './event-store-db';
export type { StoreOptions } from './event-store-db';
export { Feed } from './feed';
export type { FeedBatch } from './follower';
export { inMemoryEventStore } from './in-memory';
export { Keys, ownerOfKey } from './keys';
export type { AccountKey, Rewrapping } from './keys';
export { Leases } from './leases';
export type { Lease } from './leases';
export { attempts, Log } from './log';
export type { Loaded, TransactOptions, Transacted } from './decision';
export type { Logger } from './logger';
export { holdProjection } from './hold';
export { Newest } from './newest';
export { throwRowsAway } from './new-rows';
export { usable } from './opening';
export { ignore, ignoring, inBatch } from './on';
export type { EventsOf, Handled, On } from './on';
export { addPartitions, deleteRest, dropPartitions, partitioned } from './partitions';
export type { PartitionedTable } from './partitions';
export { agreePartitions, defaultPartitions, type Partitioning } from './partition';
export { Projection } from './projection';
export { Projections } from './projections';
export type { Lag, ProjectionState } from './status';
export { startScavenges, type Scavenge } from './scavenge';
export { selection, UnknownEvent } from './selection';
export type { AnyProjection } from './selection';
export type { Sql } from './sql';
export { releaseLeases, renewLeases } from './leased-rows';
export { LeaseOwner, liveOwners } from './owner';
export { Timers } from './timers';
export type { Timer } from './timers';
export { createRole } from './roles';
export { Queue } from './queue';
export type { DeadLetterBox, GivenUp } from './dead-letter-box';
export type { QueueClock } from './queue';
export type { Backlog, LeaseClaim, LeasedJobs, RowLease } from './queue-terms';
export { QueueRunner } from './queue-runner';
export type { QueueStatus, Runnable } from './queue-runner';
