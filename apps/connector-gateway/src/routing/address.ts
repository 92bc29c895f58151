/** What a request asks for, its path taken apart and safe to append to a target. */
export interface RequestPath {
  /** As it came. */
  readonly path: string;
  /** What comes after the `?`, as it came. */
  readonly query: string;
  readonly segments: readonly Segment[];
}

interface Segment {
  /** As it came. */
  readonly raw: string;
  /** Its meaning to a server that decodes it and drops path parameters (`;…`); empty where nothing is left. */
  readonly name: string;
}

export interface Unfit {
  readonly status: 400 | 414;
  readonly why: string;
}

const longest = 8_000;
/** Maximum of decodings that an app behind this program might apply to a path. */
const decodings = 5;

/**
 * Reads the target of a request. A path that could mean something else to the app than to us is refused: what counts
 * is on which side of a slash something stands, however it is written.
 */
export function readAddress(target: string): RequestPath | Unfit {
  if (target.length > longest)
    return { status: 414, why: `The address is longer than ${longest} characters.` };
  if (!target.startsWith('/'))
    return { status: 400, why: 'The address must be a path that begins with a slash.' };
  if (/[^\x21-\x7e]|[\\#]/.test(target))
    return { status: 400, why: 'The address holds characters that must be percent-encoded.' };
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const segments: Segment[] = [];
  for (const raw of path.slice(1).split('/')) {
    const name = nameOf(raw);
    if (name === undefined)
      return { status: 400, why: 'The path holds dot segments, encoded slashes or broken encoding.' };
    segments.push({ raw, name });
  }
  return { path, query: at < 0 ? '' : target.slice(at + 1), segments };
}

/** The meaning of one segment; undefined when it might lead elsewhere. */
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
