import type { Account, AccountEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';

/** Null before the account is opened, and when its text cannot be read because its key was deleted. */
export type AccountState = Opened | null;

export interface Opened {
  readonly accountId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly passwordHash: string;
  readonly timezone: string | null;
  readonly operator: boolean;
  readonly suspended: boolean;
  readonly openedAt: Instant;
}

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
          passwordHash,
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
  readonly passwordHash: string;
  readonly operator: boolean;
  readonly at: Instant;
}

/** Opens the account. A second open of the same id does nothing. */
export const open: Decision<AccountState, AccountEvent, AccountOpening> =
  ({ id, email, name, passwordHash, operator, at }) =>
  (state) =>
    state
      ? []
      : [{ type: 'AccountOpened', accountId: id, email, name, passwordHash, operator, openedAt: at }];

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
  /** The hash that the current password was compared with: the change is refused when the hash has changed since. */
  readonly hashBefore: string;
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
