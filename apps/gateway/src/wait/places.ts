/** How many places of a token this gateway wants in all, of how many that the token has. */
export interface Wanted {
  readonly tokenId: string;
  readonly wanted: number;
  readonly most: number;
}

/** Says what this gateway wants where all gateways can see it; gives how many of each it holds from now on. */
export type Hold = (wants: readonly Wanted[]) => Promise<readonly number[]>;

interface OfToken {
  open: number;
  asking: ((granted: boolean) => void)[];
}

const maxAtOnce = 500;

/**
 * How many waits each token has open. What is open here is told with every change and renewed from time to time, so that
 * the places of a gateway that died are free again soon. What comes while an answer is under way is told together in the
 * next one. When nobody can count, this gateway lets in as many as a token may have altogether.
 */
export class Places {
  private readonly tokens = new Map<string, OfToken>();
  private readonly changed = new Set<string>();
  private telling: Promise<void> | undefined;

  constructor(
    private readonly most: number,
    private readonly hold: Hold,
    private readonly report: (error: unknown) => void,
  ) {}

  /** False when the token has no place left. */
  take(tokenId: string): Promise<boolean> {
    const token = this.tokens.get(tokenId) ?? { open: 0, asking: [] };
    if (token.open + token.asking.length >= this.most) return Promise.resolve(false);
    this.tokens.set(tokenId, token);
    return new Promise((resolve) => {
      token.asking.push(resolve);
      this.change(tokenId);
    });
  }

  give(tokenId: string): void {
    const token = this.tokens.get(tokenId);
    if (!token) return;
    token.open -= 1;
    this.change(tokenId);
  }

  /** Says again what is held, before it counts no more. */
  renew(): void {
    for (const tokenId of this.tokens.keys()) this.change(tokenId);
  }

  /** Resolves when all that has changed has been told. */
  async told(): Promise<void> {
    while (this.telling) await this.telling;
  }

  /** Tokens that have waits open here. */
  get size(): number {
    return this.tokens.size;
  }

  private change(tokenId: string): void {
    this.changed.add(tokenId);
    this.telling ??= this.tellAll();
  }

  private async tellAll(): Promise<void> {
    // What else happens at this moment goes along.
    await Promise.resolve();
    while (this.changed.size > 0) {
      const batch = [...this.changed].slice(0, maxAtOnce).map((tokenId) => {
        this.changed.delete(tokenId);
        const token = this.tokens.get(tokenId) ?? { open: 0, asking: [] };
        return { tokenId, token, open: token.open, asking: token.asking };
      });
      const wants = batch.map(({ tokenId, open, asking }) => ({
        tokenId,
        wanted: open + asking.length,
        most: this.most,
      }));
      const held = await this.hold(wants).catch((error: unknown) => {
        this.report(error);
        return wants.map(({ wanted }) => wanted);
      });
      batch.forEach(({ tokenId, token, open }, index) => {
        const { wanted } = wants[index] as Wanted;
        const granted = Math.max(0, (held[index] ?? 0) - open);
        token.asking.splice(0, wanted - open).forEach((answer, place) => {
          if (place < granted) token.open += 1;
          answer(place < granted);
        });
        // Somebody may have come meanwhile, after all that this batch knew of the token was forgotten.
        if (token.open === 0 && token.asking.length === 0 && this.tokens.get(tokenId) === token)
          this.tokens.delete(tokenId);
      });
    }
    // At once: what changes from now on begins the next one.
    this.telling = undefined;
  }
}
