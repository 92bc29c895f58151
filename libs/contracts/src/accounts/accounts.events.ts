import type { Instant } from '@carillon/eventing';
import type { Scope } from '../scopes';

/** Stream `account-<tail of the account id>`. */
export type AccountEvent =
  | AccountOpened
  | ProfileChanged
  | PasswordChanged
  | PasswordRemoved
  | PasskeyAdded
  | PasskeyUsed
  | PasskeyDisabled
  | PasskeyRemoved
  | IdentityLinked
  | IdentityUnlinked
  | EmailVerified
  | AccountSuspended
  | AccountResumed
  | OperatorChanged
  | AccountDeleted
  | AccountForgotten;

export interface AccountOpened {
  readonly type: 'AccountOpened';
  readonly accountId: string;
  readonly email: string | null;
  readonly name: string | null;
  /** Argon2id, in its own encoded form. Absent where the person came with an identity of another provider. */
  readonly passwordHash?: string | null;
  /** The first account, whose address counts as verified. */
  readonly operator: boolean;
  readonly openedAt: Instant;
}

/** A new address is not verified. */
export interface ProfileChanged {
  readonly type: 'ProfileChanged';
  readonly accountId: string;
  readonly email?: string | null;
  readonly name?: string | null;
  readonly timezone?: string | null;
  readonly changedAt: Instant;
}

/** Ends all sessions of the account except the one that changed the password. */
export interface PasswordChanged {
  readonly type: 'PasswordChanged';
  readonly accountId: string;
  readonly passwordHash: string | null;
  readonly keptSessionId: string;
  readonly changedAt: Instant;
}

/** Ends all sessions of the account except the one that removed the password. */
export interface PasswordRemoved {
  readonly type: 'PasswordRemoved';
  readonly accountId: string;
  readonly keptSessionId: string;
  readonly removedAt: Instant;
}

export interface PasskeyAdded {
  readonly type: 'PasskeyAdded';
  readonly accountId: string;
  readonly passkeyId: string;
  readonly name: string | null;
  /** As the authenticator names it, base64url. */
  readonly credentialId: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** The number of signatures that the authenticator has counted; 0 always where it does not count. */
  readonly counter: number;
  readonly backedUp: boolean;
  /** Of the challenge that was signed, which is used up. */
  readonly challengeHash: string;
  readonly addedAt: Instant;
}

export interface PasskeyUsed {
  readonly type: 'PasskeyUsed';
  readonly accountId: string;
  readonly passkeyId: string;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly challengeHash: string;
  readonly usedAt: Instant;
}

/** The counter of the passkey did not go up, so that two authenticators have its key: neither is let in again. */
export interface PasskeyDisabled {
  readonly type: 'PasskeyDisabled';
  readonly accountId: string;
  readonly passkeyId: string;
  readonly disabledAt: Instant;
}

export interface PasskeyRemoved {
  readonly type: 'PasskeyRemoved';
  readonly accountId: string;
  readonly passkeyId: string;
  readonly removedAt: Instant;
}

/** The person signs in with this identity of another OpenID Connect provider too. */
export interface IdentityLinked {
  readonly type: 'IdentityLinked';
  readonly accountId: string;
  /** As the settings of the installation name the provider. */
  readonly provider: string;
  readonly issuer: string;
  /** As the provider names the person; null when the account's key is deleted, like the address. */
  readonly subject: string | null;
  /** The address that the provider named, if any. */
  readonly email?: string | null;
  readonly linkedAt: Instant;
}

export interface IdentityUnlinked {
  readonly type: 'IdentityUnlinked';
  readonly accountId: string;
  readonly provider: string;
  readonly unlinkedAt: Instant;
}

/** The current address of the account is verified. */
export interface EmailVerified {
  readonly type: 'EmailVerified';
  readonly accountId: string;
  readonly verifiedAt: Instant;
}

/** The operator has suspended the account: its credentials are refused until it is resumed. */
export interface AccountSuspended {
  readonly type: 'AccountSuspended';
  readonly accountId: string;
  readonly suspendedAt: Instant;
}

/** The operator has resumed the account: its credentials are good again. */
export interface AccountResumed {
  readonly type: 'AccountResumed';
  readonly accountId: string;
  readonly resumedAt: Instant;
}

/** Next, the tokens and sessions of the account end, and the key that seals all its text is deleted. */
export interface AccountDeleted {
  readonly type: 'AccountDeleted';
  readonly accountId: string;
  readonly deletedAt: Instant;
}

/** Whether the account is an operator of the installation, as the operator's tool has decided. */
export interface OperatorChanged {
  readonly type: 'OperatorChanged';
  readonly accountId: string;
  readonly operator: boolean;
  readonly changedAt: Instant;
}

/**
 * The key of a deleted account is deleted, and everything that only the account had has ended: projections erase rows
 * with its text. Events of the account after this one were sealed too late and are unreadable. May occur repeatedly.
 */
export interface AccountForgotten {
  readonly type: 'AccountForgotten';
  readonly accountId: string;
  readonly forgottenAt: Instant;
}

/**
 * Stream `email-<keyed hash of the address>`: ensures that at most one account has an address. The newest claim counts;
 * a claim whose account never took the address may be replaced.
 */
export type EmailEvent = EmailClaimed | EmailReleased;

export interface EmailClaimed {
  readonly type: 'EmailClaimed';
  readonly accountId: string;
  readonly claimedAt: Instant;
}

export interface EmailReleased {
  readonly type: 'EmailReleased';
  readonly accountId: string;
  readonly releasedAt: Instant;
}

/**
 * Stream `identity-<keyed hash of issuer and subject>`: ensures that at most one account has an identity of another
 * provider. The newest claim counts; a claim whose account does not have the identity may be replaced.
 */
export interface IdentityClaimed {
  readonly type: 'IdentityClaimed';
  readonly accountId: string;
  readonly claimedAt: Instant;
}

/** Stream `second_factor-<tail of the account id>`. */
export type SecondFactorEvent =
  TotpPrepared | TotpConfirmed | TotpUsed | TotpRemoved | RecoveryCodesReplaced | RecoveryCodeUsed;

/** A new key of an authenticator app, which its first code takes into use. */
export interface TotpPrepared {
  readonly type: 'TotpPrepared';
  readonly accountId: string;
  /** Base32; null when the account's key is deleted. */
  readonly secret: string | null;
  readonly preparedAt: Instant;
}

/** The prepared key is in use, and the recovery codes are new. */
export interface TotpConfirmed {
  readonly type: 'TotpConfirmed';
  readonly accountId: string;
  /** The step of the code, which is used with this. */
  readonly step: number;
  readonly recoveryHashes: readonly string[];
  readonly confirmedAt: Instant;
}

export interface TotpUsed {
  readonly type: 'TotpUsed';
  readonly accountId: string;
  /** No code of this step or of one before it is good again. */
  readonly step: number;
  readonly usedAt: Instant;
}

export interface TotpRemoved {
  readonly type: 'TotpRemoved';
  readonly accountId: string;
  readonly removedAt: Instant;
}

/** Recovery codes are new: the former ones are not good any longer. */
export interface RecoveryCodesReplaced {
  readonly type: 'RecoveryCodesReplaced';
  readonly accountId: string;
  /** Keyed hashes. */
  readonly recoveryHashes: readonly string[];
  readonly replacedAt: Instant;
}

export interface RecoveryCodeUsed {
  readonly type: 'RecoveryCodeUsed';
  readonly accountId: string;
  readonly recoveryHash: string;
  readonly usedAt: Instant;
}

/** Stream `installation-bootstrap`: the one-time secret for the first account. */
export type BootstrapEvent = BootstrapOffered | BootstrapUsed;

export interface BootstrapOffered {
  readonly type: 'BootstrapOffered';
  readonly secretHash: string;
  readonly expiresAt: Instant;
}

export interface BootstrapUsed {
  readonly type: 'BootstrapUsed';
  readonly accountId: string;
  readonly usedAt: Instant;
}

/** Stream `token-<tail of the token id>`. */
export type TokenEvent = TokenCreated | GrantWidened | TokenRevoked;

/** The client of an OAuth grant, and what its tokens are good for. */
export interface GrantedClient {
  readonly clientId: string;
  /** The host of the client's metadata document; null for a registered client. */
  readonly clientHost: string | null;
  /** A URL. */
  readonly resource: string;
}

export interface TokenCreated {
  readonly type: 'TokenCreated';
  readonly tokenId: string;
  readonly accountId: string;
  readonly name: string | null;
  readonly prefix: string;
  /** Of a grant: a hash that no secret has, since its tokens come and go in rows. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly kind: 'token' | 'oauth';
  readonly expiresAt: Instant | null;
  readonly createdAt: Instant;
  /** Only of a grant, whose `name` is the client's. */
  readonly grant?: GrantedClient;
}

/** A person has agreed to more scopes of a client that has a grant already, or to the same ones again. */
export interface GrantWidened {
  readonly type: 'GrantWidened';
  readonly tokenId: string;
  readonly accountId: string;
  /** All scopes of the grant. */
  readonly scopes: readonly Scope[];
  readonly expiresAt: Instant;
  readonly widenedAt: Instant;
}

export interface TokenRevoked {
  readonly type: 'TokenRevoked';
  readonly tokenId: string;
  readonly accountId: string;
  readonly revokedAt: Instant;
}

/** Stream `token_use-<token id>`, at most one a day; the log keeps only the newest event. */
export interface TokenUsed {
  readonly type: 'TokenUsed';
  readonly tokenId: string;
  readonly accountId: string;
  readonly usedAt: Instant;
}

/** Stream `session-<tail of the session id>`. */
export type SessionEvent = SessionStarted | SessionRefreshed | SessionEnded;

export interface SessionStarted {
  readonly type: 'SessionStarted';
  readonly sessionId: string;
  readonly accountId: string;
  readonly kind: 'cookie' | 'app';
  readonly accessHash: string;
  readonly refreshHash: string | null;
  readonly accessExpiresAt: Instant;
  /** The absolute end of the session. */
  readonly expiresAt: Instant;
  /** Keyed hash of the network of the sign-in. */
  readonly networkHash?: string;
  /** Keyed hash of the browser's mark; an app has none. */
  readonly browserHash?: string;
  /** The account was opened by the same request: nobody is told of this sign-in. */
  readonly atOpening?: true;
  readonly startedAt: Instant;
}

export interface SessionRefreshed {
  readonly type: 'SessionRefreshed';
  readonly sessionId: string;
  readonly accountId: string;
  readonly accessHash: string;
  readonly refreshHash: string;
  readonly accessExpiresAt: Instant;
  readonly expiresAt: Instant;
  readonly refreshedAt: Instant;
}

export interface SessionEnded {
  readonly type: 'SessionEnded';
  readonly sessionId: string;
  readonly accountId: string;
  /** `replaced`: the person signed in again in the same browser. */
  readonly reason: 'signed_out' | 'revoked' | 'refresh_reused' | 'replaced';
  readonly endedAt: Instant;
}

/** Stream `session_use-<session id>`, at most one a day; the log keeps only the newest event. */
export interface SessionUsed {
  readonly type: 'SessionUsed';
  readonly sessionId: string;
  readonly accountId: string;
  readonly usedAt: Instant;
}
