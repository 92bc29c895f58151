import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

export interface ApnsKey {
  readonly keyId: string;
  readonly teamId: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

/** Apple accepts a token for an hour, and requires at least 20 minutes between two tokens. */
const renewAfterMs = 50 * 60_000;
const forcedRenewalFloorMs = 20 * 60_000;

/** The single token that authenticates this process to Apple. It uses the wall clock, because Apple checks the time. */
export class ProviderToken {
  private readonly key: KeyObject;
  private current: string;
  private mintedAt: number;
  private forcedAt = Number.NEGATIVE_INFINITY;

  /** Throws for an invalid key: better at startup than at the first push. */
  constructor(
    private readonly owner: ApnsKey,
    private readonly now: () => number = Date.now,
  ) {
    this.key = createPrivateKey(owner.key);
    this.mintedAt = this.now();
    this.current = this.mint();
  }

  get value(): string {
    if (this.now() - this.mintedAt >= renewAfterMs) this.current = this.mint();
    return this.current;
  }

  /**
   * Called when the provider rejected `refused` as expired. True when there is another token to try: one created since,
   * or a new one. A renewal is forced at most every 20 minutes, or Apple would reject all tokens.
   */
  renew(refused: string): boolean {
    if (refused !== this.current) return true;
    if (this.now() - this.forcedAt < forcedRenewalFloorMs) return false;
    this.forcedAt = this.now();
    this.current = this.mint();
    return this.current !== refused;
  }

  private mint(): string {
    this.mintedAt = this.now();
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const head = part({ alg: 'ES256', kid: this.owner.keyId });
    const claims = part({ iss: this.owner.teamId, iat: Math.floor(this.mintedAt / 1000) });
    const signature = sign('sha256', Buffer.from(`${head}.${claims}`), {
      key: this.key,
      dsaEncoding: 'ieee-p1363',
    });
    return `${head}.${claims}.${signature.toString('base64url')}`;
  }
}
