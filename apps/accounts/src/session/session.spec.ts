import type { SessionEnded, SessionRefreshed, SessionStarted } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { isDueForRow, sessionUse, tokenUse, useSession, useToken } from '../use/use';
import { end, insistOnRecent, refresh, session, start, type Start } from './session';

const at = '2026-11-20T09:00:00.000Z';
const nextHour = '2026-11-20T10:00:00.000Z';

const starting: Start = {
  id: 'ses_1',
  accountId: 'usr_1',
  accessHash: 'a1',
  refreshHash: 'r1',
  networkHash: 'p',
  at,
};
const started: SessionStarted = {
  type: 'SessionStarted',
  sessionId: 'ses_1',
  accountId: 'usr_1',
  kind: 'app',
  accessHash: 'a1',
  refreshHash: 'r1',
  accessExpiresAt: nextHour,
  expiresAt: '2027-02-18T09:00:00.000Z',
  networkHash: 'p',
  startedAt: at,
};
const cookieStarted: SessionStarted = {
  ...started,
  kind: 'cookie',
  refreshHash: null,
  accessExpiresAt: '2026-11-27T09:00:00.000Z',
  expiresAt: '2026-12-20T09:00:00.000Z',
};
const refreshed: SessionRefreshed = {
  type: 'SessionRefreshed',
  sessionId: 'ses_1',
  accountId: 'usr_1',
  accessHash: 'a2',
  refreshHash: 'r2',
  accessExpiresAt: '2026-11-20T11:00:00.000Z',
  expiresAt: '2027-02-18T10:00:00.000Z',
  refreshedAt: nextHour,
};
const signedOut: SessionEnded = {
  type: 'SessionEnded',
  sessionId: 'ses_1',
  accountId: 'usr_1',
  reason: 'signed_out',
  endedAt: at,
};

describe('starting a session', () => {
  it('gives an app an hour, and ninety days to renew it', () =>
    given(session).when(start(starting)).then(started));
  it('gives a cookie seven days without use, and thirty in all', () =>
    given(session)
      .when(start({ ...starting, refreshHash: null }))
      .then(cookieStarted));
  it('keeps the browser, and that nobody is to be told of the session that opening an account starts', () =>
    given(session)
      .when(start({ ...starting, browserHash: 'b', atOpening: true }))
      .then({ ...started, browserHash: 'b', atOpening: true }));
  it('does nothing the second time', () => given(session, started).when(start(starting)).thenNothing());
});

describe('refreshing a session', () => {
  const renewal = { presentedHash: 'r1', accessHash: 'a2', refreshHash: 'r2', at: nextHour };
  const reused: SessionEnded = { ...signedOut, reason: 'refresh_reused', endedAt: nextHour };

  it('gives new secrets for the newest refresh token', () =>
    given(session, started).when(refresh(renewal)).then(refreshed));
  it('gives the same ones again after a lost answer, for half a minute', () => {
    given(session, started, refreshed)
      .when(refresh({ ...renewal, at: '2026-11-20T10:00:29.999Z' }))
      .thenNothing();
    given(session, started, refreshed)
      .when(refresh({ ...renewal, at: '2026-11-20T10:00:30.000Z' }))
      .then({ ...reused, endedAt: '2026-11-20T10:00:30.000Z' });
  });
  it('ends the session when a used one comes again after the next one was used, however soon', () =>
    given(session, started, refreshed, { ...refreshed, accessHash: 'a3', refreshHash: 'r3' })
      .when(refresh(renewal))
      .then(reused));
  it('ends the session when a used one comes again whose secrets are not known any more', () =>
    given(session, started, refreshed)
      .when(refresh({ ...renewal, accessHash: 'a3', refreshHash: 'r3' }))
      .then(reused));
  it('is refused from then on, also for the newest', () =>
    given(session, started, refreshed, reused)
      .when(refresh({ ...renewal, presentedHash: 'r2' }))
      .thenRefused('session.refresh_invalid'));
  it('is refused after ninety days', () =>
    given(session, started)
      .when(refresh({ ...renewal, at: '2027-02-18T09:00:00.000Z' }))
      .thenRefused('session.refresh_invalid'));
  it('is refused for a cookie, and for no session', () => {
    given(session, cookieStarted).when(refresh(renewal)).thenRefused('session.refresh_invalid');
    given(session).when(refresh(renewal)).thenRefused('session.refresh_invalid');
  });
});

describe('ending a session', () => {
  const ending = { id: 'ses_1', accountId: 'usr_1', reason: 'signed_out', at } as const;

  it('ends it', () => given(session, started).when(end(ending)).then(signedOut));
  it('does nothing the second time', () =>
    given(session, started, signedOut).when(end(ending)).thenNothing());
  it("conceals other accounts' sessions", () =>
    given(session, started)
      .when(end({ ...ending, accountId: 'usr_2' }))
      .thenRefused('session.not_found'));
});

describe('a recent sign-in', () => {
  const state = session.evolve(null, started);
  const ended = session.evolve(state, signedOut);

  it('is one of the last 15 minutes, and no refresh', () => {
    expect(() => insistOnRecent(state, 'usr_1', '2026-11-20T09:15:00.000Z')).not.toThrow();
    expect(() => insistOnRecent(state, 'usr_1', '2026-11-20T09:15:00.001Z')).toThrow(
      'session.reauth_required',
    );
    const renewed = session.evolve(state, refreshed);
    expect(() => insistOnRecent(renewed, 'usr_1', nextHour)).toThrow('session.reauth_required');
  });
  it('is one of a session of the account that goes on', () => {
    expect(() => insistOnRecent(state, 'usr_2', at)).toThrow('session.required');
    expect(() => insistOnRecent(ended, 'usr_1', at)).toThrow('session.required');
    expect(() => insistOnRecent(null, 'usr_1', at)).toThrow('session.required');
  });
});

describe('the last use in the log', () => {
  const used = { type: 'TokenUsed', tokenId: 'tok_1', accountId: 'usr_1', usedAt: at } as const;
  const use = (when: string) => useToken({ id: 'tok_1', accountId: 'usr_1', at: when });

  it('is done at the first use', () => given(tokenUse).when(use(at)).then(used));
  it('is not done twice in a day', () =>
    given(tokenUse, used).when(use('2026-11-21T08:59:59.999Z')).thenNothing());
  it('is done again after a day', () =>
    given(tokenUse, used)
      .when(use('2026-11-21T09:00:00.000Z'))
      .then({ ...used, usedAt: '2026-11-21T09:00:00.000Z' }));
  it('has its row written again after a minute', () =>
    expect(
      [null, '2026-11-20T08:59:00.001Z', '2026-11-20T08:59:00.000Z'].map((last) => isDueForRow(last, at)),
    ).toEqual([true, false, true]));
  it('is done for sessions in the same way', () => {
    const sessionUsed = { type: 'SessionUsed', sessionId: 'ses_1', accountId: 'usr_1', usedAt: at } as const;
    given(sessionUse)
      .when(useSession({ id: 'ses_1', accountId: 'usr_1', at }))
      .then(sessionUsed);
    given(sessionUse, sessionUsed)
      .when(useSession({ id: 'ses_1', accountId: 'usr_1', at }))
      .thenNothing();
  });
});
