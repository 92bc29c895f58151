import { Destinations } from '@carillon/destinations';
import { Database } from '@carillon/event-store';
import { plus } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { hashSecret } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { exchange } from '../outgoing/exchange.client';
import { findArtifact, saveArtifact } from './artifacts.entity';
import { clientMetadata } from './client-metadata';
import { keptSeconds } from './document-age';

const maxBytes = 5 * 1024;
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
    const { status, text, headers } = await exchange(this.destinations, url, {
      method: 'GET',
      headers: { accept: 'application/json' },
      maxBytes,
    });
    if (status !== 200) throw new Error(`The answer is ${status}`);
    const at = this.clock.now();
    const seconds = keptSeconds(headers['cache-control'], headers.expires, this.clock.ms());
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

  private hashOf(url: string): string {
    return hashSecret(this.pepper, `document ${url}`);
  }
}
