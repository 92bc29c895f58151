import { createPrivateKey, createPublicKey, generateKeyPair, randomBytes, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a Google service account file holds, as far as a client reads it. */
export interface ServiceAccount {
  type: 'service_account';
  project_id: string;
  private_key_id: string;
  private_key: string;
  client_email: string;
  client_id: string;
  token_uri: string;
}

/** Everything the simulator signs and checks with; made once per data folder. */
export interface Keys {
  caFile: string;
  ca: string;
  apnsServer: { key: string; cert: string };
  fcmServer: { key: string; cert: string };
  apnsKeyFile: string;
  apnsPublicKey: KeyObject;
  keyId: string;
  teamId: string;
  bundleId: string;
  serviceAccountFile: string;
  serviceAccount: ServiceAccount;
  serviceAccountPublicKey: KeyObject;
  bearerSecret: string;
  /** What a path of the control API begins with. */
  controlSecret: string;
}

interface Identity {
  keyId: string;
  teamId: string;
  bundleId: string;
  bearerSecret: string;
  apnsServer: { key: string; cert: string };
  fcmServer: { key: string; cert: string };
}

const days = 86_400_000;
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Ten characters, as Apple's key ids and team ids are. */
const appleId = () => [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join('');

/**
 * Reads the keys of a data folder; makes them when the folder is new, for servers that may be known by one name more.
 */
export async function loadKeys(folder: string, name?: string): Promise<Keys> {
  const identityFile = join(folder, 'identity.json');
  const caFile = join(folder, 'ca.pem');
  const apnsKeyFile = join(folder, 'apns-key.p8');
  const serviceAccountFile = join(folder, 'service-account.json');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // identity.json is written last: a start that was interrupted creates everything again.
  if (![identityFile, caFile, apnsKeyFile, serviceAccountFile].every((file) => existsSync(file))) {
    await makeKeys({ identityFile, caFile, apnsKeyFile, serviceAccountFile }, name);
  }
  const identity = JSON.parse(readFileSync(identityFile, 'utf8')) as Identity;
  const serviceAccount = JSON.parse(readFileSync(serviceAccountFile, 'utf8')) as ServiceAccount;
  return {
    ...identity,
    caFile,
    ca: readFileSync(caFile, 'utf8'),
    apnsKeyFile,
    apnsPublicKey: createPublicKey(createPrivateKey(readFileSync(apnsKeyFile))),
    serviceAccountFile,
    serviceAccount,
    serviceAccountPublicKey: createPublicKey(createPrivateKey(serviceAccount.private_key)),
    controlSecret: secretIn(join(folder, 'control-secret')),
  };
}

/** Made on its own: a folder of an earlier version has the other keys and lacks this. */
function secretIn(file: string): string {
  if (!existsSync(file)) writePrivate(file, randomBytes(32).toString('base64url'));
  return readFileSync(file, 'utf8').trim();
}

async function makeKeys(
  files: { identityFile: string; caFile: string; apnsKeyFile: string; serviceAccountFile: string },
  name: string | undefined,
): Promise<void> {
  // Loaded only here: what it stands on is large, and most starts and tests have no use for it.
  const { generate } = await import('selfsigned');
  const validity = {
    notBeforeDate: new Date(Date.now() - days),
    notAfterDate: new Date(Date.now() + 3650 * days),
    keyType: 'ec' as const,
    algorithm: 'sha256',
  };
  const ca = await generate([{ name: 'commonName', value: 'Carillon push simulator CA' }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = async (known: string[]) => {
    const names = name === undefined ? known : [...known, name];
    const made = await generate([{ name: 'commonName', value: names[0] }], {
      ...validity,
      ca: { key: ca.private, cert: ca.cert },
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true },
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: [
            ...names.map((value) => ({ type: 2 as const, value })),
            { type: 7, ip: '127.0.0.1' },
            { type: 7, ip: '::1' },
          ],
        },
      ],
    });
    return { key: made.private, cert: made.cert };
  };
  const makePair = promisify(generateKeyPair);
  const ec = await makePair('ec', { namedCurve: 'P-256' });
  const rsa = await makePair('rsa', { modulusLength: 2048 });
  const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const projectId = 'carillon-simulator';
  const serviceAccount: ServiceAccount = {
    type: 'service_account',
    project_id: projectId,
    private_key_id: randomBytes(20).toString('hex'),
    private_key: pem(rsa.privateKey),
    client_email: `push@${projectId}.iam.gserviceaccount.com`,
    client_id: BigInt(`0x${randomBytes(8).toString('hex')}`).toString(),
    token_uri: 'https://oauth2.googleapis.com/token',
  };
  const identity: Identity = {
    keyId: appleId(),
    teamId: appleId(),
    bundleId: 'dev.carillon.app',
    bearerSecret: randomBytes(32).toString('hex'),
    apnsServer: await server([
      'localhost',
      'api.push.apple.com',
      'api.sandbox.push.apple.com',
      'api.development.push.apple.com',
    ]),
    fcmServer: await server([
      'localhost',
      'fcm.googleapis.com',
      'oauth2.googleapis.com',
      'web.push.apple.com',
    ]),
  };
  // The CA's own key is not kept: nothing else can ever be issued in its name.
  writePrivate(files.caFile, ca.cert);
  writePrivate(files.apnsKeyFile, pem(ec.privateKey));
  writePrivate(files.serviceAccountFile, JSON.stringify(serviceAccount, null, 2));
  writePrivate(files.identityFile, JSON.stringify(identity, null, 2));
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivate(file: string, text: string): void {
  const next = `${file}.next`;
  writeFileSync(next, text, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, file);
}
