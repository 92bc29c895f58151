import type { TokenCreated, TokenEvent, TokenRevoked, TokenUsed, Streams } from '@carillon/contracts';
import { inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'token' | 'token_use'>;

@Injectable()
export class TokenProjection extends Projection<Followed> {
  readonly name = 'tokens';
  readonly tables = ['tokens'];
  readonly on: On<Followed> = {
    token: {
      TokenCreated: inBatch,
      TokenRevoked: inBatch,
    },
    token_use: {
      TokenUsed: inBatch,
    },
  };

  /** A token is created before it is revoked or used, and these two do not touch the same columns. */
  override async apply(sql: Sql, events: readonly Recorded<TokenEvent | TokenUsed>[]): Promise<void> {
    const created: TokenCreated[] = [];
    const revoked: TokenRevoked[] = [];
    const used = new Map<string, TokenUsed>();
    for (const { event } of events) {
      switch (event.type) {
        case 'TokenCreated':
          created.push(event);
          break;
        case 'TokenRevoked':
          revoked.push(event);
          break;
        case 'TokenUsed':
          used.set(event.tokenId, event);
          break;
        default:
          event satisfies never;
      }
    }
    if (created.length > 0) await this.create(sql, created);
    if (revoked.length > 0)
      await sql.query(
        `UPDATE tokens t SET revoked_at = n.at FROM unnest($1::text[], $2::timestamptz[]) AS n (id, at)
         WHERE t.token_id = n.id AND t.revoked_at IS NULL`,
        [revoked.map(({ tokenId }) => tokenId), revoked.map(({ revokedAt }) => revokedAt)],
      );
    if (used.size > 0)
      await sql.query(
        `UPDATE tokens t SET last_used_at = greatest(t.last_used_at, n.at)
         FROM unnest($1::text[], $2::timestamptz[]) AS n (id, at) WHERE t.token_id = n.id`,
        [[...used.keys()], [...used.values()].map(({ usedAt }) => usedAt)],
      );
  }

  private async create(sql: Sql, created: readonly TokenCreated[]): Promise<void> {
    await sql.query(
      `INSERT INTO tokens (token_id, account_id, kind, name, prefix, secret_hash, scopes, expires_at, created_at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[],
         $8::timestamptz[], $9::timestamptz[])`,
      [
        created.map((token) => token.tokenId),
        created.map((token) => token.accountId),
        created.map((token) => token.kind),
        created.map((token) => token.name),
        created.map((token) => token.prefix),
        created.map((token) => token.secretHash),
        created.map((token) => JSON.stringify(token.scopes)),
        created.map((token) => token.expiresAt),
        created.map((token) => token.createdAt),
      ],
    );
  }
}
