import type { SecondFactorEvent } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { hashRecoveryCode, recoveryCodesOf } from './recovery-codes';
import {
  confirmTotp,
  prepareTotp,
  removeTotp,
  replaceRecoveryCodes,
  resetSecondFactor,
  secondFactor,
  useRecoveryCode,
  useTotp,
} from './second-factor';
import { base32, codeAt } from './totp';

const at = '2026-11-20T09:00:00.000Z';
const accountId = 'usr_1';
const step = Date.parse(at) / 30_000;
const key = Buffer.alloc(20, 7);
const otherKey = Buffer.alloc(20, 8);
const code = (drift = 0, of = key) => codeAt(of, step + drift);
const prepared: SecondFactorEvent = { type: 'TotpPrepared', accountId, secret: base32(key), preparedAt: at };
const confirmed: SecondFactorEvent = {
  type: 'TotpConfirmed',
  accountId,
  step: step - 1,
  recoveryHashes: ['h1', 'h2'],
  confirmedAt: at,
};
const used: SecondFactorEvent = { type: 'TotpUsed', accountId, step, usedAt: at };
const stateOf = (...events: SecondFactorEvent[]) => fold(secondFactor, events);

describe('a key', () => {
  it('is prepared, and its first code takes it into use', () => {
    given(secondFactor)
      .when(prepareTotp({ accountId, secret: base32(key), at }))
      .then(prepared);
    given(secondFactor, prepared)
      .when(confirmTotp({ accountId, code: code(-1), recoveryHashes: ['h1', 'h2'], at }))
      .then(confirmed);
  });

  it('is taken into use once by a command that is repeated, also when a recovery code is used by then', () =>
    given(secondFactor, prepared, confirmed, {
      type: 'RecoveryCodeUsed',
      accountId,
      recoveryHash: 'h1',
      usedAt: at,
    })
      .when(confirmTotp({ accountId, code: code(-1), recoveryHashes: ['h1', 'h2'], at }))
      .thenNothing());

  it('is not in use before, and not taken into use by a wrong code or without being prepared', () => {
    const confirm = (given: string) => confirmTotp({ accountId, code: given, recoveryHashes: [], at });
    given(secondFactor, prepared)
      .when(useTotp({ accountId, code: code(), at }))
      .thenRefused('totp.wrong_code');
    given(secondFactor, prepared).when(confirm('000000')).thenRefused('totp.wrong_code');
    given(secondFactor, prepared, confirmed).when(confirm(code())).thenRefused('totp.wrong_code');
    given(secondFactor).when(confirm(code())).thenRefused('totp.wrong_code');
  });

  it('stays in use until another one is confirmed', () => {
    const other: SecondFactorEvent = { ...prepared, secret: base32(otherKey) } as SecondFactorEvent;
    const events = [prepared, confirmed, other];
    given(secondFactor, ...events)
      .when(useTotp({ accountId, code: code(), at }))
      .then(used);
    const taken = { ...confirmed, step, recoveryHashes: ['h3'] } as SecondFactorEvent;
    // At the moment at which a code of the former key was used.
    given(secondFactor, ...events, used)
      .when(confirmTotp({ accountId, code: code(0, otherKey), recoveryHashes: ['h3'], at }))
      .then(taken);
    given(secondFactor, ...events, taken)
      .when(useTotp({ accountId, code: code(1), at }))
      .thenRefused('totp.wrong_code');
  });

  it('that is deleted with the account’s own key is none', () =>
    expect(stateOf({ ...prepared, secret: null } as SecondFactorEvent, confirmed).totp).toBeNull());
});

describe('a code', () => {
  it('is used once, and then none of its step or before', () => {
    given(secondFactor, prepared, confirmed)
      .when(useTotp({ accountId, code: code(), at }))
      .then(used);
    for (const drift of [0, -1])
      given(secondFactor, prepared, confirmed, used)
        .when(useTotp({ accountId, code: code(drift), at }))
        .thenRefused('totp.wrong_code');
  });

  it('that confirmed the key is used', () =>
    given(secondFactor, prepared, confirmed)
      .when(useTotp({ accountId, code: code(-1), at }))
      .thenRefused('totp.wrong_code'));

  it('removes the key, twice not', () => {
    const removed: SecondFactorEvent = { type: 'TotpRemoved', accountId, removedAt: at };
    given(secondFactor, prepared, confirmed)
      .when(removeTotp({ accountId, code: code(), at }))
      .then(removed);
    given(secondFactor, prepared, confirmed, removed)
      .when(removeTotp({ accountId, code: code(1), at }))
      .thenRefused('totp.wrong_code');
    expect(stateOf(prepared, confirmed, removed)).toEqual({
      totp: null,
      prepared: null,
      recoveryCodes: ['h1', 'h2'],
    });
  });
});

describe('recovery codes', () => {
  it('are used once each', () => {
    const usedCode: SecondFactorEvent = {
      type: 'RecoveryCodeUsed',
      accountId,
      recoveryHash: 'h1',
      usedAt: at,
    };
    const use = (recoveryHash: string) => useRecoveryCode({ accountId, recoveryHash, at });
    given(secondFactor, prepared, confirmed).when(use('h1')).then(usedCode);
    given(secondFactor, prepared, confirmed, usedCode).when(use('h1')).thenRefused('recovery_code.wrong');
    given(secondFactor, prepared, confirmed, usedCode)
      .when(use('h2'))
      .then({ ...usedCode, recoveryHash: 'h2' });
    given(secondFactor).when(use('h1')).thenRefused('recovery_code.wrong');
  });

  it('are replaced: the former ones are not good', () => {
    const replaced: SecondFactorEvent = {
      type: 'RecoveryCodesReplaced',
      accountId,
      recoveryHashes: ['h3'],
      replacedAt: at,
    };
    given(secondFactor, prepared, confirmed)
      .when(replaceRecoveryCodes({ accountId, recoveryHashes: ['h3'], at }))
      .then(replaced);
    expect(stateOf(prepared, confirmed, replaced).recoveryCodes).toEqual(['h3']);
    given(secondFactor, prepared, confirmed, replaced)
      .when(replaceRecoveryCodes({ accountId, recoveryHashes: ['h3'], at }))
      .thenNothing();
  });

  it('are ten, different for each command, and the same when it is repeated', () => {
    const pepper = Buffer.alloc(32, 1);
    const codes = recoveryCodesOf(pepper, 'command 1');
    expect(codes).toEqual(recoveryCodesOf(pepper, 'command 1'));
    expect(new Set([...codes, ...recoveryCodesOf(pepper, 'command 2')]).size).toBe(20);
    for (const each of codes) expect(each).toMatch(/^[0-9a-hj-km-np-tv-z]{5}-[0-9a-hj-km-np-tv-z]{5}$/);
  });

  it('are read as a person types them, and are of one account', () => {
    const pepper = Buffer.alloc(32, 1);
    const hash = hashRecoveryCode(pepper, accountId, 'a01bc-de2fg');
    for (const typed of ['A01BCDE2FG', ' aO1bc de2fg ', 'aoibc-de2fg', 'AOLBC-DE2FG'])
      expect(hashRecoveryCode(pepper, accountId, typed)).toBe(hash);
    expect(hashRecoveryCode(pepper, 'usr_2', 'a01bc-de2fg')).not.toBe(hash);
  });
});

describe('a reset', () => {
  it('removes the app and the codes, once', () => {
    const removed: SecondFactorEvent = { type: 'TotpRemoved', accountId, removedAt: at };
    const noCodes: SecondFactorEvent = {
      type: 'RecoveryCodesReplaced',
      accountId,
      recoveryHashes: [],
      replacedAt: at,
    };
    const reset = resetSecondFactor({ accountId, at });
    given(secondFactor, prepared, confirmed).when(reset).then(removed, noCodes);
    given(secondFactor, prepared).when(reset).then(removed);
    given(secondFactor, prepared, confirmed, removed, noCodes).when(reset).thenNothing();
  });
});
