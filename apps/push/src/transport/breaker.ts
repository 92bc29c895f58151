/** The interval of probes whether the provider accepts a credential again. */
export const probeEveryMs = 60_000;
/** Consecutive doubts from this many different accounts make a rejection certain. */
const defaultDoubts = 3;
/** An unproven phone waits this much longer, so that a proven phone sends the probe first. */
const unprovenMs = 10_000;

/** The account and phone of a push to admit. */
export interface BreakerRequest {
  readonly accountId: string;
  /** The provider accepted a push to the phone before, so its result is informative about the credential. */
  readonly isProven: boolean;
}

/**
 * Stops all pushes of a credential that the provider rejects, so that a wrong key loses no push and deactivates no
 * device: the pushes wait, and one of them probes every minute.
 *
 * An answer that may concern only the phone is a doubt. Doubts count per account, since any account can register
 * foreign addresses, and are ignored while other accounts' pushes are accepted. When only doubts have opened the
 * breaker, accounts that did not cause them may probe at once.
 */
export class Breaker {
  private openUntil: number | undefined;
  private isCertain = false;
  private readonly doubts = new Set<string>();
  private newest: AcceptedPush | undefined;
  /** The newest accepted push of a different account than `newest`. */
  private other: AcceptedPush | undefined;

  constructor(private readonly doubtsForCertainty = defaultDoubts) {}

  get isOpen(): boolean {
    return this.openUntil !== undefined;
  }

  /** True when the push may be sent; otherwise when to ask again. */
  admit(now: number, asking: BreakerRequest): true | { readonly until: number } {
    if (this.openUntil === undefined) return true;
    const until = this.openUntil + this.reluctance(asking);
    if (now < until) return { until };
    this.openUntil = now + probeEveryMs;
    return true;
  }

  /** The provider accepted the credential, whatever its answer to the push. True when that closes the breaker. */
  taken(accountId: string, now: number): boolean {
    if (this.newest && this.newest.accountId !== accountId) this.other = this.newest;
    this.newest = { accountId, at: now };
    const wasOpen = this.isOpen;
    this.openUntil = undefined;
    this.doubts.clear();
    return wasOpen;
  }

  /** The provider rejected the credential. True when that opens the breaker. */
  refused(now: number): boolean {
    const wasOpen = this.isOpen;
    this.openUntil = now + probeEveryMs;
    this.isCertain = true;
    return !wasOpen;
  }

  /**
   * The provider may have rejected the credential: certain after doubts from several accounts. True when that opens the
   * breaker.
   */
  doubted(accountId: string, now: number): boolean {
    if (this.tookOthers(accountId, now - probeEveryMs)) return false;
    this.doubts.add(accountId);
    if (this.isOpen) this.said(now);
    if (this.isOpen || this.doubts.size < this.doubtsForCertainty) return false;
    this.isCertain = false;
    this.said(now);
    return true;
  }

  /** The answer to a push says nothing about the credential: the next probe need not wait for it. */
  unclear(now: number): void {
    if (this.isOpen) this.said(now);
  }

  /**
   * Whether pushes of other accounts were accepted since then: if so, this account's failure is not due to the
   * credential.
   */
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
