import { Breaker } from './breaker';

const minute = 60_000;

describe('the breaker of a credential', () => {
  it('lets pushes through while the credential is taken', () => expect(new Breaker().admit(0)).toBe(true));

  it('holds them when it is not, and lets one try every minute', () => {
    const breaker = new Breaker();
    expect(breaker.refused(0)).toBe(true);
    expect(breaker.admit(1)).toEqual({ until: minute });
    expect(breaker.admit(minute)).toBe(true);
    expect(breaker.admit(minute)).toEqual({ until: 2 * minute });
    expect(breaker.refused(minute + 5)).toBe(false);
    expect(breaker.admit(minute + 6)).toEqual({ until: 2 * minute + 5 });
  });

  it('lets them through again when one was taken', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    breaker.admit(minute);
    expect(breaker.taken()).toBe(true);
    expect(breaker.taken()).toBe(false);
    expect(breaker.admit(minute)).toBe(true);
  });

  it('lets another try when nothing was heard of the first', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    expect(breaker.admit(minute)).toBe(true);
    expect(breaker.admit(2 * minute)).toBe(true);
  });

  it('opens on a doubt only when phone after phone gives rise to it', () => {
    const breaker = new Breaker();
    for (let n = 0; n < 5; n += 1) expect(breaker.doubted('dev_1', 0)).toBe(false);
    expect(breaker.doubted('dev_2', 0)).toBe(false);
    breaker.taken();
    expect(['dev_2', 'dev_3', 'dev_4'].map((id) => breaker.doubted(id, 0))).toEqual([false, false, true]);
  });
});
