import { Breaker } from './breaker';

const minute = 60_000;
const known = { accountId: 'usr_1', isProven: true };
const fresh = { accountId: 'usr_2', isProven: false };

describe('the breaker of a credential', () => {
  it('lets pushes through while the credential is taken', () =>
    expect(new Breaker().admit(0, fresh)).toBe(true));

  it('holds them when it is not, and lets one try every minute', () => {
    const breaker = new Breaker();
    expect(breaker.refused(0)).toBe(true);
    expect(breaker.admit(1, known)).toEqual({ until: minute });
    expect(breaker.admit(minute, known)).toBe(true);
    expect(breaker.admit(minute, known)).toEqual({ until: 2 * minute });
    expect(breaker.refused(minute + 5)).toBe(false);
    expect(breaker.admit(minute + 6, known)).toEqual({ until: 2 * minute + 5 });
  });

  it('lets them through again when one was taken', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    breaker.admit(minute, known);
    expect(breaker.taken('usr_1', minute)).toBe(true);
    expect(breaker.taken('usr_1', minute)).toBe(false);
    expect(breaker.admit(minute, known)).toBe(true);
  });

  it('lets another try when nothing was heard of the first', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    expect(breaker.admit(minute, known)).toBe(true);
    expect(breaker.admit(2 * minute, known)).toBe(true);
  });

  it('leaves the try to a phone that was accepted before, when there is one', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    expect(breaker.admit(minute, fresh)).toEqual({ until: minute + 10_000 });
    expect(breaker.admit(minute, known)).toBe(true);
    expect(breaker.admit(minute + 10_000, fresh)).toEqual({ until: 2 * minute + 10_000 });
    expect(breaker.admit(2 * minute + 10_000, fresh)).toBe(true);
  });
});

describe('doubts about a credential', () => {
  const doubt = (breaker: Breaker, now: number, ...accounts: string[]): boolean[] =>
    accounts.map((accountId) => breaker.doubted(accountId, now));

  it('of one account never hold the pushes of the others, however many foreign phones it has', () => {
    const breaker = new Breaker();
    expect(doubt(breaker, 0, ...Array.from({ length: 500 }, () => 'usr_bad'))).not.toContain(true);
    expect(breaker.isOpen).toBe(false);
  });

  it('become certain when account after account gives rise to them', () => {
    const breaker = new Breaker();
    expect(doubt(breaker, 0, 'usr_1', 'usr_1', 'usr_2')).toEqual([false, false, false]);
    breaker.taken('usr_1', 0);
    expect(doubt(breaker, 2 * minute, 'usr_2', 'usr_3', 'usr_4')).toEqual([false, false, true]);
  });

  it('do not count while others are accepted', () => {
    const breaker = new Breaker();
    breaker.taken('usr_good', 0);
    expect(doubt(breaker, minute, 'usr_1', 'usr_2', 'usr_3', 'usr_4')).not.toContain(true);
    expect(doubt(breaker, minute + 1, 'usr_1', 'usr_2', 'usr_3')).toEqual([false, false, true]);
  });

  it('count when it is only the same account that was accepted', () => {
    const breaker = new Breaker();
    breaker.taken('usr_1', 0);
    expect(doubt(breaker, 1, 'usr_1')).toEqual([false]);
    expect(breaker.tookOthers('usr_1', 0)).toBe(false);
    expect(breaker.tookOthers('usr_2', 0)).toBe(true);
    breaker.taken('usr_2', 5);
    expect(breaker.tookOthers('usr_2', 0)).toBe(true);
    expect(breaker.tookOthers('usr_2', 1)).toBe(false);
  });

  it('let who gave no rise to them try at once, and the others go when that is taken', () => {
    const breaker = new Breaker();
    doubt(breaker, 0, 'usr_a', 'usr_b', 'usr_c');
    expect(breaker.admit(1, { accountId: 'usr_a', isProven: false })).toEqual({ until: minute });
    expect(breaker.admit(1, fresh)).toBe(true);
    expect(breaker.admit(2, fresh)).toEqual({ until: minute + 1 + 10_000 });
    expect(breaker.taken('usr_2', 3)).toBe(true);
    expect(breaker.admit(3, { accountId: 'usr_a', isProven: false })).toBe(true);
  });

  it('that were answered with yet another, or with nothing that tells, let the next try at once', () => {
    const breaker = new Breaker();
    doubt(breaker, 0, 'usr_a', 'usr_b', 'usr_c');
    for (const accountId of ['usr_d', 'usr_e']) {
      expect(breaker.admit(1, { accountId, isProven: false })).toBe(true);
      breaker.doubted(accountId, 1);
    }
    expect(breaker.admit(2, fresh)).toBe(true);
    breaker.unclear(3);
    expect(breaker.admit(3, fresh)).toBe(true);
  });

  it('do not hurry a breaker that is open for certain', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    breaker.doubted('usr_a', 1);
    breaker.unclear(1);
    expect(breaker.admit(2, known)).toEqual({ until: minute });
  });
});
