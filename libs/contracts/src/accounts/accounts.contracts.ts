import { answers, Nothing, type Page } from '../contract';
import { scopes, type Scope } from '../scopes';
import {
  Email,
  Id,
  Int,
  ListOf,
  ListOfShapes,
  Nullable,
  OneOf,
  Opaque,
  Optional,
  Paged,
  Text,
  When,
} from '../validation/rules';

export interface ApiToken {
  id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
  createdAt: string;
  kind?: 'token' | 'oauth';
  oauthClient?: { clientId: string; name: string } | null;
}

/** What the edge must know of a token to let a request pass. */
export interface TokenIdentity {
  tokenId: string;
  accountId: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
}

export interface SessionIdentity {
  sessionId: string;
  accountId: string;
  kind: 'cookie' | 'app';
  /** When the person last proved who they are; step-up needs it within 15 minutes. */
  signedInAt: string;
  operator: boolean;
}

export interface Account {
  id: string;
  email: string;
  name: string;
  timezone: string | null;
  operator: boolean;
  createdAt: string;
}

/** Secrets of a session, given once. A cookie session has no refresh token. */
export interface SessionSecrets {
  sessionId: string;
  accessToken: string;
  refreshToken?: string;
  expiresAt: string;
}

export interface SignedIn {
  account: Account;
  session: SessionSecrets;
}

/** HMAC-SHA-256 of a secret under the pepper, 64 hex digits: the only form that crosses the bus. */
export class SecretHash {
  @Opaque(64, 64) hash!: string;
}

export class ListTokens extends Paged {
  @Optional() @OneOf(['token', 'oauth']) kind?: 'token' | 'oauth';
  @Optional() @OneOf(['active', 'revoked', 'expired', 'all']) status?:
    'active' | 'revoked' | 'expired' | 'all';
}

export class CreateToken {
  @Text(1, 80) name!: string;
  @ListOf(OneOf.rule(scopes), { min: 1, max: 22, unique: true }) scopes!: Scope[];
  @Optional() @Nullable() @When() expiresAt?: string | null;
}

export class TokenById {
  @Id('tok') id!: string;
}

/** How a person proves who they are with a password. */
export class SignIn {
  @Email() email!: string;
  @Opaque(1, 1024) password!: string;
  @Optional() @Text(1, 16) totp?: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

export class SignUp {
  @Email() email!: string;
  @Text(1, 80) name!: string;
  @Opaque(12, 256) password!: string;
  @Optional() @Text(1, 64) inviteCode?: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

export class Bootstrap {
  @Opaque(1, 256) secret!: string;
  @Email() email!: string;
  @Text(1, 80) name!: string;
  @Opaque(12, 256) password!: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

export class RefreshSession {
  @Opaque(1, 256) refreshToken!: string;
}

export class SessionById {
  @Id('ses') id!: string;
}

export class ChangeProfile {
  @Optional() @Text(1, 80) name?: string;
  @Optional() @Email() email?: string;
  @Optional() @Nullable() @Text(1, 64) timezone?: string | null;
}

export interface SessionSummary {
  id: string;
  kind: 'cookie' | 'app';
  current: boolean;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
}

export class RateTake {
  /** What is counted, such as `token:tok_…`. */
  @Opaque(1, 200) key!: string;
  @Int(1, 1_000_000) limit!: number;
  @Int(1, 86_400) windowSeconds!: number;
  /** How many are asked for; as many as fit are granted. */
  @Int(1, 10_000) count!: number;
}

export class TakeRates {
  @ListOfShapes(RateTake, { min: 1, max: 500 }) takes!: RateTake[];
}

/** The answer to one take: how many of the count fit, what is left, and when more will be. */
export interface RateGrant {
  granted: number;
  remaining: number;
  /** Whole seconds, at least 1. */
  resetSeconds: number;
}

export const Accounts = {
  /** Refused `token.unknown`, `token.revoked`, `token.expired`, `account.suspended`. */
  identifyToken: answers<TokenIdentity>()('accounts.token.identify', SecretHash),
  /** Refused `session.required`, `session.reauth_required`, `token.expiry_out_of_range`, `resource.limit_reached`. */
  createToken: answers<{ token: ApiToken; secret: string }>()('accounts.token.create', CreateToken),
  /** Refused `page.invalid_cursor`. */
  listTokens: answers<Page<ApiToken>>()('accounts.token.list', ListTokens),
  /** Revokes another token of the account. Refused `token.not_found`, and `token.own` for the calling one. */
  revokeToken: answers<{ ok: true }>()('accounts.token.revoke', TokenById),
  /** Revokes the calling token. */
  revokeOwnToken: answers<{ ok: true }>()('accounts.token.revoke-own', Nothing),

  /** Refused `session.unknown`, `session.expired`, `session.ended`. */
  identifySession: answers<SessionIdentity>()('accounts.session.identify', SecretHash),
  /** Refused `session.login_failed`, `session.too_many_failures`. */
  signIn: answers<SignedIn>()('accounts.session.sign-in', SignIn),
  /** Refused `session.refresh_invalid`; a used refresh token ends the whole session. */
  refresh: answers<SessionSecrets>()('accounts.session.refresh', RefreshSession),
  /** Ends the calling session. Refused `session.required`. */
  signOut: answers<{ ok: true }>()('accounts.session.sign-out', Nothing),
  listSessions: answers<{ sessions: SessionSummary[] }>()('accounts.session.list', Nothing),
  /** Refused `session.not_found`. */
  endSession: answers<{ ok: true }>()('accounts.session.end', SessionById),

  /** Makes the first account, an operator. Refused `account.bootstrap_closed`, `account.bootstrap_secret`. */
  bootstrap: answers<SignedIn>()('accounts.account.bootstrap', Bootstrap),
  /** Refused `account.signup_closed`, `account.invite_invalid`, `account.email_taken`. */
  signUp: answers<SignedIn>()('accounts.account.sign-up', SignUp),
  me: answers<{ account: Account }>()('accounts.account.me', Nothing),
  /**
   * Refused `session.required`, `input.empty_update`, `input.invalid`; for another address also
   * `session.reauth_required`, `account.email_taken`.
   */
  changeProfile: answers<{ account: Account }>()('accounts.account.change-profile', ChangeProfile),

  takeRates: answers<{ grants: RateGrant[] }>()('accounts.rate.take', TakeRates),
};

/** Core NATS signal `sig.token.revoked.<token id>`: every gateway drops what it cached of that token. */
export interface TokenRevokedSignal {
  tokenId: string;
}
