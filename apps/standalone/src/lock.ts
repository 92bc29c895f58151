import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './failure';
import { lives, markOf } from './process-mark';

/** How long a killed owner may take to end; an owner that lives longer is in use. */
const dyingMs = 2_000;

/** Another standalone uses the same data folder. */
class AlreadyRunning extends Error {
  constructor(
    readonly pid: number,
    dataFolder: string,
  ) {
    super(`Carillon is running already on ${dataFolder} (process ${pid})`);
  }
}

/** Keeps a second start off the data folder. A lock left by a crash does not block a start. */
export class Lock {
  private constructor(
    private readonly file: string,
    /** The previous start crashed: some of its processes may still be ending. */
    readonly afterCrash: boolean,
  ) {}

  static async take(dataFolder: string): Promise<Lock> {
    const file = join(dataFolder, 'lock');
    const own = `${file}.${process.pid}`;
    writeFileSync(own, JSON.stringify({ pid: process.pid, mark: markOf(process.pid) }), { mode: 0o600 });
    const deadline = Date.now() + dyingMs;
    let afterCrash = false;
    try {
      for (let tries = 0; tries < 5; tries++) {
        try {
          linkSync(own, file);
          return new Lock(file, afterCrash);
        } catch (error) {
          if (codeOf(error) !== 'EEXIST') throw error;
        }
        const owner = ownerOf(file);
        while (owner && lives(owner.pid, owner.mark)) {
          if (Date.now() > deadline) throw new AlreadyRunning(owner.pid, dataFolder);
          await pause(20);
        }
        afterCrash = true;
        setAside(file, owner);
      }
      throw new AlreadyRunning(0, dataFolder);
    } finally {
      rmSync(own, { force: true });
    }
  }

  release(): void {
    if (ownerOf(this.file)?.pid === process.pid) rmSync(this.file, { force: true });
  }
}

interface LockOwner {
  readonly pid: number;
  readonly mark: string;
}

function ownerOf(file: string): LockOwner | undefined {
  try {
    const owner: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

const isOwner = (value: unknown): value is LockOwner =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'mark' in value &&
  typeof value.mark === 'string';

/** Removes a lock whose owner is gone, but not a lock that another start has taken meanwhile. */
function setAside(file: string, gone: LockOwner | undefined): void {
  const aside = `${file}.gone.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const moved = ownerOf(aside);
  if (moved && (moved.pid !== gone?.pid || moved.mark !== gone.mark))
    try {
      linkSync(aside, file);
    } catch {
      // a third one has it by now
    }
  rmSync(aside, { force: true });
}
