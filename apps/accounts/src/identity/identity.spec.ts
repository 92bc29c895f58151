import type { AccountEvent } from '@carillon/contracts';
import { fold, Refused } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { account, open, removePassword } from '../account/account';
import { removePasskey } from '../passkey/passkey';
import { claim, identityClaim, identityKey, linkIdentity, unlinkIdentity } from './identity';
import { personOf } from './person';

const at = '2026-11-26T09:00:00.000Z';
const later = '2026-11-26T09:01:00.000Z';
const accountId = 'usr_1';
const identity = {
  provider: 'example',
  issuer: 'https://id.example',
  subject: 'ada',
  email: 'ada@id.example',
};
const opened: AccountEvent = {
  type: 'AccountOpened',
  accountId,
  email: 'ada@example.test',
  name: 'Ada',
  passwordHash: 'hash',
  operator: false,
  openedAt: at,
};
const linked: AccountEvent = { type: 'IdentityLinked', accountId, ...identity, linkedAt: at };
const unlinked: AccountEvent = { type: 'IdentityUnlinked', accountId, provider: 'example', unlinkedAt: at };
const passwordRemoved: AccountEvent = {
  type: 'PasswordRemoved',
  accountId,
  keptSessionId: 'ses_1',
  removedAt: at,
};
const passkey: AccountEvent = {
  type: 'PasskeyAdded',
  accountId,
  passkeyId: 'pky_1',
  name: 'Key',
  credentialId: 'c',
  publicKey: 'key',
  counter: 0,
  backedUp: false,
  challengeHash: 'h',
  addedAt: at,
};

describe('an account of somebody who comes with an identity', () => {
  const asked = { id: accountId, email: 'ada@example.test', name: 'Ada', identity, operator: false, at };
  const { passwordHash: _, ...withoutPassword } = opened as Extract<AccountEvent, { type: 'AccountOpened' }>;

  it('is opened without a password, with its address verified, once', () => {
    const events: AccountEvent[] = [
      withoutPassword,
      { type: 'EmailVerified', accountId, verifiedAt: at },
      linked,
    ];
    given(account)
      .when(open(asked))
      .then(...events);
    given(account, ...events)
      .when(open(asked))
      .thenNothing();
    expect(fold(account, events)).toMatchObject({
      passwordHash: null,
      emailVerified: true,
      identities: [{ ...identity, linkedAt: at }],
    });
  });

  it('is nobody’s any more when its key is deleted', () =>
    expect(fold(account, [{ ...withoutPassword, email: null, name: null }])).toBeNull());
});

describe('linking an identity', () => {
  it('happens once', () => {
    given(account, opened)
      .when(linkIdentity({ ...identity, at }))
      .then(linked);
    given(account, opened, linked)
      .when(linkIdentity({ ...identity, at: later }))
      .thenNothing();
  });
  it('is refused with another one of the provider', () =>
    given(account, opened, linked)
      .when(linkIdentity({ ...identity, subject: 'other', at }))
      .thenRefused('identity.provider_linked'));
  it('takes one of another provider besides', () =>
    given(account, opened, linked)
      .when(linkIdentity({ ...identity, provider: 'other', issuer: 'https://other.example', at }))
      .then({ ...linked, provider: 'other', issuer: 'https://other.example' }));
  it('is refused without the account', () =>
    given(account)
      .when(linkIdentity({ ...identity, at }))
      .thenRefused('account.not_found'));
});

describe('unlinking an identity', () => {
  const unlink = unlinkIdentity({ provider: 'example', at });
  it('happens once', () => {
    given(account, opened, linked).when(unlink).then(unlinked);
    given(account, opened, linked, unlinked).when(unlink).thenRefused('identity.not_found');
  });
  it('leaves a passkey or a password, or is refused', () => {
    given(account, opened, linked, passwordRemoved).when(unlink).thenRefused('sign_in.last_method');
    given(account, opened, linked, passkey, passwordRemoved).when(unlink).then(unlinked);
  });
  it('is what lets the password and the last passkey go before', () => {
    given(account, opened, linked)
      .when(removePassword({ keptSessionId: 'ses_1', at }))
      .then(passwordRemoved);
    given(account, opened, linked, passkey, passwordRemoved)
      .when(removePasskey({ id: 'pky_1', at }))
      .then({ type: 'PasskeyRemoved', accountId, passkeyId: 'pky_1', removedAt: at });
  });
});

describe('claiming an identity', () => {
  const claimed = { type: 'IdentityClaimed', accountId, claimedAt: at } as const;
  it('is for one account, for as long as this has it or has just begun', () => {
    given(identityClaim).when(claim({ accountId, at })).then(claimed);
    given(identityClaim, claimed).when(claim({ accountId, at })).thenNothing();
    const by = (uses: 'this' | 'nothing', now: string) =>
      claim({ accountId: 'usr_2', holder: { accountId, uses }, at: now });
    given(identityClaim, claimed).when(by('this', later)).thenRefused('identity.taken');
    given(identityClaim, claimed).when(by('nothing', at)).thenRefused('identity.taken');
    given(identityClaim, claimed)
      .when(by('nothing', later))
      .then({ ...claimed, accountId: 'usr_2', claimedAt: later });
  });
  it('tells issuers and subjects apart', () => {
    const key = (issuer: string, subject: string) => identityKey(Buffer.from('pepper'), { issuer, subject });
    expect(key('https://a', 'b')).toBe(key('https://a', 'b'));
    expect(new Set([key('https://a', 'b'), key('https://a', 'c'), key('https://ab', '')]).size).toBe(3);
  });
});

describe('what a provider says of a person', () => {
  const claims = {
    issuer: 'https://id.example',
    subject: 'ada',
    email: 'Ada@id.example',
    emailVerified: true,
  };
  const named = (more: object) => personOf('example', { ...claims, name: 'Ada Byron', ...more });

  it('names the account', () =>
    expect(named({})).toMatchObject({
      identity: { provider: 'example', issuer: 'https://id.example', subject: 'ada' },
      address: expect.stringMatching(/^ada@id\.example$/i),
      name: 'Ada Byron',
    }));
  it.each([[{ emailVerified: false }], [{ email: undefined }], [{ email: 'nobody' }], [{ email: 7 }]])(
    'has no verified address with %j',
    (more) => expect(named(more).address).toBeUndefined(),
  );
  it.each([[{ name: undefined }], [{ name: ' ' }], [{ name: 'x'.repeat(81) }], [{ name: {} }]])(
    'gives the name before the address with %j',
    (more) => expect(named(more).name).toMatch(/^ada$/i),
  );
  it.each(['', 'ä', 'x'.repeat(256), 'a\nb'])('is refused with the subject %j', (subject) =>
    expect(() => named({ subject })).toThrow(new Refused('identity.login_failed')),
  );
});
