import type { BootstrapOffered, BootstrapUsed } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { bootstrap, offer, use } from './bootstrap';

const at = '2026-11-20T09:00:00.000Z';
const expiresAt = '2026-11-21T09:00:00.000Z';
const offered: BootstrapOffered = { type: 'BootstrapOffered', secretHash: 'aa', expiresAt };
const used: BootstrapUsed = { type: 'BootstrapUsed', accountId: 'usr_1', usedAt: at };

describe('offering the secret for the first account', () => {
  const minted = { secretHash: 'bb', expiresAt: '2026-11-22T09:00:00.000Z', chosen: false };
  const chosen = { ...minted, chosen: true };
  const renewed = { type: 'BootstrapOffered', secretHash: 'bb', expiresAt: minted.expiresAt } as const;

  it('is done at the first start', () =>
    given(bootstrap)
      .when(offer({ ...minted, at }))
      .then(renewed));
  it('is not done a second time while the first one holds', () =>
    given(bootstrap, offered)
      .when(offer({ ...minted, at }))
      .thenNothing());
  it('is done again when the first one has expired', () =>
    given(bootstrap, offered)
      .when(offer({ ...minted, at: expiresAt }))
      .then(renewed));
  it('takes the secret that the operator has chosen, whatever was offered', () => {
    given(bootstrap, offered)
      .when(offer({ ...chosen, at }))
      .then(renewed);
    given(bootstrap, offered, renewed)
      .when(offer({ ...chosen, at }))
      .thenNothing();
  });
});

describe('using it', () => {
  const using = { secretHash: 'aa', accountId: 'usr_1', at };

  it('names the first account', () => given(bootstrap, offered).when(use(using)).then(used));
  it('names it once: the second time is for the same account', () =>
    given(bootstrap, offered, used)
      .when(use({ ...using, accountId: 'usr_2' }))
      .thenNothing());
  it('is refused with another secret, also when it was used before', () => {
    const wrong = use({ ...using, secretHash: 'cc' });
    given(bootstrap, offered).when(wrong).thenRefused('account.bootstrap_secret');
    given(bootstrap, offered, used).when(wrong).thenRefused('account.bootstrap_secret');
    given(bootstrap).when(wrong).thenRefused('account.bootstrap_secret');
  });
  it('is refused after a day', () =>
    given(bootstrap, offered)
      .when(use({ ...using, at: expiresAt }))
      .thenRefused('account.bootstrap_secret'));
});
