import type { Account, AccountEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';

/** Null before the account is opened, and when its text cannot be read because its key was deleted. */
export type AccountState = Opened | null;

export interface Opened {
  readonly accountId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  /** Null where the account has no password any more. */
  readonly passwordHash: string | null;
  readonly passkeys: readonly Passkey[];
  readonly identities: readonly Identity[];
  /** Challenges that passkeys have signed and that would still be good. */
  readonly spentChallenges: readonly SpentChallenge[];
  readonly timezone: string | null;
  readonly operator: boolean;
  readonly suspended: boolean;
  readonly openedAt: Instant;
}

export interface Passkey {
  readonly id: string;
  readonly name: string | null;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly disabled: boolean;
  readonly addedAt: Instant;
  readonly lastUsedAt: Instant | null;
}

/** An identity of another OpenID Connect provider. */
export interface Identity {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly linkedAt: Instant;
}

interface SpentChallenge {
  readonly hash: string;
  readonly at: Instant;
}

/** A challenge that is older is refused by itself, and need not be remembered. */
export const challengeMs = 5 * 60_000;

const spent = (before: readonly SpentChallenge[], hash: string, at: Instant): readonly SpentChallenge[] => [
  ...before.filter((each) => millis(at) - millis(each.at) <= challengeMs),
  { hash, at },
];

const withPasskey = (state: Opened, id: string, change: Partial<Passkey>): Opened => ({
  ...state,
  passkeys: state.passkeys.map((each) => (each.id === id ? { ...each, ...change } : each)),
});

export const account: Decider<AccountState, AccountEvent> = {
  category: 'account',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'AccountOpened': {
        const { type: _type, email, name, passwordHash, ...opened } = event;
        if (email === null || name === null || passwordHash === null) return null;
        return {
          ...opened,
          email,
          emailVerified: event.operator,
          name,
          passwordHash: passwordHash ?? null,
          passkeys: [],
          identities: [],
          spentChallenges: [],
          timezone: null,
          suspended: false,
        };
      }
      case 'ProfileChanged':
        return (
          state && {
            ...state,
            ...(event.email !== undefined && { email: event.email ?? state.email, emailVerified: false }),
            ...(event.name && { name: event.name }),
            ...(event.timezone !== undefined && { timezone: event.timezone }),
          }
        );
      case 'PasswordChanged':
        return state && { ...state, passwordHash: event.passwordHash ?? state.passwordHash };
      case 'PasswordRemoved':
        return state && { ...state, passwordHash: null };
      case 'PasskeyAdded': {
        const { passkeyId: id, name, credentialId, publicKey, counter, backedUp, addedAt } = event;
        const added = { id, name, credentialId, publicKey, counter, backedUp, addedAt };
        return (
          state && {
            ...state,
            passkeys: [...state.passkeys, { ...added, disabled: false, lastUsedAt: null }],
            spentChallenges: spent(state.spentChallenges, event.challengeHash, addedAt),
          }
        );
      }
      case 'PasskeyUsed': {
        const { passkeyId, counter, backedUp, challengeHash, usedAt } = event;
        return (
          state && {
            ...withPasskey(state, passkeyId, { counter, backedUp, lastUsedAt: usedAt }),
            spentChallenges: spent(state.spentChallenges, challengeHash, usedAt),
          }
        );
      }
      case 'PasskeyDisabled':
        return state && withPasskey(state, event.passkeyId, { disabled: true });
      case 'PasskeyRemoved':
        return state && { ...state, passkeys: state.passkeys.filter(({ id }) => id !== event.passkeyId) };
      case 'IdentityLinked': {
        const { type: _type, accountId: _accountId, subject, email = null, ...linked } = event;
        if (!state || subject === null) return state;
        return { ...state, identities: [...state.identities, { ...linked, subject, email }] };
      }
      case 'IdentityUnlinked':
        return (
          state && {
            ...state,
            identities: state.identities.filter(({ provider }) => provider !== event.provider),
          }
        );
      case 'EmailVerified':
        return state && { ...state, emailVerified: true };
      case 'AccountSuspended':
        return state && { ...state, suspended: true };
      case 'AccountResumed':
        return state && { ...state, suspended: false };
      case 'OperatorChanged':
        return state && { ...state, operator: event.operator };
      case 'AccountDeleted':
      case 'AccountForgotten':
        return null;
    }
  },
  personal: {
    AccountOpened: ['email', 'name', 'passwordHash'],
    ProfileChanged: ['email', 'name', 'timezone'],
    PasswordChanged: ['passwordHash'],
    PasswordRemoved: [],
    PasskeyAdded: ['name'],
    PasskeyUsed: [],
    PasskeyDisabled: [],
    PasskeyRemoved: [],
    IdentityLinked: ['subject', 'email'],
    IdentityUnlinked: [],
    EmailVerified: [],
    AccountSuspended: [],
    AccountResumed: [],
    OperatorChanged: [],
    AccountDeleted: [],
    AccountForgotten: [],
  },
};

export interface AccountOpening {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash?: string;
  /** Of somebody who comes with an identity, whose provider has verified the address. */
  readonly identity?: NewIdentity;
  readonly operator: boolean;
  readonly at: Instant;
}

export type NewIdentity = Omit<Identity, 'linkedAt'>;

/** Opens the account. A second open of the same id does nothing. */
export const open: Decision<AccountState, AccountEvent, AccountOpening> =
  ({ id: accountId, identity, at, ...opened }) =>
  (state) =>
    state
      ? []
      : [
          { type: 'AccountOpened', accountId, ...opened, openedAt: at },
          ...(identity
            ? ([
                { type: 'EmailVerified', accountId, verifiedAt: at },
                { type: 'IdentityLinked', accountId, ...identity, linkedAt: at },
              ] as const)
            : []),
        ];

export interface ProfileChange {
  /** The address when the change was prepared: the change is refused when the address has changed since. */
  readonly emailBefore: string;
  readonly email?: string;
  readonly name?: string;
  readonly timezone?: string | null;
  readonly at: Instant;
}

export const changeProfile: Decision<AccountState, AccountEvent, ProfileChange> =
  ({ emailBefore, email, name, timezone, at }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    const changes = {
      ...(email !== undefined && email !== state.email && { email }),
      ...(name !== undefined && name !== state.name && { name }),
      ...(timezone !== undefined && timezone !== state.timezone && { timezone }),
    };
    if (Object.keys(changes).length === 0) return [];
    if (changes.email !== undefined && state.email !== emailBefore)
      throw new Refused('stream.concurrent_update');
    return [{ type: 'ProfileChanged', accountId: state.accountId, ...changes, changedAt: at }];
  };

export interface PasswordChange {
  /**
   * The hash that the current password was compared with, null where there was none: the change is refused when that
   * has changed since.
   */
  readonly hashBefore: string | null;
  readonly passwordHash: string;
  readonly keptSessionId: string;
  readonly at: Instant;
}

export const changePassword: Decision<AccountState, AccountEvent, PasswordChange> =
  ({ hashBefore, passwordHash, keptSessionId, at }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    if (state.passwordHash === passwordHash) return [];
    if (state.passwordHash !== hashBefore) throw new Refused('stream.concurrent_update');
    return [
      { type: 'PasswordChanged', accountId: state.accountId, passwordHash, keptSessionId, changedAt: at },
    ];
  };

/** What lets a person in. */
type WaysIn = Pick<Opened, 'passwordHash' | 'passkeys' | 'identities'>;

/** Refused `sign_in.last_method` when there is neither a password, nor a passkey that lets in, nor an identity. */
export function insistOnWayIn({ passwordHash, passkeys, identities }: WaysIn): void {
  if (passwordHash === null && passkeys.every(({ disabled }) => disabled) && identities.length === 0)
    throw new Refused('sign_in.last_method');
}

/** Refused `sign_in.last_method` when nothing else lets the person in. */
export const removePassword: Decision<
  AccountState,
  AccountEvent,
  { readonly keptSessionId: string; readonly at: Instant }
> =
  ({ keptSessionId, at }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    if (state.passwordHash === null) return [];
    insistOnWayIn({ ...state, passwordHash: null });
    return [{ type: 'PasswordRemoved', accountId: state.accountId, keptSessionId, removedAt: at }];
  };

/** Verifies the address that the account was found by, unless the account has another address by now. */
export const verifyEmail: Decision<
  AccountState,
  AccountEvent,
  { readonly email: string; readonly at: Instant }
> =
  ({ email, at }) =>
  (state) => {
    if (state?.email !== email) throw new Refused('account.not_found');
    return state.emailVerified ? [] : [{ type: 'EmailVerified', accountId: state.accountId, verifiedAt: at }];
  };

interface Suspension {
  readonly suspended: boolean;
  readonly at: Instant;
}

/** Suspends or resumes the account. A second time does nothing. */
export const suspend: Decision<AccountState, AccountEvent, Suspension> =
  ({ suspended, at }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    if (state.suspended === suspended) return [];
    const { accountId } = state;
    return [
      suspended
        ? { type: 'AccountSuspended', accountId, suspendedAt: at }
        : { type: 'AccountResumed', accountId, resumedAt: at },
    ];
  };

interface OperatorChange {
  readonly operator: boolean;
  readonly at: Instant;
}

/** Makes the account an operator of the installation, or an ordinary account again. A second time does nothing. */
export const changeOperator: Decision<AccountState, AccountEvent, OperatorChange> =
  ({ operator, at }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    if (state.operator === operator) return [];
    return [{ type: 'OperatorChanged', accountId: state.accountId, operator, changedAt: at }];
  };

/** Throws `Refused('account.suspended')`. */
export function insistOnActive({ suspended }: { readonly suspended: boolean | null }): void {
  if (suspended) throw new Refused('account.suspended');
}

/** Deletes the account. A second deletion does nothing. */
export const remove: Decision<AccountState, AccountEvent, { readonly id: string; readonly at: Instant }> =
  ({ id, at }) =>
  (state) =>
    state ? [{ type: 'AccountDeleted', accountId: id, deletedAt: at }] : [];

/** The account as the API shows it. */
export const accountView = ({
  accountId,
  email,
  emailVerified,
  name,
  timezone,
  operator,
  openedAt,
}: Opened): Account => ({
  id: accountId,
  email,
  emailVerified,
  name,
  timezone,
  operator,
  createdAt: openedAt,
});
