import { Slots } from './slots';

describe('slots', () => {
  const line = () => {
    const slots = new Slots(1);
    const went: string[] = [];
    const come = (...names: string[]) =>
      names.forEach((name) => void slots.take(name[0]!)?.then(() => went.push(name)));
    const serve = async (times: number): Promise<string[]> => {
      for (let n = 0; n < times; n += 1) slots.give();
      await Promise.resolve();
      return went;
    };
    return { slots, come, serve };
  };

  it('do not delay a caller while one is free', () => {
    const slots = new Slots(2);
    expect([slots.take('a'), slots.take('a')]).toEqual([undefined, undefined]);
    slots.give();
    expect(slots.take('b')).toBeUndefined();
  });

  it('serve waiting callers in order of arrival', async () => {
    const { slots, come, serve } = line();
    slots.take('a');
    come('a1', 'a2', 'a3');
    expect(await serve(3)).toEqual(['a1', 'a2', 'a3']);
    slots.give();
    expect(slots.take('a')).toBeUndefined();
  });

  it('serve accounts in turn: thousands of one do not make another wait', async () => {
    const { slots, come, serve } = line();
    slots.take('a');
    come(...Array.from({ length: 5_000 }, (_, n) => `a${n}`), 'b1', 'c1', 'b2');
    expect(await serve(6)).toEqual(['a0', 'b1', 'c1', 'a1', 'b2', 'a2']);
  });
});
