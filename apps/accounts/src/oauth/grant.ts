import { type GrantedClient, type Scope, scopes as everyScope, type TokenEvent } from '@carillon/contracts';
import { type Decision, type Instant, isAfter, plus, Refused } from '@carillon/eventing';
import type { Token, TokenState } from '../token/token';

const dayMs = 24 * 60 * 60 * 1000;
/** A grant ends this long after the last consent, however often its tokens are refreshed. */
export const grantMs = 180 * dayMs;
/** A grant whose tokens are not refreshed for this long is of no use any more. */
export const refreshMs = 30 * dayMs;
export const accessMs = 60 * 60 * 1000;

export const accessPrefix = 'carillon_oat_';
export const refreshPrefix = 'carillon_ort_';

export interface Consent {
  readonly id: string;
  readonly accountId: string;
  readonly clientName: string;
  readonly client: GrantedClient;
  readonly scopes: readonly Scope[];
  /** Stands where an API token has the hash of its secret; no secret has it. */
  readonly secretHash: string;
  readonly at: Instant;
}

/**
 * Grants the scopes to the client, in addition to those that it has. Refused `grant.over` when the grant has ended: the
 * next one has another id.
 */
export const give: Decision<TokenState, TokenEvent, Consent> =
  ({ id, accountId, clientName, client, scopes, secretHash, at }) =>
  (grant) => {
    const expiresAt = plus(at, grantMs);
    if (!grant)
      return [
        {
          type: 'TokenCreated',
          tokenId: id,
          accountId,
          name: clientName,
          prefix: accessPrefix,
          secretHash,
          scopes: inOrder(scopes),
          kind: 'oauth',
          expiresAt,
          createdAt: at,
          grant: client,
        },
      ];
    if (!isAlive(grant, at)) throw new Refused('grant.over');
    const union = inOrder([...grant.scopes, ...scopes]);
    if (expiresAt === grant.expiresAt && union.length === grant.scopes.length) return [];
    return [
      { type: 'GrantWidened', tokenId: grant.tokenId, accountId, scopes: union, expiresAt, widenedAt: at },
    ];
  };

/** Whether the tokens of the grant are good at this time. */
export const isAlive = ({ revokedAt, expiresAt }: Token, at: Instant): boolean =>
  revokedAt === null && (expiresAt === null || isAfter(expiresAt, at));

const inOrder = (some: readonly Scope[]): Scope[] => everyScope.filter((scope) => some.includes(scope));
