import { randomUUID } from 'node:crypto';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Exchange } from '../exchange.js';
import { later, unprocessed, type Fault } from '../fault/faults.js';
import type { Environment } from '../phone/phone.js';
import type { Received } from '../received.js';
import { apnsPush } from './push.js';
import { ProviderTokens, type ConnectionTokens } from './provider-token.js';
import { checkHeaders, checkPayload, checkTarget, isRefusal, parsePayload, type Refusal } from './request.js';

interface Connection {
  tokens: ConnectionTokens;
  /** A valid provider token has been seen: more than one stream at a time is allowed. */
  trusted: boolean;
}

const bodyKept = 16_384;
const reasonOfStatus: Record<number, string> = {
  400: 'BadDeviceToken',
  403: 'InvalidProviderToken',
  404: 'BadPath',
  405: 'MethodNotAllowed',
  410: 'Unregistered',
  413: 'PayloadTooLarge',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};
const statusOfReason: Record<string, number> = {
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  BadEnvironmentKeyIdInToken: 403,
  BadEnvironmentKeyInToken: 403,
  BadPath: 404,
  ExpiredProviderToken: 403,
  ExpiredToken: 410,
  Forbidden: 403,
  InternalServerError: 500,
  InvalidProviderToken: 403,
  MethodNotAllowed: 405,
  MissingProviderToken: 403,
  PayloadTooLarge: 413,
  ServiceUnavailable: 503,
  Shutdown: 503,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  UnrelatedKeyIdInToken: 403,
  Unregistered: 410,
};

/** The APNs stand-in: TLS, HTTP/2 only, one stream at a time until the provider has shown who it is. */
export function apnsListener(
  exchange: Exchange,
  options: {
    server: { key: string; cert: string };
    tokens: ProviderTokens;
    environment: Environment;
  },
): { server: Http2SecureServer; close: () => void } {
  const { tokens, environment } = options;
  const connections = new Map<ServerHttp2Session, Connection>();
  const sockets = new Map<string, TLSSocket>();
  const server = createSecureServer({
    ...options.server,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
    settings: { maxConcurrentStreams: 1 },
  });
  // Anything that does not speak HTTP/2 is hung up on.
  server.on('unknownProtocol', (socket) => socket.destroy());
  server.on('secureConnection', (socket: TLSSocket) => {
    const name = nameOf(socket);
    sockets.set(name, socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(name));
  });
  server.on('session', (session) => {
    connections.set(session, { tokens: ProviderTokens.connection(), trusted: false });
    session.on('error', () => {});
    session.on('close', () => connections.delete(session));
  });
  type OnStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: string[],
  ) => void;
  const onStream: OnStream = (stream, headers, _flags, rawHeaders) => {
    stream.on('error', () => {});
    const session = stream.session as ServerHttp2Session | undefined;
    const connection = session && connections.get(session);
    if (!session || !connection) return;
    const unauthorized = tokens.check(headers.authorization, connection.tokens);
    if (!unauthorized && !connection.trusted) {
      connection.trusted = true;
      // Not at once: what came in the same read as the first push was sent before the limit was raised, and is
      // refused, as a cold burst is by the real one.
      setImmediate(() => {
        if (!session.destroyed) session.settings({ maxConcurrentStreams: 1000 });
      });
    }
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyKept) chunks.push(chunk);
    });
    stream.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      handle(stream, session, connection, headers, rawHeaders, body, size, unauthorized);
    });
  };
  // The types of Node name three arguments; it gives four.
  server.on('stream', onStream as (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void);

  function handle(
    stream: ServerHttp2Stream,
    session: ServerHttp2Session,
    connection: Connection,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    body: Buffer,
    size: number,
    unauthorized: Refusal | undefined,
  ): void {
    const now = exchange.now();
    const method = String(headers[':method']);
    const path = String(headers[':path']);
    const target = checkTarget(method, path);
    const owner = isRefusal(target) ? undefined : exchange.phones.owner(target.token);
    const phone = owner?.phone.platform === 'ios' ? owner.phone : undefined;
    const read = checkPayload(body, size, String(headers['apns-push-type'] ?? 'alert'));
    const payload = isRefusal(read) ? (size === 0 ? null : parsePayload(body)) : read.payload;
    const fault = exchange.takeFault({
      provider: 'apns',
      phoneId: phone?.id,
      pushTypes: [String(headers['apns-push-type'] ?? 'alert'), typeOf(payload)],
    });
    const id = (headers['apns-id'] as string | undefined) ?? randomUUID();
    const record: Received = {
      n: phone ? exchange.received.number(phone.id) : 0,
      at: new Date(now).toISOString(),
      provider: 'apns',
      headers: recorded(headers, tokens),
      payload,
      verdict: { status: 200, reason: null },
      shown: false,
      fault: fault?.id,
    };
    const refuse = (refusal: Refusal) => {
      record.verdict = { status: refusal.status, reason: refusal.reason };
      exchange.refuse(phone, record);
      return refusal;
    };

    const spoiled = fault && unprocessed(fault);
    if (spoiled) {
      refuse({ status: 0, reason: spoiled });
      return later(fault, () => breakOff(stream, session, fault, false));
    }
    const forced = fault && forcedAnswer(fault, now);
    if (forced) {
      if (forced.reason === 'ExpiredProviderToken') connection.tokens.toldExpired = true;
      refuse(forced);
      return later(fault, () => {
        if (fault.effect.cut === 'after') breakOff(stream, session, fault, true);
        else answer(stream, headers, id, forced, fault.effect.retryAfterSeconds);
      });
    }

    const checked = judge();
    if (isRefusal(checked)) {
      refuse(checked);
    } else {
      const { kind } = owner!;
      const token =
        kind === 'update' ? { kind, activityId: (owner as { activityId: string }).activityId } : { kind };
      exchange.deliver(phone!, apnsPush(id, record.n, checked.headers, checked.payload, token, now), record);
    }
    if (!fault) return answer(stream, headers, id, isRefusal(checked) ? checked : undefined);
    later(fault, () => {
      if (fault.effect.cut === 'after') breakOff(stream, session, fault, true);
      else answer(stream, headers, id, isRefusal(checked) ? checked : undefined);
    });

    function judge() {
      if (isRefusal(target)) {
        return target;
      }
      if (unauthorized) return unauthorized;
      const accepted = checkHeaders(headers, rawHeaders, exchange.phones.bundleIds);
      if (isRefusal(accepted)) return accepted;
      // A token of the other environment, or of no phone, is unknown here: APNs does not tell the two apart.
      if (!owner || !phone || phone.environment !== environment)
        return { status: 400, reason: 'BadDeviceToken' };
      if (phone.bundleId !== accepted.bundleId) return { status: 400, reason: 'DeviceTokenNotForTopic' };
      if (owner.deadSince !== undefined)
        return { status: 410, reason: owner.deadReason ?? 'Unregistered', timestamp: owner.deadSince };
      // Activity tokens and device tokens are for topics of their own.
      if ((accepted.pushType === 'liveactivity') !== (owner.kind !== 'alert'))
        return { status: 400, reason: 'DeviceTokenNotForTopic' };
      if (isRefusal(read)) return read;
      return { headers: accepted, payload: read.payload };
    }
  }

  function answer(
    stream: ServerHttp2Stream,
    request: IncomingHttpHeaders,
    id: string,
    refusal: Refusal | undefined,
    retryAfterSeconds?: number,
  ): void {
    if (stream.destroyed || stream.closed) return;
    const headers: Record<string, string | number> = { ':status': refusal?.status ?? 200, 'apns-id': id };
    if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
    if (!refusal || refusal.status === 200) {
      // Only the development environment names the push for its console.
      if (environment === 'sandbox') headers['apns-unique-id'] = randomUUID();
      return stream.respond(headers, { endStream: true });
    }
    if (refusal.reason === 'BadMessageId') headers['apns-id'] = randomUUID();
    headers['content-type'] = 'application/json';
    stream.respond(headers, { endStream: request[':method'] === 'HEAD' });
    if (request[':method'] !== 'HEAD')
      stream.end(
        JSON.stringify({
          reason: refusal.reason,
          ...(refusal.timestamp === undefined ? {} : { timestamp: refusal.timestamp }),
        }),
      );
  }

  function breakOff(
    stream: ServerHttp2Stream,
    session: ServerHttp2Session,
    { effect }: Fault,
    processed: boolean,
  ): void {
    if (effect.refuseStream && !processed) return void stream.close(constants.NGHTTP2_REFUSED_STREAM);
    if (session.destroyed) return;
    if (effect.goaway) {
      const id = stream.id ?? 0;
      const reason = Buffer.from(JSON.stringify({ reason: effect.reason ?? 'Shutdown' }));
      session.goaway(constants.NGHTTP2_NO_ERROR, processed ? id : Math.max(0, id - 2), reason);
      setTimeout(() => session.destroy(), 20).unref();
      return;
    }
    // The socket and not the session: that one would say goodbye first.
    sockets.get(nameOf(session.socket))?.destroy();
  }

  return {
    server,
    close: () => {
      for (const session of connections.keys()) session.destroy();
      for (const socket of sockets.values()) socket.destroy();
      server.close();
    },
  };
}

const nameOf = (socket: { remoteAddress?: string; remotePort?: number }) =>
  `${socket.remoteAddress} ${socket.remotePort}`;

/** The headers as they came, with a fingerprint in place of the provider token. */
const recorded = (headers: IncomingHttpHeaders, tokens: ProviderTokens): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const name of Object.keys(headers)) kept[name] = String(headers[name]);
  if (kept.authorization !== undefined) kept.authorization = tokens.fingerprint(kept.authorization);
  return kept;
};

const typeOf = (payload: unknown): string | undefined => {
  const type = (payload as { carillon?: { type?: unknown } } | null)?.carillon?.type;
  return typeof type === 'string' ? type : undefined;
};

function forcedAnswer({ effect }: Fault, now: number): Refusal | undefined {
  const status =
    effect.status ?? (effect.reason === undefined ? undefined : (statusOfReason[effect.reason] ?? 400));
  if (status === undefined || status === 200) return undefined;
  const reason = effect.reason ?? reasonOfStatus[status] ?? 'InternalServerError';
  return { status, reason, ...(status === 410 ? { timestamp: now } : {}) };
}
