import { spawnSync } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The file that PATH leads to, links followed. */
export function findOnPath(name: string, path: string = process.env['PATH'] ?? ''): string | undefined {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return realpathSync(file);
    } catch {
      // not here
    }
  }
  return undefined;
}

/** The first version number in what the program says of itself, such as `15.18` or `2.9.10`. */
export function versionOf(file: string): string | undefined {
  const asked = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 5_000 });
  return /\d+(\.\d+)+/.exec(`${asked.stdout}`)?.[0];
}

/** True when `version` is `least` or later, compared number by number. */
export function isAtLeast(version: string, least: string): boolean {
  const [given, wanted] = [version, least].map((text) =>
    text.split('.').map((part) => parseInt(part, 10) || 0),
  );
  for (let at = 0; at < wanted!.length; at++) {
    const difference = (given![at] ?? 0) - wanted![at]!;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
