import type { MailLinkRequested, MailLinkUsed } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { mailLink, requestLink, tailIn, tokenOf, useLink } from './link';

const at = '2026-11-20T09:00:00.000Z';
const asked = { linkId: 'mln_1', accountId: 'usr_1', purpose: 'sign_in', emailKey: 'ab' } as const;
const requested: MailLinkRequested = {
  type: 'MailLinkRequested',
  ...asked,
  requestedAt: at,
  expiresAt: '2026-11-20T09:30:00.000Z',
};
const used: MailLinkUsed = {
  type: 'MailLinkUsed',
  linkId: 'mln_1',
  accountId: 'usr_1',
  usedAt: '2026-11-20T09:29:59.999Z',
};
const using = (time: string, purpose: 'sign_in' | 'verification' = 'sign_in') =>
  useLink({ purpose, at: time });

describe('a link that is sent by mail', () => {
  it('is good for half an hour', () =>
    given(mailLink)
      .when(requestLink({ ...asked, at }))
      .then(requested));
  it('is requested once by the same command', () =>
    given(mailLink, requested)
      .when(requestLink({ ...asked, at }))
      .thenNothing());
  it('is used up', () => given(mailLink, requested).when(using(used.usedAt)).then(used));
  it('is not good twice', () =>
    given(mailLink, requested, used).when(using(used.usedAt)).thenRefused('mail.link_invalid'));
  it('is over at its end', () =>
    given(mailLink, requested).when(using(requested.expiresAt)).thenRefused('mail.link_invalid'));
  it('is good for its own purpose alone', () =>
    given(mailLink, requested).when(using(at, 'verification')).thenRefused('mail.link_invalid'));
  it('has to have been requested', () => given(mailLink).when(using(at)).thenRefused('mail.link_invalid'));
});

describe('the token of a link', () => {
  const pepper = Buffer.alloc(32, 1);
  const tail = 'zb8k4t2m6x9yrc01';
  const token = tokenOf(pepper, tail);

  it('names the link, and is made of letters that an address may have', () => {
    expect(token).toMatch(/^[0-9a-zA-Z_-]{48}$/);
    expect(tailIn(pepper, token)).toBe(tail);
  });
  it('is nobody’s guess', () => {
    expect(tailIn(Buffer.alloc(32, 2), token)).toBeUndefined();
    expect(tailIn(pepper, `${tail.slice(0, -1)}d${token.slice(16)}`)).toBeUndefined();
    expect(tailIn(pepper, token.slice(0, -1))).toBeUndefined();
    expect(tailIn(pepper, '')).toBeUndefined();
  });
});
