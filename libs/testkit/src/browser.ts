import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The file of a Chromium: from PATH, or as a system package. Throws with the manual steps when none works. */
export async function findBrowser(): Promise<string> {
  const found = onPath();
  if (found) return found;
  const why = await install();
  const installed = why === undefined ? onPath() : undefined;
  if (installed) return installed;
  throw new Error(
    `No Chromium was found on PATH, and none could be provided: ${why ?? 'the package chromium brings none'}. On Debian: apt-get install chromium`,
  );
}

function onPath(): string | undefined {
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
async function install(): Promise<string | undefined> {
  if (process.env['CARILLON_INSTALL'] === 'never') return 'apt-get is not used: CARILLON_INSTALL=never';
  if (process.getuid?.() !== 0) return 'apt-get is not used: this user is not root';
  if (!existsSync('/etc/debian_version')) return 'apt-get is not used: this is neither Debian nor Ubuntu';
  return (
    (await run('update')) ??
    (await run('install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'))
  );
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
