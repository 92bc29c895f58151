import type { GrantedClient } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { revoke, token } from '../token/token';
import { type Consent, give } from './grant';

const client: GrantedClient = {
  clientId: 'https://helper.example/client.json',
  clientHost: 'helper.example',
  resource: 'https://carillon.example/mcp',
};
const [noon, later, over] = [
  '2026-11-26T12:00:00.000Z',
  '2026-11-27T12:00:00.000Z',
  '2027-05-25T12:00:00.000Z',
];
const consent = (more: Partial<Consent> = {}): Consent => ({
  id: 'tok_1',
  accountId: 'usr_1',
  clientName: 'Helper',
  client,
  scopes: ['inbox:read'],
  secretHash: 'h',
  at: noon,
  ...more,
});
const granted = give(consent())(null)[0]!;

describe('granting scopes to a client', () => {
  it('makes a token of the kind oauth for 180 days', () =>
    expect(granted).toMatchObject({
      type: 'TokenCreated',
      kind: 'oauth',
      name: 'Helper',
      scopes: ['inbox:read'],
      expiresAt: over,
      grant: client,
    }));

  it('adds to those that it has, and begins the 180 days again', () =>
    given(token, granted)
      .when(give(consent({ scopes: ['devices:read'], at: later })))
      .then({
        type: 'GrantWidened',
        tokenId: 'tok_1',
        accountId: 'usr_1',
        scopes: ['devices:read', 'inbox:read'],
        expiresAt: '2027-05-26T12:00:00.000Z',
        widenedAt: later,
      }));

  it('does nothing the second time', () => given(token, granted).when(give(consent())).thenNothing());

  it('is refused once the grant was ended', () =>
    given(
      token,
      granted,
      ...revoke({ id: 'tok_1', accountId: 'usr_1', at: later })({
        tokenId: 'tok_1',
        accountId: 'usr_1',
        scopes: [],
        expiresAt: null,
        revokedAt: null,
      }),
    )
      .when(give(consent({ at: later })))
      .thenRefused('grant.over'));

  it('is refused once it is over by time', () =>
    given(token, granted)
      .when(give(consent({ at: over })))
      .thenRefused('grant.over'));
});
