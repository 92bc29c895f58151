import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import tls from 'node:tls';
import { eventually } from './eventually';
import { freePort } from './port';
import { stoppable } from './stoppable';

/** What a receiver got. */
export interface ReceivedReply {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Exactly as it came. */
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says itself what it looks for
  readonly body: any;
}

/** What it says to that: 204 unless told; or it ends the connection first, or says nothing at all. */
export interface ReceiverAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly does?: 'cut' | 'cut in the middle' | 'hang' | 'hang in the middle';
}

/** An authority that issues certificates to receivers. */
export interface Authority {
  readonly caFile: string;
  readonly ca: string;
  readonly server: { readonly key: string; readonly cert: string };
  remove(): void;
}

const dayMs = 86_400_000;

/** A throw-away authority, and a certificate from it for this machine and some names. */
export async function makeAuthority(more: readonly string[] | boolean = []): Promise<Authority> {
  const names = typeof more === 'boolean' ? [] : more;
  // Loaded only here: what it stands on is large, and most starts and tests have no use for it.
  const { generate } = await import('selfsigned');
  const validity = {
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + 30 * dayMs),
    keyType: 'ec' as const,
    algorithm: 'sha256',
  };
  const ca = await generate([{ name: 'commonName', value: 'Receivers of a test' }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'receiver' }], {
    ...validity,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...['localhost', ...names].map((value) => ({ type: 2 as const, value })),
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '127.0.0.2' },
        ],
      },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), 'carillon-authority-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, ca.cert);
  return {
    caFile,
    ca: ca.cert,
    server: { key, cert },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Makes this very process trust an authority, as NODE_EXTRA_CA_CERTS does for one that is being started. Returns how to
 * end that.
 */
export function trust({ ca }: Authority): () => void {
  const original = tls.createSecureContext;
  tls.createSecureContext = (options) => {
    const made = original(options);
    (made.context as { addCACert(cert: string): void }).addCACert(ca);
    return made;
  };
  return () => {
    tls.createSecureContext = original;
  };
}

type Saying = ReceiverAnswer | ((received: ReceivedReply) => ReceiverAnswer | Promise<ReceiverAnswer>);

/** Somebody's HTTPS server that takes reply webhooks, with a real certificate. */
export class Receiver {
  private readonly all: ReceivedReply[] = [];
  readonly stop: () => Promise<void>;
  private looked = 0;
  /** How many connections it has accepted since it was started. */
  connections = 0;
  private matters = true;
  private saying: Saying = {};

  private constructor(
    server: Server,
    readonly port: number,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.take(request, response);
    });
    this.stop = stoppable(server);
    server.on('secureConnection', () => (this.connections += 1));
    server.on('tlsClientError', () => {});
  }

  static async start({ server: { key, cert } }: Authority, address = '127.0.0.1'): Promise<Receiver> {
    const server = createServer({ key, cert });
    // One of its own: what waits for a receiver that was stopped would come to the next one on its port.
    const port = await freePort();
    server.listen(port, address);
    await once(server, 'listening');
    // A test that does not come to stop it can end all the same.
    server.unref();
    return new Receiver(server, port);
  }

  get url(): string {
    return this.at('/hooks');
  }

  /** Another URL on the same server. */
  at(path: string, host = '127.0.0.1'): string {
    return `https://${host}:${this.port}${path}`;
  }

  /** What it says from now on. */
  says(saying: Saying): void {
    this.saying = saying;
  }

  /** What has come since the last look. What was looked at counts as expected. */
  received(): ReceivedReply[] {
    const fresh = this.all.slice(this.looked);
    this.looked = this.all.length;
    return fresh;
  }

  /** How much has come since it was started. */
  get count(): number {
    return this.all.length;
  }

  /** Waits until exactly this many requests have come since the last call, and returns them. */
  async expect(count: number, withinMs = 30_000): Promise<ReceivedReply[]> {
    const fresh = (): number => this.all.length - this.looked;
    await eventually(
      () => fresh() >= count || undefined,
      () => `${count} replies were expected, ${fresh()} came`,
      withinMs,
    );
    if (fresh() > count) throw new Error(`${count} replies were expected, ${fresh()} came`);
    return this.received();
  }

  /** How many come is not what this test is about. */
  ignore(): void {
    this.matters = false;
  }

  /** What came and nobody has looked at. */
  unexpected(): ReceivedReply[] {
    return this.matters ? this.all.slice(this.looked) : [];
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const text = await textOf(request);
      const { url: path = '', headers } = request;
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        body = undefined;
      }
      const received: ReceivedReply = { path, headers, text, body };
      this.all.push(received);
      const said = typeof this.saying === 'function' ? await this.saying(received) : this.saying;
      if (said.does === 'hang') return;
      if (said.does === 'cut') return void request.socket.destroy();
      response.writeHead(said.status ?? 204, said.headers);
      if (said.does === 'cut in the middle')
        return void response.write(said.body ?? 'x', () => request.socket.destroy());
      if (said.does === 'hang in the middle') return void response.write(said.body ?? 'x');
      response.end(said.body);
    } catch {
      // The caller has disconnected.
    }
  }
}
