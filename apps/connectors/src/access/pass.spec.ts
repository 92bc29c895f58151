import type { AccessBound, PassEvent } from '@carillon/contracts';
import { plus } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { issuePass, pass, spendPass, urlWithPass } from './pass';

const at = '2026-11-20T09:00:00.000Z';
const later = (ms: number) => plus(at, ms);
const bound: AccessBound = {
  connectorId: 'con_1',
  route: 'wiki',
  appId: 'app_1',
  userId: 'usr_1',
  consentedAt: '2026-11-19T09:00:00.000Z',
};
const issued: PassEvent = {
  type: 'PassIssued',
  passHash: 'h',
  ...bound,
  issuedAt: at,
  until: later(60_000),
};
const spent: PassEvent = { type: 'PassSpent', by: 'first', spentAt: later(1_000) };

describe('issuing a pass', () => {
  it('is good for one minute', () =>
    given(pass)
      .when(issuePass({ hash: 'h', bound, at }))
      .then(issued));
  it('does nothing the second time', () =>
    given(pass, issued)
      .when(issuePass({ hash: 'h', bound, at: later(1) }))
      .thenNothing());
});

describe('spending a pass', () => {
  const spend = (ms: number, by = 'first') => spendPass({ bound, by, at: later(ms) });

  it('is done once', () => {
    given(pass, issued).when(spend(1_000)).then(spent);
    given(pass, issued, spent).when(spend(1_001, 'second')).thenRefused('pass.invalid', {});
  });

  it('does nothing when the same command asks again, however late', () => {
    given(pass, issued, spent).when(spend(1_001)).thenNothing();
    given(pass, issued, spent).when(spend(61_000)).thenNothing();
  });

  it('is possible until the last millisecond of its minute', () => {
    given(pass, issued)
      .when(spend(59_999))
      .then({ type: 'PassSpent', by: 'first', spentAt: later(59_999) });
    for (const ms of [60_000, 61_000]) given(pass, issued).when(spend(ms)).thenRefused('pass.invalid', {});
  });

  it('says the same of one that never was', () => given(pass).when(spend(0)).thenRefused('pass.invalid', {}));

  it.each<[string, Partial<AccessBound>]>([
    ['connector', { connectorId: 'con_2' }],
    ['route', { route: 'admin' }],
    ['app', { appId: 'app_2' }],
    ['person', { userId: 'usr_2' }],
    ['consent', { consentedAt: at }],
  ])('is refused at another %s', (_, other) =>
    given(pass, issued)
      .when(spendPass({ bound: { ...bound, ...other }, by: 'first', at }))
      .thenRefused('pass.invalid', {}),
  );

  it('is refused without access', () =>
    given(pass, issued)
      .when(spendPass({ bound: undefined, by: 'first', at }))
      .thenRefused('pass.invalid', {}));
});

describe('the address with a pass', () => {
  it.each([
    ['https://wiki.example.test', 'https://wiki.example.test/?carillon_pass=p'],
    ['https://wiki.example.test/', 'https://wiki.example.test/?carillon_pass=p'],
    ['https://wiki.example.test/a%20b', 'https://wiki.example.test/a%20b?carillon_pass=p'],
    ['https://wiki.example.test/a?b=c%20d+e', 'https://wiki.example.test/a?b=c%20d+e&carillon_pass=p'],
    ['https://wiki.example.test/a?#part', 'https://wiki.example.test/a?carillon_pass=p#part'],
  ])('%s is %s', (url, expected) => expect(urlWithPass(url, 'p')).toBe(expected));
});
