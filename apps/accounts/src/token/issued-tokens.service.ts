import type { Context } from '@carillon/bus';
import type { ApiToken, Scope } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import type { Instant, Slot } from '@carillon/eventing';
import { cell, Clock, type Logger, LOGGER, metadataOf, Quotas, secret } from '@carillon/runtime';
import { hashSecret, mintSecret, newId, streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { create, maxTokens, secretPrefix, token } from './token';

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Instant | null;
}

export interface IssuedToken {
  readonly token: ApiToken;
  /** Given to its owner once. */
  readonly secret: string;
  readonly position: bigint;
}

/** Makes API tokens, up to the limit of an account. */
@Injectable()
export class IssuedTokens {
  readonly quotas: Quotas;
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
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

  /** A token of the caller's account. Refused `resource.limit_reached`, `token.expiry_out_of_range`. */
  async issue({ name, scopes, expiresAt }: NewToken, context: Context): Promise<IssuedToken> {
    const at = this.clock.now();
    const { accountId } = context.caller;
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
    return { token: shown, secret: minted.secret, position };
  }

  private async live(accountId: string): Promise<readonly Slot[]> {
    const rows = await this.database.query<{ token_id: string; created_at: Date; expires_at: Date | null }>(
      `SELECT token_id, created_at, expires_at FROM tokens
       WHERE account_id = $1 AND kind = 'token' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
      [accountId, this.clock.now()],
    );
    return rows.map(({ token_id: id, created_at, expires_at }) => ({
      id,
      takenAt: created_at.toISOString(),
      until: expires_at?.toISOString() ?? null,
    }));
  }
}
