import { type GrantedClient, type Scope, scopes as everyScope, type TokenEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isAfter, millis, Refused } from '@carillon/eventing';

/** Null before the token is created. */
export type TokenState = Token | null;

export interface Token {
  readonly tokenId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Of the kind `oauth`. */
  readonly grant?: GrantedClient;
}

export const token: Decider<TokenState, TokenEvent> = {
  category: 'token',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'TokenCreated':
        return {
          tokenId: event.tokenId,
          accountId: event.accountId,
          scopes: event.scopes,
          expiresAt: event.expiresAt,
          revokedAt: null,
          ...(event.grant && { grant: event.grant }),
        };
      case 'GrantWidened':
        return state && { ...state, scopes: event.scopes, expiresAt: event.expiresAt };
      case 'TokenRevoked':
        return state && { ...state, revokedAt: event.revokedAt };
    }
  },
  personal: { TokenCreated: ['name'], GrantWidened: [], TokenRevoked: [] },
};

export const secretPrefix = 'carillon_pat_';

/** Maximum number of tokens of an account, without revoked and expired ones. */
export const maxTokens = 100;

const maxLifetimeMs = 366 * 24 * 60 * 60 * 1000;

export interface TokenCreation {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly prefix: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Instant | null;
  readonly at: Instant;
}

export const create: Decision<TokenState, TokenEvent, TokenCreation> =
  ({ id, accountId, name, prefix, secretHash, scopes, expiresAt, at }) =>
  (state) => {
    if (state) return [];
    if (expiresAt !== null && (!isAfter(expiresAt, at) || millis(expiresAt) - millis(at) > maxLifetimeMs))
      throw new Refused('token.expiry_out_of_range', {
        issues: [
          {
            path: 'expiresAt',
            message: 'must be in the future and at most 366 days away',
            code: 'invalid_value',
          },
        ],
      });
    return [
      {
        type: 'TokenCreated',
        tokenId: id,
        accountId,
        name,
        prefix,
        secretHash,
        scopes: everyScope.filter((scope) => scopes.includes(scope)),
        kind: 'token',
        expiresAt,
        createdAt: at,
      },
    ];
  };

export interface Revocation {
  readonly id: string;
  readonly accountId: string;
  readonly at: Instant;
}

export const revoke: Decision<TokenState, TokenEvent, Revocation> =
  ({ id, accountId, at }) =>
  (state) => {
    if (state?.tokenId !== id || state.accountId !== accountId) throw new Refused('token.not_found');
    return state.revokedAt ? [] : [{ type: 'TokenRevoked', tokenId: id, accountId, revokedAt: at }];
  };

/** Revokes another token of the account; the calling token has a command of its own for that. */
export const revokeOther: Decision<TokenState, TokenEvent, Revocation & { callingId: string | undefined }> = (
  revocation,
) => {
  const decide = revoke(revocation);
  return (state) => {
    const events = decide(state);
    if (revocation.id === revocation.callingId) throw new Refused('token.own');
    return events;
  };
};
