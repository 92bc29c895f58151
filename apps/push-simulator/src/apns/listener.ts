import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { Connections } from '../connections.js';
import type { Exchange } from '../exchange.js';
import { later, type Effect } from '../fault/fault.js';
import type { Environment } from '../phone/phone.js';
import type { ApnsAnswer } from './answer.js';
import { ProviderTokens, type ConnectionTokens } from './provider-token.js';
import { receivePush } from './receive.js';

/** What is known of the sender at the other end of a connection. */
interface ApnsSender {
  tokens: ConnectionTokens;
  /** A valid provider token has been seen: more than one stream at a time is allowed. */
  trusted: boolean;
}

type OnStream = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void;

const bodyKept = 16_384;

/** The APNs stand-in: TLS, HTTP/2 only, one stream at a time until the sender has shown who it is. */
export function apnsListener(
  exchange: Exchange,
  options: {
    server: { key: string; cert: string };
    tokens: ProviderTokens;
    environment: Environment;
  },
): { server: Http2SecureServer; close: () => void } {
  const { tokens } = options;
  const server = createSecureServer({
    ...options.server,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
    settings: { maxConcurrentStreams: 1 },
  });
  const connections = new Connections(server);
  const senders = new WeakMap<Http2Session, ApnsSender>();
  // Anything that does not speak HTTP/2 is hung up on.
  server.on('unknownProtocol', (socket) => socket.destroy());
  server.on('session', (session) => {
    senders.set(session, { tokens: ProviderTokens.connection(), trusted: false });
  });
  const onStream: OnStream = (stream, headers, _flags, rawHeaders) => {
    stream.on('error', () => {});
    const { session } = stream;
    const sender = session && senders.get(session);
    if (!session || !sender) return;
    const unauthorized = tokens.check(headers.authorization, sender.tokens);
    if (!unauthorized && !sender.trusted) {
      sender.trusted = true;
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
      const request = { headers, rawHeaders, body, size, unauthorized };
      const ending = receivePush(exchange, options, request, sender.tokens);
      later(ending.fault, () => {
        if ('answer' in ending) respond(stream, ending.answer);
        else breakOff(stream, session, ending.fault.effect, ending.processed);
      });
    });
  };
  server.on('stream', onStream);

  function breakOff(
    stream: ServerHttp2Stream,
    session: Http2Session,
    effect: Effect,
    processed: boolean,
  ): void {
    if (effect.refuseStream && !processed) return void stream.close(constants.NGHTTP2_REFUSED_STREAM);
    if (session.destroyed) return;
    if (!effect.goaway) return connections.cut(session.socket);
    const id = stream.id ?? 0;
    const reason = Buffer.from(JSON.stringify({ reason: effect.reason ?? 'Shutdown' }));
    session.goaway(constants.NGHTTP2_NO_ERROR, processed ? id : Math.max(0, id - 2), reason);
    setTimeout(() => session.destroy(), 20).unref();
  }

  return { server, close: () => connections.close() };
}

function respond(stream: ServerHttp2Stream, { headers, body }: ApnsAnswer): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
}
