// Runs one tier of the tests: node tools/jest.mjs <spec|it|e2e|browser|nightly> [folder, file or jest option …].
// Nothing else is needed first: tests with real parts run those from dist/, so it is built.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { build } from './build.mjs';
import { notOfCluster } from './jest-cluster.mjs';
import { root } from './setup.mjs';

const [tier, ...rest] = process.argv.slice(2);
if (!['spec', 'it', 'e2e', 'browser', 'nightly'].includes(tier)) {
  console.error('usage: node tools/jest.mjs <spec|it|e2e|browser|nightly> [folder, file or jest option …]');
  process.exit(1);
}
if (tier !== 'spec') {
  await build();
  await provideNats();
}
// jest's own files stay on the disk, from one run to the next.
const cache = join(root, 'node_modules', '.cache', 'jest');
// The database's own user must be able to pass through to what is its own.
const data = mkdtempSync(
  join(tier === 'spec' || process.env.TMPDIR ? tmpdir() : inMemory(), 'carillon-tests-'),
);
chmodSync(data, 0o711);
const isCluster = tier === 'e2e' && process.env.CARILLON_HOUSE === 'cluster';
if (isCluster) rest.push(...notOfCluster().map((file) => `--testPathIgnorePatterns=/${file}$`));
if (['e2e', 'browser'].includes(tier) && !isCluster) {
  const { beginHouse } = await import('../dist/libs/testkit/src/begun-house.js');
  Object.assign(process.env, await beginHouse(join(data, 'begun')));
}
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    tier,
    '--passWithNoTests',
    `--cacheDirectory=${cache}`,
    // On two cores: what has real parts waits for a good part of its time.
    `--maxWorkers=${isCluster || tier === 'nightly' ? 1 : ['spec', 'browser'].includes(tier) ? 2 : 3}`,
    // Not the 5 s of Jest: other work may have the processors.
    ...(tier === 'spec' ? ['--testTimeout=30000'] : []),
    ...(tier === 'it' ? ['--testTimeout=60000'] : []),
    ...(['e2e', 'browser', 'nightly'].includes(tier) ? ['--testTimeout=120000'] : []),
    ...rest,
  ],
  // Services that tests start stand beside each other.
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      TMPDIR: data,
      METRICS_PORT: '0',
      ...(tier === 'nightly' && { CARILLON_NIGHTLY: '1' }),
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
const [code] = await once(jest, 'close');
// What a story that failed has left is there to be looked at.
if (code !== 1) rmSync(data, { recursive: true, force: true });
process.exit(code ?? 1);

/**
 * Where the parts of tests keep their data: in memory, where the machine has enough of it. They flush to a disk all the
 * time, and no test takes away more than processes: what these have written stays.
 */
function inMemory() {
  const folder = '/dev/shm';
  const enough = 4 * 1024 ** 3;
  if (!existsSync(folder) || freemem() < enough) return tmpdir();
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < enough ? tmpdir() : folder;
}

/** Sees to it that the tests find nats-server on PATH, in the way that standalone provides it. */
async function provideNats() {
  const { Children } = await import('../dist/apps/standalone/src/child.js');
  const { findProgram } = await import('../dist/apps/standalone/src/nats.js');
  const { Progress } = await import('../dist/apps/standalone/src/progress.js');
  const progress = new Progress();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-provide-'));
  const children = new Children(folder, progress);
  try {
    const { file } = await findProgram({
      toolFolder: join(root, '.carillon', 'tools'),
      mayInstall: process.env.CARILLON_INSTALL !== 'never',
      children,
      progress,
    });
    process.env.PATH = `${process.env.PATH}${delimiter}${dirname(file)}`;
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  } finally {
    await children.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
