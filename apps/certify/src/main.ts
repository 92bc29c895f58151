import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certify } from './certify';
import { makeDisk } from './disk';
import { readOptions, usage } from './options';
import { Releases } from './releases';
import { reportOf, signed, signerOf } from './report';

/** Whether somebody has asked it to end. The second time it ends as any program. */
function endsOnSignal(): () => boolean {
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      asked = true;
      console.error('Ends after this; once more ends it at once.');
    });
  return () => asked;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), Math.random);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  if (options.check) {
    const signer = signerOf(readFileSync(options.check, 'utf8'));
    console.log(signer ? `signed with ${signer}` : 'not signed, or changed since');
    return signer ? 0 : 1;
  }
  const key = options.keyFile
    ? readFileSync(options.keyFile, 'utf8')
    : generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const disk = makeDisk();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-ledger-'));
  let held = false;
  let releases: Releases | undefined;
  try {
    if (options.beside !== undefined) releases = new Releases(folder, options.beside);
    const run = await certify(options, disk, folder, endsOnSignal(), releases);
    const report = signed(reportOf(run), key);
    if (options.out) writeFileSync(options.out, report);
    else console.log(report);
    if (run.story)
      console.error(
        [`${run.story.violation.rule}: ${run.story.violation.says}`, ...run.story.lines].join('\n'),
      );
    held = run.violations.length === 0;
    return held ? 0 : 1;
  } finally {
    disk.remove();
    releases?.remove();
    if (held) rmSync(folder, { recursive: true, force: true });
    else console.error(`The ledger and the logs are in ${folder}.`);
  }
}

// After a failure its load may still ask.
process.exit(
  await main().catch((error: unknown) => {
    console.error(error);
    return 1;
  }),
);
