import { basicScopes } from '@carillon/contracts';
import { authorizationQuery, choicesOf } from './requested';

const scopesIn = (query: string): string | null =>
  new URLSearchParams(authorizationQuery(query)).get('scope');

describe('the scopes of an authorization request', () => {
  it('are the basic ones when it names none', () => {
    for (const query of ['', 'scope=', 'scope=openid', 'scope=offline_access+openid'])
      expect(scopesIn(query)).toBe(basicScopes.join(' '));
  });
  it('are those that can be granted of the named ones', () =>
    expect(scopesIn('scope=openid+tokens:manage+devices:read+profile')).toBe('devices:read'));
  it('stay when none of them can be granted, so that the request is refused', () =>
    expect(scopesIn('scope=tokens:manage')).toBe('tokens:manage'));
  it('stay when they are named twice, which the server refuses', () =>
    expect(authorizationQuery('scope=a&scope=b')).toBe('scope=a&scope=b'));
});

it('parameters of OpenID Connect are left out', () =>
  expect(authorizationQuery('nonce=1&max_age=2&state=3&scope=inbox:read')).toBe(
    'state=3&scope=inbox%3Aread',
  ));

it('scopes that change something begin unchecked, but for the basic ones', () =>
  expect(choicesOf(['notifications:send', 'devices:read', 'devices:write'])).toEqual([
    { scope: 'notifications:send', basic: true, write: true, preselected: true },
    { scope: 'devices:read', basic: false, write: false, preselected: true },
    { scope: 'devices:write', basic: false, write: true, preselected: false },
  ]));
