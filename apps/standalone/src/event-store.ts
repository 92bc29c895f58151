import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Children } from './child';
import { PartFailed } from './progress';

const part = 'event-store';

export interface EventStoreServer {
  readonly url: string;
  readonly origin: string;
}

/** The one that the environment names. That it answers shows when the services open it. */
export function givenEventStore(url: string): EventStoreServer {
  if (!/^(esdb|kurrentdb)(\+discover)?:\/\//.test(url))
    throw new PartFailed(part, `EVENTSTORE_URL must begin with esdb://, not "${url.split(':')[0]}:"`);
  return { url, origin: 'from EVENTSTORE_URL' };
}

/** The emulator in a process of its own. */
export async function ownEventStore(options: {
  dataFolder: string;
  port: number;
  apps: string;
  children: Children;
}): Promise<EventStoreServer> {
  const folder = join(options.dataFolder, 'event-store');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await options.children.start({
    part,
    command: process.execPath,
    args: [
      join(options.apps, 'event-store-emulator/src/main.js'),
      ...['--port', String(options.port), '--data', folder, '--exit-with-parent'],
    ],
    isReady: (output) => output.includes('"msg":"listening"'),
  });
  return { url: `esdb://127.0.0.1:${options.port}?tls=false`, origin: 'the emulator (not for production)' };
}
