import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { SharedCalls } from './shared-calls';

/** Calls of one key that end when the test says so. */
function calls() {
  const shared = new SharedCalls<number>();
  const ends: ((failed?: Error) => void)[] = [];
  const call = () => {
    const number = ends.length + 1;
    return new Promise<number>((resolve, reject) =>
      ends.push((failed) => (failed ? reject(failed) : resolve(number))),
    );
  };
  return {
    ends,
    ask: (key = 'one') => shared.share(key, call),
    end: async (index: number, failed?: Error) => {
      ends[index]!(failed);
      await turn();
    },
  };
}

describe('calls of one key', () => {
  it('are shared by those who come before they begin, and by nobody who comes later', async () => {
    const { ask, end, ends } = calls();
    const first = ask();
    const meanwhile = [ask(), ask(), ask()];
    expect(ends.length).toBe(1);
    await end(0);
    expect(ends.length).toBe(2);
    const late = ask();
    await end(1);
    await end(2);
    expect(await Promise.all([first, ...meanwhile, late])).toEqual([1, 2, 2, 2, 3]);
    const alone = ask();
    await end(3);
    expect(await alone).toBe(4);
  });

  it('fail for those who shared them, and the next is made all the same', async () => {
    const { ask, end } = calls();
    const first = ask();
    const [second, third] = [ask(), ask()];
    const failed = [expect(first).rejects.toThrow('away'), expect(second).rejects.toThrow('still away')];
    const fails = expect(third).rejects.toThrow('still away');
    await end(0, new Error('away'));
    await end(1, new Error('still away'));
    await Promise.all([...failed, fails]);
    const fourth = ask();
    await end(2);
    expect(await fourth).toBe(3);
  });

  it('wait only for a moment for one that hangs', async () => {
    const { ask, end } = calls();
    const hangs = ask();
    const second = ask();
    await pause(200);
    await end(1);
    expect(await second).toBe(2);
    const third = ask();
    await end(2);
    expect(await third).toBe(3);
    await end(0);
    expect(await hangs).toBe(1);
  });

  it('do not wait for those of another key', async () => {
    const { ask, end, ends } = calls();
    const [one, other] = [ask('one'), ask('other')];
    expect(ends.length).toBe(2);
    await end(1);
    await end(0);
    expect(await Promise.all([one, other])).toEqual([1, 2]);
  });
});
