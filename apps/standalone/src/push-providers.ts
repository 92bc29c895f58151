import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Children } from './child';
import { collecting } from './collection';

const part = 'simulator';

export interface PushProviders {
  /** With the secret that everything there asks for. Null with the real providers. */
  readonly simulatorUrl: string | null;
  /** How the services reach them. */
  readonly env: Record<string, string>;
  readonly origin: string;
}

export const realProviders = (): PushProviders => ({
  simulatorUrl: null,
  env: {},
  origin: 'credentials from the environment; no simulated phones',
});

interface ProvidersFile {
  readonly controlUrl: string;
  readonly apns: {
    origin: string;
    caFile: string;
    keyFile: string;
    keyId: string;
    teamId: string;
    bundleId: string;
  };
  readonly fcm: { host: string; port: number; caFile: string; serviceAccountFile: string };
  readonly web: { origin: string; caFile: string };
}

/** The simulator in a process of its own: both providers, and the phones. */
export async function simulatedProviders(options: {
  dataFolder: string;
  port: number;
  apps: string;
  children: Children;
}): Promise<PushProviders> {
  const folder = join(options.dataFolder, 'push-simulator');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await options.children.start({
    part,
    command: process.execPath,
    args: [
      // It keeps what it allocates for the most part, and would double its heap for what it does not.
      '--max-semi-space-size=2',
      collecting(options.apps),
      join(options.apps, 'push-simulator/src/main.js'),
      ...['--port', String(options.port), '--data', folder, '--exit-with-parent'],
    ],
    env: { SIMULATOR_RECORD: process.env['SIMULATOR_RECORD'] },
    isReady: (output) => output.includes('"msg":"listening"'),
    isHeld: (output) => output.includes('EADDRINUSE'),
  });
  const { controlUrl, apns, fcm, web } = JSON.parse(
    readFileSync(join(folder, 'providers.json'), 'utf8'),
  ) as ProvidersFile;
  return {
    simulatorUrl: controlUrl,
    env: {
      APNS_ORIGIN: apns.origin,
      APNS_CA_FILE: apns.caFile,
      APNS_KEY_FILE: apns.keyFile,
      APNS_KEY_ID: apns.keyId,
      APNS_TEAM_ID: apns.teamId,
      APNS_BUNDLE_ID: apns.bundleId,
      FCM_HOST: fcm.host,
      FCM_PORT: String(fcm.port),
      FCM_CA_FILE: fcm.caFile,
      FCM_SERVICE_ACCOUNT_FILE: fcm.serviceAccountFile,
      WEB_PUSH_ORIGIN: web.origin,
      WEB_PUSH_CA_FILE: web.caFile,
    },
    origin: 'APNs, FCM, Web Push and phones, simulated',
  };
}
