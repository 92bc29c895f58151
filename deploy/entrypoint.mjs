// The entry point of both images: its first argument names what it becomes, the others are that program's own. Which
// there are in this image: `--help`.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const app = (name) => `dist/apps/${name}/src/main.js`;
const operator = (name) => `dist/apps/operator/src/${name}.js`;

export const services = [
  'accounts',
  'activities',
  'connectors',
  'interactions',
  'notifications',
  'push',
  'read-models',
  'teams',
  'webhooks',
];

/** What an argument names, and the file that is it. */
export const programs = {
  gateway: app('gateway'),
  ...Object.fromEntries(services.map((name) => [name, app(name)])),
  migrate: 'dist/apps/standalone/src/migrate.js',
  standalone: app('standalone'),
  'connector-gateway': app('connector-gateway'),
  'event-store-emulator': app('event-store-emulator'),
  'push-simulator': app('push-simulator'),
  admin: operator('admin'),
  backup: operator('backup'),
  rebuild: operator('rebuild'),
  recover: operator('recover'),
  restore: operator('restore'),
  roles: operator('roles'),
  scavenge: operator('scavenge'),
};

/**
 * The first process of a container is ended by no signal that it does not listen to. So this one listens, until the
 * program does, which ends in order.
 */
function endUntilHeard(signal) {
  let isHeard = false;
  const end = () => isHeard || process.exit(0);
  process.on(signal, end);
  process.on('newListener', (name) => {
    isHeard ||= name === signal;
  });
}

async function main() {
  const [name, ...rest] = process.argv.slice(2);
  const here = Object.keys(programs).filter((each) => existsSync(join(root, programs[each])));
  if (name === undefined || name === '--help') {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    console.log(`carillon ${version}: ${here.join(', ')}`);
    return;
  }
  if (!here.includes(name)) {
    console.error(`"${name}" names no program. There are: ${here.join(', ')}`);
    process.exit(2);
  }
  const file = join(root, programs[name]);
  process.title = `carillon ${name}`;
  process.argv = [process.argv[0], file, ...rest];
  for (const signal of ['SIGTERM', 'SIGINT']) endUntilHeard(signal);
  await import(pathToFileURL(file).href);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
