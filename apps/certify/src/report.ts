import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { LedgerEntry, Fault } from './ledger';
import { percentile99, type Story, type Violation } from './verdict';

/** What a run was, and what came of it. */
export interface Run {
  readonly command: string;
  /** How many it was to be. */
  readonly kills: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly entries: readonly LedgerEntry[];
  readonly faults: readonly Fault[];
  readonly violations: readonly Violation[];
  readonly story: Story | undefined;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** The report as Markdown, without its signature. */
export function reportOf(run: Run): string {
  const { entries, faults, violations, story } = run;
  const told = (kind: LedgerEntry['kind'], as: LedgerEntry['told']): number =>
    entries.filter((entry) => entry.kind === kind && entry.told === as).length;
  const kinds = [...new Set(entries.map(({ kind }) => kind))].sort();
  const names = [...new Set(faults.map(({ name }) => name))].sort();
  const backMs = (name: string): number[] =>
    faults.filter((fault) => fault.name === name).map(({ fromMs, untilMs }) => untilMs - fromMs);
  return [
    '# Certificate',
    '',
    `\`${run.command}\``,
    '',
    `${new Date(run.fromMs).toISOString()} to ${new Date(run.untilMs).toISOString()}; ${Object.entries(
      run.versions,
    )
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
    '',
    `Something was done to it ${faults.length} times of ${run.kills}. ${
      violations.length === 0 ? '**All held.**' : `**${violations.length} did not hold.**`
    }`,
    '',
    '| Asked for | acknowledged | refused | not known |',
    '| --- | --- | --- | --- |',
    ...kinds.map(
      (kind) =>
        `| ${kind} | ${told(kind, 'acknowledged')} | ${told(kind, 'refused')} | ${told(kind, 'unknown')} |`,
    ),
    '',
    '| What was done | times | served again after, the longest |',
    '| --- | --- | --- |',
    ...names.map((name) => `| ${name} | ${backMs(name).length} | ${seconds(Math.max(...backMs(name)))} |`),
    ...failOvers(faults),
    ...(violations.length > 0
      ? ['', ...violations.map(({ rule, name, says }) => `- ${rule}: ${name ?? ''} ${says}`)]
      : []),
    ...(story
      ? ['', `The shortest story, of "${story.violation.rule}":`, '', '```', ...story.lines, '```']
      : []),
    '',
  ].join('\n');
}

/** How long nothing was served after faults of one process of several. */
function failOvers(faults: readonly Fault[]): string[] {
  const failed = faults.flatMap(({ name, outage }) => (outage ? [{ name, ...outage }] : []));
  if (failed.length === 0) return [];
  const worst = (ms: readonly number[]): string =>
    `${seconds(percentile99(ms))} | ${seconds(Math.max(...ms))}`;
  return [
    '',
    `| Longest time after ${failed.length} faults of one process of several in which | p99 | the longest |`,
    '| --- | --- | --- |',
    `| no write was acknowledged | ${worst(failed.map(({ writesMs }) => writesMs))} |`,
    `| no new row could be read | ${worst(failed.map(({ rowsMs }) => rowsMs))} |`,
  ];
}

/** The report with an Ed25519 signature of all above it, and the public key that checks it. */
export function signed(report: string, privateKey: string): string {
  const key = createPrivateKey(privateKey);
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
  const signature = sign(null, Buffer.from(report), key).toString('base64');
  return `${report}\nEd25519 of all above this line: \`${signature}\`, key (SPKI) \`${publicKey}\`\n`;
}

/** The public key whose owner has signed all of the report; undefined when nobody has. */
export function signerOf(report: string): string | undefined {
  const [, text = '', signature = '', key = ''] =
    /^(.*)\nEd25519 of all above this line: `([^`]+)`, key \(SPKI\) `([^`]+)`\n$/s.exec(report) ?? [];
  if (!key) return undefined;
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64')) ? key : undefined;
}
