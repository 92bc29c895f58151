import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const DEFAULT_PORT = 2114;

/** What the command line says, else the environment. Throws what cannot be followed. */
export function settings() {
  const { values } = parseArgs({
    // The image's first argument names the service; it may come along.
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      username: { type: 'string' },
      password: { type: 'string' },
      users: { type: 'string' },
      'exit-with-parent': { type: 'boolean' },
    },
  });
  const { env } = process;
  const dataDir = values.data ?? env['EMULATOR_DATA'];
  if (!dataDir) throw new Error('--data <folder> (or EMULATOR_DATA) is missing');
  const port = Number(values.port ?? env['EMULATOR_PORT'] ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error('--port is no port');
  const cert = values['tls-cert'] ?? env['EMULATOR_TLS_CERT'];
  const key = values['tls-key'] ?? env['EMULATOR_TLS_KEY'];
  if (!cert !== !key) throw new Error('--tls-cert and --tls-key go together');
  const username = values.username ?? env['EMULATOR_USERNAME'];
  const password = values.password ?? env['EMULATOR_PASSWORD'];
  if (!username !== !password) throw new Error('--username and --password go together');
  return {
    dataDir,
    port,
    host: values.host ?? env['EMULATOR_HOST'] ?? '127.0.0.1',
    tls: cert && key ? { cert: readFileSync(cert), key: readFileSync(key) } : undefined,
    users: {
      ...(username && password && { [username]: password }),
      ...usersIn(values.users ?? env['EMULATOR_USERS'] ?? ''),
    },
    exitWithParent: values['exit-with-parent'] ?? false,
  };
}

/** Reads `name:password,name:password`. */
function usersIn(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, password] = /^([^:]+):(.+)$/.exec(pair) ?? [];
      if (!name || !password) throw new Error('--users is name:password, with commas between');
      return [name, password];
    }),
  );
}
