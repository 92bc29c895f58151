import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Accounts,
  type ApiToken,
  CreateToken,
  IdentifyToken,
  ListTokens,
  Nothing,
  type ListPage,
  type Scope,
  SecretHashes,
  TokenById,
  type TokenEvent,
  type TokenIdentity,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decide, isAfter, Refused } from '@carillon/eventing';
import { Clock, Cursors, metadataOf } from '@carillon/runtime';
import { sortedBy, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { insistOnActive } from '../account/account';
import { Revocations } from '../revocation/revocations.process';
import { Sessions } from '../session/sessions.service';
import { Uses } from '../use/uses.service';
import { IssuedTokens } from './issued-tokens.service';
import { revoke, revokeOther, token, type TokenState } from './token';

interface TokenRow {
  token_id: string;
  account_id: string;
  kind: 'token' | 'oauth';
  name: string | null;
  prefix: string;
  scopes: Scope[];
  expires_at: Date | null;
  logged_use_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
  client_id: string | null;
}

const columns = `token_id, account_id, kind, name, prefix, scopes, expires_at, revoked_at, created_at, client_id,
  last_used_at AS logged_use_at, greatest(last_used_at, used_at) AS last_used_at`;
const tokens = `tokens LEFT JOIN last_uses ON id = token_id`;

interface IdentifiedRow extends TokenRow {
  suspended: boolean | null;
  /** The following only for an access token, which stands for its grant. */
  resource?: string;
  access_prefix?: string;
  access_expires_at?: Date;
  access_scope?: string;
}
const accessTokens = `(SELECT id_hash, grant_id, prefix AS access_prefix, expires_at AS access_expires_at,
    payload->>'scope' AS access_scope FROM oauth_artifacts WHERE kind = 'AccessToken') AS access`;

const newestAccess = `(SELECT prefix AS access_prefix FROM oauth_artifacts a
    WHERE a.grant_id = token_id AND a.kind = 'AccessToken' ORDER BY a.created_at DESC LIMIT 1) AS newest`;

export const tokenOrder = sortedBy(['created_at', 'desc'], ['token_id', 'desc']);

/** `$2` is the current time. */
const conditions = {
  active: `AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
  revoked: `AND revoked_at IS NOT NULL`,
  expired: `AND revoked_at IS NULL AND expires_at <= $2`,
  all: ``,
};

@Controller()
export class TokenHandlers {
  private readonly cursors = new Cursors('token', tokenOrder);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Revocations) private readonly revocations: Revocations,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Uses) private readonly uses: Uses,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(IssuedTokens) private readonly issued: IssuedTokens,
  ) {}

  @Handles(Accounts.identifyToken)
  async identify({ hash, access }: IdentifyToken): Promise<Answer<TokenIdentity>> {
    const row = await this.projections.find('tokens', () => this.identified(hash, access === true));
    if (!row) throw new Refused('token.unknown');
    if (row.revoked_at || (await this.revocations.has(row.token_id))) throw new Refused('token.revoked');
    this.projections.insist('tokens', row.account_id);
    const {
      revokedAt: _,
      oauthClient: __,
      kind: ___,
      id,
      ...shown
    } = { ...tokenView(row), ...accessView(row) };
    if (shown.expiresAt !== null && !isAfter(shown.expiresAt, this.clock.now()))
      throw new Refused('token.expired');
    insistOnActive(row);
    const { account_id: accountId, logged_use_at: loggedAt, last_used_at: lastUsedAt } = row;
    this.uses.token({ id, accountId, loggedAt, lastUsedAt });
    return answer({ tokenId: id, accountId, ...shown });
  }

  /** The row of an API token, or of the grant that an access token is of. */
  private async identified(hash: string, access: boolean): Promise<IdentifiedRow | undefined> {
    const of = access
      ? `${accessTokens} JOIN tokens ON token_id = grant_id LEFT JOIN last_uses ON id = token_id WHERE id_hash = $1`
      : `${tokens} WHERE secret_hash = $1`;
    const [found] = await this.database.query<IdentifiedRow>(
      `SELECT ${columns}${access ? ', resource, access_prefix, access_expires_at, access_scope' : ''},
         (SELECT suspended FROM accounts a WHERE a.account_id = tokens.account_id)
       FROM ${of}`,
      [hash],
    );
    return found;
  }

  /** One statement for all of them. What the rows do not have yet is asked with `identify`. */
  @Handles(Accounts.validTokens)
  async valid({ hashes }: SecretHashes): Promise<Answer<{ valid: string[] }>> {
    const rows = await this.database.query<TokenRow & { secret_hash: string }>(
      `SELECT hash AS secret_hash, ${columns}
       FROM (SELECT secret_hash AS hash, token_id AS of_token FROM tokens WHERE secret_hash = ANY($1)
         UNION ALL SELECT id_hash, grant_id FROM ${accessTokens}
           WHERE id_hash = ANY($1) AND access_expires_at > $2) AS given
         JOIN tokens ON token_id = of_token LEFT JOIN last_uses ON id = token_id
       WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
         AND NOT EXISTS (SELECT FROM accounts a WHERE a.account_id = tokens.account_id AND a.suspended)`,
      [hashes, this.clock.now()],
    );
    const valid: string[] = [];
    for (const { secret_hash, token_id: id, account_id, logged_use_at, last_used_at } of rows) {
      if (await this.revocations.has(id)) continue;
      valid.push(secret_hash);
      this.uses.token({ id, accountId: account_id, loggedAt: logged_use_at, lastUsedAt: last_used_at });
    }
    return answer({ valid });
  }

  @Handles(Accounts.createToken)
  async create(
    { name, scopes, expiresAt = null }: CreateToken,
    context: Context,
  ): Promise<Answer<{ token: ApiToken; secret: string }>> {
    await this.sessions.insistOnRecent(context);
    const { position, ...made } = await this.issued.issue({ name, scopes, expiresAt }, context);
    return answer(made, position);
  }

  @Handles(Accounts.listTokens)
  async list(input: ListTokens, context: Context): Promise<Answer<ListPage<ApiToken>>> {
    await this.projections.reached('tokens', context.after, context.caller.accountId);
    const { accountId } = context.caller;
    const { kind, status = 'active' } = input;
    const page = this.cursors.asked([accountId, kind ?? null, status], input);
    const after = page.after(5);
    const rows = await this.database.query<TokenRow & { access_prefix: string | null }>(
      `SELECT ${columns}, CASE WHEN kind = 'oauth' THEN (SELECT access_prefix FROM ${newestAccess}) END AS access_prefix
       FROM ${tokens}
       WHERE account_id = $1 AND $2::timestamptz IS NOT NULL ${conditions[status]}
         AND ($3::text IS NULL OR kind = $3)
         AND ${after.text}
       ORDER BY ${tokenOrder.by} LIMIT $4`,
      [accountId, this.clock.now(), kind ?? null, page.limit + 1, ...after.values],
    );
    return answer(
      page.of(
        rows,
        rows.map((row) => ({ ...tokenView(row), ...(row.access_prefix && { prefix: row.access_prefix }) })),
      ),
    );
  }

  @Handles(Accounts.revokeToken)
  async revoke({ id }: TokenById, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId, tokenId: callingId } = context.caller;
    return this.end(id, revokeOther({ id, accountId, callingId, at: this.clock.now() }), context);
  }

  @Handles(Accounts.revokeOwnToken)
  async revokeOwn(_input: Nothing, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId, tokenId: id } = context.caller;
    if (!id) throw new Refused('token.not_found');
    return this.end(id, revoke({ id, accountId, at: this.clock.now() }), context);
  }

  private async end(
    id: string,
    decide: Decide<TokenState, TokenEvent>,
    context: Context,
  ): Promise<Answer<{ ok: true }>> {
    const ended = await this.log.transact(token, streamTail(id), decide, metadataOf(context));
    const { position } = ended;
    const { accountId } = context.caller;
    await Promise.all([
      this.issued.quotas.release({ accountId, id, at: this.clock.now() }, metadataOf(context)),
      // The rows come first: receivers of the signal read them again.
      this.projections.caughtUp('tokens', position),
    ]);
    this.revocations.tellToken(id, ended);
    return answer({ ok: true }, position);
  }
}

const tokenView = (row: TokenRow): ApiToken => ({
  id: row.token_id,
  name: row.name ?? '',
  prefix: row.prefix,
  scopes: row.scopes,
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  revokedAt: row.revoked_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  kind: row.kind,
  ...(row.client_id !== null && { oauthClient: { clientId: row.client_id, name: row.name ?? '' } }),
});

/** What an access token has for itself, in place of what its grant has. */
const accessView = ({
  access_prefix: prefix,
  access_expires_at: end,
  access_scope,
  resource,
  scopes,
}: IdentifiedRow) =>
  prefix !== undefined &&
  end !== undefined && {
    prefix,
    scopes: scopes.filter((scope) => access_scope?.split(' ').includes(scope)),
    expiresAt: end.toISOString(),
    resource,
  };
