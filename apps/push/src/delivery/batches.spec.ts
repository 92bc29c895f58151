import { Batches } from './batches';

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('batches', () => {
  it('take together what came in while one was under way', async () => {
    const done: (readonly number[])[] = [];
    const batches = new Batches<number>(async (items) => {
      await soon();
      done.push(items);
    });
    const first = batches.add(1);
    await Promise.resolve();
    await Promise.resolve();
    await Promise.all([first, batches.add(2), batches.add(3, 4)]);
    expect(done).toEqual([[1], [2, 3, 4]]);
  });

  it('fail those who are in them, and nobody after', async () => {
    let broken = true;
    const batches = new Batches<number>(async () => {
      await soon();
      if (broken) throw new Error('no');
    });
    await expect(batches.add(1)).rejects.toThrow('no');
    broken = false;
    await expect(batches.add(2)).resolves.toBeUndefined();
  });
});
