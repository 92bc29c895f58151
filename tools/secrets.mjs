// node tools/secrets.mjs --out=<new folder> [--nats=<host name, …>] [--simulator=<host name>]: makes every secret that an installation with
// services on their own needs, a file each, as compose mounts them and `kubectl create secret` takes them: keys,
// passwords, a certificate for NATS with its authority, and the users of the closed bus. What Apple and Google give is
// empty until somebody puts it there; with --simulator it is what the push simulator of that name takes, whose own keys
// are in the folder `simulator`. A folder that is there is left as it is.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installDependencies, root } from './setup.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    nats: { type: 'string', default: 'nats' },
    simulator: { type: 'string' },
  },
});
if (!values.out) {
  console.error(
    'usage: node tools/secrets.mjs --out=<new folder> [--nats=<host name, …>] [--simulator=<host name>]',
  );
  process.exit(2);
}
const folder = resolve(values.out);
if (existsSync(folder)) {
  console.error(`${folder} is there already: its secrets stay as they are.`);
  process.exit(1);
}
await installDependencies();
const { generate } = await import('selfsigned');

mkdirSync(join(folder, 'nats-users'), { recursive: true, mode: 0o700 });
const keep = (name, text) => writeFileSync(join(folder, name), text, { mode: 0o600 });
const key = () => randomBytes(32).toString('base64');
const password = () => randomBytes(24).toString('base64url');

for (const name of ['pepper', 'caller-key', 'audit-key']) keep(name, key());
keep('keys', `k1:${key()}`);
keep('bootstrap-secret', password());

const database = password();
keep('postgres-password', database);
keep('database-url', `postgres://carillon:${database}@postgres:5432/carillon`);
keep('eventstore-url', 'esdb://event-store:2113?tls=false');

const providers = values.simulator ? await simulated(values.simulator) : {};
for (const name of ['apns-key', 'apns-key-id', 'apns-team-id', 'apns-bundle-id', 'fcm-service-account'])
  keep(name, providers[name] ?? '');

const accounts = readFileSync(join(root, 'k8s/base/nats/accounts.conf'), 'utf8');
const lines = [...accounts.matchAll(/user: "([^"]+)", password: \$(\w+)/g)].map(([, user, variable]) => {
  const secret = password();
  keep(`nats-users/${user}`, secret);
  return `${variable}: "${secret}"\n`;
});
keep('nats-passwords.conf', lines.join(''));

const validity = {
  notBeforeDate: new Date(Date.now() - 86_400_000),
  notAfterDate: new Date(Date.now() + 5 * 365 * 86_400_000),
  keyType: 'ec',
  algorithm: 'sha256',
};
const authority = await generate([{ name: 'commonName', value: 'Carillon NATS' }], {
  ...validity,
  extensions: [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ],
});
const names = ['localhost', ...values.nats.split(',').map((name) => name.trim())];
const server = await generate([{ name: 'commonName', value: names.at(-1) }], {
  ...validity,
  ca: { key: authority.private, cert: authority.cert },
  extensions: [
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true },
    { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
  ],
});
keep('nats-ca.crt', authority.cert);
keep('nats-tls.crt', server.cert);
keep('nats-tls.key', server.private);
// The programs of the image run as user 1000, and the files are for one user only.
if (process.getuid?.() === 0)
  for (const name of ['.', ...readdirSync(folder, { recursive: true })])
    chownSync(join(folder, name), 1000, 1000);
console.log(`secrets are in ${folder}; nothing of it belongs into a repository`);

/** The simulator's own keys, and what a service shows it. */
async function simulated(host) {
  await build();
  const { loadKeys } = await import('../dist/apps/push-simulator/src/keys.js');
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
