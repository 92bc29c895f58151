import { randomBytes } from 'node:crypto';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Exchange } from '../exchange.js';
import { later, unprocessed, type Fault } from '../fault/faults.js';
import { parse } from '../json.js';
import { hour, spend } from '../phone/budget.js';
import type { Received } from '../received.js';
import type { Bearers } from './bearer.js';
import {
  checkMessage,
  codeOfStatus,
  fcmError,
  googleError,
  looksLikeToken,
  statusOfCode,
  type GoogleError,
} from './message.js';
import { fcmPush } from './push.js';

const bodyLimit = 1_048_576;
const bodyKept = 16_384;
const deviceQuota = [
  { count: 240, ms: 60_000 },
  { count: 5000, ms: hour },
];

/** The FCM stand-in and its OAuth token endpoint: TLS, HTTP/1.1 and HTTP/2. */
export function fcmListener(
  exchange: Exchange,
  options: {
    server: { key: string; cert: string };
    bearers: Bearers;
    projectId: string;
  },
): { server: Http2SecureServer; close: () => void } {
  const { bearers, projectId } = options;
  const sockets = new Map<string, Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({ ...options.server, minVersion: 'TLSv1.2', allowHTTP1: true });
  server.on('secureConnection', (socket: Socket) => {
    const name = nameOf(socket);
    sockets.set(name, socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(name));
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
    session.on('close', () => sessions.delete(session));
  });
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    request.on('error', () => {});
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyLimit) chunks.push(chunk);
    });
    request.on('end', () => {
      if (size > bodyLimit)
        return send(response, 413, googleError(413, 'Request payload size exceeds the limit.').body);
      route(request, response, Buffer.concat(chunks).toString('utf8'));
    });
  });

  function route(request: Http2ServerRequest, response: Http2ServerResponse, body: string): void {
    const path = (request.url ?? '').split('?')[0]!;
    if (path === '/token') {
      if (request.method !== 'POST') return send(response, 405, { error: 'method_not_allowed' });
      return exchangeToken(request, response, body);
    }
    const project = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(path)?.[1];
    if (project === undefined || request.method !== 'POST') {
      const unknown = googleError(404, 'The requested URL was not found on this server.');
      return send(response, 404, unknown.body);
    }
    message(request, response, body, decodeURIComponentSafely(project));
  }

  function exchangeToken(request: Http2ServerRequest, response: Http2ServerResponse, body: string): void {
    const fault = exchange.takeFault({ provider: 'oauth', pushTypes: [] });
    const { effect } = fault ?? {};
    const broken = fault && unprocessed(fault);
    const answer = broken
      ? { status: 0, body: {} }
      : effect?.status !== undefined && effect.status !== 200
        ? { status: effect.status, body: { error: effect.reason ?? 'internal_failure' } }
        : bearers.exchange(new URLSearchParams(body));
    exchange.received.count('oauth', answer.status === 200);
    later(fault, () => {
      if (broken || effect?.cut === 'after') return hangUp(request);
      send(response, answer.status, answer.body, effect?.retryAfterSeconds);
    });
  }

  function message(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    body: string,
    project: string,
  ): void {
    const now = exchange.now();
    const parsed = parse(body);
    const checked = parsed === undefined ? { error: invalidJson() } : checkMessage(parsed);
    const given = (parsed as { message?: unknown } | undefined)?.message;
    const token = (given as { token?: unknown } | undefined)?.token;
    const owner = typeof token === 'string' ? exchange.phones.owner(token) : undefined;
    const phone = owner?.phone.platform === 'android' ? owner.phone : undefined;
    const fault = exchange.takeFault({ provider: 'fcm', phoneId: phone?.id, pushTypes: [typeOf(given)] });
    const record: Received = {
      n: phone ? exchange.received.number(phone.id) : 0,
      at: new Date(now).toISOString(),
      provider: 'fcm',
      headers: recorded(request, bearers),
      payload: given ?? (parsed === undefined ? body.slice(0, bodyKept) : parsed),
      verdict: { status: 200, reason: null },
      shown: false,
      fault: fault?.id,
    };
    const refuse = (error: { status: number; reason: string }) => {
      record.verdict = { status: error.status, reason: error.reason };
      exchange.refuse(phone, record);
    };

    const broken = fault && unprocessed(fault);
    if (broken) {
      refuse({ status: 0, reason: broken });
      return later(fault, () => hangUp(request));
    }
    const forced = fault && forcedAnswer(fault);
    const error = forced ?? judge();
    let name = '';
    if (error) {
      refuse(error);
    } else {
      const { message: accepted, validateOnly } = checked as Extract<typeof checked, { message: unknown }>;
      name = `projects/${projectId}/messages/${validateOnly ? 'fake_message_id' : `0:${now}${randomBytes(8).toString('hex')}`}`;
      if (phone && !validateOnly) {
        exchange.deliver(phone, fcmPush(name, record.n, accepted, now), record);
      } else {
        record.why = validateOnly ? 'only validated' : 'no phone subscribes to topics here';
        exchange.refuse(phone, record);
      }
    }
    later(fault, () => {
      if (fault?.effect.cut === 'after') return hangUp(request);
      if (!error) return send(response, 200, { name });
      const challenge: Record<string, string> =
        error.status === 401 && !forced
          ? { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' }
          : {};
      send(response, error.status, error.body, fault?.effect.retryAfterSeconds, challenge);
    });

    function judge(): GoogleError | undefined {
      const unauthorized = bearers.check(request.headers.authorization);
      if (unauthorized) return unauthorized;
      // A wrong project has no FCM code in its answer; clients that look at the status alone mistake it for
      // a dead token.
      if (project !== projectId) return googleError(404, 'Requested entity was not found.');
      if ('error' in checked) return checked.error;
      if (checked.message.token === undefined) return undefined;
      if (!looksLikeToken(checked.message.token))
        return fcmError('INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token');
      if (!phone || owner?.deadSince !== undefined)
        return fcmError('UNREGISTERED', 'Requested entity was not found.');
      if (phone.settings.fcmQuota && !spend(phone.spent.messages, now, deviceQuota))
        return fcmError('QUOTA_EXCEEDED', 'Message rate exceeded for this device.');
      return undefined;
    }
  }

  /**
   * Cuts the connection that a request came on, with all that is on its way there. HTTP/1.1 knows neither a
   * refused stream nor GOAWAY: to a client both are a connection that ends without an answer.
   */
  function hangUp(request: Http2ServerRequest): void {
    sockets.get(nameOf(request.socket))?.destroy();
  }

  return {
    server,
    close: () => {
      for (const session of sessions) session.destroy();
      for (const socket of sockets.values()) socket.destroy();
      server.close();
    },
  };
}

const nameOf = (socket: { remoteAddress?: string; remotePort?: number }) =>
  `${socket.remoteAddress} ${socket.remotePort}`;

function send(
  response: Http2ServerResponse,
  status: number,
  body: unknown,
  retryAfterSeconds?: number,
  more: Record<string, string> = {},
): void {
  if (response.destroyed || response.writableEnded) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(text),
    ...more,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(text);
}

function forcedAnswer({ effect }: Fault): GoogleError | undefined {
  const status =
    effect.status ?? (effect.reason === undefined ? undefined : (statusOfCode(effect.reason) ?? 400));
  if (status === undefined || status === 200) return undefined;
  const code = effect.reason ?? codeOfStatus(status);
  const message = `Simulated ${code}`;
  // A reason that FCM does not have stands for the layer in front of it, which gives no FCM code.
  return statusOfCode(code) === undefined
    ? { ...googleError(status, message), reason: code }
    : fcmError(code, message, status);
}

function recorded(request: Http2ServerRequest, bearers: Bearers): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of Object.keys(request.headers)) kept[name] = String(request.headers[name]);
  kept[':path'] ??= request.url ?? '';
  if (kept.authorization !== undefined) kept.authorization = bearers.fingerprint(kept.authorization);
  return kept;
}

const invalidJson = () =>
  googleError(400, 'Invalid JSON payload received. Unexpected token.', [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ description: 'Invalid JSON payload received. Unexpected token.' }],
    },
  ]);

const typeOf = (message: unknown): string | undefined => {
  const type = (message as { data?: { type?: unknown } } | undefined)?.data?.type;
  return typeof type === 'string' ? type : undefined;
};

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
