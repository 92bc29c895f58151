import { answerOf } from '../carillon/answer';
import { Allowance } from './allowance';
import { grantStateOf } from './grant-state';

const granted = {
  allowed: true,
  session: 'carillon_gws_x',
  sessionExpiresAt: '2026-11-22T12:00:00.000Z',
  user: { id: 'usr_1', name: 'Ann' },
  appId: 'app_1',
  route: 'wiki',
  target: 'http://127.0.0.1:3000/base',
};
const stateOf = (status: number, body: unknown) => grantStateOf(answerOf(status, JSON.stringify(body)));

describe('what Carillon says of a pass or a session', () => {
  it('lets somebody in with what they disclose', () =>
    expect(stateOf(200, granted)).toEqual({
      kind: 'open',
      grant: {
        session: 'carillon_gws_x',
        user: { id: 'usr_1', name: 'Ann' },
        appId: 'app_1',
        target: new URL('http://127.0.0.1:3000/base'),
      },
    }));

  it.each([
    ['a verified address', { email: 'ann@example.test', emailVerified: true }, { email: 'ann@example.test' }],
    ['no address that nobody has verified', { email: 'ceo@example.test', emailVerified: false }, {}],
    ['no address of which that is not said', { email: 'ceo@example.test' }, {}],
    ['no address that is verified by another word', { email: 'ceo@example.test', emailVerified: 'true' }, {}],
  ])('tells the app %s', (_, disclosed, expected) => {
    const told = stateOf(200, { ...granted, user: { id: 'usr_1', ...disclosed } });
    expect(told).toMatchObject({ kind: 'open', grant: { user: { id: 'usr_1', ...expected } } });
    expect(told.kind === 'open' && Object.keys(told.grant.user)).toEqual(['id', ...Object.keys(expected)]);
  });

  it.each([
    [403, 'PASS_INVALID', 'ended'],
    [403, 'SESSION_INVALID', 'ended'],
    [403, 'CONNECTOR_DISABLED', 'disabled'],
    [404, 'ROUTE_NAME_NOT_FOUND', 'no-route'],
    [401, 'TOKEN_REVOKED', 'not-welcome'],
    [403, 'INSUFFICIENT_SCOPE', 'not-welcome'],
    [404, 'NOT_FOUND', 'not-welcome'],
    [429, 'RATE_LIMITED', 'busy'],
    [500, 'INTERNAL', 'away'],
    [503, 'UNAVAILABLE', 'away'],
    [504, 'DEADLINE_EXCEEDED', 'away'],
  ])('is understood: %s %s → %s', (status, code, kind) =>
    expect(stateOf(status, { error: 'no', code }).kind).toBe(kind),
  );

  it.each([
    ['20', 20],
    [null, 5],
    ['soon', 5],
    ['0', 1],
    ['86400', 60],
  ])('is heard again after a 429 that says %s: in %s seconds', (retryAfter, seconds) =>
    expect(answerOf(429, '', retryAfter)).toEqual({ kind: 'busy', retryAfterSeconds: seconds }),
  );

  it.each([
    ['a page of what stands in front', 200, '<html>'],
    ['a redirect', 302, ''],
    ['a refusal that is not of the Agent API', 403, '<html>'],
    ['a refusal without a code', 403, '{}'],
    ['another word than true', 200, JSON.stringify({ ...granted, allowed: 'true' })],
    ['nobody', 200, JSON.stringify({ ...granted, user: null })],
    ['a target that is no address', 200, JSON.stringify({ ...granted, target: 'nonsense' })],
    ['a target of another kind', 200, JSON.stringify({ ...granted, target: 'file:///etc/passwd' })],
    ['no session', 200, JSON.stringify({ ...granted, session: undefined })],
    ['a list', 200, '[]'],
  ])('lets nobody in when it is %s', (_, status, text) =>
    expect(grantStateOf(answerOf(status, text)).kind).toBe('away'),
  );
});

it('no more than so many unknown sessions are asked about in a minute', () => {
  let now = 0;
  const allowance = new Allowance(2, { now: () => now });
  expect([allowance.take(), allowance.take(), allowance.take()]).toEqual([true, true, false]);
  now = 59_999;
  expect(allowance.take()).toBe(false);
  now = 60_000;
  expect(allowance.take()).toBe(true);
});
