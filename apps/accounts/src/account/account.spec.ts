import type {
  AccountOpened,
  EmailClaimed,
  EmailReleased,
  EmailVerified,
  PasswordChanged,
  ProfileChanged,
} from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import {
  account,
  changeOperator,
  changePassword,
  changeProfile,
  open,
  type AccountOpening,
  remove,
  verifyEmail,
} from './account';
import { claim, email, emailKey, release } from './email';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';

const opening: AccountOpening = {
  id: 'usr_1',
  email: 'ada@example.test',
  name: 'Ada',
  passwordHash: '$argon2id$…',
  operator: false,
  at,
};
const opened: AccountOpened = {
  type: 'AccountOpened',
  accountId: 'usr_1',
  email: 'ada@example.test',
  name: 'Ada',
  passwordHash: '$argon2id$…',
  operator: false,
  openedAt: at,
};
const change = { emailBefore: 'ada@example.test', at: later };
const renamed: ProfileChanged = {
  type: 'ProfileChanged',
  accountId: 'usr_1',
  name: 'Ada L.',
  changedAt: later,
};

describe('opening an account', () => {
  it('keeps its person', () => given(account).when(open(opening)).then(opened));
  it('does nothing the second time, for any caller', () =>
    given(account, opened)
      .when(open({ ...opening, email: 'eve@example.test' }))
      .thenNothing());
});

describe('changing a password', () => {
  const asked = {
    hashBefore: '$argon2id$…',
    passwordHash: '$argon2id$new',
    keptSessionId: 'ses_1',
    at: later,
  };
  const changed: PasswordChanged = {
    type: 'PasswordChanged',
    accountId: 'usr_1',
    passwordHash: '$argon2id$new',
    keptSessionId: 'ses_1',
    changedAt: later,
  };
  it('keeps the session in which it is done', () =>
    given(account, opened).when(changePassword(asked)).then(changed));
  it('does nothing the second time', () =>
    given(account, opened, changed).when(changePassword(asked)).thenNothing());
  it('is void when another one was taken in between', () =>
    given(account, opened, changed)
      .when(changePassword({ ...asked, passwordHash: '$argon2id$other' }))
      .thenRefused('stream.concurrent_update'));
  it('of nobody is refused', () =>
    given(account).when(changePassword(asked)).thenRefused('account.not_found'));
});

describe('changing a profile', () => {
  it('keeps only what differs', () =>
    given(account, opened)
      .when(changeProfile({ ...change, name: 'Ada L.', email: 'ada@example.test', timezone: null }))
      .then(renamed));
  it('does nothing the second time', () =>
    given(account, opened, renamed)
      .when(changeProfile({ ...change, name: 'Ada L.' }))
      .thenNothing());
  it('takes a time zone away again', () =>
    given(account, opened, {
      type: 'ProfileChanged',
      accountId: 'usr_1',
      timezone: 'Europe/Berlin',
      changedAt: at,
    })
      .when(changeProfile({ ...change, timezone: null }))
      .then({ type: 'ProfileChanged', accountId: 'usr_1', timezone: null, changedAt: later }));
  it('is void when the address was changed by another request in the meantime', () =>
    given(account, opened)
      .when(changeProfile({ ...change, emailBefore: 'old@example.test', email: 'new@example.test' }))
      .thenRefused('stream.concurrent_update'));
  it('is refused without an account', () =>
    given(account)
      .when(changeProfile({ ...change, name: 'Nobody' }))
      .thenRefused('account.not_found'));
});

describe('the address of an account', () => {
  const verified: EmailVerified = { type: 'EmailVerified', accountId: 'usr_1', verifiedAt: later };
  const moved: ProfileChanged = {
    type: 'ProfileChanged',
    accountId: 'usr_1',
    email: 'ada@other.test',
    changedAt: later,
  };
  const verify = verifyEmail({ email: 'ada@example.test', at: later });
  const isVerified = (...events: Parameters<typeof account.evolve>[1][]) =>
    fold(account, events)?.emailVerified;

  it('is verified', () => given(account, opened).when(verify).then(verified));
  it('is verified once', () => given(account, opened, verified).when(verify).thenNothing());
  it('is verified from the start for the first account', () => {
    given(account, { ...opened, operator: true })
      .when(verify)
      .thenNothing();
    expect(isVerified({ ...opened, operator: true })).toBe(true);
    expect(isVerified(opened)).toBe(false);
  });
  it('is not verified any more when it is another, until that is', () => {
    expect(isVerified(opened, verified, moved)).toBe(false);
    expect(isVerified(opened, verified, renamed)).toBe(true);
    expect(isVerified(opened, verified, moved, verified)).toBe(true);
  });
  it('is not verified instead of the one that it was', () =>
    given(account, opened, moved).when(verify).thenRefused('account.not_found'));
  it('is nobody’s without an account', () => given(account).when(verify).thenRefused('account.not_found'));
});

describe('claiming an address', () => {
  const claimed: EmailClaimed = { type: 'EmailClaimed', accountId: 'usr_1', claimedAt: at };
  const released: EmailReleased = { type: 'EmailReleased', accountId: 'usr_1', releasedAt: at };
  const inUse = { accountId: 'usr_1', uses: 'this' } as const;
  const leftOver = { accountId: 'usr_1', uses: 'another' } as const;
  const unopened = { accountId: 'usr_1', uses: 'nothing' } as const;
  const byOther = { type: 'EmailClaimed', accountId: 'usr_2', claimedAt: later } as const;
  const soon = '2026-11-20T09:00:59.999Z';

  it('takes a free one', () =>
    given(email)
      .when(claim({ accountId: 'usr_1', at }))
      .then(claimed));
  it('does nothing the second time', () =>
    given(email, claimed)
      .when(claim({ accountId: 'usr_1', at }))
      .thenNothing());
  it('renews a claim of its own, so that nobody takes it over meanwhile', () =>
    given(email, claimed)
      .when(claim({ accountId: 'usr_1', at: later }))
      .then({ ...claimed, claimedAt: later }));
  it('is refused while an account has it, for ever', () =>
    given(email, claimed)
      .when(claim({ accountId: 'usr_2', holder: inUse, at: later }))
      .thenRefused('account.email_taken'));
  it('is refused while the holder may still be about to use it', () => {
    given(email, claimed)
      .when(claim({ accountId: 'usr_2', holder: leftOver, at: soon }))
      .thenRefused('account.email_taken');
    given(email, claimed)
      .when(claim({ accountId: 'usr_2', holder: unopened, at: soon }))
      .thenRefused('account.email_taken');
  });
  it('takes it over from an account that never came to use it', () => {
    given(email, claimed)
      .when(claim({ accountId: 'usr_2', holder: leftOver, at: later }))
      .then(byOther);
    given(email, claimed)
      .when(claim({ accountId: 'usr_2', holder: unopened, at: later }))
      .then(byOther);
  });
  it('looks again when somebody else holds it than was looked at', () =>
    given(email, claimed)
      .when(claim({ accountId: 'usr_2', at: later }))
      .thenRefused('stream.concurrent_update'));
  it('takes one that was released', () =>
    given(email, claimed, released)
      .when(claim({ accountId: 'usr_2', at: later }))
      .then(byOther));

  const held = { accountId: 'usr_1', claimedAt: at };
  it('releases it', () => given(email, claimed).when(release({ held, at })).then(released));
  it('releases it once', () => given(email, claimed, released).when(release({ held, at })).thenNothing());
  it('does not release an address that was claimed again since', () =>
    given(email, claimed, { ...claimed, claimedAt: later })
      .when(release({ held, at: later }))
      .thenNothing());

  it('knows an address in whatever case and form it is written, and under one pepper only', () => {
    const pepper = Buffer.alloc(32, 1);
    const key = emailKey(pepper, 'ada@example.test');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(emailKey(pepper, 'ADA@Example.TEST')).toBe(key);
    expect(emailKey(pepper, 'ａda@example.test')).toBe(key);
    expect(emailKey(pepper, 'adb@example.test')).not.toBe(key);
    expect(emailKey(Buffer.alloc(32, 2), 'ada@example.test')).not.toBe(key);
  });
});

describe('an account that is deleted', () => {
  const deleting = remove({ id: 'usr_1', at: later });
  const deleted = { type: 'AccountDeleted', accountId: 'usr_1', deletedAt: later } as const;

  it('is gone', () => {
    given(account, opened).when(deleting).then(deleted);
    expect(fold(account, [opened, deleted])).toBeNull();
  });
  it('twice is gone once', () => given(account, opened, deleted).when(deleting).thenNothing());
  it('can be verified and changed no more', () =>
    given(account, opened, deleted)
      .when(verifyEmail({ email: 'ada@example.test', at: later }))
      .thenRefused('account.not_found'));
});

describe('an account that becomes an operator', () => {
  const changed = (operator: boolean) =>
    ({ type: 'OperatorChanged', accountId: 'usr_1', operator, changedAt: later }) as const;

  it('is one from then on', () => {
    given(account, opened)
      .when(changeOperator({ operator: true, at: later }))
      .then(changed(true));
    expect(fold(account, [opened, changed(true)])).toMatchObject({ operator: true });
  });
  it('twice becomes one once', () =>
    given(account, opened, changed(true))
      .when(changeOperator({ operator: true, at: later }))
      .thenNothing());
  it('is none again when that is taken back', () =>
    given(account, opened, changed(true))
      .when(changeOperator({ operator: false, at: later }))
      .then(changed(false)));
  it('has to be an account', () =>
    given(account)
      .when(changeOperator({ operator: true, at: later }))
      .thenRefused('account.not_found'));
});
