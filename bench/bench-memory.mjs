// What processes hold in memory, as Linux tells it.
import { readFileSync } from 'node:fs';

/** Bytes of one process: `Rss`, all that it has in memory; `Pss`, with what it shares counted in part. Throws where /proc is not. */
export const heldBytes = (pid, what) =>
  Number(
    new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ??
      0,
  ) * 1024;
