import type { VerificationReport } from '@carillon/audit';

/** What audit.ts says of an export, and its exit code. */
export interface Verdict {
  readonly code: 0 | 1 | 3;
  readonly said: string;
  readonly details: readonly string[];
}

/** `hasKeys`: the installation's public keys were given, so that a signature must cover every entry. */
export function verdictOf(report: VerificationReport, hasKeys: boolean): Verdict {
  const { rows, covered, finding } = report;
  const details = [
    ...report.proved.map((sentence) => `  holds: ${sentence}`),
    ...report.notProved.map((sentence) => `  not proved: ${sentence}`),
  ];
  if (finding)
    return { code: 1, said: `${finding.kind.toUpperCase()}: ${finding.where}: ${finding.what}`, details };
  if (!hasKeys) return { code: 0, said: `CONSISTENT WITH ITSELF: ${rows} entries`, details };
  if (rows > 0 && covered === rows) return { code: 0, said: `VERIFIED: ${rows} entries`, details };
  const said = `NOT COVERED: a signature of the key covers ${covered} of ${rows} entries`;
  return { code: 3, said, details };
}
