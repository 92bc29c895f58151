import {
  type Destinations,
  isNotAllowed,
  NameNotFound,
  pinnedTo,
  type Reachable,
} from '@carillon/destinations';
import { errorFieldsOf } from '@carillon/eventing';
import type { KeyRing } from '@carillon/signing';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import webPush from 'web-push';
import { subscriptionIn } from './subscription';
import type { PushAttempt, PushOutcome, PushTransport } from './transport';
import { type VapidKey, vapidKeyOf } from './vapid';

export interface WebPushSettings {
  /** The operator's address, which push services may write to. */
  readonly subject: string;
  readonly ca?: string;
}

/** The maximum number of concurrent pushes to a push service; each has its own connection. */
export const webPushConcurrency = 64;
const timeoutMs = 10_000;
/** The timeout of a whole exchange, however often the push service sends a byte. */
const exchangeMs = 20_000;
const connectMs = 5_000;
const maxAnswerBytes = 16 * 1024;
/** A VAPID token is valid for 12 hours, of which push services accept 24 at most. */
const tokenSeconds = 12 * 60 * 60;
const renewTokenMs = 60 * 60_000;
/** Endpoints are URLs of callers, so there may be any number of hosts. */
const hosts = 200;

/** Sends pushes to browsers (RFC 8030). `web-push` encrypts and signs only. */
export class WebPushTransport implements PushTransport {
  readonly provider = 'web';
  private readonly pools = new LRUCache<string, Pool>({
    max: hosts,
    dispose: (pool) => void pool.close().catch(() => {}),
  });
  private readonly keys = new Map<string, VapidKey>();
  private readonly tokens = new LRUCache<string, string>({ max: hosts, ttl: renewTokenMs });
  /** Lookups that are under way: pushes to one host at the same moment share one. */
  private readonly lookups = new Map<string, Promise<Reachable>>();

  constructor(
    private readonly settings: WebPushSettings,
    private readonly destinations: Destinations,
    private readonly ring: KeyRing,
  ) {}

  async send(attempt: PushAttempt): Promise<PushOutcome> {
    const { endpoint, p256dh, auth, keyId } = subscriptionIn(attempt.token);
    const key = this.key(keyId);
    if (!key) return { class: 'unusable', reason: 'vapid_key_missing' };
    const { web, collapseId } = attempt.message;
    if (!web) return { class: 'unusable', reason: 'not_for_browsers' };
    const url = new URL(endpoint);
    let request: webPush.RequestDetails;
    try {
      request = webPush.generateRequestDetails(
        { endpoint, keys: { p256dh, auth } },
        web.json(attempt.deviceId),
        {
          TTL: Math.max(0, Math.floor(attempt.timeToLiveMs / 1000)),
          urgency: web.urgency,
          contentEncoding: 'aes128gcm',
          headers: { Authorization: this.authorization(url.origin, keyId, key) },
          ...(collapseId !== undefined && { topic: topicOf(collapseId) }),
        },
      );
    } catch {
      // Nothing was sent, and no retry makes another request of this subscription and message.
      return { class: 'rejected', reason: 'request_not_made' };
    }
    try {
      const reachable = await this.find(url);
      const answer = await this.pool(url.origin, reachable).request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: headersOf(request.headers),
        body: request.body,
        signal: AbortSignal.timeout(exchangeMs),
      });
      await answer.body.dump({ limit: maxAnswerBytes }).catch(() => {});
      return answered(answer.statusCode, one(answer.headers['retry-after']));
    } catch (error) {
      return failed(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()));
  }

  private key(keyId: string): VapidKey | undefined {
    const key = this.keys.get(keyId) ?? vapidKeyOf(this.ring, keyId);
    if (key) this.keys.set(keyId, key);
    return key;
  }

  private authorization(origin: string, keyId: string, key: VapidKey): string {
    const name = `${keyId} ${origin}`;
    let token = this.tokens.get(name);
    if (token === undefined) {
      // The wall clock: push services check the time.
      const expiration = Math.floor(Date.now() / 1000) + tokenSeconds;
      const { subject } = this.settings;
      token = webPush.getVapidHeaders(
        origin,
        subject,
        key.publicKey,
        key.privateKey,
        'aes128gcm',
        expiration,
      ).Authorization;
      this.tokens.set(name, token);
    }
    return token;
  }

  private find({ origin }: URL): Promise<Reachable> {
    let lookup = this.lookups.get(origin);
    if (!lookup) {
      lookup = this.destinations.find(origin).finally(() => this.lookups.delete(origin));
      this.lookups.set(origin, lookup);
    }
    return lookup;
  }

  /** Connections to checked addresses only: a name that leads elsewhere by now gets new ones. */
  private pool(origin: string, reachable: Reachable): Pool {
    const addresses = reachable.addresses.map(({ address }) => address).sort();
    const name = [origin, ...addresses].join(' ');
    // A name with rotating answers needs no new connections while some of the addresses are still among them.
    const isWithin = (other: string): boolean => {
      const [of, ...those] = other.split(' ');
      return of === origin && those.every((address) => addresses.includes(address));
    };
    const known = this.pools.has(name) ? name : [...this.pools.keys()].find(isWithin);
    let pool = known === undefined ? undefined : this.pools.get(known);
    if (!pool) {
      pool = new Pool(origin, {
        connections: webPushConcurrency,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        connect: {
          timeout: connectMs,
          lookup: pinnedTo(reachable),
          // Set here, so that the environment cannot turn verification off.
          rejectUnauthorized: true,
          ...(this.settings.ca !== undefined && { ca: this.settings.ca }),
        },
      });
      this.pools.set(name, pool);
    }
    return pool;
  }
}

const topicForm = /^[A-Za-z0-9_-]{1,32}$/;

/** A push with the same topic replaces the one that still waits for the browser; at most 32 characters of base64url. */
const topicOf = (collapseId: string): string =>
  topicForm.test(collapseId)
    ? collapseId
    : createHash('sha256').update(collapseId).digest('base64url').slice(0, 32);

const headersOf = (headers: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

function answered(status: number, retryAfter: string | undefined): PushOutcome {
  const retryAfterMs = retryAfterOf(retryAfter);
  const outcome = (kind: PushOutcome['class']): PushOutcome => ({
    class: kind,
    status,
    ...(kind !== 'accepted' && { reason: `http_${status}` }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  if (status >= 200 && status <= 299) return outcome('accepted');
  switch (status) {
    case 404:
    case 410:
      return outcome('token_dead');
    // Of our key or subject, or of a subscription that was made with another installation's key.
    case 401:
    case 403:
      return outcome('config_doubtful');
    case 429:
      return outcome('throttled');
    default:
      return outcome(status >= 500 ? 'server' : 'rejected');
  }
}

/** Seconds or a date, as RFC 9110 has it. */
function retryAfterOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

const neverConnected = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function failed(error: unknown): PushOutcome {
  if (isNotAllowed(error)) return { class: 'unusable', reason: 'blocked_address' };
  if (error instanceof NameNotFound) return { class: 'not_sent', reason: 'dns_error' };
  const { name, code } = errorFieldsOf(error);
  const reason = name === 'TimeoutError' ? 'timeout' : String(code ?? 'unknown');
  if (neverConnected.has(reason)) return { class: 'not_sent', reason };
  // The host's certificate is not trusted, so nothing was sent.
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(reason))
    return { class: 'server', reason };
  return { class: 'ambiguous', reason };
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
