import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { certificateIn } from './certificate';
import type { Children } from './child';
import { collecting } from './collection';
import { PartFailed } from './progress';

const part = 'event-store';
const user = 'carillon';

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
  password: string;
  /** Others who may come in, with their passwords. */
  users: Readonly<Record<string, string>>;
  apps: string;
  children: Children;
}): Promise<EventStoreServer> {
  const folder = join(options.dataFolder, 'event-store');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Without TLS the client sends no password, and the server asks for none.
  const { caFile, certFile, keyFile } = await certificateIn(join(folder, 'tls'));
  await options.children.start({
    part,
    command: process.execPath,
    args: [
      collecting(options.apps),
      join(options.apps, 'event-store-emulator/src/main.js'),
      ...['--port', String(options.port), '--data', folder, '--exit-with-parent'],
      ...['--tls-cert', certFile, '--tls-key', keyFile],
    ],
    // Not among the arguments: everybody on the machine can read those.
    env: {
      EMULATOR_USERS: Object.entries({ ...options.users, [user]: options.password })
        .map((pair) => pair.join(':'))
        .join(','),
    },
    isReady: (output) => output.includes('"msg":"listening"'),
    isHeld: (output) => /is in use by another event-store-emulator|EADDRINUSE/.test(output),
  });
  const query = `tls=true&tlsCAFile=${encodeURIComponent(caFile)}`;
  return {
    url: `esdb://${user}:${options.password}@localhost:${options.port}?${query}`,
    origin: 'the emulator (not for production)',
  };
}
