import { isForeign, Suspects } from './suspects';

const minute = 60_000;

describe('an address that may belong to another project', () => {
  it('has its own backoff, longer each time, an hour at most', () => {
    const suspects = new Suspects();
    const backoffs: number[] = [];
    for (let now = 0, times = 0; times < 9; times += 1) {
      const { until } = suspects.doubted('a', now);
      expect(suspects.restsUntil('a', until - 1)).toBe(until);
      expect(suspects.restsUntil('a', until)).toBeUndefined();
      expect(suspects.restsUntil('b', now)).toBeUndefined();
      backoffs.push((until - now) / minute);
      now = until;
    }
    expect(backoffs).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('gets one doubt from messages in transit together', () => {
    const suspects = new Suspects();
    const first = suspects.doubted('a', 0);
    expect(suspects.doubted('a', 5)).toEqual(first);
    expect(suspects.doubted('a', minute)).toMatchObject({ doubts: 2, since: 0 });
  });

  it('is trusted again when it was accepted', () => {
    const suspects = new Suspects();
    suspects.doubted('a', 0);
    suspects.forget('a');
    expect(suspects.restsUntil('a', 1)).toBeUndefined();
    expect(suspects.doubted('a', 1)).toMatchObject({ doubts: 1, since: 1 });
  });

  it('is certainly foreign only when others were accepted meanwhile', () => {
    const suspicion = { doubts: 3, since: 0, until: 0 };
    expect(isForeign(suspicion, true)).toBe(true);
    expect(isForeign(suspicion, false)).toBe(false);
    expect(isForeign({ ...suspicion, doubts: 2 }, true)).toBe(false);
  });
});
