import { failureOf, requestOf, shownOf } from './message';

const origin = 'https://carillon.example';
const message = (notification: object): string => JSON.stringify({ web_push: 8030, notification });

describe('a push message', () => {
  it('is shown with its text, its tag and its buttons', () => {
    const shown = shownOf(
      message({
        title: 'Deploy?',
        body: 'To production',
        tag: 'int_1',
        navigate: `${origin}/console/prompts/int_1`,
        actions: [
          { action: 'approved', title: 'Ship it' },
          { action: 'denied', title: 'Not now' },
          { action: 7 },
        ],
        data: { promptId: 'int_1', actionDigest: 'sha256:0', deviceId: 'dev_1' },
      }),
      origin,
    );
    expect(shown).toEqual({
      title: 'Deploy?',
      body: 'To production',
      tag: 'int_1',
      silent: false,
      actions: [
        { action: 'approved', title: 'Ship it' },
        { action: 'denied', title: 'Not now' },
      ],
      kept: {
        path: '/console/prompts/int_1',
        promptId: 'int_1',
        actionDigest: 'sha256:0',
        deviceId: 'dev_1',
      },
    });
  });

  it.each([undefined, '', 'nonsense', 'null', '[]', '{}', message({}), message({ title: 7 })])(
    'that says nothing is shown anyway: %s',
    (text) => expect(shownOf(text, origin)).toMatchObject({ title: 'Carillon', kept: { path: '/console/' } }),
  );

  it.each([
    'https://elsewhere.example/console/',
    'javascript:alert(1)',
    `${origin}/api/session/logout`,
    `${origin}/console/../api/`,
    'https://[',
    '',
  ])('leads nowhere but into the console: %s', (navigate) =>
    expect(shownOf(message({ title: 'a', navigate }), origin).kept.path).toBe('/console/'),
  );
});

describe('a pressed button', () => {
  it('answers a prompt with the digest that was shown, and names the device', () =>
    expect(
      requestOf('approved', { path: '', promptId: 'int_1', actionDigest: 'sha256:0', deviceId: 'dev_1' }),
    ).toEqual({
      path: '/prompts/int_1/answer',
      body: { answer: 'approved', actionDigest: 'sha256:0', deviceId: 'dev_1' },
    }));

  it('acknowledges a page, and escalates only the step that was shown', () => {
    const kept = { path: '', pageId: 'ocp_1', escalationStep: 2 };
    expect(requestOf('acknowledge', kept)).toEqual({ path: '/pages/ocp_1/acknowledge', body: {} });
    expect(requestOf('escalate', kept)).toEqual({
      path: '/pages/ocp_1/escalate',
      body: { escalationStep: 2 },
    });
    expect(requestOf('resolve', kept)).toBeUndefined();
  });

  it('answers nothing without a digest', () =>
    expect(requestOf('approved', { path: '', promptId: 'int_1' })).toBeUndefined());

  it.each([
    [undefined, undefined, 'no connection'],
    [401, 'UNAUTHENTICATED', 'signed out'],
    [409, 'DIGEST_MISMATCH', 'has changed'],
    [409, 'INTERACTION_NOT_PENDING', 'answered already'],
    [503, 'UNAVAILABLE', 'Not taken'],
  ])('that was answered %s %s says why', (status, code, words) =>
    expect(failureOf(status, code)).toContain(words),
  );
});
