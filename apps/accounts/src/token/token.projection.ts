import {
  type GrantWidened,
  profileEventTypes,
  type Streams,
  type TokenCreated,
  type TokenRevoked,
  type TokenUsed,
} from '@carillon/contracts';
import { type Handled, ignoring, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { ForgottenTokens } from './forgotten-tokens.worker';
import { createTokens, revokeTokens, useTokens, widenTokens } from './tokens.entity';

type Followed = Streams<'token' | 'token_use' | 'account'>;
const on = {
  token: {
    TokenCreated: inBatch,
    GrantWidened: inBatch,
    TokenRevoked: inBatch,
  },
  token_use: {
    TokenUsed: inBatch,
  },
  account: {
    ...ignoring(...profileEventTypes),
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;

@Injectable()
export class TokenProjection extends Projection<Followed, typeof on> {
  readonly name = 'tokens';
  override readonly partitioned = 'accounts';
  readonly tables = ['tokens'];
  readonly on = on;

  constructor(@Inject(ForgottenTokens) private readonly forgotten: ForgottenTokens) {
    super();
  }

  override accountOf({ event }: Recorded<Handled<Followed, typeof on>>): string {
    return event.accountId;
  }

  /** A token is created before it is widened, revoked or used, and these three do not touch the same columns. */
  override async apply(sql: Sql, events: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    const created: TokenCreated[] = [];
    const widened = new Map<string, GrantWidened>();
    const revoked: TokenRevoked[] = [];
    const forgotten: Recorded[] = [];
    const used = new Map<string, TokenUsed>();
    for (const recorded of events) {
      const { event } = recorded;
      switch (event.type) {
        case 'TokenCreated':
          created.push(event);
          break;
        case 'GrantWidened':
          widened.set(event.tokenId, event);
          break;
        case 'TokenRevoked':
          revoked.push(event);
          break;
        case 'TokenUsed':
          used.set(event.tokenId, event);
          break;
        case 'AccountForgotten':
          forgotten.push(recorded);
          break;
        default:
          event satisfies never;
      }
    }
    if (created.length > 0) await createTokens(sql, created);
    if (widened.size > 0) await widenTokens(sql, [...widened.values()]);
    if (revoked.length > 0) await revokeTokens(sql, revoked);
    if (used.size > 0) await useTokens(sql, [...used.values()]);
    for (const cause of forgotten) await this.forgotten.forget(sql, cause.metadata.accountId, cause);
  }
}
