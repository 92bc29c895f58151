// node tools/audit.mjs verify <export> [<next page> …] [--key=<JWKS file or URL>] [--filtered]: checks an export of the
// audit log, a CSV or pages of JSON in their order, without asking anybody. --key: the installation's public keys, from
// <base URL>/.well-known/carillon/audit-keys.json or a copy of it. --filtered: it was asked for with `from`, `to`,
// `action` or `actorUserId`. Ends with 0 when nothing in it contradicts itself and, with --key, a signature of that key
// covers every entry; 1 with the first row that was altered, is missing or is out of order; 2 when it cannot be
// read; 3 with --key when no signature covers some entries or all. docs/adr/0027-audit-log.md says what it proves.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { installDependencies } from './setup.mjs';

const usage =
  'usage: node tools/audit.mjs verify <export> [<next page> …] [--key=<JWKS file or URL>] [--filtered]';
const { files, key, filtered } = readOptions();
await installDependencies();
await (await import('./build.mjs')).build();
const { readExport, verify } = await import('../dist/libs/audit/src/index.js');

try {
  const keys = key === undefined ? undefined : await keysOf(key);
  const report = verify(readExport(files.map((file) => readFileSync(file, 'utf8'))), { filtered, keys });
  if (report.finding) {
    const { kind, where, what } = report.finding;
    console.error(`${kind.toUpperCase()}: ${where}: ${what}`);
    process.exitCode = 1;
  } else if (!keys) console.log(`CONSISTENT WITH ITSELF: ${report.rows} entries`);
  else if (report.rows > 0 && report.covered === report.rows) console.log(`VERIFIED: ${report.rows} entries`);
  else {
    console.error(`NOT COVERED: a signature of the key covers ${report.covered} of ${report.rows} entries`);
    process.exitCode = 3;
  }
  for (const sentence of report.proved) console.log(`  holds: ${sentence}`);
  for (const sentence of report.notProved) console.log(`  not proved: ${sentence}`);
} catch (error) {
  console.error(`It cannot be read: ${error.message}`);
  process.exitCode = 2;
}

async function keysOf(where) {
  const isUrl = /^https?:\/\//.test(where);
  const jwks = isUrl ? await (await fetch(where)).json() : JSON.parse(readFileSync(where, 'utf8'));
  if (!Array.isArray(jwks.keys)) throw new Error(`${where} has no "keys"`);
  return jwks.keys.map(({ x }) => x);
}

function readOptions() {
  try {
    const options = { key: { type: 'string' }, filtered: { type: 'boolean', default: false } };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [verb, ...files] = positionals;
    if (verb === 'verify' && files.length > 0) return { files, ...values };
  } catch (error) {
    console.error(error.message);
  }
  console.error(usage);
  process.exit(2);
}
