import type { IncomingHttpHeaders } from 'node:http';

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface Provenance {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The browser added the session by itself. */
  readonly byCookie: boolean;
  readonly baseUrl: string;
}

/**
 * True when a page of another site may have caused the request. Browsers name the origin of a request in
 * `Sec-Fetch-Site`; where that is missing, `Origin` must be ours when the request has a cookie.
 */
export function crossSite({ method, headers, byCookie, baseUrl }: Provenance): boolean {
  if (safe.has(method)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return byCookie;
  return origin !== new URL(baseUrl).origin;
}
