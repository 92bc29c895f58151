import { LRUCache } from 'lru-cache';
import { createHash, type KeyObject } from 'node:crypto';
import { readSignedToken } from '../signed-token.js';
import type { ApnsRefusal } from './request.js';

interface Verified {
  refusal: ApnsRefusal | undefined;
  issuedAt: number;
  fingerprint: string;
}

/** What a connection remembers of the provider tokens it saw. */
export interface ConnectionTokens {
  current: string | undefined;
  since: number;
  /** The provider itself said that the token has expired, so one early replacement is fair. */
  toldExpired: boolean;
  replacedEarlyAt: number;
}

const hour = 3_600_000;
const updateFloor = 20 * 60_000;
const clockSkew = 60_000;
const remembered = 1000;

/** Checks provider tokens. Each token's signature is verified once, then known by its text. */
export class ProviderTokens {
  private readonly known = new LRUCache<string, Verified>({ max: remembered });

  constructor(
    private readonly owner: { keyId: string; teamId: string; publicKey: KeyObject },
    private readonly now: () => number,
  ) {}

  /** A fresh memory for a new connection. */
  static connection(): ConnectionTokens {
    return { current: undefined, since: 0, toldExpired: false, replacedEarlyAt: 0 };
  }

  /** Judges the authorization header of a request on a connection. Undefined means that it is good. */
  check(header: string | undefined, connection: ConnectionTokens): ApnsRefusal | undefined {
    const token = /^bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
    if (!token) return { status: 403, reason: 'MissingProviderToken' };
    const verified = this.verify(token);
    if (verified.refusal) return verified.refusal;
    const now = this.now();
    if (now - verified.issuedAt > hour) return { status: 403, reason: 'ExpiredProviderToken' };
    if (verified.issuedAt - now > clockSkew) return { status: 403, reason: 'InvalidProviderToken' };
    if (connection.current === token) return undefined;
    if (connection.current !== undefined && now - connection.since < updateFloor) {
      const fair = connection.toldExpired && now - connection.replacedEarlyAt >= updateFloor;
      if (!fair) return { status: 429, reason: 'TooManyProviderTokenUpdates' };
      connection.replacedEarlyAt = now;
    }
    connection.current = token;
    connection.since = now;
    connection.toldExpired = false;
    return undefined;
  }

  /** A short mark that tells tokens apart in a record without keeping them. */
  fingerprint(header: string): string {
    const token = /^bearer\s+(\S+)$/i.exec(header)?.[1];
    return token ? `bearer ${this.verify(token).fingerprint}` : 'not a bearer token';
  }

  private verify(token: string): Verified {
    const known = this.known.get(token);
    if (known) return known;
    const invalid: ApnsRefusal = { status: 403, reason: 'InvalidProviderToken' };
    const read = readSignedToken(token, 'ES256', this.owner.publicKey);
    const issuedAt = typeof read?.claims.iat === 'number' ? read.claims.iat * 1000 : undefined;
    const good =
      read?.genuine &&
      read.kid === this.owner.keyId &&
      read.claims.iss === this.owner.teamId &&
      issuedAt !== undefined;
    const verified: Verified = {
      refusal: good ? undefined : invalid,
      issuedAt: issuedAt ?? 0,
      fingerprint: `sha256:${createHash('sha256').update(token).digest('hex').slice(0, 16)}`,
    };
    this.known.set(token, verified);
    return verified;
  }
}
