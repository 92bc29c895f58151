// Builds the console of the browser with Vite into dist/apps/console: hashed files, each also with gzip and brotli.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { root } from './setup.mjs';

const folder = join(root, 'apps/console');
/** Names the files of each of the two newest builds: a page of the build before still finds its own. */
const listName = 'builds.json';

const filesIn = (top) =>
  readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(top, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();

/** What the console is made of; packages change with the lock file. */
export function consoleHash(files, recipe) {
  const hash = createHash('sha256').update(recipe);
  for (const file of filesIn(folder).filter((name) => !/\.spec\.ts$|^project\.json$/.test(name)))
    hash.update(file).update(readFileSync(join(folder, file)));
  return hash
    .update(JSON.stringify(Object.entries(files).filter(([file]) => file.startsWith('libs/client/'))))
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(readFileSync(new URL(import.meta.url)))
    .digest('hex');
}

export async function buildConsole(target, hash) {
  const { build } = await import('vite');
  const { NODE_ENV } = process.env;
  mkdirSync(target, { recursive: true });
  const made = mkdtempSync(join(dirname(target), '.console-'));
  try {
    for (const mode of ['page', 'worker'])
      await build({
        configFile: join(folder, 'vite.config.ts'),
        mode,
        logLevel: 'warn',
        define: { CONSOLE_BUILD: JSON.stringify(hash.slice(0, 16)) },
        build: { outDir: made },
      });
    const names = filesIn(made);
    for (const name of names.filter((each) => /\.(html|js|css|svg|webmanifest)$/.test(each))) {
      const content = readFileSync(join(made, name));
      writeFileSync(join(made, `${name}.gz`), gzipSync(content, { level: 9 }));
      writeFileSync(join(made, `${name}.br`), brotliCompressSync(content));
    }
    publish(made, target);
  } finally {
    // Vite sets it for this process and all that it starts, such as tests.
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    rmSync(made, { recursive: true, force: true });
  }
}

/** Puts the files where they are served, the document last, and forgets those of all builds but the last two. */
function publish(made, target) {
  const list = join(target, listName);
  const [former = []] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const names = filesIn(made);
  const isLast = (name) => /^(index\.html|worker\.js)/.test(name);
  for (const name of [...names.filter((each) => !isLast(each)), ...names.filter(isLast)]) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    renameSync(join(made, name), join(target, name));
  }
  const kept = new Set([...names, ...former, listName]);
  for (const name of filesIn(target)) if (!kept.has(name)) rmSync(join(target, name));
  writeFileSync(list, JSON.stringify([names, former]));
}
