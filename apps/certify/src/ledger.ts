import { appendFileSync } from 'node:fs';

/** The outcome of a request. `unknown`: no answer, or one that leaves open whether the request took effect. */
export type RequestOutcome = 'acknowledged' | 'refused' | 'unknown';

/** The kinds of requests, each with a unique name. */
export type Kind = 'notification' | 'prompt' | 'answer' | 'change' | 'page';

/** One request and its answer. */
export interface LedgerEntry {
  readonly atMs: number;
  /** When the answer came, or when it was clear that none would come. */
  readonly untilMs: number;
  readonly kind: Kind;
  readonly name: string;
  readonly told: RequestOutcome;
  /** Status and code, or the reason why no answer came. */
  readonly answer: string;
  /** Set when the answer is never allowed, whichever part is down. */
  readonly unheardOf?: string;
  /** No answer came. */
  readonly unanswered?: boolean;
  /** The id under which a provider has the push. */
  readonly id?: string;
  /** The number of devices whose provider has accepted the push, as the product reports. */
  readonly accepted?: number;
}

/** The longest times in which nothing was served, from the fault until all was served again. */
export interface Outage {
  /** No write was acknowledged. */
  readonly writesMs: number;
  /** No new row could be read. */
  readonly rowsMs: number;
}

/** A fault that was injected into the house. */
export interface Fault {
  readonly number: number;
  readonly name: string;
  /** The fault ended a process that answers requests. */
  readonly silences: boolean;
  readonly fromMs: number;
  /** When a write was acknowledged again. */
  readonly untilMs: number;
  /** Of a fault of one process of several, whose work the others take over. */
  readonly outage?: Outage;
}

/** Records requests, answers and faults, also in a file, which survives this process. */
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

/** The outcome that an answer means for the caller. */
export function outcomeOf(status: number, code: string | undefined): RequestOutcome {
  if (status < 300) return 'acknowledged';
  // Another request with the same key is under way.
  if (code === 'IDEMPOTENCY_IN_PROGRESS') return 'unknown';
  return status < 500 || code === 'UNAVAILABLE' ? 'refused' : 'unknown';
}

/** Whether this answer is allowed while parts of the house are down. */
export const mayBeAnswered = (status: number, code: string | undefined): boolean =>
  status < 300 ||
  (status === 503 && code === 'UNAVAILABLE') ||
  (status === 504 && code === 'DEADLINE_EXCEEDED') ||
  (status === 409 && (code === 'IDEMPOTENCY_IN_PROGRESS' || code === 'CONCURRENT_UPDATE'));
