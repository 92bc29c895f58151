/** How often somebody looks whether a credential is taken again. */
export const probeEveryMs = 60_000;
/** Phones of so many different accounts in a row make a doubt certain. */
const doubtsForCertainty = 3;
/** Who was never accepted leaves the probe so long to who was. */
const unprovenMs = 10_000;

/** Whose push asks to go. */
export interface BreakerRequest {
  readonly accountId: string;
  /** Its phone was accepted before: what becomes of it tells something about the credential. */
  readonly isProven: boolean;
}

/**
 * Stops all pushes of a credential that the provider does not take, so that a wrong key costs nobody a push and no
 * device its token: they wait, and one of them tries every minute.
 *
 * An answer that may be about the phone alone is a doubt. Doubts count by account, since anybody can register foreign
 * addresses, and not at all while others are accepted. Where only doubts have stopped the pushes, who gave no rise to
 * them tries at once.
 */
export class Breaker {
  private openUntil: number | undefined;
  private isCertain = false;
  private readonly doubts = new Set<string>();
  private newest: AcceptedPush | undefined;
  /** The newest of another account than the newest of all. */
  private other: AcceptedPush | undefined;

  get isOpen(): boolean {
    return this.openUntil !== undefined;
  }

  /** True when a push may go; else when it should ask again. */
  admit(now: number, asking: BreakerRequest): true | { readonly until: number } {
    if (this.openUntil === undefined) return true;
    const until = this.openUntil + this.reluctance(asking);
    if (now < until) return { until };
    this.openUntil = now + probeEveryMs;
    return true;
  }

  /** The provider took the credential, whatever it said about the push. True when that closes the breaker. */
  taken(accountId: string, now: number): boolean {
    if (this.newest && this.newest.accountId !== accountId) this.other = this.newest;
    this.newest = { accountId, at: now };
    const wasOpen = this.isOpen;
    this.openUntil = undefined;
    this.doubts.clear();
    return wasOpen;
  }

  /** The provider did not take the credential. True when that opens the breaker. */
  refused(now: number): boolean {
    const wasOpen = this.isOpen;
    this.openUntil = now + probeEveryMs;
    this.isCertain = true;
    return !wasOpen;
  }

  /** Perhaps it did not: certain when account after account gets the same answer. True when that opens the breaker. */
  doubted(accountId: string, now: number): boolean {
    if (this.tookOthers(accountId, now - probeEveryMs)) return false;
    this.doubts.add(accountId);
    if (this.isOpen) this.said(now);
    if (this.isOpen || this.doubts.size < doubtsForCertainty) return false;
    this.isCertain = false;
    this.said(now);
    return true;
  }

  /** A push got an answer that tells nothing about the credential: the next need not wait for it. */
  unclear(now: number): void {
    if (this.isOpen) this.said(now);
  }

  /** Whether pushes of other accounts were taken since then: whatever is wrong with this one's, it is not the credential. */
  tookOthers(accountId: string, since: number): boolean {
    const of = this.newest?.accountId === accountId ? this.other : this.newest;
    return of !== undefined && of.at >= since;
  }

  private said(now: number): void {
    if (!this.isCertain) this.openUntil = now - unprovenMs;
  }

  private reluctance({ accountId, isProven }: BreakerRequest): number {
    if (this.doubts.has(accountId)) return unprovenMs + probeEveryMs;
    return isProven ? 0 : unprovenMs;
  }
}

interface AcceptedPush {
  readonly accountId: string;
  readonly at: number;
}
