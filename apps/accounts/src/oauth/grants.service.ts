import type { Context } from '@carillon/bus';
import type { GrantedClient, OAuthGrant, Scope } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { deriveId, hashSecret, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { selfMetadata } from '../account/opening.service';
import { Revocations } from '../revocation/revocations.process';
import { revoke, type Token, token } from '../token/token';
import { give, isAlive } from './grant';

export interface Granted {
  readonly accountId: string;
  readonly clientName: string;
  readonly client: GrantedClient;
  readonly scopes: readonly Scope[];
}

/** The access of OAuth clients to accounts: one token of the kind `oauth` for an account, a client and a resource. */
@Injectable()
export class Grants {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Revocations) private readonly revocations: Revocations,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The grant with these scopes and those that it has already. */
  async give({ accountId, clientName, client, scopes }: Granted, context: Context): Promise<Token> {
    const { clientId, resource } = client;
    // The stream follows from the account, client and resource, so that two consents at once make one grant. One that
    // has ended leaves its stream, and the next one has the next number.
    for (let number = await this.countOver(accountId, client); ; number += 1) {
      const id = deriveId('tok', this.clock.ms(), 'grant', accountId, clientId, resource, String(number));
      const secretHash = hashSecret(this.pepper, `grant ${id}`);
      const decide = give({ id, accountId, clientName, client, scopes, secretHash, at: this.clock.now() });
      try {
        const { state, position } = await this.log.transact(
          token,
          streamTail(id),
          decide,
          selfMetadata(context, accountId),
        );
        if (!state) throw new Error('A grant was given without a trace');
        await this.projections.caughtUp('tokens', position);
        return state;
      } catch (error) {
        if (!(error instanceof Refused) || error.reason !== 'grant.over') throw error;
      }
    }
  }

  /** The grant as the log has it; undefined when it has ended. */
  async find(id: string): Promise<Token | undefined> {
    const { state } = await this.log.load(token, streamTail(id));
    return state?.tokenId === id && state.grant && isAlive(state, this.clock.now()) ? state : undefined;
  }

  /** Ends a grant with all its tokens. Refused `token.not_found` for one of another account. */
  async end(id: string, accountId: string, context: Context): Promise<bigint> {
    const { state } = await this.log.load(token, streamTail(id));
    if (!state?.grant) throw new Refused('token.not_found');
    const decide = revoke({ id, accountId, at: this.clock.now() });
    const ended = await this.log.transact(token, streamTail(id), decide, {
      ...selfMetadata(context, accountId),
      commandId: uuidV5(context.commandId, `end of ${id}`),
    });
    await this.projections.caughtUp('tokens', ended.position);
    this.revocations.tellToken(id, ended);
    return ended.position;
  }

  async list(accountId: string): Promise<OAuthGrant[]> {
    const rows = await this.database.query<GrantRow>(
      `SELECT token_id, name, client_host, resource, scopes, created_at, greatest(last_used_at, used_at) AS used
       FROM tokens LEFT JOIN last_uses ON id = token_id
       WHERE account_id = $1 AND kind = 'oauth' AND revoked_at IS NULL AND expires_at > $2
       ORDER BY created_at DESC, token_id DESC`,
      [accountId, this.clock.now()],
    );
    return rows.map((row) => ({
      id: row.token_id,
      clientName: row.name ?? '',
      clientHost: row.client_host,
      resource: row.resource,
      scopes: row.scopes,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: row.used?.toISOString() ?? null,
    }));
  }

  /** A number to begin with: rows that are late make the search longer, not wrong. */
  private async countOver(accountId: string, { clientId, resource }: GrantedClient): Promise<number> {
    const [row] = await this.database.query<{ over: number }>(
      `SELECT count(*)::int AS over FROM tokens
       WHERE account_id = $1 AND client_id = $2 AND resource = $3 AND (revoked_at IS NOT NULL OR expires_at <= $4)`,
      [accountId, clientId, resource, this.clock.now()],
    );
    return row?.over ?? 0;
  }
}

interface GrantRow {
  token_id: string;
  name: string | null;
  client_host: string | null;
  resource: string;
  scopes: Scope[];
  created_at: Date;
  used: Date | null;
}
