import { Breaker } from './breaker';

const minute = 60_000;
const known = { accountId: 'usr_1', isProven: true };
const fresh = { accountId: 'usr_2', isProven: false };

describe('the breaker of a credential', () => {
  it('admits pushes while the credential is accepted', () =>
    expect(new Breaker().admit(0, fresh)).toBe(true));

  it('holds pushes when it is rejected, and admits one probe every minute', () => {
    const breaker = new Breaker();
    expect(breaker.refused(0)).toBe(true);
    expect(breaker.admit(1, known)).toEqual({ until: minute });
    expect(breaker.admit(minute, known)).toBe(true);
    expect(breaker.admit(minute, known)).toEqual({ until: 2 * minute });
    expect(breaker.refused(minute + 5)).toBe(false);
    expect(breaker.admit(minute + 6, known)).toEqual({ until: 2 * minute + 5 });
  });

  it('admits pushes again when one was accepted', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    breaker.admit(minute, known);
    expect(breaker.taken('usr_1', minute)).toBe(true);
    expect(breaker.taken('usr_1', minute)).toBe(false);
    expect(breaker.admit(minute, known)).toBe(true);
  });

  it('admits another probe when the first has no result', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    expect(breaker.admit(minute, known)).toBe(true);
    expect(breaker.admit(2 * minute, known)).toBe(true);
  });

  it('prefers a proven phone for the probe', () => {
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

  it('become certain after doubts from several accounts', () => {
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

  it('count when only pushes of the same account were accepted', () => {
    const breaker = new Breaker();
    breaker.taken('usr_1', 0);
    expect(doubt(breaker, 1, 'usr_1')).toEqual([false]);
    expect(breaker.tookOthers('usr_1', 0)).toBe(false);
    expect(breaker.tookOthers('usr_2', 0)).toBe(true);
    breaker.taken('usr_2', 5);
    expect(breaker.tookOthers('usr_2', 0)).toBe(true);
    expect(breaker.tookOthers('usr_2', 1)).toBe(false);
  });

  it('let accounts without doubts probe at once, and admit the others when that probe is accepted', () => {
    const breaker = new Breaker();
    doubt(breaker, 0, 'usr_a', 'usr_b', 'usr_c');
    expect(breaker.admit(1, { accountId: 'usr_a', isProven: false })).toEqual({ until: minute });
    expect(breaker.admit(1, fresh)).toBe(true);
    expect(breaker.admit(2, fresh)).toEqual({ until: minute + 1 + 10_000 });
    expect(breaker.taken('usr_2', 3)).toBe(true);
    expect(breaker.admit(3, { accountId: 'usr_a', isProven: false })).toBe(true);
  });

  it('followed by another doubt or an uninformative answer let the next probe at once', () => {
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

  it('do not allow early probes when the breaker is certainly open', () => {
    const breaker = new Breaker();
    breaker.refused(0);
    breaker.doubted('usr_a', 1);
    breaker.unclear(1);
    expect(breaker.admit(2, known)).toEqual({ until: minute });
  });
});
