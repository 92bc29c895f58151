import { extname } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** The file of the build that a path of the console asks for; all but the names of files ask for the document. */
export const consoleFile = (path: string): string =>
  /^assets\/|^[^/]*\.[^/]*$/.test(path) ? path : 'index.html';

/** The type of a file; undefined of what is not served, such as the lists of the build and what lies outside of it. */
export const typeOf = (file: string): string | undefined =>
  /^(assets\/)?[\w.-]+$/.test(file) ? types[extname(file)] : undefined;

/** The document may load its own files, ask its own server, and show pictures that a person asks for. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types carillon',
].join('; ');

export const consoleHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};
