import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { Connections } from '../connections.js';
import type { Exchange } from '../exchange.js';
import { later } from '../fault/fault.js';
import { receive, type WebAnswer } from './receive.js';

const bodyLimit = 1_048_576;

/** The stand-in for the push services of browsers: TLS, HTTP/1.1 and HTTP/2. */
export function webListener(
  exchange: Exchange,
  options: { server: { key: string; cert: string }; now: () => number },
): { server: Http2SecureServer; close: () => void } {
  const server = createSecureServer({ ...options.server, minVersion: 'TLSv1.2', allowHTTP1: true });
  const connections = new Connections(server);
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
      const { method, headers, url = '' } = request;
      const body = Buffer.concat(chunks);
      const ending = receive(exchange, { method, url, headers, body }, options.now());
      later(ending.fault, () => {
        if ('answer' in ending) return respond(response, ending.answer);
        connections.cut(request.socket);
      });
    });
  });
  return { server, close: () => connections.close() };
}

function respond(response: Http2ServerResponse, { status, reason, headers }: WebAnswer): void {
  if (response.destroyed || response.writableEnded) return;
  const text = reason === null ? '' : JSON.stringify({ message: reason });
  response.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers });
  response.end(text);
}
