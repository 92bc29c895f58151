import { Database } from '@carillon/event-store';
import { type Instant, plus, Refused } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { hashSecret, isSameText } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { consumeArtifact, findArtifact, saveArtifact } from '../oauth/artifacts.entity';
import { derived } from './derived';

const goodForMs = 10 * 60_000;
const requestKind = 'ProviderRequest';
const proofKind = 'ProviderProof';

export interface ProviderRequest {
  readonly provider: string;
  /** The account that an identity is linked to; null to sign in. */
  readonly accountId: string | null;
}

export interface ProviderProof {
  readonly accountId: string;
  readonly provider: string;
}

/** The browsers that are at a provider, in rows for all replicas. Each has a secret, of which a row has the hash. */
@Injectable()
export class ProviderRequests {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Gives the secret that the browser must come back with, within ten minutes. */
  async begin(request: ProviderRequest): Promise<string> {
    const browser = randomBytes(32).toString('base64url');
    await this.save(requestKind, browser, request);
    return browser;
  }

  /** Takes the request that a browser comes back with, once. Refused `identity.request_invalid`. */
  async take(browser: string, query: string): Promise<ProviderRequest> {
    const state = new URLSearchParams(query).get('state') ?? '';
    if (browser === '' || !isSameText(state, derived(browser, 'state')))
      throw new Refused('identity.request_invalid');
    return (await this.takeRow(requestKind, browser)) as ProviderRequest;
  }

  /** Remembers whom a provider has named, who has to give a code too. */
  saveProof(browser: string, proof: ProviderProof): Promise<void> {
    return this.save(proofKind, browser, proof);
  }

  /** Refused `identity.request_invalid`. */
  async findProof(browser: string): Promise<ProviderProof> {
    const idHash = this.hashOf(proofKind, browser);
    const row = await findArtifact(this.database, proofKind, idHash, this.clock.now());
    if (row?.consumed_at !== null) throw new Refused('identity.request_invalid');
    return row.payload as unknown as ProviderProof;
  }

  /** Refused `identity.request_invalid` when it was used before, also by a request at the same moment. */
  async useProof(browser: string): Promise<void> {
    await this.takeRow(proofKind, browser);
  }

  private save(kind: string, browser: string, payload: object): Promise<void> {
    const at: Instant = this.clock.now();
    return saveArtifact(this.database, {
      idHash: this.hashOf(kind, browser),
      kind,
      payload,
      grantId: null,
      prefix: null,
      expiresAt: plus(at, goodForMs),
      at,
    });
  }

  private async takeRow(kind: string, browser: string): Promise<object> {
    const at = this.clock.now();
    const idHash = this.hashOf(kind, browser);
    const row = await findArtifact(this.database, kind, idHash, at);
    if (!row || !(await consumeArtifact(this.database, idHash, at)))
      throw new Refused('identity.request_invalid');
    return row.payload;
  }

  private hashOf(kind: string, browser: string): string {
    return hashSecret(this.pepper, `${kind} ${browser}`);
  }
}
