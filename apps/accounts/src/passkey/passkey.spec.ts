import type { AccountEvent } from '@carillon/contracts';
import { fold, plus } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { account, challengeMs, removePassword } from '../account/account';
import { challengeFor, isGood } from './challenge';
import { addPasskey, creationOptions, relyingPartyOf, removePasskey, usePasskey } from './passkey';

const at = '2026-11-20T09:00:00.000Z';
const accountId = 'usr_1';
const opened: AccountEvent = {
  type: 'AccountOpened',
  accountId,
  email: 'ada@example.test',
  name: 'Ada',
  passwordHash: 'hash',
  operator: false,
  openedAt: at,
};
const added = (n: number, counter = 0): AccountEvent => ({
  type: 'PasskeyAdded',
  accountId,
  passkeyId: `pky_${n}`,
  name: `Key ${n}`,
  credentialId: `c${n}`,
  publicKey: 'key',
  counter,
  backedUp: false,
  challengeHash: `h${n}`,
  addedAt: at,
});
const use = { credentialId: 'c1', counter: 0, backedUp: true, challengeHash: 'h', at };
const used = (counter: number): AccountEvent => ({
  type: 'PasskeyUsed',
  accountId,
  passkeyId: 'pky_1',
  counter,
  backedUp: true,
  challengeHash: 'h',
  usedAt: at,
});
const disabled: AccountEvent = { type: 'PasskeyDisabled', accountId, passkeyId: 'pky_1', disabledAt: at };
const passwordRemoved: AccountEvent = {
  type: 'PasswordRemoved',
  accountId,
  keptSessionId: 'ses_1',
  removedAt: at,
};

describe('adding a passkey', () => {
  const {
    type: _,
    accountId: __,
    passkeyId: id,
    addedAt: ___,
    ...rest
  } = added(1) as Extract<AccountEvent, { type: 'PasskeyAdded' }>;
  const add = { ...rest, id, name: 'Key 1', at };

  it('happens once', () => {
    given(account, opened).when(addPasskey(add)).then(added(1));
    given(account, opened, added(1)).when(addPasskey(add)).thenNothing();
  });
  it('is refused for a key that the account has, and for a used challenge', () => {
    given(account, opened, added(1))
      .when(addPasskey({ ...add, id: 'pky_2', challengeHash: 'h2' }))
      .thenRefused('passkey.refused');
    given(account, opened, added(2))
      .when(addPasskey({ ...add, challengeHash: 'h2' }))
      .thenRefused('passkey.refused');
  });
});

describe('using a passkey', () => {
  it.each([
    [0, 0],
    [0, 1],
    [4, 5],
  ])('whose counter was %i and is %i lets in', (before, counter) =>
    given(account, opened, added(1, before))
      .when(usePasskey({ ...use, counter }))
      .then(used(counter)),
  );
  it.each([
    [1, 1],
    [5, 4],
    [5, 0],
  ])('whose counter was %i and is %i disables it', (before, counter) =>
    given(account, opened, added(1, before))
      .when(usePasskey({ ...use, counter }))
      .then(disabled),
  );
  it('is refused once it is disabled, removed or unknown', () => {
    const refused = 'passkey.login_failed';
    given(account, opened, added(1), disabled).when(usePasskey(use)).thenRefused(refused);
    given(account, opened, added(2)).when(usePasskey(use)).thenRefused(refused);
    given(account).when(usePasskey(use)).thenRefused(refused);
  });
  it('is refused with a used challenge, which does not disable it', () =>
    given(account, opened, added(1, 3), used(4))
      .when(usePasskey({ ...use, counter: 4 }))
      .thenRefused('passkey.login_failed'));
  it('forgets challenges that are too old to be good', () => {
    const later = plus(at, challengeMs + 1);
    const state = fold(account, [opened, added(1), { ...used(0), usedAt: later } as AccountEvent]);
    expect(state?.spentChallenges).toEqual([{ hash: 'h', at: later }]);
  });
});

describe('the last way to sign in', () => {
  const remove = (id: string) => removePasskey({ id, at });
  const removed = (passkeyId: string): AccountEvent => ({
    type: 'PasskeyRemoved',
    accountId,
    passkeyId,
    removedAt: at,
  });
  const withoutPassword = removePassword({ keptSessionId: 'ses_1', at });

  it('may be a passkey or the password', () => {
    given(account, opened, added(1)).when(remove('pky_1')).then(removed('pky_1'));
    given(account, opened, added(1), added(2), passwordRemoved).when(remove('pky_1')).then(removed('pky_1'));
    given(account, opened, added(1)).when(withoutPassword).then(passwordRemoved);
    given(account, opened, added(1), passwordRemoved).when(withoutPassword).thenNothing();
  });
  it('is not removed', () => {
    const refused = 'sign_in.last_method';
    given(account, opened).when(withoutPassword).thenRefused(refused);
    given(account, opened, added(1), disabled).when(withoutPassword).thenRefused(refused);
    given(account, opened, added(1), passwordRemoved).when(remove('pky_1')).thenRefused(refused);
    given(account, opened, added(1), disabled, added(2), passwordRemoved)
      .when(remove('pky_2'))
      .thenRefused(refused);
  });
  it('is no disabled passkey, which may always be removed', () =>
    given(account, opened, added(1), passwordRemoved, disabled).when(remove('pky_1')).then(removed('pky_1')));
});

describe('a challenge', () => {
  const pepper = Buffer.alloc(32, 1);
  const nowMs = Date.parse(at);
  const challenge = challengeFor(pepper, 'sign-in', nowMs, Buffer.alloc(16, 9));

  it('is good for its purpose, for 5 minutes', () => {
    expect(isGood(pepper, 'sign-in', challenge, nowMs)).toBe(true);
    expect(isGood(pepper, 'sign-in', challenge, nowMs + challengeMs)).toBe(true);
    expect(isGood(pepper, 'sign-in', challenge, nowMs + challengeMs + 1)).toBe(false);
    expect(isGood(pepper, 'usr_1', challenge, nowMs)).toBe(false);
  });
  it('is not good when it is changed or not ours', () => {
    const bytes = Buffer.from(challenge, 'base64url');
    bytes.writeUInt8(bytes.readUInt8(21) ^ 1, 21);
    expect(isGood(pepper, 'sign-in', bytes.toString('base64url'), nowMs)).toBe(false);
    expect(isGood(Buffer.alloc(32, 2), 'sign-in', challenge, nowMs)).toBe(false);
    for (const other of ['', 'AAAA', `${challenge}A`, `${challenge}AAAA`])
      expect(isGood(pepper, 'sign-in', other, nowMs)).toBe(false);
  });
});

describe('the relying party', () => {
  it.each([
    ['https://bells.example/', { id: 'bells.example', origin: 'https://bells.example' }],
    ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ])('of %s is named', (url, party) => expect(relyingPartyOf(url)).toEqual(party));
  it.each(['http://127.0.0.1:8080', 'https://[::1]:8080', 'https://0x7f.1', 'https://2130706433/'])(
    'of %s is none',
    (url) => expect(relyingPartyOf(url)).toBeUndefined(),
  );
  it('asks for a passkey that the authenticator keeps, and for a check of the person', () => {
    const state = fold(account, [opened, added(1)]);
    if (!state) throw new Error('There is no account');
    expect(creationOptions({ id: 'bells.example', origin: '' }, state, 'c')).toMatchObject({
      user: {
        id: Buffer.from(accountId).toString('base64url'),
        name: 'ada@example.test',
        displayName: 'Ada',
      },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: 'c1' }],
      attestation: 'none',
    });
  });
});
