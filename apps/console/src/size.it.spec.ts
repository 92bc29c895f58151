import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As tools/jest.mjs has built it for this tier. */
const folder = join(import.meta.dirname, '../../../dist/apps/console');
const gzipSize = (file: string): number => readFileSync(join(folder, `${file}.gz`)).length;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly isEntry?: boolean;
}

const chunks: Readonly<Record<string, Chunk>> = JSON.parse(readFileSync(join(folder, 'chunks.json'), 'utf8'));
const chunk = (name: string): Chunk => {
  const found = chunks[name];
  if (!found) throw new Error(`The build has no ${name}`);
  return found;
};
/** A chunk and all that it cannot do without. */
const needed = (name: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const each of chunk(name).imports ?? []) needed(each, seen);
  return seen;
};
const weight = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSize(chunk(name).file), 0);

const shell = needed('index.html');
const pages = Object.keys(chunks).filter((name) => name.startsWith('src/'));

describe('the scripts of the console, compressed with gzip', () => {
  it('take at most 45 kB for the shell with the inbox', () =>
    expect(weight(shell)).toBeLessThanOrEqual(45_000));

  it.each(pages)('take at most 40 kB more for %s', (page) => {
    // A page with markdown is its own script and that of the markdown.
    const all = new Set([
      ...needed(page),
      ...(chunk(page).dynamicImports ?? []).flatMap((each) => [...needed(each)]),
    ]);
    expect(weight([...all].filter((name) => !shell.has(name)))).toBeLessThanOrEqual(40_000);
  });

  it('take at most 6 kB for the worker', () => expect(gzipSize('worker.js')).toBeLessThanOrEqual(6_000));
});

it('the styles of the console take at most 15 kB', () => {
  const files = [...new Set(Object.values(chunks).flatMap(({ css }) => css ?? []))];
  expect(files.reduce((sum, file) => sum + gzipSize(file), 0)).toBeLessThanOrEqual(15_000);
});
