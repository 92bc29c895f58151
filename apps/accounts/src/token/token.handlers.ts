import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Accounts,
  type ApiToken,
  CreateToken,
  ListTokens,
  Nothing,
  type ListPage,
  type Scope,
  SecretHash,
  SecretHashes,
  TokenById,
  type TokenEvent,
  type TokenIdentity,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decide, isAfter, type Slot, Refused } from '@carillon/eventing';
import { cell, Clock, Cursors, type Logger, LOGGER, metadataOf, Quotas, secret } from '@carillon/runtime';
import { hashSecret, mintSecret, newId, sortedBy, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { insistOnActive } from '../account/account';
import { Revocations } from '../revocation/revocations.process';
import { Sessions } from '../session/sessions.service';
import { Uses } from '../use/uses.service';
import { create, maxTokens, revoke, revokeOther, secretPrefix, token, type TokenState } from './token';

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
}

const columns = `token_id, account_id, kind, name, prefix, scopes, expires_at, revoked_at, created_at,
  last_used_at AS logged_use_at, greatest(last_used_at, used_at) AS last_used_at`;
const tokens = `tokens LEFT JOIN last_uses ON id = token_id`;

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
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();
  private readonly cursors = new Cursors('token', tokenOrder);
  private readonly quotas: Quotas;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Revocations) private readonly revocations: Revocations,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Uses) private readonly uses: Uses,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.quotas = Quotas.byRows(
      log,
      projections,
      {
        kind: 'token',
        max: maxTokens,
        projection: 'tokens',
        decider: token,
        slots: (accountId) => this.live(accountId),
        isOver: (found) => !found || found.revokedAt !== null,
      },
      logger,
    );
  }

  @Handles(Accounts.identifyToken)
  async identify({ hash }: SecretHash): Promise<Answer<TokenIdentity>> {
    const row = await this.projections.find('tokens', async () => {
      const [found] = await this.database.query<TokenRow & { suspended: boolean | null }>(
        `SELECT ${columns},
           (SELECT suspended FROM accounts a WHERE a.account_id = tokens.account_id)
         FROM ${tokens} WHERE secret_hash = $1`,
        [hash],
      );
      return found;
    });
    if (!row) throw new Refused('token.unknown');
    if (row.revoked_at || (await this.revocations.has(row.token_id))) throw new Refused('token.revoked');
    this.projections.insist('tokens', row.account_id);
    const { revokedAt: _, oauthClient: __, kind: ___, id, ...shown } = tokenView(row);
    if (shown.expiresAt !== null && !isAfter(shown.expiresAt, this.clock.now()))
      throw new Refused('token.expired');
    insistOnActive(row);
    const { account_id: accountId, logged_use_at: loggedAt, last_used_at: lastUsedAt } = row;
    this.uses.token({ id, accountId, loggedAt, lastUsedAt });
    return answer({ tokenId: id, accountId, ...shown });
  }

  /** One statement for all of them. What the rows do not have yet is asked with `identify`. */
  @Handles(Accounts.validTokens)
  async valid({ hashes }: SecretHashes): Promise<Answer<{ valid: string[] }>> {
    const rows = await this.database.query<TokenRow & { secret_hash: string }>(
      `SELECT secret_hash, ${columns} FROM ${tokens}
       WHERE secret_hash = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
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
    const at = this.clock.now();
    const { accountId } = context.caller;
    await this.sessions.insistOnRecent(context);
    const id = newId('tok', this.clock.ms());
    const minted = mintSecret(secretPrefix, this.cell);
    const secretHash = hashSecret(this.pepper, minted.secret);
    const decide = create({ id, accountId, name, prefix: minted.shown, secretHash, scopes, expiresAt, at });
    // An invalid token is refused before its slot is reserved.
    decide(token.initial);
    await this.quotas.reserve({ accountId, id, at }, metadataOf(context), expiresAt);
    const { events, position } = await this.log.transact(token, streamTail(id), decide, metadataOf(context), {
      expectNew: true,
    });
    const [created] = events;
    if (created?.type !== 'TokenCreated') throw new Error('A token was made without a trace');
    await this.projections.caughtUp('tokens', position);
    const { prefix, kind } = created;
    const shown: ApiToken = {
      id,
      name,
      prefix,
      scopes: [...created.scopes],
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
      createdAt: at,
      kind,
    };
    return answer({ token: shown, secret: minted.secret }, position);
  }

  @Handles(Accounts.listTokens)
  async list(input: ListTokens, context: Context): Promise<Answer<ListPage<ApiToken>>> {
    await this.projections.reached('tokens', context.after, context.caller.accountId);
    const { accountId } = context.caller;
    const { kind, status = 'active' } = input;
    const page = this.cursors.asked([accountId, kind ?? null, status], input);
    const after = page.after(5);
    const rows = await this.database.query<TokenRow>(
      `SELECT ${columns} FROM ${tokens}
       WHERE account_id = $1 AND $2::timestamptz IS NOT NULL ${conditions[status]}
         AND ($3::text IS NULL OR kind = $3)
         AND ${after.text}
       ORDER BY ${tokenOrder.by} LIMIT $4`,
      [accountId, this.clock.now(), kind ?? null, page.limit + 1, ...after.values],
    );
    return answer(page.of(rows, rows.map(tokenView)));
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
      this.quotas.release({ accountId, id, at: this.clock.now() }, metadataOf(context)),
      // The rows come first: receivers of the signal read them again.
      this.projections.caughtUp('tokens', position),
    ]);
    this.revocations.tellToken(id, ended);
    return answer({ ok: true }, position);
  }

  private async live(accountId: string): Promise<readonly Slot[]> {
    const rows = await this.database.query<TokenRow>(
      `SELECT ${columns} FROM ${tokens} WHERE account_id = $1 ${conditions.active}`,
      [accountId, this.clock.now()],
    );
    return rows.map(tokenView).map(({ id, createdAt, expiresAt }) => ({
      id,
      takenAt: createdAt,
      until: expiresAt,
    }));
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
});
