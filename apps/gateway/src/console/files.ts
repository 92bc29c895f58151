import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

/** A file with what the build has made of it. */
export interface ServedFile {
  readonly plain: Buffer;
  readonly gzip?: Buffer;
  readonly br?: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** Every file of the built console by its path; none where it was not built. */
export function servedFiles(folder: string): ReadonlyMap<string, ServedFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in types)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const read = (name: string): Buffer | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined;
  return new Map(
    names.map((name) => [
      name,
      { plain: readFileSync(join(folder, name)), gzip: read(`${name}.gz`), br: read(`${name}.br`) },
    ]),
  );
}

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

/** A file with a hash in its name never changes; all others are asked for again. */
export const consoleHeaders = (name: string): Readonly<Record<string, string>> => ({
  'content-type': types[extname(name)] ?? 'application/octet-stream',
  'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  vary: 'accept-encoding',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
});
