import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface SystemProgram {
  /** In words. */
  readonly what: string;
  /** What its file may be called on PATH. */
  readonly names: readonly string[];
  /** The packages of Debian that bring it. */
  readonly packages: readonly string[];
}

/** The file of a program: from PATH, or as a system package. Throws an error with the manual steps when none works. */
export async function findProgram({ what, names, packages }: SystemProgram): Promise<string> {
  const found = onPath(names);
  if (found) return found;
  const why = await install(packages);
  const installed = why === undefined ? onPath(names) : undefined;
  if (installed) return installed;
  const [named] = packages;
  throw new Error(
    `No ${what} was found on PATH, and none could be provided: ${why ?? `the package ${named} brings none`}. On Debian: apt-get install ${named}`,
  );
}

function onPath(names: readonly string[]): string | undefined {
  const files = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Gives why it did not work. */
async function install(packages: readonly string[]): Promise<string | undefined> {
  if (process.env['CARILLON_INSTALL'] === 'never') return 'apt-get is not used: CARILLON_INSTALL=never';
  if (process.getuid?.() !== 0) return 'apt-get is not used: this user is not root';
  if (!existsSync('/etc/debian_version')) return 'apt-get is not used: this is neither Debian nor Ubuntu';
  return (await run('update')) ?? (await run('install', '-y', '--no-install-recommends', ...packages));
}

async function run(...args: string[]): Promise<string | undefined> {
  const child = spawn('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (told += String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? undefined : `apt-get ${args[0]} ended with ${code}: ${told.slice(-500).trim()}`;
}
