import { LRUCache } from 'lru-cache';

const windowMs = 10 * 60_000;
/** Fewer dead addresses than this prove nothing about the credential. */
const unsuspicious = 5;
const suspiciousShare = 0.5;
/** Push services are hosts of callers, so there may be any number of credentials. */
const maxWindows = 1_000;

interface DeadTokenWindow {
  readonly since: number;
  readonly dead: Set<string>;
  readonly deadAccounts: Set<string>;
  readonly takenAccounts: Set<string>;
  taken: number;
  /** Accounts with accepted pushes and no address reported dead. */
  unharmed: number;
}

/**
 * Prevents deactivating addresses in bulk. Google gives the same answer for a wrong project as for a dead token, and
 * Apple the same for a wrong environment as for an unknown token: when most recent pushes are reported dead, no report
 * is believed. All addresses of one account count as one while other accounts' pushes are accepted: an account may
 * register invented addresses.
 */
export class DeadTokens {
  private readonly windows = new LRUCache<string, DeadTokenWindow>({ max: maxWindows });

  /** The provider accepted a push under this credential. */
  taken(credential: string, accountId: string, now: number): void {
    const window = this.window(credential, now);
    window.taken += 1;
    if (window.takenAccounts.has(accountId)) return;
    window.takenAccounts.add(accountId);
    if (!window.deadAccounts.has(accountId)) window.unharmed += 1;
  }

  /** Records that the provider reported a device's address as dead. True when the report is credible. */
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
