/** How often somebody looks whether a credential is taken again. */
export const probeEveryMs = 60_000;
/** So many different phones in a row make a doubt certain. */
const doubtsForCertainty = 3;

/**
 * Stops all pushes of a credential that the provider does not take, so that a wrong key costs nobody a push and no
 * device its token: they wait, and one of them tries every minute.
 */
export class Breaker {
  private openUntil: number | undefined;
  private doubts = new Set<string>();

  get isOpen(): boolean {
    return this.openUntil !== undefined;
  }

  /** True when a push may go; else when it should ask again. */
  admit(now: number): true | { readonly until: number } {
    if (this.openUntil === undefined) return true;
    if (now < this.openUntil) return { until: this.openUntil };
    this.openUntil = now + probeEveryMs;
    return true;
  }

  /** The provider took the credential, whatever it said about the push. True when that closes the breaker. */
  taken(): boolean {
    const wasOpen = this.isOpen;
    this.openUntil = undefined;
    this.doubts.clear();
    return wasOpen;
  }

  /** The provider did not take the credential. True when that opens the breaker. */
  refused(now: number): boolean {
    const wasOpen = this.isOpen;
    this.openUntil = now + probeEveryMs;
    return !wasOpen;
  }

  /** Perhaps it did not: certain when phone after phone gets the same answer. True when that opens the breaker. */
  doubted(deviceId: string, now: number): boolean {
    this.doubts.add(deviceId);
    return this.doubts.size >= doubtsForCertainty && this.refused(now);
  }
}
