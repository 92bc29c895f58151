import { type RequestPath, readAddress } from './address';
import { takePass } from './pass';
import { findRoute, pathAt, type Route } from './route';

const read = (target: string): RequestPath => {
  const address = readAddress(target);
  if ('why' in address) throw new Error(`${target}: ${address.why}`);
  return address;
};
const statusOf = (target: string): number => {
  const address = readAddress(target);
  return 'why' in address ? address.status : 200;
};

describe('the address of a request', () => {
  it.each([
    '/',
    '/a',
    '/a/',
    '/a//b',
    '/a.b/..c/.d',
    '/a%20b',
    '/100%25',
    '/%C3%A9',
    '/a;x=1/b',
    '/?q=../..',
    "/a(b)'!*",
  ])('is taken as it comes: %s', (target) => expect(statusOf(target)).toBe(200));

  it.each([
    ['a dot segment', '/a/../b'],
    ['a dot segment at the end', '/a/..'],
    ['a single dot', '/a/./b'],
    ['dots that are encoded', '/a/%2e%2E/b'],
    ['dots half encoded', '/a/.%2e/b'],
    ['dots that are encoded twice', '/a/%252e%252e/b'],
    ['dots with a path parameter', '/a/..;x=1/b'],
    ['dots with an encoded semicolon', '/a/..%3bx/b'],
    ['an encoded slash', '/a%2fb'],
    ['an encoded slash, upper case', '/a%2Fb'],
    ['a slash that is encoded twice', '/a%252fb'],
    ['an encoded backslash', '/a%5c..%5cb'],
    ['a backslash', '/a\\b'],
    ['an encoded NUL', '/a%00b'],
    ['an encoded line break', '/a%0d%0ab'],
    ['broken encoding', '/a%zz'],
    ['encoding that is no UTF-8', '/a%ff'],
    ['characters outside ASCII', '/\u00e9'],
    ['a fragment', '/a#b'],
    ['an absolute form', 'http://elsewhere.example/a'],
    ['an authority', 'elsewhere.example:443'],
    ['an asterisk', '*'],
    ['nothing', ''],
  ])('is refused with 400 for %s', (_, target) => expect(statusOf(target)).toBe(400));

  it('is refused with 414 when it is 8 kB', () => {
    expect(statusOf(`/${'a'.repeat(8_192)}`)).toBe(414);
    expect(statusOf(`/?${'a'.repeat(8_192)}`)).toBe(414);
    expect(statusOf(`/${'a'.repeat(7_900)}`)).toBe(200);
  });
});

describe('the route of an address', () => {
  const route = (name: string, path: string, target = `http://127.0.0.1:3000/${name}`): Route => ({
    name,
    url: `https://tools.example.test${path}`,
    target,
  });
  const routes = [
    route('root', '/'),
    route('wiki', '/wiki/'),
    route('admin', '/wiki/admin'),
    route('space', '/a%20b'),
  ];
  const at = (target: string): string | undefined => {
    const found = findRoute(routes, read(target));
    return found && `${found.route.name} ${found.rest}`;
  };

  it.each([
    ['/', 'root /'],
    ['/else/where', 'root /else/where'],
    ['/wiki', 'wiki '],
    ['/wiki/', 'wiki /'],
    ['/wiki/page?x=1', 'wiki /page'],
    ['/wikipedia', 'root /wikipedia'],
    ['/wiki/admin', 'admin '],
    ['/wiki/admin/users/', 'admin /users/'],
    ['/wiki/administration', 'wiki /administration'],
    ['/a%20b/c%20d', 'space /c%20d'],
    ['/WIKI', 'root /WIKI'],
  ])('is the one with the longest path: %s → %s', (target, expected) => expect(at(target)).toBe(expected));

  it.each([
    ['encoding', '/wiki/%61dmin/users', 'admin /users'],
    ['empty segments', '//wiki//admin//users', 'admin //users'],
    ['path parameters', '/wiki;x=1/admin;jsessionid=2/users', 'admin /users'],
  ])('is not another one by %s', (_, target, expected) => expect(at(target)).toBe(expected));

  it('is none where no route begins', () =>
    expect(findRoute([route('wiki', '/wiki')], read('/else'))).toBeUndefined());

  it('is none that Carillon told in a form that is no URL', () =>
    expect(
      findRoute([{ name: 'x', url: 'nonsense', target: 'http://127.0.0.1' }], read('/')),
    ).toBeUndefined());
});

describe('the address at the private service', () => {
  it.each([
    ['http://t.test', '', '', '/'],
    ['http://t.test', '/a', '', '/a'],
    ['http://t.test/', '/a/b', 'x=1', '/a/b?x=1'],
    ['http://t.test/base', '', '', '/base'],
    ['http://t.test/base', '/', '', '/base/'],
    ['http://t.test/base/', '/a', '', '/base/a'],
    ['http://t.test/base', '//a', '', '/base//a'],
    ['http://t.test/base?key=1', '/a', 'x=%20y&x=2', '/base/a?key=1&x=%20y&x=2'],
  ])(
    'appends what lies below the route to its target: %s + "%s" + "%s" → %s',
    (target, rest, query, expected) => expect(pathAt(new URL(target), rest, query)).toBe(expected),
  );

  it.each(['//elsewhere.example/x', '/a/%61/..%2f', '/a/b'])(
    'stays below the target, whatever is asked: %s',
    (target) => {
      const address = readAddress(target);
      if ('why' in address) return expect(address.status).toBe(400);
      const found = findRoute([{ name: 'a', url: 'https://h.test/', target: 'http://t.test/base' }], address);
      const path = pathAt(new URL('http://t.test/base'), found!.rest, '');
      expect(new URL(`http://t.test${path}`).pathname).toMatch(/^\/base\//);
    },
  );
});

describe('the pass in a query', () => {
  it.each([
    ['carillon_pass=p', 'p', ''],
    ['carillon_pass=p&a=1', 'p', 'a=1'],
    ['b=%20&carillon_pass=p&a=1&b', 'p', 'b=%20&a=1&b'],
    ['a=1&carillon_pass=p&carillon_pass=q', 'p', 'a=1'],
    ['%63arillon_pass=p%5F&a', 'p_', 'a'],
    ['carillon_pass', '', ''],
    [
      'a=carillon_pass&carillon_pass2=1&xcarillon_pass=2',
      undefined,
      'a=carillon_pass&carillon_pass2=1&xcarillon_pass=2',
    ],
    ['', undefined, ''],
    ['%zz=1', undefined, '%zz=1'],
  ])('is taken out, and all else stays as it is: %s', (query, pass, rest) =>
    expect(takePass(query)).toEqual({ ...(pass !== undefined && { pass }), query: rest }),
  );
});
