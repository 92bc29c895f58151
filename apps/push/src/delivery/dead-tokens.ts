const windowMs = 10 * 60_000;
/** So few deaths prove nothing about the credential. */
const unsuspicious = 5;
const suspiciousShare = 0.5;

interface Window {
  readonly since: number;
  dead: Set<string>;
  taken: number;
}

/**
 * Stops us from giving up addresses in bulk. Google answers a wrong project as it answers a dead token, and Apple a
 * wrong environment as an unknown one: when most of what was sent lately is said to be dead, none of it is believed.
 */
export class DeadTokens {
  private readonly windows = new Map<string, Window>();

  /** The provider took a push on this way. */
  taken(lane: string, now: number): void {
    this.window(lane, now).taken += 1;
  }

  /** The provider says that a device's address is dead. True when that may be believed. */
  believe(lane: string, deviceId: string, now: number): boolean {
    const window = this.window(lane, now);
    window.dead.add(deviceId);
    const { size } = window.dead;
    return size < unsuspicious || size / (size + window.taken) <= suspiciousShare;
  }

  private window(lane: string, now: number): Window {
    let window = this.windows.get(lane);
    if (!window || now - window.since >= windowMs) {
      window = { since: now, dead: new Set(), taken: 0 };
      this.windows.set(lane, window);
    }
    return window;
  }
}
