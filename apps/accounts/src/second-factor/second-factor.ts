import type { SecondFactorEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';
import { fromBase32, stepOf } from './totp';

/** What an account has besides its password. */
export interface SecondFactor {
  /** The key of the authenticator app, and the last step whose code was used. */
  readonly totp: { readonly secret: string; readonly lastStep: number } | null;
  /** A key that waits for its first code. */
  readonly prepared: string | null;
  /** Hashes of the recovery codes that are left. */
  readonly recoveryCodes: readonly string[];
}

export const secondFactor: Decider<SecondFactor, SecondFactorEvent> = {
  category: 'second_factor',
  initial: { totp: null, prepared: null, recoveryCodes: [] },
  evolve(state, event) {
    switch (event.type) {
      case 'TotpPrepared':
        return { ...state, prepared: event.secret };
      case 'TotpConfirmed':
        return {
          totp: state.prepared === null ? null : { secret: state.prepared, lastStep: event.step },
          prepared: null,
          recoveryCodes: event.recoveryHashes,
        };
      case 'TotpUsed':
        return { ...state, totp: state.totp && { ...state.totp, lastStep: event.step } };
      case 'TotpRemoved':
        return { ...state, totp: null, prepared: null };
      case 'RecoveryCodesReplaced':
        return { ...state, recoveryCodes: event.recoveryHashes };
      case 'RecoveryCodeUsed':
        return {
          ...state,
          recoveryCodes: state.recoveryCodes.filter((each) => each !== event.recoveryHash),
        };
    }
  },
  personal: {
    TotpPrepared: ['secret'],
    TotpConfirmed: [],
    TotpUsed: [],
    TotpRemoved: [],
    RecoveryCodesReplaced: [],
    RecoveryCodeUsed: [],
  },
};

interface FactorAct {
  readonly accountId: string;
  readonly at: Instant;
}

/** Refused `totp.wrong_code`: wrong, used before, or of no key. */
function insistOnCode(key: { secret: string; lastStep: number } | null, code: string, at: Instant): number {
  const step = key ? stepOf(fromBase32(key.secret), code, millis(at), key.lastStep) : undefined;
  if (step === undefined) throw new Refused('totp.wrong_code');
  return step;
}

/** Keeps a new key until its first code comes. The key in use stays in use. */
export const prepareTotp: Decision<
  SecondFactor,
  SecondFactorEvent,
  FactorAct & { readonly secret: string }
> =
  ({ accountId, secret, at }) =>
  () => [{ type: 'TotpPrepared', accountId, secret, preparedAt: at }];

interface TotpConfirmation extends FactorAct {
  readonly code: string;
  readonly recoveryHashes: readonly string[];
}

/** Whether a command that is repeated has made its codes before; some may be used by now. */
export const hasMade = ({ recoveryCodes }: SecondFactor, hashes: readonly string[]): boolean =>
  recoveryCodes.length > 0 && recoveryCodes.every((each) => hashes.includes(each));

/** Takes the prepared key into use, and replaces the recovery codes. */
export const confirmTotp: Decision<SecondFactor, SecondFactorEvent, TotpConfirmation> =
  ({ accountId, code, recoveryHashes, at }) =>
  (state) => {
    if (hasMade(state, recoveryHashes)) return [];
    const { prepared } = state;
    // No code of the new key was used, whatever the last one of the former key was.
    const key = prepared === null ? null : { secret: prepared, lastStep: 0 };
    const step = insistOnCode(key, code, at);
    return [{ type: 'TotpConfirmed', accountId, step, recoveryHashes, confirmedAt: at }];
  };

/** Uses the code of a step, once. */
export const useTotp: Decision<SecondFactor, SecondFactorEvent, FactorAct & { readonly code: string }> =
  ({ accountId, code, at }) =>
  ({ totp }) => [{ type: 'TotpUsed', accountId, step: insistOnCode(totp, code, at), usedAt: at }];

export const removeTotp: Decision<SecondFactor, SecondFactorEvent, FactorAct & { readonly code: string }> =
  ({ accountId, code, at }) =>
  ({ totp }) => {
    insistOnCode(totp, code, at);
    return [{ type: 'TotpRemoved', accountId, removedAt: at }];
  };

/** Removes the app and all recovery codes, without asking for one. */
export const resetSecondFactor: Decision<SecondFactor, SecondFactorEvent, FactorAct> =
  ({ accountId, at }) =>
  ({ totp, prepared, recoveryCodes }) => [
    ...(totp || prepared !== null ? [{ type: 'TotpRemoved', accountId, removedAt: at } as const] : []),
    ...(recoveryCodes.length > 0
      ? [{ type: 'RecoveryCodesReplaced', accountId, recoveryHashes: [], replacedAt: at } as const]
      : []),
  ];

type NewCodes = FactorAct & { readonly recoveryHashes: readonly string[] };

/** The former codes are no longer good. */
export const replaceRecoveryCodes: Decision<SecondFactor, SecondFactorEvent, NewCodes> =
  ({ accountId, recoveryHashes, at }) =>
  (state) =>
    hasMade(state, recoveryHashes)
      ? []
      : [{ type: 'RecoveryCodesReplaced', accountId, recoveryHashes, replacedAt: at }];

/** Makes codes where there are none. */
export const giveRecoveryCodes: Decision<SecondFactor, SecondFactorEvent, NewCodes> =
  ({ accountId, recoveryHashes, at }) =>
  ({ recoveryCodes }) =>
    recoveryCodes.length > 0
      ? []
      : [{ type: 'RecoveryCodesReplaced', accountId, recoveryHashes, replacedAt: at }];

/** Uses one of the codes, once. Refused `recovery_code.wrong`. */
export const useRecoveryCode: Decision<
  SecondFactor,
  SecondFactorEvent,
  FactorAct & { readonly recoveryHash: string }
> =
  ({ accountId, recoveryHash, at }) =>
  ({ recoveryCodes }) => {
    if (!recoveryCodes.includes(recoveryHash)) throw new Refused('recovery_code.wrong');
    return [{ type: 'RecoveryCodeUsed', accountId, recoveryHash, usedAt: at }];
  };
