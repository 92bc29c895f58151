import type { TokenCreated, TokenRevoked } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { create, type TokenCreation, revoke, revokeOther, token } from './token';

const at = '2026-11-20T09:00:00.000Z';
const creation: TokenCreation = {
  id: 'tok_1',
  accountId: 'usr_1',
  name: 'CI',
  prefix: 'carillon_pat_abcd',
  secretHash: 'aa',
  scopes: ['inbox:read', 'notifications:send'],
  expiresAt: null,
  at,
};
const created: TokenCreated = {
  type: 'TokenCreated',
  tokenId: 'tok_1',
  accountId: 'usr_1',
  name: 'CI',
  prefix: 'carillon_pat_abcd',
  secretHash: 'aa',
  scopes: ['notifications:send', 'inbox:read'],
  kind: 'token',
  expiresAt: null,
  createdAt: at,
};
const revoked: TokenRevoked = { type: 'TokenRevoked', tokenId: 'tok_1', accountId: 'usr_1', revokedAt: at };

describe('creating a token', () => {
  it('keeps its hash, and its scopes in the order of the API', () =>
    given(token).when(create(creation)).then(created));
  it('does nothing the second time', () => given(token, created).when(create(creation)).thenNothing());
  it('may last 366 days and no longer', () => {
    const expiresAt = '2027-11-21T09:00:00.000Z';
    given(token)
      .when(create({ ...creation, expiresAt }))
      .then({ ...created, expiresAt });
    given(token)
      .when(create({ ...creation, expiresAt: '2027-11-21T09:00:00.001Z' }))
      .thenRefused('token.expiry_out_of_range', { issues: [{ path: 'expiresAt' }] });
  });
  it('is refused when it would be over at once', () =>
    given(token)
      .when(create({ ...creation, expiresAt: at }))
      .thenRefused('token.expiry_out_of_range'));
});

describe('revoking a token', () => {
  const revocation = { id: 'tok_1', accountId: 'usr_1', at };
  const byAnother = { ...revocation, callingId: 'tok_2' };

  it('ends it', () => given(token, created).when(revokeOther(byAnother)).then(revoked));
  it('does nothing the second time', () =>
    given(token, created, revoked).when(revokeOther(byAnother)).thenNothing());
  it('is done by a person without a token', () =>
    given(token, created)
      .when(revokeOther({ ...revocation, callingId: undefined }))
      .then(revoked));
  it('is refused for the calling one, which ends itself', () => {
    given(token, created)
      .when(revokeOther({ ...revocation, callingId: 'tok_1' }))
      .thenRefused('token.own');
    given(token, created).when(revoke(revocation)).then(revoked);
  });
  it("conceals other accounts' tokens, and those that never were", () => {
    given(token, created)
      .when(revokeOther({ ...byAnother, accountId: 'usr_2' }))
      .thenRefused('token.not_found');
    given(token, created)
      .when(revokeOther({ ...byAnother, id: 'tok_9' }))
      .thenRefused('token.not_found');
    given(token).when(revokeOther(byAnother)).thenRefused('token.not_found');
  });
});
