import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { Connections } from './connections.js';

const bodyLimit = 1_048_576;

/** A request of which all has come. */
export interface WholeRequest {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  readonly body: Buffer;
  /** Whether the body was longer than a megabyte, and has not come whole. */
  readonly isTooLong: boolean;
  /**
   * Ends the connection. HTTP/1.1 knows neither a refused stream nor GOAWAY: to a client both end it without an
   * answer.
   */
  cut(): void;
}

/** A server for a stand-in: TLS, HTTP/1.1 and HTTP/2. */
export function tlsListener(
  keys: { readonly key: string; readonly cert: string },
  take: (whole: WholeRequest) => void,
): { server: Http2SecureServer; close: () => void } {
  const server = createSecureServer({ ...keys, minVersion: 'TLSv1.2', allowHTTP1: true });
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
    request.on('end', () =>
      take({
        request,
        response,
        body: Buffer.concat(chunks),
        isTooLong: size > bodyLimit,
        cut: () => connections.cut(request.socket),
      }),
    );
  });
  return { server, close: () => connections.close() };
}

/** Nothing where the answer has been given, or its connection is gone. */
export function respond(
  response: Http2ServerResponse,
  { status, text, headers }: { status: number; text: string; headers: Record<string, string> },
): void {
  if (response.destroyed || response.writableEnded) return;
  response.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers });
  response.end(text);
}
