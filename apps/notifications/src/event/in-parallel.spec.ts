import { inParallel } from './in-parallel';

const numbers = Array.from({ length: 100 }, (_, n) => n);

describe('work that is done a few at a time', () => {
  it('has its results in the order of the items', async () =>
    expect(await inParallel(numbers, 7, async (n) => n * 2)).toEqual(numbers.map((n) => n * 2)));

  it('is not begun any more once some of it has failed', async () => {
    const begun: number[] = [];
    const work = async (n: number): Promise<void> => {
      begun.push(n);
      await new Promise((resolve) => setImmediate(resolve));
      if (n === 3) throw new Error('no');
    };
    await expect(inParallel(numbers, 4, work)).rejects.toThrow('no');
    await new Promise((resolve) => setTimeout(resolve, 50));
    // Beside the one that failed, at most three had begun their next.
    expect(begun.length).toBeLessThanOrEqual(7);
  });
});
