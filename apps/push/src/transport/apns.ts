import { sentenceOf, errorFieldsOf } from '@carillon/eventing';
import type { PushEnvironment } from '@carillon/contracts';
import { ApnsClient, ApnsError, Notification, Priority, PushType } from 'apns2';
import { type Dispatcher, Pool } from 'undici';
import { type ApnsKey, ProviderToken } from './provider-token';
import type { PushAttempt, PushMessage, PushOutcome, PushTransport } from './transport';

export interface ApnsSettings extends ApnsKey {
  readonly bundleId: string;
  /** The origin for each environment's pushes. */
  readonly origins: Readonly<Record<PushEnvironment, string>>;
  readonly ca?: string;
}

const connections = 2;
/** The maximum concurrent streams per connection; undici's default of one would send pushes one after another. */
const streams = 100;
const timeoutMs = 10_000;
/** The maximum number of concurrent pushes per origin. */
export const apnsConcurrency = connections * streams;

/** The headers and results that the library's API does not pass through. */
interface Note {
  readonly headers: Readonly<Record<string, string>>;
  status?: number;
  response?: Record<string, string | string[] | undefined>;
}

/** Adds headers to requests and keeps those of the answers. */
class NotedPool extends Pool {
  /** The note for the next request, which follows synchronously. */
  note: Note | undefined;

  override request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  override request(): void;
  override async request(options?: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const { note } = this;
    this.note = undefined;
    const headers = { ...(options!.headers as Record<string, string>), ...note?.headers };
    const response = await super.request({ ...options!, headers });
    if (note) {
      note.status = response.statusCode;
      note.response = response.headers;
    }
    // The library reads the body of errors only.
    if (response.statusCode === 200) void response.body.dump();
    return response;
  }
}

class Client extends ApnsClient {
  // The library's own pool goes to port 443 only. It is lazy: it never opens a socket.
  override readonly client: NotedPool;

  constructor(settings: ApnsSettings, origin: string) {
    super({
      team: settings.teamId,
      keyId: settings.keyId,
      signingKey: settings.key,
      defaultTopic: settings.bundleId,
    });
    this.client = new NotedPool(origin, {
      connections,
      pipelining: streams,
      allowH2: true,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs, ...(settings.ca && { ca: settings.ca }) },
    });
  }

  async sendNoted(push: Notification, note: Note): Promise<void> {
    // `send` reaches the pool before its first await.
    this.client.note = note;
    await this.send(push);
  }
}

const pushTypes = {
  alert: PushType.alert,
  silent: PushType.background,
  activity: PushType.liveactivity,
} as const;

/** Sends the payload as built: the library would modify the given object. */
class BuiltNotification extends Notification {
  constructor(
    attempt: PushAttempt,
    private readonly message: PushMessage,
    bundleId: string,
  ) {
    super(attempt.token, {
      type: pushTypes[message.kind],
      priority: message.urgent ? Priority.immediate : Priority.throttled,
      expiration: attempt.expiresAtSeconds,
      ...(message.collapseId !== undefined && { collapseId: message.collapseId }),
      ...(message.kind === 'activity' && { topic: `${bundleId}.push-type.liveactivity` }),
    });
  }

  override buildApnsOptions(): PushMessage['apns'] & Record<string, unknown> {
    return { ...this.message.apns };
  }
}

/** Sends pushes to Apple over HTTP/2, through `apns2`. */
export class ApnsTransport implements PushTransport {
  readonly provider = 'apns';
  private readonly token: ProviderToken;
  private readonly clients = new Map<string, Client>();
  /** The token that each client's connections have sent. */
  private readonly shown = new WeakMap<Client, string>();

  constructor(private readonly settings: ApnsSettings) {
    this.token = new ProviderToken(settings);
  }

  async send(attempt: PushAttempt): Promise<PushOutcome> {
    const token = this.token.value;
    const origin = this.settings.origins[attempt.environment];
    const client = this.client(origin, token);
    const note: Note = {
      headers: { 'apns-id': attempt.requestId, authorization: `bearer ${token}` },
    };
    try {
      await client.sendNoted(new BuiltNotification(attempt, attempt.message, this.settings.bundleId), note);
      return { class: 'accepted', status: 200, providerId: one(note.response?.['apns-id']) };
    } catch (error) {
      const outcome = outcomeOf(error, note);
      if (outcome.reason === 'ExpiredProviderToken' && !this.token.renew(token))
        return { ...outcome, class: 'config' };
      // Apple binds a connection to the first key used on it.
      if (outcome.reason === 'UnrelatedKeyIdInToken') this.forget(origin, client);
      return outcome;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.destroy()));
  }

  /**
   * The client of an origin. A token renewed early gets its own connections: on the old ones Apple would count it as
   * another update of the token.
   */
  private client(origin: string, token: string): Client {
    let client = this.clients.get(origin);
    if (client && this.shown.get(client) !== token) {
      this.forget(origin, client);
      client = undefined;
    }
    if (!client) {
      client = new Client(this.settings, origin);
      this.clients.set(origin, client);
      this.shown.set(client, token);
    }
    return client;
  }

  /** Drops a client; its open requests may finish. */
  private forget(origin: string, client: Client): void {
    if (this.clients.get(origin) === client) this.clients.delete(origin);
    void client.close().catch(() => {});
  }
}

const configReasons = new Set([
  'BadCertificate',
  'BadCertificateEnvironment',
  'BadEnvironmentKeyIdInToken',
  // Seen in the wild for the one above.
  'BadEnvironmentKeyInToken',
  'BadTopic',
  'Forbidden',
  'InvalidProviderToken',
  'MissingProviderToken',
  'MissingTopic',
  'TopicDisallowed',
]);
const neverConnected = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function outcomeOf(error: unknown, { status, response }: Note): PushOutcome {
  if (error instanceof ApnsError) return answered(error, response);
  const code = String(errorFieldsOf(error).code ?? '');
  const reason = code || 'unknown';
  if (neverConnected.has(code)) return { class: 'not_sent', reason };
  // RFC 9113 8.7: a refused stream was not processed.
  if (sentenceOf(error).includes('REFUSED_STREAM')) return { class: 'not_sent', reason: 'REFUSED_STREAM' };
  // The server's certificate is not trusted, so nothing was sent.
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return { class: 'config', reason };
  return { class: 'ambiguous', reason, ...(status !== undefined && { status }) };
}

function answered(error: ApnsError, response: Note['response']): PushOutcome {
  const { statusCode: status, reason } = error;
  const retryAfterMs = retryAfter(one(response?.['retry-after']));
  const outcome = (kind: PushOutcome['class'], more: Partial<PushOutcome> = {}): PushOutcome => ({
    class: kind,
    status,
    reason,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...more,
  });
  if (reason === 'ExpiredProviderToken' || reason === 'UnrelatedKeyIdInToken')
    return outcome('provider_token');
  if (reason === 'TooManyProviderTokenUpdates') return outcome('throttled_key');
  if (configReasons.has(reason) || status === 403) return outcome('config');
  if (status === 429) return outcome('throttled');
  // The library sets a timestamp even when the answer has none; only 410 has one.
  if (status === 410) return outcome('token_dead', { deadSince: error.timestamp });
  if (reason === 'BadDeviceToken' || reason === 'DeviceTokenNotForTopic') return outcome('token_suspect');
  return outcome(status >= 500 ? 'server' : 'rejected');
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const retryAfter = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
