import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './failure';

/** A data folder that somebody else has. */
export class FolderIsTaken extends Error {}

/**
 * Keeps a second server off a data folder: LMDB would let it in, and both would give out the same positions. The
 * file names its owner's process and when that started, so that a file left by a crash holds nobody up.
 */
export class FolderLock {
  private constructor(private readonly file: string) {}

  static take(folder: string): FolderLock {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'emulator.lock');
    const own = `${process.pid} ${startOf(process.pid)}`;
    for (let tries = 0; tries < 3; tries++) {
      try {
        writeFileSync(file, own, { flag: 'wx' });
        return new FolderLock(file);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      const [pid, started] = (readIfThere(file) ?? '').split(' ');
      if (pid && started && isSame(Number(pid), started))
        throw new FolderIsTaken(
          `the data folder ${folder} is in use by another event-store-emulator (process ${pid})`,
        );
      rmSync(file, { force: true });
    }
    throw new FolderIsTaken(`the data folder ${folder} is being taken by another event-store-emulator`);
  }

  release(): void {
    rmSync(this.file, { force: true });
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function isSame(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  // Dead, and only not noticed by its parent yet.
  if (/^[ZX]/.test(statOf(pid) ?? '')) return false;
  const now = startOf(pid);
  // Where the system does not say when a process started, a living process of that number is taken for the owner.
  return now === 'unknown' || started === 'unknown' || now === started;
}

/**
 * When a process started, in the system's own ticks: numbers of processes are used again, most of all in containers.
 */
function startOf(pid: number): string {
  return statOf(pid)?.split(' ')[19] ?? 'unknown';
}

/** What the system says of a process, from its state on. */
function statOf(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2);
}
