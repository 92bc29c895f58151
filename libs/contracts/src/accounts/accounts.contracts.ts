import {
  bool,
  Email,
  exactly,
  id,
  Id,
  list,
  ListOf,
  named,
  nullable,
  Nullable,
  object,
  oneOf,
  OneOf,
  Opaque,
  optional,
  Optional,
  resource,
  type Static,
  text,
  Text,
  when,
  When,
} from '@carillon/schema';
import { answers, Nothing, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';
import { scopes, type Scope } from '../scopes';
import { RequestOptions, SignInWithPasskey } from './passkeys';
import { HoldWaitPermits, type RatesTaken, TakeRates } from './rates';
import {
  IdentifyToken,
  SecretHash,
  SecretHashes,
  type SessionIdentity,
  type TokenIdentity,
} from './identities';
import {
  Bootstrap,
  RecoveryCodes,
  Recover,
  RefreshSession,
  SignIn,
  SignUp,
  TotpCode,
  TotpKey,
} from './sign-in';

const scopeList = list(named('Scope', oneOf(scopes)));

export const ApiToken = resource(
  'ApiToken',
  {
    id: id('tok'),
    name: text(),
    prefix: text('How the token begins; the secret itself is never shown again.'),
    scopes: scopeList,
    expiresAt: nullable(when()),
    lastUsedAt: nullable(when('Written at most once a minute.')),
    revokedAt: nullable(when()),
    createdAt: when(),
    kind: optional(oneOf(['token', 'oauth'], '`oauth` is the grant behind a connected remote tool client.')),
    oauthClient: optional(nullable(object({ clientId: text(), name: text() }))),
  },
  'A token of the account.',
);
export type ApiToken = Static<typeof ApiToken>;

export const TokenStatus = resource(
  'TokenStatus',
  {
    authenticated: exactly(true),
    token: object({
      id: id('tok'),
      name: text(),
      prefix: text(),
      scopes: scopeList,
      createdAt: when(),
      lastUsedAt: nullable(when()),
      expiresAt: nullable(when()),
    }),
  },
  'The token that asks.',
);
export type TokenStatus = Static<typeof TokenStatus>;

export const Account = resource('Account', {
  id: id('usr'),
  email: text(),
  emailVerified: bool('Whether the address is known to be the account’s own.'),
  name: text(),
  timezone: nullable(text()),
  operator: bool('Whether the account may use the operator routes.'),
  createdAt: when(),
});
export type Account = Static<typeof Account>;

/** The data of a person that others may see. */
export interface Person {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
}

/** An account as the operator of the installation sees it. A deleted account has neither address nor name. */
export interface AccountEntry {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly createdAt: string;
  readonly state: 'active' | 'suspended' | 'deleted';
}

/** Whether the credentials of an account are refused. */
export interface Suspension {
  readonly id: string;
  readonly suspended: boolean;
}

/** Secrets of a session, which are returned only once. A cookie session has no refresh token. */
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

export class ListTokens extends ListQuery {
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

export class SessionById {
  @Id('ses') id!: string;
}

export class ChangeProfile {
  @Optional() @Text(1, 80) name?: string;
  @Optional() @Email() email?: string;
  @Optional() @Nullable() @Text(1, 64) timezone?: string | null;
}

export class ChangePassword {
  /** Where the account has one. */
  @Optional() @Opaque(1, 1024) current?: string;
  @Opaque(12, 256) next!: string;
}

export class AccountById {
  @Id('usr') accountId!: string;
}

export class AddressOf {
  @Email() email!: string;
}

export class ListAccounts extends ListQuery {
  @Optional() @Email() email?: string;
}

export class ReadHistory extends AccountById {
  /** A position in the log; `0` is its start. */
  @Text(1, 20) after!: string;
  @Text(1, 20) until!: string;
}

export class RewrapKeys {
  /** A position in the log; `0` is its start, at which a rotation begins. */
  @Text(1, 20) after!: string;
}

/** The number of account keys that were rewrapped, and of those that no key of the ring opens. */
export interface RewrappedKeys {
  readonly rewrapped: number;
  readonly broken: number;
  readonly next: string | null;
}

/** An event of an account without secrets, for the account's export. */
export interface PastEvent {
  readonly type: string;
  readonly at: string;
  readonly data: object;
}

export const SessionSummary = resource('Session', {
  id: id('ses'),
  kind: oneOf(['cookie', 'app']),
  current: bool('Whether it is the one that asks.'),
  createdAt: when(),
  lastUsedAt: when(),
  expiresAt: when(),
});
export type SessionSummary = Static<typeof SessionSummary>;

export const Accounts = {
  identifyToken: answers<TokenIdentity>()(
    'accounts.token.identify',
    IdentifyToken,
    ['token.unknown', 'token.revoked', 'token.expired', 'account.suspended'],
    'always',
  ),
  /** Answers which of these are of valid tokens. Of another one `identifyToken` says what it is. */
  validTokens: answers<{ valid: string[] }>()('accounts.token.valid', SecretHashes, [], 'always'),
  createToken: answers(object({ token: ApiToken, secret: text('Shown this once.') }))(
    'accounts.token.create',
    CreateToken,
    ['session.required', 'session.reauth_required', 'token.expiry_out_of_range', 'resource.limit_reached'],
  ),
  listTokens: answers<ListPage<ApiToken>>()(
    'accounts.token.list',
    ListTokens,
    ['list.invalid_cursor'],
    'always',
  ),
  /** Revokes another token of the account. */
  revokeToken: answers(Ok)('accounts.token.revoke', TokenById, ['token.not_found', 'token.own']),
  /** Revokes the calling token. */
  revokeOwnToken: answers(Ok)('accounts.token.revoke-own', Nothing),

  identifySession: answers<SessionIdentity>()(
    'accounts.session.identify',
    SecretHash,
    ['session.unknown', 'session.expired', 'session.ended', 'account.suspended'],
    'always',
  ),
  /** As `validTokens`, for sessions. */
  validSessions: answers<{ valid: string[] }>()('accounts.session.valid', SecretHashes, [], 'always'),
  signIn: answers<SignedIn>()('accounts.session.sign-in', SignIn, [
    'session.login_failed',
    'session.second_factor_required',
    'session.too_many_failures',
    'account.suspended',
  ]),
  /** Uses one of the recovery codes. */
  recover: answers<SignedIn>()('accounts.session.recover', Recover, [
    'session.login_failed',
    'session.too_many_failures',
    'account.suspended',
  ]),
  passkeyOptions: answers(RequestOptions)('accounts.session.passkey-options', Nothing, [
    'passkey.unavailable',
  ]),
  signInWithPasskey: answers<SignedIn>()('accounts.session.passkey', SignInWithPasskey, [
    'passkey.unavailable',
    'passkey.login_failed',
    'password.too_many_failures',
    'account.suspended',
  ]),
  /** A used refresh token ends the whole session. */
  refresh: answers<SessionSecrets>()('accounts.session.refresh', RefreshSession, [
    'session.refresh_invalid',
    'account.suspended',
  ]),
  /** Ends the calling session. */
  signOut: answers(Ok)('accounts.session.sign-out', Nothing, ['session.required']),
  listSessions: answers(object({ sessions: list(SessionSummary) }))(
    'accounts.session.list',
    Nothing,
    [],
    'always',
  ),
  endSession: answers(Ok)('accounts.session.end', SessionById, ['session.not_found']),

  /** Makes the first account, an operator. */
  bootstrap: answers<SignedIn>()('accounts.account.bootstrap', Bootstrap, [
    'account.bootstrap_closed',
    'account.bootstrap_secret',
  ]),
  signUp: answers<SignedIn>()('accounts.account.sign-up', SignUp, [
    'account.signup_closed',
    'account.invite_invalid',
    'account.email_taken',
  ]),
  me: answers(
    object({
      account: Account,
      mail: bool('Whether the installation sends mails.'),
      totp: optional(bool('Whether the account has an authenticator app.')),
    }),
  )('accounts.account.me', Nothing, ['account.not_found'], 'always'),
  /** The last three for another address only. */
  changeProfile: answers(object({ account: Account }))('accounts.account.change-profile', ChangeProfile, [
    'session.required',
    'account.not_found',
    'input.empty_update',
    'input.invalid',
    'session.reauth_required',
    'account.too_many_addresses',
    'account.email_taken',
  ]),

  /** Ends all other sessions of the account. */
  changePassword: answers(Ok)('accounts.account.change-password', ChangePassword, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
    'password.too_many_failures',
    'password.wrong',
    'password.too_common',
  ]),

  /** Ends all other sessions of the account. */
  removePassword: answers(Ok)('accounts.account.remove-password', Nothing, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
    'sign_in.last_method',
  ]),

  /** Makes a key for an authenticator app, which its first code takes into use. */
  prepareTotp: answers(TotpKey)('accounts.totp.prepare', Nothing, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
  ]),
  confirmTotp: answers(RecoveryCodes)('accounts.totp.confirm', TotpCode, [
    'session.required',
    'session.reauth_required',
    'password.too_many_failures',
    'totp.wrong_code',
  ]),
  removeTotp: answers(Ok)('accounts.totp.remove', TotpCode, [
    'session.required',
    'session.reauth_required',
    'password.too_many_failures',
    'totp.wrong_code',
  ]),
  replaceRecoveryCodes: answers(RecoveryCodes)('accounts.recovery-codes.replace', Nothing, [
    'session.required',
    'session.reauth_required',
  ]),

  /** For other services: the verified address of the account, from the log; null if none. */
  verifiedAddress: answers<{ email: string | null }>()(
    'accounts.account.verified-address',
    AccountById,
    [],
    'always',
  ),
  /** For other services: the person of an account, from the log. Refused when the account is deleted or suspended. */
  person: answers<Person>()(
    'accounts.account.person',
    AccountById,
    ['account.not_found', 'account.suspended'],
    'always',
  ),
  /** For the operator of the installation: accounts, newest first; with an address, the one account that has it. */
  list: answers<ListPage<AccountEntry>>()(
    'accounts.account.list',
    ListAccounts,
    ['operator.required', 'list.invalid_cursor'],
    'always',
  ),
  /** For the operator of the installation: the account of an address. */
  byEmail: answers<{ accountId: string }>()(
    'accounts.account.by-email',
    AddressOf,
    ['operator.required', 'account.not_found'],
    'always',
  ),
  /** For the operator of the installation: records an export of all data of the account, up to a position. */
  beginExport: answers<{ until: string }>()('accounts.account.begin-export', AccountById, [
    'operator.required',
    'account.not_found',
  ]),
  /** For the operator of the installation: the next events of the account in the log; `next` is null at the end. */
  history: answers<{ events: PastEvent[]; next: string | null }>()(
    'accounts.account.history',
    ReadHistory,
    ['operator.required'],
    'always',
  ),
  /**
   * For the operator of the installation: rewraps account keys with the newest key of the ring, in parts of the log.
   */
  rewrapKeys: answers<RewrappedKeys>()('accounts.key.rewrap', RewrapKeys, ['operator.required'], 'always'),
  /** For the operator of the installation: blocks all access to the account, so that its data can be removed next. */
  remove: answers<{ ok: true }>()(
    'accounts.account.remove',
    AccountById,
    ['operator.required', 'account.not_found'],
    'always',
  ),
  /** For the operator of the installation: erases all text of a removed account everywhere. */
  forget: answers<{ ok: true }>()(
    'accounts.account.forget',
    AccountById,
    ['operator.required', 'account.not_found', 'account.in_use'],
    'always',
  ),
  /** For the operator of the installation: marks the address of the account as verified. */
  verifyEmail: answers(object({ account: Account }))(
    'accounts.account.verify-email',
    AddressOf,
    ['operator.required', 'account.not_found'],
    'always',
  ),
  /**
   * For the operator of the installation: refuses all credentials of the account until it is resumed. It deletes
   * nothing, and changes nothing when the account is suspended already.
   */
  suspend: answers<Suspension>()('accounts.account.suspend', AccountById, [
    'operator.required',
    'account.not_found',
  ]),
  /** For the operator of the installation: accepts the credentials of a suspended account again. */
  resume: answers<Suspension>()('accounts.account.resume', AccountById, [
    'operator.required',
    'account.not_found',
  ]),

  takeRates: answers<RatesTaken>()('accounts.rate.take', TakeRates, [], 'always'),
  /** Answers how many permits the gateway holds. They expire after half a minute unless the gateway asks again. */
  holdWaitPermits: answers<{ held: number[] }>()('accounts.rate.hold', HoldWaitPermits, [], 'always'),
};

/**
 * Core NATS signal `sig.account.suspended.<account id>`, without data: a gateway forgets what it knows of the account's
 * credentials, and asks again about those of open waits and streams.
 */
export const accountSuspended = 'account.suspended';

/**
 * Core NATS signals `sig.token.revoked.<token id>` and `sig.session.ended.<session id>`. They are only hints: a gateway
 * asks again about the token, and a replica of accounts reads the given revision from the log, before its row has it.
 */
export interface EndedSignal {
  stream: string;
  revision: string;
}
