// npm test: everything that must hold, from a fresh clone. Stops at the first step that fails.
// npm test -- nightly: what takes longer, and is not part of it.
// npm test -- e2e: one tier alone; with CARILLON_HOUSE=cluster against services that run on their own.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { installDependencies, seconds } from './setup.mjs';
import { checks, tier } from './steps.mjs';

const started = Date.now();
await installDependencies();
const reports = mkdtempSync(join(tmpdir(), 'carillon-test-'));
const [only] = process.argv.slice(2);
const tiers = ['spec', 'it', 'e2e', 'browser'];
if (only !== undefined && ![...tiers, 'nightly'].includes(only)) {
  console.error(`usage: npm test [-- ${[...tiers, 'nightly'].join('|')}]`);
  process.exit(2);
}
const totals = { passed: 0, failed: 0, skipped: 0 };

async function everything() {
  if (only === undefined && !(await checks())) return false;
  await build();
  for (const name of only === undefined ? tiers : [only]) {
    const report = join(reports, `${name}.json`);
    const fine = await tier(name, report);
    try {
      const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } =
        JSON.parse(readFileSync(report, 'utf8'));
      totals.passed += numPassedTests;
      totals.failed += numFailedTests + numRuntimeErrorTestSuites;
      totals.skipped += numPendingTests + numTodoTests;
    } catch {
      // jest did not come so far as to count
    }
    if (!fine) return false;
  }
  return true;
}

let fine = false;
try {
  fine = await everything();
} finally {
  rmSync(reports, { recursive: true, force: true });
}
console.log(`${'all'.padEnd(14)} ${fine ? 'ok' : 'FAILED'} in ${seconds(started)}`);
console.log(`tests: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(fine ? 0 : 1);
