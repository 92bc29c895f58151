import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '@carillon/bus';
import { Database } from '@carillon/event-store';
import { plus } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { hashSecret } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import {
  consumeArtifact,
  findArtifact,
  keepArtifact,
  removeArtifact,
  saveArtifact,
} from './artifacts.entity';
import { Grants } from './grants.service';

const daySeconds = 24 * 60 * 60;
/** A registered client that nobody uses for this long is removed. */
const clientSeconds = 30 * daySeconds;
/** How much of a secret its owner sees: the prefix, the cell and four characters. */
const shownLength = 'carillon_oat_'.length + 5;

/** A code or refresh token was used by another request at the same time: `invalid_grant`, as the package has it. */
class UsedTwice extends Error {
  readonly expose = true;
  readonly statusCode = 400;

  constructor() {
    super('invalid_grant');
  }
}

/**
 * Where the authorization server keeps its things: in rows under the hash of their id, never the id itself. Grants are
 * in the log; it has no sessions of its own, since the console has them.
 */
@Injectable()
export class Artifacts {
  /** The request that the authorization server is answering. */
  readonly asking = new AsyncLocalStorage<Context>();
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Grants) private readonly grants: Grants,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The store of one kind of them. */
  readonly storeOf = (kind: string): Adapter => {
    if (kind === 'Session') return nothing;
    if (kind === 'Grant')
      return {
        ...nothing,
        find: (id) => this.grantOf(id),
        destroy: (id) => this.endGrant(id),
      };
    // The end of a grant ends its codes and tokens.
    return {
      ...nothing,
      upsert: (id, payload, seconds) => this.save(kind, id, payload, seconds),
      find: (id) => this.find(kind, id),
      consume: (id) => this.consume(kind, id),
      destroy: (id) => removeArtifact(this.database, this.hashOf(id)),
    };
  };

  private async save(kind: string, id: string, payload: AdapterPayload, seconds = clientSeconds) {
    const at = this.clock.now();
    // The identifier is the secret itself.
    const { jti: _, ...kept } = payload;
    await saveArtifact(this.database, {
      idHash: this.hashOf(id),
      kind,
      payload: kept,
      grantId: payload.grantId ?? null,
      prefix: kind === 'AccessToken' ? id.slice(0, shownLength) : null,
      expiresAt: plus(at, seconds * 1_000),
      at,
    });
  }

  private async find(kind: string, id: string): Promise<AdapterPayload | undefined> {
    const [idHash, at] = [this.hashOf(id), this.clock.now()];
    const row = await findArtifact(this.database, kind, idHash, at);
    if (!row) return undefined;
    if (kind === 'Client') {
      const until = plus(at, clientSeconds * 1_000);
      if (row.expires_at.getTime() < this.clock.ms() + (clientSeconds - daySeconds) * 1_000)
        await keepArtifact(this.database, idHash, until);
      return row.payload;
    }
    const consumed = row.consumed_at ? { consumed: Math.floor(row.consumed_at.getTime() / 1_000) } : {};
    return { ...row.payload, ...consumed, jti: id };
  }

  /** Used twice at once: one request gets its tokens, and the grant ends with them. */
  private async consume(kind: string, id: string): Promise<void> {
    const [idHash, at] = [this.hashOf(id), this.clock.now()];
    if (await consumeArtifact(this.database, idHash, at)) return;
    const row = await findArtifact(this.database, kind, idHash, at);
    if (row?.grant_id) await this.endGrant(row.grant_id);
    throw new UsedTwice();
  }

  private async grantOf(id: string): Promise<AdapterPayload | undefined> {
    const grant = await this.grants.find(id);
    if (!grant?.grant) return undefined;
    const { clientId, resource } = grant.grant;
    return {
      jti: id,
      kind: 'Grant',
      accountId: grant.accountId,
      clientId,
      resources: { [resource]: grant.scopes.join(' ') },
    };
  }

  private async endGrant(id: string): Promise<void> {
    const grant = await this.grants.find(id);
    const context = this.asking.getStore();
    if (grant && context) await this.grants.end(id, grant.accountId, context);
  }

  private hashOf(id: string): string {
    return hashSecret(this.pepper, id);
  }
}

const done = async (): Promise<void> => {};
const nothing: Adapter = {
  upsert: done,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: done,
  destroy: done,
  revokeByGrantId: done,
};
