import type { GrantWidened, TokenCreated, TokenRevoked, TokenUsed } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';

export async function createTokens(sql: Sql, created: readonly TokenCreated[]): Promise<void> {
  const given = columns(
    {
      token_id: 'text',
      account_id: 'text',
      kind: 'text',
      name: 'text',
      prefix: 'text',
      secret_hash: 'text',
      scopes: 'jsonb',
      expires_at: 'timestamptz',
      created_at: 'timestamptz',
      client_id: 'text',
      client_host: 'text',
      resource: 'text',
    },
    created,
    (token) => ({
      token_id: token.tokenId,
      account_id: token.accountId,
      kind: token.kind,
      name: token.name,
      prefix: token.prefix,
      secret_hash: token.secretHash,
      scopes: JSON.stringify(token.scopes),
      expires_at: token.expiresAt,
      created_at: token.createdAt,
      client_id: token.grant?.clientId ?? null,
      client_host: token.grant?.clientHost ?? null,
      resource: token.grant?.resource ?? null,
    }),
  );
  await sql.query(`INSERT INTO tokens (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

export async function widenTokens(sql: Sql, widened: readonly GrantWidened[]): Promise<void> {
  const given = columns(
    { id: 'text', scopes: 'jsonb', expires_at: 'timestamptz' },
    widened,
    ({ tokenId, scopes, expiresAt }) => ({
      id: tokenId,
      scopes: JSON.stringify(scopes),
      expires_at: expiresAt,
    }),
  );
  await sql.query(
    `UPDATE tokens t SET scopes = n.scopes, expires_at = n.expires_at FROM ${given.rows} WHERE t.token_id = n.id`,
    given.values,
  );
}

export async function revokeTokens(sql: Sql, revoked: readonly TokenRevoked[]): Promise<void> {
  const given = columns({ id: 'text', at: 'timestamptz' }, revoked, ({ tokenId, revokedAt }) => ({
    id: tokenId,
    at: revokedAt,
  }));
  await sql.query(
    `UPDATE tokens t SET revoked_at = n.at FROM ${given.rows} WHERE t.token_id = n.id AND t.revoked_at IS NULL`,
    given.values,
  );
}

export async function useTokens(sql: Sql, used: readonly TokenUsed[]): Promise<void> {
  const given = columns({ id: 'text', at: 'timestamptz' }, used, ({ tokenId, usedAt }) => ({
    id: tokenId,
    at: usedAt,
  }));
  await sql.query(
    `UPDATE tokens t SET last_used_at = greatest(t.last_used_at, n.at) FROM ${given.rows} WHERE t.token_id = n.id`,
    given.values,
  );
}
