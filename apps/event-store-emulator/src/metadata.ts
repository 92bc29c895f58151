import { DELETED_REVISION } from './appends';

/** A stream's metadata as far as the server acts on it, and all of it as written. */
export interface StreamMetadata {
  maxCount?: number;
  maxAgeSeconds?: number;
  truncateBefore?: number;
  /** `$tb` is the deleted revision: the stream reads as if it were not there. */
  softDeleted: boolean;
  written: Readonly<Record<string, unknown>>;
}

const natural = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 ? value : undefined;

/** Reads the data of a metadata event; undefined when it is no JSON object (the server then ignores it). */
export function parseMetadata(json: string): StreamMetadata | undefined {
  let written: unknown;
  try {
    written = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof written !== 'object' || written === null || Array.isArray(written)) return undefined;
  const values = written as Record<string, unknown>;
  const truncateBefore = natural(values['$tb']);
  return {
    maxCount: natural(values['$maxCount']) || undefined,
    maxAgeSeconds: natural(values['$maxAge']) || undefined,
    truncateBefore,
    // JSON.parse rounds the constant up to 2^63; no real revision comes near it.
    softDeleted: truncateBefore !== undefined && truncateBefore >= Number(DELETED_REVISION),
    written: values,
  };
}

/** The metadata with another `$tb`, as JSON: a revision, or the mark of a soft-deleted stream. */
export function withTruncateBefore(metadata: StreamMetadata | undefined, before: number | 'deleted'): string {
  const { $tb: _, ...others } = metadata?.written ?? {};
  const value = before === 'deleted' ? DELETED_REVISION.toString() : String(before);
  const rest = JSON.stringify(others).slice(1);
  // Written as text, for the constant is no number that JSON.stringify could write.
  return `{"$tb":${value}${rest === '}' ? '' : ','}${rest}`;
}

/** The stream that holds another one's metadata. */
export const metastreamOf = (stream: string): string => `$$${stream}`;

/** Whether a stream holds metadata of another one. */
export const isMetastream = (stream: string): boolean => stream.startsWith('$$');

/** The stream that a metastream describes. */
export const originalOf = (metastream: string): string => metastream.slice(2);
