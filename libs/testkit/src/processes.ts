import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Alive, and not merely waiting to be noticed as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync('/proc/self/stat')) return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** The process and all that it has started, itself first. */
export function familyOf(pid: number): number[] {
  const parents = parentsOfAll();
  const family = [pid];
  for (const parent of family) for (const [child, of] of parents) if (of === parent) family.push(child);
  return family;
}

/** Signals each of them that is still there: some, as those of Postgres, end by themselves at any moment. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}

/** Every process of the machine with its parent. */
function parentsOfAll(): (readonly [pid: number, parent: number])[] {
  if (!existsSync('/proc/self/stat'))
    return spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n')
      .map((line) => {
        const [pid = NaN, parent = NaN] = line.trim().split(/\s+/).map(Number);
        return [pid, parent];
      });
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const];
      } catch {
        return [];
      }
    });
}
