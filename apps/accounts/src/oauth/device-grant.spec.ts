import { type DeviceRequest, mintUserCode, poll, userCodeOf } from './device-grant';

const request = (more: Partial<DeviceRequest> = {}): DeviceRequest => ({
  client: 'cli',
  host: 'laptop',
  scopes: ['inbox:read'],
  intervalSeconds: 5,
  ...more,
});

describe('a code for a person to type', () => {
  it('has eight letters that nobody confuses, and is read however it is typed', () => {
    let next = 0;
    const code = mintUserCode((below) => (next += 7) % below);
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(userCodeOf(code)).toBe(code);
    expect(userCodeOf(` ${code.toLowerCase().replace('-', ' ')} `)).toBe(code);
  });
  it.each(['', 'BBBB-BBB', 'BBBB-BBBBB', 'AAAA-AAAA', 'BBBB-BBB1'])('is never %j', (typed) =>
    expect(userCodeOf(typed)).toBeUndefined(),
  );
});

describe('a command line that asks', () => {
  it('is told to wait, and to slow down when it asks too soon', () => {
    const first = poll(request(), 0);
    expect(first).toMatchObject({
      answer: 'authorization_pending',
      next: { polledAtMs: 0, intervalSeconds: 5 },
    });
    const second = poll(request({ polledAtMs: 0 }), 4_999);
    expect(second).toMatchObject({ answer: 'slow_down', next: { intervalSeconds: 10 } });
    expect(poll(request({ polledAtMs: 0 }), 5_000)).toMatchObject({ answer: 'authorization_pending' });
  });
  it('is told at once what the person has decided', () => {
    expect(poll(request({ polledAtMs: 0, decided: { decision: 'deny' } }), 1)).toEqual({
      answer: 'access_denied',
    });
    const by = {
      decision: 'approve',
      accountId: 'usr_1',
      sessionId: 'ses_1',
      name: 'CLI on laptop',
      scopes: [],
      expiresAt: null,
    } as const;
    expect(poll(request({ polledAtMs: 0, decided: by }), 1)).toEqual({ answer: 'approved', by });
  });
});
