import type { RequestPath } from './address';

/** A route of the connector, as Carillon tells it. */
export interface Route {
  readonly name: string;
  /** The public address: `https://<hostname>` or below it. */
  readonly url: string;
  /** Where the private service is. */
  readonly target: string;
  readonly appId?: string | null;
  readonly enabled?: boolean;
}

/** What of an address lies below a route. */
export interface RoutedRequest {
  readonly route: Route;
  /** The public host, with a port where it has one. */
  readonly host: string;
  /** Empty, or a path that begins with a slash; as it came. */
  readonly rest: string;
}

/** The route whose public path is the longest that the address is at or below. */
export function findRoute(routes: readonly Route[], address: RequestPath): RoutedRequest | undefined {
  let best: (RoutedRequest & { length: number }) | undefined;
  for (const route of routes) {
    const base = baseOf(route.url);
    if (base === undefined || (best && base.names.length <= best.length)) continue;
    const rest = restBelow(base.names, address);
    if (rest !== undefined) best = { route, host: base.host, rest, length: base.names.length };
  }
  return best;
}

/** The path and query for the private service: what lies below the route is appended to the target. */
export function pathAt(target: URL, rest: string, query: string): string {
  const base = target.pathname.endsWith('/') ? target.pathname.slice(0, -1) : target.pathname;
  const queries = [target.search.slice(1), query].filter(Boolean).join('&');
  return `${base}${rest}`.replace(/^$/, '/') + (queries && `?${queries}`);
}

interface Base {
  readonly host: string;
  readonly names: readonly string[];
}

const bases = new Map<string, Base | undefined>();

/** Where a route's public address begins. */
function baseOf(url: string): Base | undefined {
  if (!bases.has(url)) {
    if (bases.size > 1_000) bases.clear();
    bases.set(url, readBase(url));
  }
  return bases.get(url);
}

function readBase(url: string): Base | undefined {
  if (!URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  return { host, names: pathname.split('/').filter(Boolean).map(decoded) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** What is left of the address below the base; undefined when it is not there. Empty segments do not count. */
function restBelow(base: readonly string[], { segments }: RequestPath): string | undefined {
  let at = 0;
  for (const name of base) {
    while (at < segments.length && segments[at]!.name === '') at += 1;
    if (segments[at]?.name !== name) return undefined;
    at += 1;
  }
  const rest = segments.slice(at);
  return rest.length === 0 ? '' : `/${rest.map(({ raw }) => raw).join('/')}`;
}
