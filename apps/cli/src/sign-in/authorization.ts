import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ended, exits } from '../exits';

/** What the commands need; the person chooses of it. */
const scope = [
  ...[
    'notifications:send',
    'interactions:create',
    'interactions:read',
    'activities:read',
    'activities:write',
  ],
  ...['oncall:read', 'oncall:write', 'inbox:read', 'services:read', 'services:write'],
].join(' ');
const withinMs = 10 * 60_000;
const clientId = 'cli';

interface Server {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly device_authorization_endpoint: string;
}

type Answer = Readonly<Record<string, unknown>> & { readonly error?: unknown };

/** How the machine is named in the list of tokens. */
const host = (): string =>
  hostname()
    .replace(/[^\w .:@()-]/g, '-')
    .slice(0, 64) || 'unknown';

async function json(url: string, init: RequestInit = {}): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
  } catch {
    throw new Ended(exits.noConnection, `${new URL(url).host} does not answer.`);
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (typeof answer !== 'object' || answer === null)
    throw new Ended(exits.refused, `${url} is no address of Carillon: it answered ${response.status}.`);
  return { ...answer };
}

const post = (url: string, fields: Record<string, string>): Promise<Answer> =>
  json(url, { method: 'POST', body: new URLSearchParams({ client_id: clientId, ...fields }) });

const text = (answer: Answer, name: string): string => {
  const value = answer[name];
  if (typeof value === 'string') return value;
  throw new Ended(
    exits.refused,
    `The installation refused the sign-in: ${String(answer.error ?? 'no answer')}.`,
  );
};

async function serverAt(url: string): Promise<Server> {
  const found = await json(`${url}/.well-known/oauth-authorization-server`);
  return {
    issuer: text(found, 'issuer'),
    authorization_endpoint: text(found, 'authorization_endpoint'),
    token_endpoint: text(found, 'token_endpoint'),
    device_authorization_endpoint: text(found, 'device_authorization_endpoint'),
  };
}

/** A token for the person in front of a browser of this machine, which is sent back to it (RFC 8252). */
export async function byBrowser(url: string, show: (address: string) => void): Promise<string> {
  const server = await serverAt(url);
  const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(16).toString('base64url')];
  // Loaded for this command alone, as it takes a tenth of the time in which Node starts.
  const { createServer } = await import('node:http');
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const { port } = listener.address() as AddressInfo;
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const address = new URL(server.authorization_endpoint);
    address.search = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      resource: `${server.issuer}/api/agent`,
      scope,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    const back = new Promise<URLSearchParams>((resolve) => {
      listener.on('request', (request: IncomingMessage, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', redirectUri);
        const isBack = pathname === '/callback' && searchParams.get('state') === state;
        response.writeHead(isBack ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(isBack ? 'Go back to the command line. This page can be closed.\n' : 'Not found\n');
        if (isBack) resolve(searchParams);
      });
    });
    show(address.href);
    const answered = await Promise.race([back, sleep(withinMs, undefined, { ref: false })]);
    if (!answered) throw new Ended(exits.noAnswer, 'Nobody has signed in within ten minutes.');
    const error = answered.get('error');
    if (error !== null || answered.get('iss') !== server.issuer)
      throw refused(error ?? 'another server answered');
    const given = await post(server.token_endpoint, {
      grant_type: 'authorization_code',
      code: answered.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
      host: host(),
    });
    return text(given, 'access_token');
  } finally {
    listener.close();
    listener.closeAllConnections();
  }
}

/** A token for a person who types a code in a browser of any machine (RFC 8628). */
export async function byDevice(url: string, show: (address: string, code: string) => void): Promise<string> {
  const server = await serverAt(url);
  const begun = await post(server.device_authorization_endpoint, { scope, host: host() });
  show(text(begun, 'verification_uri'), text(begun, 'user_code'));
  const until = Date.now() + withinMs;
  let seconds = typeof begun['interval'] === 'number' ? begun['interval'] : 5;
  while (Date.now() < until) {
    await sleep(seconds * 1_000);
    const given = await post(server.token_endpoint, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: text(begun, 'device_code'),
    });
    if (given.error === 'slow_down') seconds += 5;
    else if (given.error !== undefined && given.error !== 'authorization_pending') throw refused(given.error);
    else if (given.error === undefined) return text(given, 'access_token');
  }
  throw new Ended(exits.noAnswer, 'Nobody has approved the code within ten minutes.');
}

const refused = (error: unknown): Ended =>
  error === 'access_denied'
    ? new Ended(exits.denied, 'The sign-in was refused.')
    : new Ended(exits.refused, `The sign-in failed: ${String(error)}.`);
