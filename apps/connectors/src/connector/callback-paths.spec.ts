import { openedAt } from './callback-paths';

const route = (name: string, url: string, ...callbackPaths: string[]) => ({
  name,
  url,
  target: 'http://a',
  appId: null,
  enabled: true,
  ...(callbackPaths.length > 0 && { callbackPaths }),
});

describe('the route of a callback', () => {
  const routes = [
    route('all', 'https://a.test', '/hooks'),
    route('wiki', 'https://a.test/wiki/', '/wiki/answers', '/wiki/a%20b/'),
    route('admin', 'https://a.test/wiki/answers/admin'),
  ];
  const at = (path: string) => openedAt(routes, path)?.name;

  it.each([
    ['/hooks', 'all'],
    ['/hooks/', 'all'],
    ['/hooks/x/y?z=/wiki/answers', 'all'],
    ['/%68ooks/x', 'all'],
    ['//hooks;a=1//x', 'all'],
    ['/wiki/answers', 'wiki'],
    ['/wiki/answers/x', 'wiki'],
    ['/%77iki/answers/x', 'wiki'],
    ['/wiki/a%20b/c', 'wiki'],
  ])('%s is of %s, which has opened it', (path, name) => expect(at(path)).toBe(name));

  it.each([
    ['a path that nobody has opened', '/'],
    ['one that only begins alike', '/hookshot'],
    ['another path of a route that has opened some', '/wiki/other'],
    ['one of which a closer route has opened nothing', '/wiki/answers/admin/x'],
    ['one that is that route’s by encoding', '/wiki/answers/%61dmin/x'],
    ['one with dot segments that are encoded', '/hooks/%2e%2e/wiki'],
    ['one with dot segments that are encoded twice', '/hooks/%252e%252e/wiki'],
    ['one with an encoded slash', '/hooks/..%2fwiki'],
    ['one with broken encoding', '/hooks/%zz'],
    ['one in other letters', '/HOOKS'],
  ])('is none for %s', (_, path) => expect(at(path)).toBeUndefined());

  it('may be none at all', () => expect(openedAt([], '/hooks')).toBeUndefined());

  it('may open all that is its own', () => {
    expect(openedAt([route('all', 'https://a.test', '/')], '/any/thing')?.name).toBe('all');
    expect(openedAt([route('all', 'https://a.test', '/')], '/any%2fthing')).toBeUndefined();
  });
});
