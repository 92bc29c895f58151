import { setTimeout as sleep } from 'node:timers/promises';
import type { Commits } from './commits';
import type { Database } from './database';
import type { Feed } from './feed';
import type { Leases } from './leases';
import type { Log } from './log';
import type { Logger } from './logger';
import type { Shares } from './shares';

/** The components that the projections of one service share. */
export interface RunnerParts {
  readonly database: Database;
  readonly commits: Commits;
  readonly log: Log;
  readonly feed: Feed;
  readonly leases: Leases;
  /** The partitions of the service that this process owns. */
  readonly shares: Shares;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly lagMs: number;
}

/** Sleeps until the time is over or the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
