import { refusalOf, type Visit } from './own-site';

const visit = (method: string, headers: Visit['headers'] = {}): Visit => ({
  method,
  headers: { host: '127.0.0.1:8090', ...headers },
  localAddress: '127.0.0.1',
  localPort: 8090,
});
const status = (...given: Parameters<typeof visit>): number | undefined => refusalOf(visit(...given))?.status;
const json = { 'content-type': 'application/json' };

describe('the control API', () => {
  it('takes what programs send', () => {
    expect(status('GET')).toBeUndefined();
    expect(status('POST', json)).toBeUndefined();
    expect(status('POST', { 'content-type': 'application/json; charset=utf-8' })).toBeUndefined();
    expect(status('DELETE')).toBeUndefined();
  });

  it('takes what its own page sends', () => {
    const page = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:8090' };
    expect(status('GET', { 'sec-fetch-site': 'none' })).toBeUndefined();
    expect(status('POST', { ...json, ...page })).toBeUndefined();
    expect(
      status('POST', { ...json, ...page, host: 'localhost:8090', origin: 'http://localhost:8090' }),
    ).toBe(undefined);
  });

  it.each(['localhost:8090', 'LOCALHOST:8090', '[::1]:8090', '127.0.0.1:8090'])('answers to %s', (host) =>
    expect(status('GET', { host })).toBeUndefined(),
  );

  it.each(['evil.example:8090', 'evil.example', '127.0.0.1', '127.0.0.1:80', 'localhost:3000', ''])(
    'is not reached under another name that points here (%s)',
    (host) => expect(status('GET', { host })).toBe(421),
  );

  it('answers to the address that it listens on, and on port 80 without it', () => {
    const at = (host: string, localAddress: string, localPort = 8090) =>
      refusalOf({ ...visit('GET', { host }), localAddress, localPort })?.status;
    expect(at('10.0.0.7:8090', '::ffff:10.0.0.7')).toBeUndefined();
    expect(at('[fd00::7]:8090', 'fd00::7')).toBeUndefined();
    expect(at('10.0.0.8:8090', '10.0.0.7')).toBe(421);
    expect(at('localhost', '127.0.0.1', 80)).toBeUndefined();
  });

  it.each(['cross-site', 'same-site'])('is not pressed by a page elsewhere (%s)', (site) => {
    expect(status('POST', { ...json, 'sec-fetch-site': site })).toBe(403);
    expect(status('GET', { 'sec-fetch-site': site })).toBe(403);
  });

  it.each(['http://localhost:3000', 'https://127.0.0.1:8090', 'http://evil.example', 'null'])(
    'is not pressed by a page of %s whose browser says nothing else',
    (origin) => expect(status('POST', { ...json, origin })).toBe(403),
  );

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/json-patch' },
    {},
  ])('is changed by JSON alone (%j)', (headers) => {
    expect(status('POST', headers)).toBe(415);
    expect(status('PATCH', headers)).toBe(415);
  });

  it('looks at the form of a DELETE that has a body', () =>
    expect(status('DELETE', { 'content-length': '2' })).toBe(415));
});
