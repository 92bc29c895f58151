import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { noRoute } from '../errors/api-error';
import { type Encoding, encodingFor } from '../request/encoding';
import { edgeOf, type HttpRequest } from '../request/row';

export interface BuiltFile {
  /** Its path on the disk, beside which its compressed forms lie, if it has any. */
  readonly path: string;
  readonly type: string;
  /** Its address changes with its content. */
  readonly isFixed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly status?: 404;
}

const suffixes: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/**
 * Answers with the smallest form of a file that its caller takes, or with nothing where the caller has it. It is read
 * when it is asked for, so a process serves what was built since its start.
 */
export async function sendBuilt(
  http: HttpRequest,
  { path, type, isFixed, headers, status }: BuiltFile,
): Promise<Buffer | undefined> {
  if (!existsSync(path)) throw noRoute();
  const { reply } = edgeOf(http);
  const encoding = encodingFor(http.headers['accept-encoding'], (each) =>
    existsSync(`${path}${suffixes[each]}`),
  );
  // Before the headers are set: an error has others.
  const bytes = await readFile(`${path}${encoding ? suffixes[encoding] : ''}`);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const isKnown =
    status === undefined && http.headers['if-none-match']?.replaceAll('W/', '').split(/,\s*/).includes(etag);
  void reply.status(isKnown ? 304 : (status ?? 200)).headers({
    ...headers,
    etag,
    vary: 'accept-encoding',
    'cache-control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(!isKnown && { 'content-type': type }),
    ...(!isKnown && encoding && { 'content-encoding': encoding }),
  });
  return isKnown ? undefined : bytes;
}
