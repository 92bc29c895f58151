import { Bool, ListOf, Opaque, Optional } from '@carillon/schema';
import type { Scope } from '../scopes';

/** The data of a token that the edge needs to authorize a request. */
export interface TokenIdentity {
  tokenId: string;
  accountId: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  /** The URL that an OAuth access token works at; any without it. */
  resource?: string;
}

export interface SessionIdentity {
  sessionId: string;
  accountId: string;
  kind: 'cookie' | 'app';
  /** The person's last authentication; step-up requires it within 15 minutes. */
  signedInAt: string;
  operator: boolean;
}

/** HMAC-SHA-256 of a secret under the pepper, 64 hex digits: the only form that crosses the bus. */
export class SecretHash {
  @Opaque(64, 64) hash!: string;
}

export class IdentifyToken extends SecretHash {
  /** An OAuth access token, no API token. */
  @Optional() @Bool() access?: boolean;
}

/** The hashes of the secrets that requests of one gateway are open with. */
export class SecretHashes {
  @ListOf(Opaque.rule(64, 64), { min: 1, max: 500, unique: true }) hashes!: string[];
}
