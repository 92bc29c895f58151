const prefix = '__Host-carillon_gateway_';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** A cookie for each route: several may share the hostname, and each has sessions of its own. */
const nameFor = (route: string): string => `${prefix}${route}`;

export const sessionCookie = (route: string, session: string): string =>
  `${nameFor(route)}=${session}; ${attributes}`;

/** Takes the cookie away again. */
export const endedCookie = (route: string): string => `${nameFor(route)}=; Max-Age=0; ${attributes}`;

/** The session that a request brings for a route. */
export function sessionIn(cookies: string | undefined, route: string): string | undefined {
  const name = nameFor(route);
  for (const pair of cookies?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || undefined;
  }
  return undefined;
}

/** What the private service may see of a request's cookies: not ours, of whatever route. */
export function withoutOurs(cookies: string): string | undefined {
  if (!cookies.includes(prefix)) return cookies;
  const others = cookies.split(';').filter((pair) => !isOurs(pair));
  return others.join(';').trim() || undefined;
}

/** True for a cookie, or a `Set-Cookie` line, that has one of our names. */
export const isOurs = (pair: string): boolean => pair.trimStart().startsWith(prefix);
