// node tools/secrets.mjs --out=<new folder> [--nats=<host name, …>] [--postgres=<host:port>]
// [--event-store=<host:port, …>] [--simulator=<host name>]: makes every secret that an installation with services on
// their own needs, a file each, as compose mounts them and `kubectl create secret` takes them: keys, passwords, a
// certificate for NATS with its authority, the users of the closed bus, and for each service the URL of its own role
// in Postgres and of its own user of the event store, whose address may end with settings such as `?tlsCAFile=…`. What
// Apple and Google give is empty until somebody puts it there; with --simulator it is what the push simulator of that
// name takes, whose own keys are in the folder `simulator`. A folder that is there is left as it is.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@carillon/contracts';
import { generate } from 'selfsigned';
import { runProgram } from './command-line';
import { checkout } from './installation';
import { secretsOptions } from './secrets-options';

const usage = `usage: node tools/secrets.mjs --out=<new folder> [--nats=<host name, …>] [--postgres=<host:port>]
       [--event-store=<host:port, …>] [--simulator=<host name>]`;
const key = (): string => randomBytes(32).toString('base64');
const password = (): string => randomBytes(24).toString('base64url');

/** What Apple and Google give, and a service shows to them. An empty text is not configured. */
const noCredentials = {
  'apns-key': '',
  'apns-key-id': '',
  'apns-team-id': '',
  'apns-bundle-id': '',
  'fcm-service-account': '',
};

await runProgram(usage, async () => {
  const { folder, natsNames, postgres, eventStore, simulator } = secretsOptions(process.argv.slice(2));
  if (existsSync(folder)) throw new Error(`${folder} is there already: its secrets stay as they are.`);
  mkdirSync(join(folder, 'nats-users'), { recursive: true, mode: 0o700 });
  const keep = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });

  for (const name of ['pepper', 'caller-key', 'audit-key']) keep(name, key());
  keep('keys', `k1:${key()}`);
  keep('bootstrap-secret', password());
  // Where there is a mail server, the operator writes its URL there.
  keep('smtp-url', '');

  const database = password();
  keep('postgres-password', database);
  keep('database-url', `postgres://carillon:${database}@${postgres}/carillon`);
  keep('eventstore-operator-url', `esdb://carillon-operator:${password()}@${eventStore}`);
  for (const service of serviceNames) {
    const role = `carillon_${service.replaceAll('-', '_')}`;
    mkdirSync(join(folder, 'stores', service), { recursive: true, mode: 0o700 });
    keep(`stores/${service}/database-url`, `postgres://${role}:${password()}@${postgres}/carillon`);
    keep(`stores/${service}/eventstore-url`, `esdb://carillon-${service}:${password()}@${eventStore}`);
  }

  const credentials = simulator === undefined ? noCredentials : await simulated(folder, simulator);
  for (const [name, text] of Object.entries(credentials)) keep(name, text);

  const accounts = readFileSync(join(checkout, 'k8s/chart/files/nats/accounts.conf'), 'utf8');
  const lines = [...accounts.matchAll(/user: "([^"]+)", password: \$(\w+)/g)].map(([, user, variable]) => {
    const secret = password();
    keep(`nats-users/${user}`, secret);
    return `${variable}: "${secret}"\n`;
  });
  keep('nats-passwords.conf', lines.join(''));

  const { authority, server } = await certificates(natsNames);
  keep('nats-ca.crt', authority.cert);
  keep('nats-tls.crt', server.cert);
  keep('nats-tls.key', server.private);
  // The programs of the image run as user 1000, and the files are for one user only.
  if (process.getuid?.() === 0)
    for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
      chownSync(join(folder, name), 1000, 1000);
  console.log(`secrets are in ${folder}; nothing of it belongs into a repository`);
});

/** The credentials for a simulator, which finds its own keys in the folder `simulator`. */
async function simulated(folder: string, host: string): Promise<typeof noCredentials> {
  const { loadKeys } = await import('@carillon/app-push-simulator');
  const { keyId, teamId, bundleId, apnsKeyFile, serviceAccount } = await loadKeys(
    join(folder, 'simulator'),
    host,
  );
  return {
    'apns-key': readFileSync(apnsKeyFile, 'utf8'),
    'apns-key-id': keyId,
    'apns-team-id': teamId,
    'apns-bundle-id': bundleId,
    'fcm-service-account': JSON.stringify(serviceAccount),
  };
}

/** For NATS: an authority, and a server under these names and `localhost`. */
async function certificates(names: readonly string[]) {
  const validity = {
    notBeforeDate: new Date(Date.now() - 86_400_000),
    notAfterDate: new Date(Date.now() + 5 * 365 * 86_400_000),
    keyType: 'ec',
    algorithm: 'sha256',
  } as const;
  const authority = await generate([{ name: 'commonName', value: 'Carillon NATS' }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const all = ['localhost', ...names];
  const server = await generate([{ name: 'commonName', value: all.at(-1) ?? 'localhost' }], {
    ...validity,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: all.map((value) => ({ type: 2, value })) },
    ],
  });
  return { authority, server };
}
