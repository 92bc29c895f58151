import { Batches } from './batches';

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('batches', () => {
  it('combine the items added while another batch runs', async () => {
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

  it('reject the items of a failed batch, and no later items', async () => {
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
