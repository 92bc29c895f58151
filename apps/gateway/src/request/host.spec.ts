import { allowedOrigins, servedHosts } from './host';

describe('a gateway that only its own machine reaches', () => {
  const serves = servedHosts('127.0.0.1', 'https://bell.example.test');

  it.each([
    '127.0.0.1:8080',
    '[::1]:8080',
    'localhost:8080',
    'LOCALHOST',
    '192.168.0.7',
    'bell.example.test',
    'Bell.Example.Test:443',
  ])('serves %s', (host) => expect(serves(host)).toBe(true));

  it.each(['evil.example:8080', 'evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:8080', ''])(
    'does not serve %j, which somebody else lets lead there',
    (host) => expect(serves(host)).toBe(false),
  );

  it('is one too that is published on this machine alone', () =>
    expect(servedHosts('0.0.0.0', 'http://127.0.0.1:8080')('evil.example:8080')).toBe(false));
});

it('a gateway that the world reaches serves every name', () =>
  expect(servedHosts('0.0.0.0', 'https://bell.example.test')('other.example.test')).toBe(true));

describe('a page of another origin', () => {
  const own = 'https://bell.example.test';
  const foreign = [
    'https://evil.example',
    'http://bell.example.test',
    `${own}:8443`,
    'null',
    '',
    'localhost',
  ];

  it('has no part in a gateway that the world reaches', () => {
    const isAllowed = allowedOrigins('0.0.0.0', own);
    expect(isAllowed(own)).toBe(true);
    expect([...foreign, 'http://localhost:6274', 'http://127.0.0.1'].filter(isAllowed)).toEqual([]);
  });

  it('is let in from this machine by a gateway that only this machine reaches', () => {
    const isAllowed = allowedOrigins('127.0.0.1', own);
    expect([own, 'http://localhost:6274', 'http://[::1]:1', 'http://127.0.0.1'].every(isAllowed)).toBe(true);
    expect([...foreign, 'http://192.168.0.7', 'http://localhost.evil.example'].filter(isAllowed)).toEqual([]);
  });
});
