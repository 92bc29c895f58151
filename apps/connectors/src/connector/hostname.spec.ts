import { costlyTexts } from '@carillon/testkit';
import { hostnameOf } from './hostname';
import { routesOf } from './routes';

describe('a hostname', () => {
  it.each([
    ['app.example.com', 'app.example.com'],
    ['App.Example.COM', 'app.example.com'],
    ['app.example.com.', 'app.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a.co', 'a.co'],
    ['3com.example', '3com.example'],
    ['in-house.internal', 'in-house.internal'],
    [`${'a.'.repeat(124)}a.com`, `${'a.'.repeat(124)}a.com`],
  ])('%s', (given, kept) => expect(hostnameOf(given)).toBe(kept));

  it.each([
    'app.example.com:443',
    'https://app.example.com',
    'app.example.com/path',
    'ann@app.example.com',
    'app.example.com?x',
    '*.example.com',
    'localhost',
    'a..example.com',
    '-a.example.com',
    'a-.example.com',
    'a_b.example.com',
    '.example.com',
    '127.0.0.1',
    '1.1',
    '0x7f.0.0.1',
    '[::1]',
    '::1.example',
    'app.123',
    'app example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'ü'.repeat(60)}.example`,
    `${'a.'.repeat(125)}a.com`,
    'a%2eexample.com',
  ])('not %s', (given) =>
    expect(() => hostnameOf(given)).toThrow(
      expect.objectContaining({
        reason: 'input.invalid',
        details: { issues: [expect.objectContaining({ path: 'hostname' })] },
      }),
    ),
  );
});

describe('the routes of a connector', () => {
  const route = (more: object = {}) => ({
    name: 'web',
    target: 'http://10.0.0.2:3000',
    url: 'https://app.example.com',
    ...more,
  });
  const paths = (...given: ReturnType<typeof route>[]): readonly string[] => {
    try {
      routesOf(given, 'app.example.com');
    } catch (error) {
      return (error as { details: { issues: { path: string }[] } }).details.issues.map(({ path }) => path);
    }
    return [];
  };

  it('are kept with what was not said', () =>
    expect(
      routesOf([route(), route({ name: 'api', appId: 'app_1', enabled: false })], 'app.example.com'),
    ).toEqual([
      { ...route(), appId: null, enabled: true },
      { ...route(), name: 'api', appId: 'app_1', enabled: false },
    ]));
  it('have names of their own', () =>
    expect(paths(route(), route({ name: 'api' }), route())).toEqual(['routes.2.name']));
  it.each([
    'https://app.example.com',
    'https://app.example.com/',
    'https://APP.example.com/below/it',
    'https://app.example.com:443/x',
  ])('are on the hostname: %s', (url) => expect(paths(route({ url }))).toEqual([]));
  it.each([
    'https://other.example.com',
    'https://x.app.example.com',
    'https://app.example.com.evil.test',
    'https://app.example.com:8443',
    'https://app.example.com/?a=b',
    'https://app.example.com/#a',
  ])('are on nothing else: %s', (url) => expect(paths(route({ url }))).toEqual(['routes.0.url']));
  const callbacks = (url: string, ...callbackPaths: string[]) => paths(route({ url, callbackPaths }));
  it.each(['/wiki', '/wiki/', '/wiki/hooks', '/%77iki/a%20b', '/wiki/a.b/..c'])(
    'may take callbacks at or below their own path: %s',
    (path) => expect(callbacks('https://app.example.com/wiki', path)).toEqual([]),
  );
  it.each([
    '/',
    '/other',
    '/wikipedia',
    'wiki/x',
    'https://app.example.com/wiki',
    '/wiki/../x',
    '/wiki/%2e%2e/x',
    '/wiki%2fx',
    '/wiki/%zz',
    '/wiki?x=1',
    '/wiki#x',
    '/wiki/Zoë',
    '/wiki\\x',
  ])('take none elsewhere: %s', (path) =>
    expect(callbacks('https://app.example.com/wiki', '/wiki/hooks', path)).toEqual([
      'routes.0.callbackPaths.1',
    ]),
  );
  it('keep where they take callbacks, if anywhere', () => {
    const kept = (callbackPaths?: string[]) => routesOf([route({ callbackPaths })], 'app.example.com')[0];
    expect(kept(['/hooks'])).toMatchObject({ callbackPaths: ['/hooks'] });
    expect(kept([])).not.toHaveProperty('callbackPaths');
    expect(kept()).not.toHaveProperty('callbackPaths');
  });
  it('tell all that is wrong at once', () =>
    expect(paths(route(), route({ url: 'https://b.example' }))).toEqual(['routes.1.name', 'routes.1.url']));
});

it('the work of a hostname grows with the length of what was written', () =>
  expect(costlyTexts(hostnameOf, ['a.', 'a-', '1.'])).toEqual([]));
