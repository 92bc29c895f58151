// Compiles apps and libs from TypeScript to dist/, file by file, with swc, makes one file of the command line with
// esbuild, the console of the browser with Vite, and the pages of /docs. Only what changed is made again, and every file
// is replaced atomically, so that what runs from dist/ meanwhile is not disturbed.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiler } from './compiler.mjs';
import { buildConsole, consoleHash } from './console.mjs';
import { docsAreThere, docsHash, writeDocs } from './docs.mjs';
import { root, seconds } from './setup.mjs';

const output = join(root, 'dist');
const stamp = join(output, '.stamp.json');

const sources = () =>
  ['apps', 'libs']
    .flatMap((top) => readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /[/\\]src([/\\]|$)/.test(entry.parentPath ?? entry.path))
    .filter((entry) => !/\.(spec|d)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !file.startsWith('apps/console/'));

const write = (file, content) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
};

/** Where a source file ends up. */
const targets = (file) => {
  if (!file.endsWith('.ts')) return [join(output, file)];
  const js = join(output, file.replace(/\.ts$/, '.js'));
  return [js, `${js}.map`];
};

/** The command line, which the gateway serves: one file for any machine with Node. */
const commandLineFile = join(output, 'apps/cli/carillon.mjs');
const versionOf = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** What the file is made of; packages change with the lock file. */
const commandLineHash = (files, recipe) =>
  createHash('sha256')
    .update(
      JSON.stringify(Object.entries(files).filter(([file]) => /^(apps\/cli|libs\/client)\//.test(file))),
    )
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(versionOf() + recipe)
    .digest('hex');

/** The bytes of that file. */
export async function commandLine() {
  const esbuild = await import('esbuild');
  const made = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['apps/cli/src/main.ts'],
    tsconfig: 'tsconfig.base.json',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    define: { CARILLON_VERSION: JSON.stringify(versionOf()) },
    // commander is CommonJS and requires modules of Node.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  // Its process would stay as long as this one, which may go on as the whole service.
  await esbuild.stop();
  return made.outputFiles[0].contents;
}

export async function build() {
  const started = Date.now();
  const { paths } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8')).compilerOptions;
  const recipe = createHash('sha256')
    .update(JSON.stringify([paths, compiler]))
    .update(readFileSync(new URL(import.meta.url)));
  const recipeHash = recipe.digest('hex');
  const before = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : { files: {} };
  // An import is resolved to a file or a folder's index when it is compiled, so a new or gone file may change others.
  const names = sources().sort();
  const sameTree = before.recipe === recipeHash && names.join() === Object.keys(before.files).join();
  const contents = new Map(names.map((file) => [file, readFileSync(join(root, file))]));
  const files = Object.fromEntries(
    [...contents].map(([file, content]) => [file, createHash('sha256').update(content).digest('hex')]),
  );
  const changed = names.filter((file) => !sameTree || before.files[file] !== files[file]);
  const bundleOf = commandLineHash(files, recipeHash);
  const isBundled = before.bundleOf === bundleOf && existsSync(commandLineFile);
  const consoleOf = consoleHash(files, recipeHash);
  const isConsoleBuilt =
    before.consoleOf === consoleOf && existsSync(join(output, 'apps/console/index.html'));
  const docsOf = docsHash();
  const hasDocs = before.docsOf === docsOf && docsAreThere();
  if (changed.length === 0 && isBundled && isConsoleBuilt && hasDocs) return;

  if (!hasDocs) await writeDocs(write);
  if (!isBundled) {
    write(commandLineFile, await commandLine());
    chmodSync(commandLineFile, 0o755);
  }
  if (!isConsoleBuilt) await buildConsole(join(output, 'apps/console'), consoleOf);
  const { transform } = await import('@swc/core');
  await Promise.all(
    changed.map(async (file) => {
      const [target, mapFile] = targets(file);
      if (!mapFile) return write(target, contents.get(file));
      const { code, map } = await transform(contents.get(file).toString(), {
        filename: join(root, file),
        sourceFileName: pathToFileURL(join(root, file)).href,
        sourceMaps: true,
        module: { type: 'es6', resolveFully: true },
        ...compiler,
        jsc: { ...compiler.jsc, baseUrl: root, paths },
      });
      write(mapFile, map);
      write(target, `${code}\n//# sourceMappingURL=${basename(mapFile)}\n`);
    }),
  );
  for (const gone of Object.keys(before.files).filter((file) => !(file in files)))
    for (const target of targets(gone)) rmSync(target, { force: true });
  write(stamp, JSON.stringify({ recipe: recipeHash, files, bundleOf, consoleOf, docsOf }));
  console.error(`build          ${changed.length} of ${names.length} files in ${seconds(started)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
