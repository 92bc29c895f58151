import { DELETED_REVISION } from './expected';
import { checkAccess, flag, span, Unreadable, whole } from './metadata-members';
import { NumberText, parseRelaxed, stringifyRelaxed, type Json, type JsonObject } from './relaxed-json';

/** A stream's metadata as far as the server acts on it. */
export interface StreamMetadata {
  maxCount?: number;
  maxAgeSeconds?: number;
  truncateBefore?: number;
  /** `$tb` is the deleted revision: the stream reads as if it were not there. */
  softDeleted: boolean;
}

/** What nobody wrote, and what cannot be read: nothing is asked of the stream. */
export const NO_METADATA: StreamMetadata = { softDeleted: false };

/** What is asked of a stream that holds metadata, as long as nobody says otherwise. */
export const METASTREAM_METADATA: StreamMetadata = { maxCount: 1, softDeleted: false };

const BYTE_ORDER_MARK = '\ufeff';

const above = (value: bigint | undefined, least: bigint): number | undefined =>
  value !== undefined && value >= least ? Number(value) : undefined;

/** Reads the data of a metadata event. One member that cannot be read, and the server acts on none. */
export function parseMetadata(text: string): StreamMetadata {
  try {
    const { value, hasComments } = parseRelaxed(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    if (!(value instanceof Map) || hasComments) return NO_METADATA;
    return metadataOf(value);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Unreadable) return NO_METADATA;
    throw error;
  }
}

function metadataOf(members: JsonObject): StreamMetadata {
  const read = <T>(name: string, as: (value: Json) => T): T | undefined =>
    members.has(name) ? as(members.get(name)) : undefined;
  const maxCount = read('$maxCount', whole);
  const maxAge = read('$maxAge', span);
  const truncateBefore = read('$tb', whole);
  read('$cacheControl', span);
  read('$tmp', flag);
  read('$acl', checkAccess);
  return {
    maxCount: above(maxCount, 1n),
    maxAgeSeconds: above(maxAge, 1n),
    truncateBefore: above(truncateBefore, 0n),
    softDeleted: truncateBefore === DELETED_REVISION,
  };
}

/** The metadata that marks a soft-deleted stream: what was there before is gone. */
export const DELETED_METADATA = `{"$tb":${DELETED_REVISION}}`;

/** The metadata with another `$tb`; undefined when it is no JSON object, which the server then leaves as it is. */
export function withTruncateBefore(text: string, revision: number | bigint): string | undefined {
  try {
    const { value, end } = parseRelaxed(text);
    if (!(value instanceof Map) || text.slice(end).trim() !== '') return undefined;
    value.set('$tb', new NumberText(String(revision)));
    return stringifyRelaxed(value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
