// Makes the pages that the gateway serves under /docs as dist/docs, and the documents of the APIs as dist/openapi, with
// their compressed forms: tools/build.mjs calls it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './setup.mjs';

const output = join(root, 'dist/docs');
const index = join(output, 'index.json');
const descriptionsOutput = join(root, 'dist/openapi');

const under = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();

/** What the pages are made of, by path. */
const sources = () =>
  new Map(
    under('docs')
      .filter((path) => /\.(md|mjs|yaml)$/.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );

/** Changes with the documents and with what makes pages of them; packages change with the lock file. */
export function docsHash() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const path of [...under('docs'), ...under('tools/docs'), 'tools/docs.mjs'])
    hash.update(`\n${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** All that is served, by its address, and what is wrong with the links. */
export async function docs() {
  const [{ site }, { reference }] = await Promise.all([
    import('./docs/site.mjs'),
    import('./docs/reference.mjs'),
  ]);
  const files = sources();
  const asset = (name) => readFileSync(join(root, 'tools/docs/site', name), 'utf8');
  return site(files, { style: asset('style.css'), script: asset('search.mjs') }, reference(files));
}

/** Where the bytes of an address lie, beside their compressed forms. */
const fileOf = (address) => `${address.slice(1).replaceAll('/', '+') || 'root'}`;

const descriptions = () => readdirSync(join(root, 'docs/openapi')).filter((file) => file.endsWith('.yaml'));

/** A file and its compressed forms. */
function writeForms(write, file, text) {
  const bytes = Buffer.from(text);
  write(file, bytes);
  write(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  write(`${file}.br`, brotliCompressSync(bytes, { params }));
}

/** Writes them by `write(file, content)`: the index last, since it names the others. */
export async function writeDocs(write) {
  const before = existsSync(index) ? readdirSync(output) : [];
  const { out } = await docs();
  const entries = {};
  const { load } = await import('js-yaml');
  for (const file of descriptions()) {
    const text = readFileSync(join(root, 'docs/openapi', file), 'utf8');
    writeForms(write, join(descriptionsOutput, file), text);
    const json = `${JSON.stringify(load(text), null, 2)}\n`;
    writeForms(write, join(descriptionsOutput, file.replace(/yaml$/, 'json')), json);
  }
  for (const [address, { type, text, isFixed }] of out) {
    const name = fileOf(address);
    writeForms(write, join(output, name), text);
    entries[address] = { file: name, type, ...(isFixed && { isFixed }) };
  }
  write(index, JSON.stringify(entries));
  const kept = new Set(Object.values(entries).flatMap(({ file }) => [file, `${file}.gz`, `${file}.br`]));
  for (const name of before)
    if (!kept.has(name) && name !== 'index.json') rmSync(join(output, name), { force: true });
  return out.size;
}

export const docsAreThere = () => existsSync(index) && existsSync(descriptionsOutput);
