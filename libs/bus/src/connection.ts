import { settingOf } from '@carillon/settings';
import { credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';

/** Who we are to the server, and whom we take for it. Files arrive as their content. */
interface Credentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** What stands in a `.creds` file. */
  readonly creds?: string | undefined;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** How long one attempt to connect may take: a frozen server takes the connection and then says nothing. */
const attemptMs = 2_000;
/** A server that does not answer for three of these is left. */
const pingMs = 1_000;

/** A setting about NATS that cannot be followed. */
export class BadNatsSetting extends Error {
  override readonly name = 'BadNatsSetting';
}

/**
 * How every connection to NATS of this house is made: the bus, the services' transport, the publisher of events and the
 * tools. `url` names one server or several, separated by commas; who we are comes from it, else from `NATS_USER`,
 * `NATS_PASSWORD`, `NATS_TOKEN` and `NATS_CREDS`, and TLS from `NATS_CA`, `NATS_CERT` and `NATS_KEY`.
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
    // A password may be changed on the servers first: who gave up then would have to be started again.
    ignoreAuthErrorAbort: true,
    // A stack for each request would be the largest cost of the client.
    noAsyncTraces: true,
    ...(creds !== undefined && { authenticator: credsAuthenticator(new TextEncoder().encode(creds)) }),
    ...(user !== undefined && { user, pass: password ?? '', ...inboxOf(user) }),
    ...(token !== undefined && { token }),
    ...((tls || ca || cert) && { tls: { ...(ca && { ca }), ...(cert && { cert, key: key as string }) } }),
  };
}

/** Answers come to a subject of the user's own, so that no other user need be able to read them. */
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
  // The client insists on the end of the last line.
  creds: withEnd(settingOf('NATS_CREDS')),
  ca: settingOf('NATS_CA'),
  cert: settingOf('NATS_CERT'),
  key: settingOf('NATS_KEY'),
});

const withEnd = (text: string | undefined): string | undefined => text && `${text}\n`;

/** The client takes addresses only, so what else a URL says is taken out. Never shows the URL: it may hold a password. */
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
    // As http: a URL of another kind hides its port where that is the usual one, and its user where it has no slashes.
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

/** `new URL` leaves out 80, the usual port of http. */
const portIn = (rest: string): string => (/:80(\/|$)/.test(rest) ? '80' : '4222');

/** Signal `sig.bus.back.<service>`: its connection broke and is back. */
export const serviceIsBack = 'bus.back';
