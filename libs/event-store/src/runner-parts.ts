import { setTimeout as sleep } from 'node:timers/promises';
import type { Commits } from './commits';
import type { Database } from './database';
import type { Feed } from './feed';
import type { Locks } from './locks';
import type { Log } from './log';
import type { Logger } from './logger';

/** What the projections of one service share. */
export interface RunnerParts {
  readonly database: Database;
  readonly commits: Commits;
  readonly log: Log;
  readonly feed: Feed;
  readonly locks: Locks;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly lagMs: number;
}

/** Sleeps; shorter when the signal says so. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
