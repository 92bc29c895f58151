import type { Database } from '@carillon/event-store';
import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 5_000;

/** Whether a projection reaches this log position within the timeout. */
export async function hasReached(
  database: Database,
  name: string,
  position: bigint,
  mayWait: () => boolean,
): Promise<boolean> {
  for (const until = Date.now() + timeoutMs; ;) {
    const [there] = await database.query(
      `SELECT 1 FROM projection_checkpoints WHERE name = $1 AND position >= $2`,
      [name, String(position)],
    );
    if (there) return true;
    if (!mayWait() || Date.now() > until) return false;
    await sleep(20);
  }
}
