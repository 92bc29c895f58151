import { LRUCache } from 'lru-cache';

const minute = 60_000;
const maxBackoffMs = 60 * minute;
const doubtsForCertainty = 3;
const remembered = 20_000;

/** The evidence against an address. */
export interface Suspicion {
  readonly doubts: number;
  readonly since: number;
  /** No message is sent to the address before this time. */
  readonly until: number;
}

/**
 * Addresses that the provider rejected with an answer that may concern our credential or only this address, which then
 * belongs to another project. Each address has its own backoff, whatever messages are due for it meanwhile.
 */
export class Suspects {
  private readonly known = new LRUCache<string, Suspicion>({ max: remembered });

  /** When the backoff of the address ends; undefined when a message may be sent to it now. */
  restsUntil(address: string, now: number): number | undefined {
    const until = this.known.get(address)?.until;
    return until !== undefined && now < until ? until : undefined;
  }

  /** Records a rejection. A message already in transit at an earlier rejection adds no evidence. */
  doubted(address: string, now: number): Suspicion {
    const before = this.known.get(address);
    if (before && now < before.until) return before;
    const doubts = (before?.doubts ?? 0) + 1;
    const backoffMs = Math.min(minute * 2 ** Math.min(doubts - 1, 10), maxBackoffMs);
    const suspicion = { doubts, since: before?.since ?? now, until: now + backoffMs };
    this.known.set(address, suspicion);
    return suspicion;
  }

  /** Forgets an address whose message was accepted. */
  forget(address: string): void {
    this.known.delete(address);
  }
}

/**
 * True when the address was rejected repeatedly while the same credential was accepted for others: the address is the
 * cause.
 */
export const isForeign = ({ doubts }: Suspicion, tookOthers: boolean): boolean =>
  tookOthers && doubts >= doubtsForCertainty;
