const windowMs = 10 * 60_000;
/** So few dead addresses prove nothing about the credential. */
const unsuspicious = 5;
const suspiciousShare = 0.5;

interface DeadTokenWindow {
  readonly since: number;
  readonly dead: Set<string>;
  readonly deadAccounts: Set<string>;
  readonly takenAccounts: Set<string>;
  taken: number;
  /** Accounts of which pushes were taken and no address was said to be dead. */
  unharmed: number;
}

/**
 * Stops us from giving up addresses in bulk. Google answers a wrong project as it answers a dead token, and Apple a
 * wrong environment as an unknown one: when most of what was sent lately is said to be dead, none of it is believed.
 * All that one account has registered counts as one when others are accepted: it may be made up.
 */
export class DeadTokens {
  private readonly windows = new Map<string, DeadTokenWindow>();

  /** The provider took a push under this credential. */
  taken(credential: string, accountId: string, now: number): void {
    const window = this.window(credential, now);
    window.taken += 1;
    if (window.takenAccounts.has(accountId)) return;
    window.takenAccounts.add(accountId);
    if (!window.deadAccounts.has(accountId)) window.unharmed += 1;
  }

  /** The provider says that a device's address is dead. True when that may be believed. */
  believe(
    credential: string,
    { deviceId, accountId }: { readonly deviceId: string; readonly accountId: string },
    now: number,
  ): boolean {
    const window = this.window(credential, now);
    const { dead, deadAccounts, takenAccounts } = window;
    dead.add(deviceId);
    if (!deadAccounts.has(accountId) && takenAccounts.has(accountId)) window.unharmed -= 1;
    deadAccounts.add(accountId);
    return (
      dead.size < unsuspicious ||
      share(dead.size, window.taken) <= suspiciousShare ||
      share(deadAccounts.size, window.unharmed) <= suspiciousShare
    );
  }

  private window(credential: string, now: number): DeadTokenWindow {
    let window = this.windows.get(credential);
    if (!window || now - window.since >= windowMs) {
      window = {
        since: now,
        dead: new Set(),
        deadAccounts: new Set(),
        takenAccounts: new Set(),
        taken: 0,
        unharmed: 0,
      };
      this.windows.set(credential, window);
    }
    return window;
  }
}

const share = (dead: number, taken: number): number => dead / (dead + taken);
