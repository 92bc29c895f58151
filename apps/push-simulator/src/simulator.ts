import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { join, resolve } from 'node:path';
import { apnsListener } from './apns/listener.js';
import { ProviderTokens } from './apns/provider-token.js';
import { PhoneClock } from './clock.js';
import { controlServer } from './control/server.js';
import { Exchange } from './exchange.js';
import { codeOf } from './failure.js';
import { Faults } from './fault/faults.js';
import { Bearers } from './fcm/bearer.js';
import { fcmListener } from './fcm/listener.js';
import { object } from './json.js';
import { loadKeys, writePrivate } from './keys.js';
import type { Environment } from './phone/phone.js';
import { Phones } from './phone/phones.js';
import { SessionApi } from './phone/session.js';
import { ReceivedLog } from './received.js';
import { Browsers } from './web/browsers.js';
import { webListener } from './web/listener.js';

/** How a simulator is started. A port of 0 means the one it had before, or a free one. */
export interface SimulatorOptions {
  /** Keys, phones and providers.json live here. */
  dataFolder: string;
  host?: string;
  /** Another name that services know it by. */
  name?: string | undefined;
  port?: number;
  apnsPort?: number;
  fcmPort?: number;
  webPort?: number;
  /** Whose device tokens the APNs listener takes. */
  environment?: Environment;
  /** Gets a line for each push that a provider received. */
  recordFile?: string | undefined;
  /** How long an OAuth access token counts. */
  accessTokenSeconds?: number;
  /** The wall clock, which tokens of both providers are judged by. The phones' own clock starts from it. */
  now?: () => number;
  log?: (event: Record<string, unknown>) => void;
}

/** What a client of the providers needs to know; the content of providers.json. */
export interface Providers {
  apns: {
    origin: string;
    caFile: string;
    keyFile: string;
    keyId: string;
    teamId: string;
    bundleId: string;
    environment: Environment;
  };
  fcm: { host: string; port: number; caFile: string; serviceAccountFile: string };
  web: { origin: string; caFile: string };
  /** With the secret that operates the phones. */
  controlUrl: string;
}

/** A running simulator. */
export interface Simulator {
  controlUrl: string;
  apnsPort: number;
  fcmPort: number;
  webPort: number;
  providersFile: string;
  providers: Providers;
  /** Hangs up on everybody, keeps the phones, and frees the ports. */
  stop: () => Promise<void>;
}

/** Starts the three listeners. Rejects with a message that names the port when one is taken. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', environment = 'sandbox', now = Date.now, log = () => {} } = options;
  const folder = resolve(options.dataFolder);
  const providersFile = join(folder, 'providers.json');
  const before = lastRun(providersFile);
  await refuseNeighbour(before.controlUrl, providersFile);
  const keys = await loadKeys(folder, options.name);

  const clock = new PhoneClock(now);
  const phones = new Phones({
    file: join(folder, 'phones.json'),
    environment,
    bundleId: keys.bundleId,
    now: clock.ms,
    failed: (error) => log({ msg: 'phones not saved', error: String(error) }),
  });
  const session = new SessionApi({ now: clock.ms, log, changed: () => phones.changed() });
  const exchange = new Exchange(
    phones,
    new ReceivedLog(options.recordFile),
    new Faults(),
    session,
    clock,
    log,
  );
  const apns = apnsListener(exchange, {
    server: keys.apnsServer,
    tokens: new ProviderTokens(
      { keyId: keys.keyId, teamId: keys.teamId, publicKey: keys.apnsPublicKey },
      now,
    ),
    environment,
  });
  const fcm = fcmListener(exchange, {
    server: keys.fcmServer,
    projectId: keys.serviceAccount.project_id,
    bearers: new Bearers({
      email: keys.serviceAccount.client_email,
      publicKey: keys.serviceAccountPublicKey,
      secret: keys.bearerSecret,
      lifetimeSeconds: options.accessTokenSeconds ?? 3599,
      now,
    }),
  });
  const browsers = new Browsers(exchange);
  const web = webListener(exchange, browsers, { server: keys.fcmServer, now });
  let providers: Providers | undefined;
  const control = await controlServer(exchange, browsers, keys.controlSecret, () => ({
    providersFile,
    providers,
  }));

  const hangUp = () => {
    session.close();
    apns.close();
    fcm.close();
    web.close();
    browsers.close();
    control.close();
    control.closeAllConnections();
  };
  const stop = async () => {
    hangUp();
    await phones.close();
  };
  try {
    const webPort = await listen(
      web.server,
      host,
      options.webPort ?? 0,
      portOf(before.web?.origin),
      'Web Push',
    );
    const controlPort = await listen(
      control,
      host,
      options.port ?? 0,
      portOf(before.controlUrl),
      'the control API',
    );
    const apnsPort = await listen(
      apns.server,
      host,
      options.apnsPort ?? 0,
      portOf(before.apns?.origin),
      'APNs',
    );
    const fcmPort = await listen(fcm.server, host, options.fcmPort ?? 0, before.fcm?.port, 'FCM');
    // An address that means "all of them" is none that a client could dial.
    const anywhere = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    const dialled = options.name ?? anywhere;
    const inUrl = dialled.includes(':') ? `[${dialled}]` : dialled;
    const controlOrigin = `http://${inUrl}:${controlPort}`;
    phones.webOrigin = `https://${inUrl}:${webPort}`;
    providers = {
      apns: {
        origin: `https://${inUrl}:${apnsPort}`,
        caFile: keys.caFile,
        keyFile: keys.apnsKeyFile,
        keyId: keys.keyId,
        teamId: keys.teamId,
        bundleId: keys.bundleId,
        environment,
      },
      fcm: {
        host: dialled,
        port: fcmPort,
        caFile: keys.caFile,
        serviceAccountFile: keys.serviceAccountFile,
      },
      web: { origin: phones.webOrigin, caFile: keys.caFile },
      controlUrl: `${controlOrigin}/${keys.controlSecret}`,
    };
    writePrivate(providersFile, JSON.stringify(providers, null, 2));
    // The app opens again: what it could not tell the service before, it tells now.
    for (const phone of phones.list()) exchange.registerWaiting(phone);
    // A log is read by more people than the file that has the secret.
    log({ msg: 'listening', controlOrigin, apnsPort, fcmPort, webPort, providersFile });
    return { controlUrl: providers.controlUrl, apnsPort, fcmPort, webPort, providersFile, providers, stop };
  } catch (error) {
    // The phones are not written: nothing happened to them.
    hangUp();
    throw error;
  }
}

/** Listens on the wanted port; when any will do, on the one of the last run if it is still free. */
async function listen(
  server: Server,
  host: string,
  wanted: number,
  before: number | undefined,
  what: string,
): Promise<number> {
  const attempts = wanted !== 0 ? [wanted] : before === undefined ? [0] : [before, 0];
  for (const [at, port] of attempts.entries()) {
    try {
      await new Promise<void>((done, failed) => {
        server.once('error', failed);
        server.listen(port, host, () => {
          server.off('error', failed);
          done();
        });
      });
      const address = server.address();
      if (typeof address === 'object' && address) return address.port;
    } catch (error) {
      const code = codeOf(error);
      if (at < attempts.length - 1) continue;
      throw new Error(
        code === 'EADDRINUSE'
          ? `port ${port} for ${what} is in use on ${host}`
          : `cannot listen on ${host}:${port} for ${what}: ${code ?? String(error)}`,
        { cause: error },
      );
    }
  }
  throw new Error(`cannot listen for ${what}`);
}

/** Two simulators on one folder would overwrite each other's phones. */
async function refuseNeighbour(controlUrl: string | undefined, providersFile: string): Promise<void> {
  if (controlUrl === undefined) return;
  const about = await fetch(`${controlUrl}/about`, { signal: AbortSignal.timeout(1000) })
    .then((response) => response.json())
    .catch(() => undefined);
  if (object(about)?.providersFile === providersFile)
    throw new Error(`another push simulator runs on the same data folder, at ${new URL(controlUrl).origin}`);
}

function lastRun(file: string): Partial<Providers> {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Providers>;
  } catch {
    return {};
  }
}

const portOf = (url: string | undefined): number | undefined =>
  url !== undefined && URL.canParse(url) ? Number(new URL(url).port) || undefined : undefined;
