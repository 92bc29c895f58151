import type { IncomingHttpHeaders } from 'node:http';
import { isOurs } from './cookies';
import { hopByHop } from './hop-by-hop';

/** Headers by which services tell caches between us and the browser to keep what only one person may see. */
const forSharedCaches = ['surrogate-control', 'cdn-cache-control', 'cloudflare-cdn-cache-control'];

export interface Answered {
  /** The browser displays it as a document of its own. */
  readonly asDocument: boolean;
  /** The connection to the client ends with this answer. */
  readonly last: boolean;
}

/** The headers for the client: what the private service said from end to end, and kept for nobody else. */
export function responseHeaders(
  given: IncomingHttpHeaders,
  { asDocument, last }: Answered,
): IncomingHttpHeaders {
  const dropped = hopByHop(given.connection);
  const headers: IncomingHttpHeaders = {};
  for (const name in given)
    if (!dropped.has(name) && !forSharedCaches.includes(name)) headers[name] = given[name];
  const cookies = given['set-cookie']?.filter((line) => !isOurs(line));
  if (cookies) headers['set-cookie'] = cookies;
  const isPage = asDocument || /^(text\/html|application\/xhtml\+xml)\b/i.test(given['content-type'] ?? '');
  headers['cache-control'] = isPage ? 'no-store' : privately(given['cache-control']);
  headers.connection = last ? 'close' : 'keep-alive';
  return headers;
}

/** As the service wants it cached, but by the browser alone. */
function privately(control: string | undefined): string {
  if (control === undefined) return 'private';
  const kept = control
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !/^(public|private|s-maxage)\b/i.test(directive));
  return ['private', ...kept].join(', ');
}
