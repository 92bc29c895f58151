import { LRUCache } from 'lru-cache';

const minute = 60_000;
const maxBackoffMs = 60 * minute;
const doubtsForCertainty = 3;
const remembered = 20_000;

/** What speaks against an address. */
export interface Suspicion {
  readonly doubts: number;
  readonly since: number;
  /** It is not asked about before. */
  readonly until: number;
}

/**
 * Addresses that the provider refused in words that may be about our credential, or about this address alone, which is
 * then of somebody else's project. Each rests by itself, with backoff, whatever is sent to it meanwhile.
 */
export class Suspects {
  private readonly known = new LRUCache<string, Suspicion>({ max: remembered });

  /** Until when the address rests; undefined when it may be asked about. */
  restsUntil(address: string, now: number): number | undefined {
    const until = this.known.get(address)?.until;
    return until !== undefined && now < until ? until : undefined;
  }

  /** It was refused. What was on its way when it was refused already says nothing new. */
  doubted(address: string, now: number): Suspicion {
    const before = this.known.get(address);
    if (before && now < before.until) return before;
    const doubts = (before?.doubts ?? 0) + 1;
    const backoffMs = Math.min(minute * 2 ** Math.min(doubts - 1, 10), maxBackoffMs);
    const suspicion = { doubts, since: before?.since ?? now, until: now + backoffMs };
    this.known.set(address, suspicion);
    return suspicion;
  }

  /** It was accepted, or is given up. */
  forget(address: string): void {
    this.known.delete(address);
  }
}

/** Refused again and again, while the same credential was taken for others: the address is the reason. */
export const isForeign = ({ doubts }: Suspicion, tookOthers: boolean): boolean =>
  tookOthers && doubts >= doubtsForCertainty;
