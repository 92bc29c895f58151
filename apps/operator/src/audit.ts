// node tools/audit.mjs verify <export> [<next page> …] [--key=<JWKS file or URL>] [--filtered]: checks an export of the
// audit log, a CSV or pages of JSON in their order, without asking anybody. --key: the installation's public keys, from
// <base URL>/.well-known/carillon/audit-keys.json or a copy of it. --filtered: it was asked for with `from`, `to`,
// `action` or `actorUserId`. Ends with 0 when nothing in it contradicts itself and, with --key, a signature of that key
// covers every entry; 1 with the first row that was altered, is missing or is out of order; 2 when it cannot be
// read; 3 with --key when no signature covers some entries or all. docs/adr/0027-audit-log.md says what it proves.
import { readExport, type VerificationReport, verify } from '@carillon/audit';
import { sentenceOf } from '@carillon/eventing';
import { readFileSync } from 'node:fs';
import { type AuditOptions, auditOptions } from './audit-options';
import { verdictOf } from './audit-verdict';
import { runProgram } from './command-line';

const usage =
  'usage: node tools/audit.mjs verify <export> [<next page> …] [--key=<JWKS file or URL>] [--filtered]';

await runProgram(usage, async () => {
  const options = auditOptions(process.argv.slice(2));
  let report: VerificationReport;
  try {
    report = await reportOf(options);
  } catch (error) {
    console.error(`It cannot be read: ${sentenceOf(error)}`);
    process.exitCode = 2;
    return;
  }
  const { code, said, details } = verdictOf(report, options.key !== undefined);
  if (code === 0) console.log(said);
  else console.error(said);
  for (const detail of details) console.log(detail);
  process.exitCode = code;
});

async function reportOf({ files, key, filtered }: AuditOptions): Promise<VerificationReport> {
  const keys = key === undefined ? {} : { keys: await keysOf(key) };
  return verify(readExport(files.map((file) => readFileSync(file, 'utf8'))), { filtered, ...keys });
}

async function keysOf(where: string): Promise<string[]> {
  const isUrl = /^https?:\/\//.test(where);
  const jwks: { keys?: unknown } = isUrl
    ? await (await fetch(where)).json()
    : JSON.parse(readFileSync(where, 'utf8'));
  if (!Array.isArray(jwks.keys)) throw new Error(`${where} has no "keys"`);
  return jwks.keys.map(({ x }) => x);
}
