import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for a house; `small` where it is a file system of its own, which can be filled without harm to others. */
export interface Disk {
  readonly folder: string;
  readonly kind: 'small' | 'shared';
  remove(): void;
}

const megabytes = 1_024;

/** In memory where this process may mount that (root on Linux), else in the folder for temporary files. */
export function makeDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-certify-'));
  const mounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).status === 0;
  return {
    folder,
    kind: mounted ? 'small' : 'shared',
    remove: () => {
      // Lazily: a process that is still dying may hold it.
      if (mounted) spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
