import { request } from 'node:https';
import { Destinations, pinnedTo } from '@carillon/destinations';
import { Database } from '@carillon/event-store';
import { plus } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { hashSecret } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { findArtifact, saveArtifact } from './artifacts.entity';
import { clientMetadata } from './client-metadata';
import { keptSeconds } from './document-age';

const maxBytes = 5 * 1024;
const withinMs = 5_000;
/** The authorization server asks again for a document that it did not get, in the same request. */
const failedMs = 10_000;
/** A stranger's request may cause a fetch: more at once are refused. */
const maxAtOnce = 20;
/** Failures of the last seconds that are remembered: they hold up nobody else. */
const maxRemembered = 1_000;
const kind = 'Document';

/** Fetches the metadata documents of clients, and their keys, and keeps them in rows for all replicas. */
@Injectable()
export class Documents {
  private readonly pepper = secret('CARILLON_PEPPER');
  /** Fetches under way, and those that failed a moment ago. */
  private readonly fetches = new Map<string, Promise<string>>();
  private underWay = 0;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** In the form of `fetch`. Throws for a document that cannot be had, also for a redirect. */
  async get(url: string): Promise<Response> {
    const text = (await this.keptText(url)) ?? (await this.fetchOnce(url));
    const document: unknown = JSON.parse(text);
    const isClient = typeof document === 'object' && document !== null && 'client_id' in document;
    const body = isClient ? JSON.stringify(clientMetadata(document, { keys: true })) : text;
    return new Response(body, { status: 200, headers: { 'content-type': 'application/json' } });
  }

  private async keptText(url: string): Promise<string | undefined> {
    const row = await findArtifact(this.database, kind, this.hashOf(url), this.clock.now());
    const text = row?.payload['text'];
    return typeof text === 'string' ? text : undefined;
  }

  private fetchOnce(url: string): Promise<string> {
    const known = this.fetches.get(url);
    if (known) return known;
    if (this.underWay >= maxAtOnce || this.fetches.size >= maxRemembered)
      throw new Error('Too many documents are fetched at once');
    this.underWay += 1;
    const fetched = this.fetch(url).finally(() => (this.underWay -= 1));
    this.fetches.set(url, fetched);
    const forget = (): void => void this.fetches.delete(url);
    fetched.then(forget, () => setTimeout(forget, failedMs).unref());
    return fetched;
  }

  private async fetch(url: string): Promise<string> {
    const { text, cacheControl, expires } = await this.read(url);
    const at = this.clock.now();
    const seconds = keptSeconds(cacheControl, expires, this.clock.ms());
    if (seconds > 0)
      await saveArtifact(this.database, {
        idHash: this.hashOf(url),
        kind,
        payload: { text },
        grantId: null,
        prefix: null,
        expiresAt: plus(at, seconds * 1_000),
        at,
      });
    return text;
  }

  /** The addresses are checked before the connection, which goes to one of them. */
  private async read(url: string): Promise<Document> {
    const signal = AbortSignal.timeout(withinMs);
    const reachable = await this.destinations.find(url);
    const { pathname, search } = new URL(url);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          method: 'GET',
          host: reachable.host,
          port: reachable.port,
          path: `${pathname}${search}`,
          headers: { accept: 'application/json' },
          lookup: pinnedTo(reachable),
          agent: false,
          rejectUnauthorized: true,
          signal,
        },
        (response) => {
          const fail = (why: string): void => {
            reject(new Error(why));
            outgoing.destroy();
          };
          if (response.statusCode !== 200) return fail(`The answer is ${response.statusCode}`);
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            chunks.push(chunk);
            if (bytes > maxBytes) fail('The document is too large');
          });
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              text: Buffer.concat(chunks).toString('utf8'),
              cacheControl: response.headers['cache-control'],
              expires: response.headers.expires,
            }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  private hashOf(url: string): string {
    return hashSecret(this.pepper, `document ${url}`);
  }
}

interface Document {
  readonly text: string;
  readonly cacheControl: string | undefined;
  readonly expires: string | undefined;
}
