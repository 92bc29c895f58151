const maxSeconds = 24 * 60 * 60;
/** For a document whose server says nothing: long enough for one sign-in, soon enough for its next version. */
const unsaidSeconds = 5 * 60;

/** How long a document may be kept by its HTTP headers (RFC 9111), 24 hours at most. */
export function keptSeconds(
  cacheControl: string | undefined,
  expires: string | undefined,
  nowMs: number,
): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.some((name) => name === 'no-store' || name.startsWith('no-cache'))) return 0;
  const maxAge = directives.map((part) => /^max-age\s*=\s*"?(\d{1,12})"?$/.exec(part)?.[1]).find(Boolean);
  if (maxAge !== undefined) return Math.min(Number(maxAge), maxSeconds);
  if (expires === undefined) return unsaidSeconds;
  const seconds = Math.floor((Date.parse(expires) - nowMs) / 1_000);
  return Number.isNaN(seconds) ? 0 : Math.max(0, Math.min(seconds, maxSeconds));
}
