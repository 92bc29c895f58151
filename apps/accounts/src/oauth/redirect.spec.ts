import { faultOfRedirect, isLoopback, redirectHost } from './redirect';

describe('a redirect URI', () => {
  it.each([
    'https://client.example/callback?x=1',
    'http://127.0.0.1/callback',
    'http://localhost:1234/',
    'http://[::1]:1/',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/callback',
  ])('may be %s', (uri) => expect(faultOfRedirect(uri)).toBeUndefined());

  it.each([
    'http://client.example/',
    'http://localhost.example/',
    'http://127.0.0.2/',
    'ftp://client.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://client.example/#x',
    'https://client.example/#',
    'https://user@client.example/',
    '/callback',
    `https://client.example/${'x'.repeat(2_048)}`,
  ])('may not be %s', (uri) => expect(faultOfRedirect(uri)).toEqual(expect.any(String)));
});

it.each([
  ['http://127.0.0.1:9/x', true, '127.0.0.1:9'],
  ['https://client.example:8443/x', false, 'client.example:8443'],
  ['cursor://host/x', false, 'cursor'],
])('%s leads to loopback: %s; its host is %s', (uri, loopback, host) => {
  expect(isLoopback(uri)).toBe(loopback);
  expect(redirectHost(uri)).toBe(host);
});
