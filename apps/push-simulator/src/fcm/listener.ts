import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { Connections } from '../connections.js';
import type { Exchange } from '../exchange.js';
import { later } from '../fault/fault.js';
import { errorAnswer, type FcmAnswer } from './answer.js';
import type { Bearers } from './bearer.js';
import { googleError } from './error.js';
import { receive } from './receive.js';

const bodyLimit = 1_048_576;

/** The FCM stand-in and its OAuth token endpoint: TLS, HTTP/1.1 and HTTP/2. */
export function fcmListener(
  exchange: Exchange,
  options: {
    server: { key: string; cert: string };
    bearers: Bearers;
    projectId: string;
  },
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
      if (size > bodyLimit)
        return respond(response, errorAnswer(googleError(413, 'Request payload size exceeds the limit.')));
      const { method, headers, url = '' } = request;
      const body = Buffer.concat(chunks).toString('utf8');
      const ending = receive(exchange, options, { method, url, headers, body });
      later(ending.fault, () => {
        if ('answer' in ending) return respond(response, ending.answer);
        // HTTP/1.1 knows neither a refused stream nor GOAWAY: to a client both are a connection that ends without an
        // answer.
        connections.cut(request.socket);
      });
    });
  });
  return { server, close: () => connections.close() };
}

function respond(response: Http2ServerResponse, { status, body, headers }: FcmAnswer): void {
  if (response.destroyed || response.writableEnded) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
