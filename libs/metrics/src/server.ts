import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { numberSetting, setting, portRange } from '@carillon/settings';
import { collectDefaultMetrics } from 'prom-client';
import { look } from './looks';
import { registry } from './metrics';

const defaultPort = 9464;

export interface MetricsServer {
  /** Of the metrics, such as `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
  close(): Promise<void>;
}

let isCollecting = false;

/**
 * Serves `/metrics` on `METRICS_PORT` of `METRICS_HOST`, for monitoring only, never for the public. Beside it,
 * for processes without a port of their own, `/healthz/live` and `/healthz/ready`: ready while `unready` gives nothing.
 */
export async function serveMetrics(
  unready: () => Promise<readonly string[]> = async () => [],
): Promise<MetricsServer> {
  if (!isCollecting) {
    collectDefaultMetrics({ register: registry });
    isCollecting = true;
  }
  const pages = new Map<string, () => Promise<MetricsResponse>>([
    ['/metrics', async () => ({ type: registry.contentType, text: await look() })],
    ['/healthz/live', async () => ({ text: 'live\n' })],
    [
      '/healthz/ready',
      async () => {
        const why = await unready();
        return why.length > 0 ? { status: 503, text: `${why.join('\n')}\n` } : { text: 'ready\n' };
      },
    ],
  ]);
  const [port, host] = [
    numberSetting('METRICS_PORT', defaultPort, portRange),
    setting('METRICS_HOST', '127.0.0.1'),
  ];
  const isForThisMachine = /^(127\.|::1$|localhost$)/.test(host);
  const server = createServer((request, response) => {
    // A page whose own name leads here has nothing to look for at a port that is for this machine.
    if (isForThisMachine && !isAddress(request.headers.host))
      return send(response, { status: 421, text: 'ask by the address\n' });
    const page = pages.get((request.url ?? '').split('?')[0] ?? '');
    if (!page || request.method !== 'GET') return send(response, { status: 404, text: 'not found\n' });
    page().then(
      (found) => send(response, found),
      (error: unknown) => send(response, { status: 500, text: `${String(error)}\n` }),
    );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw new Error(`METRICS_PORT: port ${port} of ${host} cannot be used; 0 takes a free one`, {
      cause: error,
    });
  });
  const { address, port: taken, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Also `localhost`, which nobody else can let lead elsewhere. */
function isAddress(host = ''): boolean {
  const name = /^\[([^\]]*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  return isIP(name) !== 0 || name.toLowerCase() === 'localhost';
}

interface MetricsResponse {
  readonly status?: number;
  readonly type?: string;
  readonly text: string;
}

const send = (response: ServerResponse, { status = 200, type = 'text/plain', text }: MetricsResponse): void =>
  void response.writeHead(status, { 'content-type': type }).end(text);
