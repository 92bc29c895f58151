/** Expected revisions below zero are the server's own numbers for the named ones; from zero on they are exact. */
export const NO_STREAM = -1;
export const ANY = -2;
export const STREAM_EXISTS = -4;

/**
 * What somebody says that he expects. Exact revisions above what a number can hold are bigints, up to 2^64-1: that one
 * is how the protocol writes "no stream" as a revision.
 */
export type Expected = number | bigint;
export const NO_STREAM_AS_REVISION = 2n ** 64n - 1n;

/** The revision to decide by. One that is no safe number is beyond every stream's end, and may be rounded. */
export const revisionExpected = (expected: Expected): number =>
  expected === NO_STREAM_AS_REVISION ? NO_STREAM : Number(expected);

/** The revision of a tombstone, and the `$tb` of a soft-deleted stream: the largest signed 64-bit number. */
export const DELETED_REVISION = 9223372036854775807n;
