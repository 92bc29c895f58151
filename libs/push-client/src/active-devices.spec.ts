import { setTimeout as sleep } from 'node:timers/promises';
import { ActiveDevices } from './active-devices';

describe('ActiveDevices', () => {
  let asked: string[] = [];
  let registered: string[] = [];
  beforeEach(() => {
    asked = [];
    registered = [];
  });
  const devices = (): ActiveDevices<string, readonly string[]> =>
    new ActiveDevices(async (by) => {
      asked.push(by);
      const seen = [...registered];
      await sleep(5);
      if (by === 'late') throw new Error('no time left');
      return seen;
    });

  it('sends one request for all calls during a running request', async () => {
    const active = devices();
    await Promise.all(['a', 'b', 'c', 'd'].map((by) => active.of('usr_1', by)));
    expect(asked).toEqual(['a', 'b']);
    await active.of('usr_1', 'e');
    expect(asked).toEqual(['a', 'b', 'e']);
  });

  it('never answers a call with a request sent before it', async () => {
    const active = devices();
    const before = active.of('usr_1', 'a');
    registered.push('dev_1');
    const [after, alsoAfter] = [active.of('usr_1', 'b'), active.of('usr_1', 'c')];
    expect(await before).toEqual([]);
    expect(await after).toEqual(['dev_1']);
    expect(await alsoAfter).toEqual(['dev_1']);
  });

  it('keeps accounts apart', async () => {
    const active = devices();
    await Promise.all([active.of('usr_1', 'a'), active.of('usr_2', 'b')]);
    expect(asked).toEqual(['a', 'b']);
  });

  it('sends a request per call when the shared request fails', async () => {
    registered.push('dev_1');
    const active = devices();
    const first = active.of('usr_1', 'a');
    const shared = active.of('usr_1', 'late');
    const joined = active.of('usr_1', 'c');
    expect(await first).toEqual(['dev_1']);
    await expect(shared).rejects.toThrow('no time left');
    expect(await joined).toEqual(['dev_1']);
    expect(asked).toEqual(['a', 'late', 'c']);
    expect(await active.of('usr_1', 'd')).toEqual(['dev_1']);
  });
});
