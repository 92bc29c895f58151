import { newestGeneration } from './generations';

describe('the generations of an idempotency key', () => {
  it('finds the newest one, however many there were', async () => {
    for (const newest of [0, 1, 2, 3, 4, 7, 8, 365, 1000]) {
      let looks = 0;
      const found = await newestGeneration(async (generation) => {
        looks += 1;
        return generation <= newest;
      });
      expect(found).toBe(newest);
      expect(looks).toBeLessThanOrEqual(2 * Math.log2(newest + 2) + 2);
    }
  });
});
