import { Refused } from './decider';
import { refusedAs, unless } from './refusal';

const refused = (reason: string) => Promise.reject<string>(new Refused(reason, { limit: 1 }));

describe('a result that may be refused', () => {
  it('is returned', async () => {
    expect(await unless('team.unknown', Promise.resolve('Acme'))).toBe('Acme');
    expect(await refusedAs('team.unknown', 'team.not_found', Promise.resolve('Acme'))).toBe('Acme');
  });
  it('is undefined when refused for that reason', async () => {
    expect(await unless('team.unknown', refused('team.unknown'))).toBeUndefined();
    await expect(unless('team.unknown', refused('bus.timeout'))).rejects.toThrow('bus.timeout');
    await expect(unless('team.unknown', Promise.reject(new Error('team.unknown')))).rejects.toThrow();
  });
  it('is refused for the reason that the caller uses', async () => {
    await expect(refusedAs('app.unknown', 'app.not_found', refused('app.unknown'))).rejects.toMatchObject({
      reason: 'app.not_found',
      details: {},
    });
    await expect(refusedAs('app.unknown', 'app.not_found', refused('bus.timeout'))).rejects.toMatchObject({
      reason: 'bus.timeout',
      details: { limit: 1 },
    });
  });
});
