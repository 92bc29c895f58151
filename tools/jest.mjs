// Runs one tier of the tests: node tools/jest.mjs <spec|it|e2e> [folder, file or jest option …].
// Nothing else is needed first: tests with real parts run those from dist/, so it is built.
import { spawnSync } from 'node:child_process';
import { build } from './build.mjs';
import { root } from './setup.mjs';

const [tier, ...rest] = process.argv.slice(2);
if (!['spec', 'it', 'e2e'].includes(tier)) {
  console.error('usage: node tools/jest.mjs <spec|it|e2e> [folder, file or jest option …]');
  process.exit(1);
}
if (tier !== 'spec') await build();
const result = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    tier,
    '--passWithNoTests',
    ...(tier === 'spec' ? ['--maxWorkers=2'] : ['--runInBand']),
    ...rest,
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(result.status ?? 1);
