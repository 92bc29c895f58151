import { refusal, success } from './result';

describe('a result', () => {
  it('is the answer as data and as text', () =>
    expect(success({ ok: true }, [])).toEqual({
      content: [{ type: 'text', text: '{"ok":true}' }],
      structuredContent: { ok: true },
    }));

  it('says what others wrote', () => {
    const { content, structuredContent } = success({ title: 'x' }, ['title']);
    expect(structuredContent).toEqual({ title: 'x', untrusted: ['title'] });
    expect(content).toHaveLength(2);
    expect(content[1]?.text).toBe('{"title":"x","untrusted":["title"]}');
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'VALIDATION_FAILED', {}, 'Correct the arguments'],
    [401, 'TOKEN_REVOKED', {}, 'another token'],
    [403, 'FORBIDDEN_ROLE', {}, 'only the person'],
    [404, 'NOT_FOUND', {}, 'the right id'],
    [409, 'ACTIVITY_NOT_RUNNING', {}, 'Do not repeat'],
    [409, 'IDEMPOTENCY_IN_PROGRESS', { retryAfter: 1 }, 'Wait 1 s'],
    [413, 'PAYLOAD_TOO_LARGE', {}, 'less text'],
    [422, 'IDEMPOTENCY_KEY_REUSED', {}, 'another idempotencyKey'],
    [429, 'RATE_LIMITED', { retryAfter: 30 }, 'Wait 30 s'],
    [503, 'UNAVAILABLE', {}, 'Nothing was done'],
    [504, 'DEADLINE_EXCEEDED', {}, 'It may have happened'],
  ])('of %d %s says what to do', (status, code, more, advice) => {
    const body = { error: 'It went wrong.', code, ...more };
    const { content, isError, structuredContent } = refusal({ status, body });
    expect(isError).toBe(true);
    expect(structuredContent).toBeUndefined();
    expect(content[0]?.text).toMatch(/^It went wrong\. /);
    expect(content[0]?.text).toContain(advice);
    expect(JSON.parse(content[1]?.text ?? '')).toEqual(body);
  });
});
