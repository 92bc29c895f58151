import { appendFileSync } from 'node:fs';

/**
 * What somebody was told of what they had asked for. `unknown`: no answer, or one that says that it may have happened.
 */
export type RequestOutcome = 'acknowledged' | 'refused' | 'unknown';

/** What was asked for, each under a name that nothing else has. */
export type Kind = 'notification' | 'prompt' | 'answer' | 'change' | 'page';

/** One request and what was said to it. */
export interface LedgerEntry {
  readonly atMs: number;
  /** When it was answered, or was known to be answered no more. */
  readonly untilMs: number;
  readonly kind: Kind;
  readonly name: string;
  readonly told: RequestOutcome;
  /** The status and code; or why there was no answer. */
  readonly answer: string;
  /** The answer was none that anybody may be given, whatever is away. */
  readonly unheardOf?: string;
  /** What asked heard nothing. */
  readonly unanswered?: boolean;
  /** Under what a provider has it. */
  readonly id?: string;
  /** How many devices' providers have accepted it, as the product says. */
  readonly accepted?: number;
}

/** Something that was done to the house. */
export interface Fault {
  readonly number: number;
  readonly name: string;
  /** It ended what answers. */
  readonly silences: boolean;
  readonly fromMs: number;
  /** When a write was acknowledged again. */
  readonly untilMs: number;
}

/** What was asked and answered, and what was done meanwhile, in a file too: it outlives whoever writes it. */
export class Ledger {
  readonly entries: LedgerEntry[] = [];
  readonly faults: Fault[] = [];

  constructor(private readonly file: string) {}

  wrote(entry: LedgerEntry): void {
    this.entries.push(entry);
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  did(fault: Fault): void {
    this.faults.push(fault);
    appendFileSync(this.file, `${JSON.stringify({ fault })}\n`);
  }
}

/** What an answer means for whoever asked. */
export function toldBy(status: number, code: string | undefined): RequestOutcome {
  if (status < 300) return 'acknowledged';
  // Another request with the same key is under way.
  if (code === 'IDEMPOTENCY_IN_PROGRESS') return 'unknown';
  return status < 500 || code === 'UNAVAILABLE' ? 'refused' : 'unknown';
}

/** Whether it may be answered so while parts of the house are away. */
export const mayBeAnswered = (status: number, code: string | undefined): boolean =>
  status < 300 ||
  (status === 503 && code === 'UNAVAILABLE') ||
  (status === 504 && code === 'DEADLINE_EXCEEDED') ||
  (status === 409 && (code === 'IDEMPOTENCY_IN_PROGRESS' || code === 'CONCURRENT_UPDATE'));
