import { unprocessed, type Effect } from './fault.js';
import { Faults } from './faults.js';

const subject = { provider: 'apns' as const, phoneId: 'phone_1', pushTypes: ['alert', 'prompt'] };

describe('a fault', () => {
  it('meets as many pushes as it says, then no more', () => {
    const faults = new Faults();
    faults.add({}, { status: 500 }, 2);
    expect([1, 2, 3].map(() => faults.take(subject)?.id)).toEqual(['fault_1', 'fault_1', undefined]);
    expect(faults.list()).toMatchObject([{ count: 2, met: 2, remaining: 0 }]);
  });

  it('without a count meets all until it is cleared', () => {
    const faults = new Faults();
    faults.add({}, { status: 500 }, undefined);
    for (let at = 0; at < 5; at++) expect(faults.take(subject)).toBeDefined();
    expect(faults.list()).toMatchObject([{ count: null, met: 5, remaining: null }]);
    faults.clear();
    expect(faults.take(subject)).toBeUndefined();
  });

  it('meets only what it matches', () => {
    const meets = (match: object) => {
      const faults = new Faults();
      faults.add(match, { status: 500 }, 1);
      return faults.take(subject) !== undefined;
    };
    expect(meets({})).toBe(true);
    expect(meets({ provider: 'apns', phoneId: 'phone_1', pushType: 'alert' })).toBe(true);
    expect(meets({ pushType: 'prompt' })).toBe(true);
    expect(meets({ provider: 'fcm' })).toBe(false);
    expect(meets({ provider: 'oauth' })).toBe(false);
    expect(meets({ phoneId: 'phone_2' })).toBe(false);
    expect(meets({ pushType: 'liveactivity' })).toBe(false);
  });

  it('leaves the token endpoint alone unless it names it', () => {
    const faults = new Faults();
    faults.add({}, { status: 500 }, 1);
    expect(faults.take({ provider: 'oauth', pushTypes: [] })).toBeUndefined();
  });

  it('acts before the next one that matches', () => {
    const faults = new Faults();
    faults.add({}, { status: 500 }, 1);
    faults.add({}, { status: 503 }, 1);
    expect([faults.take(subject), faults.take(subject)].map((fault) => fault?.effect.status)).toEqual([
      500, 503,
    ]);
  });

  it('knows whether the push is taken all the same', () => {
    const taken = (effect: Effect) => !unprocessed({ id: 'fault_1', match: {}, effect, count: 1, met: 0 });
    expect(taken({ cut: 'after' })).toBe(true);
    expect(taken({ cut: 'after', goaway: true })).toBe(true);
    expect(taken({ latencyMs: 10 })).toBe(true);
    expect(taken({ cut: 'before' })).toBe(false);
    expect(taken({ goaway: true })).toBe(false);
    expect(taken({ refuseStream: true })).toBe(false);
  });
});
