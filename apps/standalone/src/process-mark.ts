import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * What tells a process from every other that ever had its number: when it started. Undefined when there is none (or
 * it is dead and only waits for its parent to notice).
 */
export function markOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) {
    const listed = spawnSync('ps', ['-o', 'lstart=,command=', '-p', String(pid)], { encoding: 'utf8' });
    return listed.stdout?.trim() || undefined;
  }
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[18]}`;
}

/** True while the very process that had this mark lives. */
export const lives = (pid: number, mark: string): boolean => markOf(pid) === mark;
