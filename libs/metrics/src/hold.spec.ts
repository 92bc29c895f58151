import { holdFinder } from './hold';

/** What is found in looks of [time, processor's time], two of which are needed to know of the last. */
const heldIn = (...looks: [atMs: number, usedMs: number][]): number[] => {
  const finder = holdFinder();
  const [lastAt, lastUsed] = looks.at(-1)!;
  const known: [number, number][] = [
    [lastAt + 20, lastUsed],
    [lastAt + 40, lastUsed],
  ];
  return [...looks, ...known].flatMap(([atMs, usedMs]) => finder.look(atMs, usedMs));
};

describe('a hold of the event loop', () => {
  it('is the time of the processor between two looks, but for what many short turns may have used', () =>
    expect(heldIn([0, 0], [20, 1], [180, 161], [200, 162])).toEqual([140]));

  it('is none while the machine gives its processors to somebody else', () =>
    expect(heldIn([0, 0], [500, 12], [1_000, 30])).toEqual([]));

  it('is none of many short turns', () => expect(heldIn([0, 0], [20, 20], [40, 40], [60, 60])).toEqual([]));

  it('is told when it is too short to be counted, to nobody', () =>
    expect(heldIn([0, 0], [40, 40], [60, 41])).toEqual([]));

  it('is told once', () => {
    const finder = holdFinder();
    const looks = [0, 20, 220, 240, 260, 280, 300].map((atMs) => finder.look(atMs, atMs >= 220 ? 200 : 0));
    expect(looks.flat()).toEqual([180]);
  });

  it('has no garbage collection in it, which is told after it', () => {
    const finder = holdFinder();
    finder.look(0, 0);
    finder.look(200, 200);
    finder.collected(-30, 50);
    finder.collected(100, 60);
    finder.look(220, 201);
    expect(finder.look(240, 202)).toEqual([100]);
  });
});
