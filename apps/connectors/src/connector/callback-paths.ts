import type { ConnectorRouteFact } from '@carillon/contracts';

/** Maximum of decodings that an app behind the connector might apply to a path. */
const decodings = 5;

/**
 * What the segments of a path mean, as the connector gateway reads them: decoded, without path parameters (`;…`) and
 * empty ones. Undefined where the gateway refuses the path: dot segments and slashes however they are encoded, broken
 * encoding.
 */
export function namesIn(path: string): readonly string[] | undefined {
  const names: string[] = [];
  for (const raw of path.split('/')) {
    const name = nameOf(raw);
    if (name === undefined) return undefined;
    if (name !== '') names.push(name);
  }
  return names;
}

function nameOf(raw: string): string | undefined {
  let meant = raw;
  let name = '';
  for (let round = 0; ; round += 1) {
    if (/[/\\\x00-\x1f\x7f]/.test(meant)) return undefined;
    const bare = meant.split(';', 1)[0]!;
    if (bare === '.' || bare === '..') return undefined;
    // Routes are told apart by what one decoding gives.
    if (round <= 1) name = bare;
    if (round === decodings || !meant.includes('%')) return name;
    try {
      meant = decodeURIComponent(meant);
    } catch {
      return round === 0 ? undefined : name;
    }
  }
}

/** Whether a path equals the base, or lies below it. */
export const isWithin = (names: readonly string[], base: readonly string[]): boolean =>
  base.length <= names.length && base.every((name, index) => names[index] === name);

/**
 * The route that takes callbacks at this address, a path with or without a query: of those that it lies below the
 * closest one, and that only where it has opened the path for them.
 */
export function openedAt(
  routes: readonly ConnectorRouteFact[],
  address: string,
): ConnectorRouteFact | undefined {
  const [path = ''] = address.split('?');
  const names = namesIn(path);
  if (!names) return undefined;
  const closest = routes
    .flatMap((route) => {
      const base = namesIn(new URL(route.url).pathname);
      return base && isWithin(names, base) ? [{ route, depth: base.length }] : [];
    })
    .sort((one, other) => other.depth - one.depth)[0]?.route;
  const opened = closest?.callbackPaths?.map(namesIn) ?? [];
  return opened.some((base) => base !== undefined && isWithin(names, base)) ? closest : undefined;
}
