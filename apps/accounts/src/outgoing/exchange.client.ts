import { type Destinations, pinnedTo } from '@carillon/destinations';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

export interface ExchangeRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxBytes: number;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const withinMs = 5_000;

/**
 * One request to a URL that a stranger or the operator has named, and its answer within five seconds. The addresses
 * are checked before the connection, which goes to one of them. No redirect is followed.
 */
export async function exchange(
  destinations: Destinations,
  url: string,
  { method, headers, body, maxBytes }: ExchangeRequest,
): Promise<ExchangeAnswer> {
  const signal = AbortSignal.timeout(withinMs);
  const reachable = await destinations.find(url);
  const { pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        method,
        host: reachable.host,
        port: reachable.port,
        path: `${pathname}${search}`,
        headers,
        lookup: pinnedTo(reachable),
        agent: false,
        rejectUnauthorized: true,
        signal,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= maxBytes) return;
          reject(new Error('The answer is too large'));
          outgoing.destroy();
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
