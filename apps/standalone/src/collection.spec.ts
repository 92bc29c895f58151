import { Quiet } from './collection';

const mib = 2 ** 20;

/** Looks every five seconds: the share of a processor that was used since the last, and the size of the heap. */
function looks(quiet: Quiet, ...seen: readonly (readonly [share: number, heapMib: number])[]): boolean[] {
  return seen.map(([share, heapMib]) => {
    clock.atMs += 5_000;
    clock.usedMs += share * 5_000;
    return quiet.isTime({ ...clock, heapBytes: heapMib * mib });
  });
}
const clock = { atMs: 0, usedMs: 0 };

describe('garbage', () => {
  it('is collected after twenty quiet seconds', () => {
    const seen = looks(new Quiet(), [0, 300], [0.1, 300], [0.1, 300], [0.1, 300], [0.1, 300]);
    expect(seen).toEqual([false, false, false, false, true]);
  });

  it('is not collected while the process is used', () => {
    const busy = Array.from({ length: 20 }, (_, index) => [index % 3 === 0 ? 0.5 : 0.1, 300] as const);
    expect(looks(new Quiet(), [0, 300], ...busy)).not.toContain(true);
  });

  it('of a part is collected when its smaller heap has grown', () => {
    const seen = looks(new Quiet(12 * mib), ...Array.from({ length: 6 }, () => [0.1, 54] as const));
    expect(seen).toContain(true);
    expect(looks(new Quiet(), ...Array.from({ length: 6 }, () => [0.1, 31] as const))).not.toContain(true);
  });

  it('is collected again only when the heap has grown since', () => {
    const quiet = new Quiet();
    const idle = (heapMib: number): boolean =>
      looks(quiet, ...Array.from({ length: 6 }, () => [0.1, heapMib] as const)).includes(true);
    expect(idle(300)).toBe(true);
    quiet.collected(90 * mib);
    expect(idle(100)).toBe(false);
    expect(idle(121)).toBe(false);
    expect(idle(122)).toBe(true);
  });
});
