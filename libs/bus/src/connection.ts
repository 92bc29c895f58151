import { settingOf } from '@carillon/settings';
import { credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';

/** The credentials for the server, and the CA that verifies it. Files are given as their content. */
interface Credentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** The content of a `.creds` file. */
  readonly creds?: string | undefined;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The timeout of one attempt to connect: a frozen server accepts the connection and then does not answer. */
const attemptMs = 2_000;
/** The client leaves a server that has not answered for three of these intervals. */
const pingMs = 1_000;

/** An invalid NATS setting. */
export class BadNatsSetting extends Error {
  override readonly name = 'BadNatsSetting';
}

/**
 * The options of every NATS connection: the bus, the services' transport, the publisher of events and the tools. `url`
 * names one server or several, separated by commas. Credentials come from the URL, else from `NATS_USER`,
 * `NATS_PASSWORD`, `NATS_TOKEN` and `NATS_CREDS`; TLS comes from `NATS_CA`, `NATS_CERT` and `NATS_KEY`.
 */
export function natsOptions(name: string, url?: string): NodeConnectionOptions & { servers: string[] } {
  const { servers, tls, ...named } = readUrl(url ?? required());
  const settings = fromSettings();
  const known = named.user ?? named.token;
  const { user, password, token, creds } = known === undefined ? settings : { ...named, creds: undefined };
  const { ca, cert, key } = settings;
  if (!cert !== !key) throw new BadNatsSetting('NATS_CERT and NATS_KEY go together');
  return {
    servers,
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    reconnectJitterTLS: 250,
    timeout: attemptMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    // A password may be changed on the servers first: a client that gave up would need a restart.
    ignoreAuthErrorAbort: true,
    // A stack trace per request would be the largest cost of the client.
    noAsyncTraces: true,
    ...(creds !== undefined && { authenticator: credsAuthenticator(new TextEncoder().encode(creds)) }),
    ...(user !== undefined && { user, pass: password ?? '', ...inboxOf(user) }),
    ...(token !== undefined && { token }),
    ...((tls || ca || cert) && { tls: { ...(ca && { ca }), ...(cert && { cert, key: key as string }) } }),
  };
}

/** A separate inbox prefix per user, so that permissions can keep other users from reading its answers. */
const inboxOf = (user: string): { inboxPrefix?: string } =>
  /^[\w-]+$/.test(user) ? { inboxPrefix: `_INBOX.${user}` } : {};

function required(): string {
  const url = settingOf('NATS_URL');
  if (url === undefined) throw new BadNatsSetting('The setting NATS_URL is missing');
  return url;
}

const fromSettings = (): Credentials => ({
  user: settingOf('NATS_USER'),
  password: settingOf('NATS_PASSWORD'),
  token: settingOf('NATS_TOKEN'),
  // The client requires a line break at the end.
  creds: withEnd(settingOf('NATS_CREDS')),
  ca: settingOf('NATS_CA'),
  cert: settingOf('NATS_CERT'),
  key: settingOf('NATS_KEY'),
});

const withEnd = (text: string | undefined): string | undefined => text && `${text}\n`;

/** Splits a URL into addresses, which the client needs, and credentials. Errors never show the URL and its password. */
function readUrl(text: string): { servers: string[]; tls: boolean } & Credentials {
  const urls = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => (part.includes('://') ? part : `nats://${part}`));
  const servers: string[] = [];
  let tls = false;
  let named: Credentials = {};
  for (const given of urls) {
    // Parsed as http: `new URL` hides the default port of other schemes, and the user of a URL without slashes.
    const [, scheme, rest] = /^(nats|tls):\/\/(.+)$/i.exec(given) ?? [];
    if (!scheme || !URL.canParse(`http://${rest}`))
      throw new BadNatsSetting('NATS_URL must be nats://host:port or tls://host:port, several with commas');
    const { hostname, port, username, password } = new URL(`http://${rest}`);
    servers.push(`${hostname}:${port || portIn(rest as string)}`);
    tls ||= scheme.toLowerCase() === 'tls';
    if (!username || named.user !== undefined || named.token !== undefined) continue;
    const who = decodeURIComponent(username);
    named = password ? { user: who, password: decodeURIComponent(password) } : { token: who };
  }
  if (servers.length === 0) throw new BadNatsSetting('NATS_URL names no server');
  return { servers, tls, ...named };
}

/** `new URL` omits 80, the default port of http. */
const portIn = (rest: string): string => (/:80(\/|$)/.test(rest) ? '80' : '4222');

/** Signal `sig.bus.back.<service>`: its connection broke and is back. */
export const serviceIsBack = 'bus.back';
