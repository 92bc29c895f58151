/** What a gateway tells the others of a token. */
export interface OpenWaits {
  readonly gateway: string;
  readonly open: number;
}

/** A wait is over by then, so that what another gateway said before counts no more. */
const believedMs = 70_000;

/**
 * How many waits each token has open, here and, as far as has been heard, at the other gateways. Two that take the last
 * place in the same moment may both have it.
 */
export class Places {
  private readonly here = new Map<string, number>();
  private readonly elsewhere = new Map<
    string,
    Map<string, { readonly open: number; readonly atMs: number }>
  >();

  constructor(
    private readonly gateway: string,
    private readonly most: number,
    private readonly tell: (tokenId: string, waits: OpenWaits) => void,
  ) {}

  /** False when the token has no place left. */
  take(tokenId: string, nowMs: number): boolean {
    const open = this.here.get(tokenId) ?? 0;
    if (open + this.openElsewhere(tokenId, nowMs) >= this.most) return false;
    this.set(tokenId, open + 1);
    return true;
  }

  give(tokenId: string): void {
    this.set(tokenId, (this.here.get(tokenId) ?? 1) - 1);
  }

  heard(tokenId: string, { gateway, open }: OpenWaits, nowMs: number): void {
    if (gateway === this.gateway) return;
    const others = this.elsewhere.get(tokenId) ?? new Map<string, { open: number; atMs: number }>();
    if (open > 0) others.set(gateway, { open, atMs: nowMs });
    else others.delete(gateway);
    if (others.size > 0) this.elsewhere.set(tokenId, others);
    else this.elsewhere.delete(tokenId);
  }

  /** Drops what is too old to be believed, of gateways that have died. */
  forget(nowMs: number): void {
    for (const tokenId of this.elsewhere.keys()) this.openElsewhere(tokenId, nowMs);
  }

  /** Tokens that are known to have waits open elsewhere. */
  get size(): number {
    return this.elsewhere.size;
  }

  private openElsewhere(tokenId: string, nowMs: number): number {
    const others = this.elsewhere.get(tokenId);
    if (!others) return 0;
    let sum = 0;
    for (const [gateway, { open, atMs }] of others)
      if (nowMs - atMs < believedMs) sum += open;
      else others.delete(gateway);
    if (others.size === 0) this.elsewhere.delete(tokenId);
    return sum;
  }

  private set(tokenId: string, open: number): void {
    if (open > 0) this.here.set(tokenId, open);
    else this.here.delete(tokenId);
    this.tell(tokenId, { gateway: this.gateway, open });
  }
}
