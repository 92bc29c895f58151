/** How many permits of a token this gateway wants in all, and how many the token has. */
export interface PermitDemand {
  readonly tokenId: string;
  readonly wanted: number;
  readonly max: number;
}

/** Tells accounts how many permits this gateway wants of each token; returns how many of each it holds from now on. */
export type Hold = (wants: readonly PermitDemand[]) => Promise<readonly number[]>;

interface OfToken {
  open: number;
  asking: ((granted: boolean) => void)[];
}

const maxAtOnce = 500;

/**
 * Counts the open waits of each token. A gateway reports every change to accounts and renews its permits at an
 * interval, so that the permits of a crashed gateway expire soon. Changes during a call to accounts go into the next
 * call. While accounts is unavailable, a gateway alone allows the maximum of waits for each token.
 */
export class Permits {
  private readonly tokens = new Map<string, OfToken>();
  private readonly changed = new Set<string>();
  private telling: Promise<void> | undefined;

  constructor(
    private readonly max: number,
    private readonly hold: Hold,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Takes a permit of the token; false when none is left. */
  take(tokenId: string): Promise<boolean> {
    const token = this.tokens.get(tokenId) ?? { open: 0, asking: [] };
    if (token.open + token.asking.length >= this.max) return Promise.resolve(false);
    this.tokens.set(tokenId, token);
    return new Promise((resolve) => {
      token.asking.push(resolve);
      this.change(tokenId);
    });
  }

  /** Releases a permit of the token. */
  give(tokenId: string): void {
    const token = this.tokens.get(tokenId);
    if (!token) return;
    token.open -= 1;
    this.change(tokenId);
  }

  /** Renews all held permits at accounts before they expire. */
  renew(): void {
    for (const tokenId of this.tokens.keys()) this.change(tokenId);
  }

  /** Resolves when accounts has been told of all changes. */
  async told(): Promise<void> {
    while (this.telling) await this.telling;
  }

  /** How many tokens have waits open at this gateway. */
  get size(): number {
    return this.tokens.size;
  }

  private change(tokenId: string): void {
    this.changed.add(tokenId);
    this.telling ??= this.tellAll();
  }

  private async tellAll(): Promise<void> {
    // Changes in the same tick share one call.
    await Promise.resolve();
    while (this.changed.size > 0) {
      const batch = [...this.changed].slice(0, maxAtOnce).map((tokenId) => {
        this.changed.delete(tokenId);
        const token = this.tokens.get(tokenId) ?? { open: 0, asking: [] };
        return { tokenId, token, open: token.open, wanted: token.open + token.asking.length };
      });
      const wants = batch.map(({ tokenId, wanted }) => ({ tokenId, wanted, max: this.max }));
      const held = await this.hold(wants).catch((error: unknown) => {
        this.report(error);
        return wants.map(({ wanted }) => wanted);
      });
      batch.forEach(({ tokenId, token, open, wanted }, index) => {
        const granted = Math.max(0, (held[index] ?? 0) - open);
        token.asking.splice(0, wanted - open).forEach((answer, nth) => {
          if (nth < granted) token.open += 1;
          answer(nth < granted);
        });
        // During the call, an earlier batch may have dropped this entry and a new wait may have made another.
        if (token.open === 0 && token.asking.length === 0 && this.tokens.get(tokenId) === token)
          this.tokens.delete(tokenId);
      });
    }
    // Cleared without another await: a change from now on must start the next call.
    this.telling = undefined;
  }
}
