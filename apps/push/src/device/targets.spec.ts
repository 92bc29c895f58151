import { Targets } from './targets';

const row = (account: number, number: number) => ({
  account_id: `usr_${account}`,
  device_id: `dev_${number}`,
  hours: null,
});
const device = (number: number) => ({ deviceId: `dev_${number}`, hours: null });

describe('finding targets', () => {
  it('gives each account its own active devices', async () => {
    const targets = new Targets(async () => [row(1, 2), row(2, 3), row(1, 1)]);
    const found = await Promise.all([targets.of('usr_1'), targets.of('usr_1'), targets.of('usr_2')]);
    expect(found).toEqual([[device(1), device(2)], [device(1), device(2)], [device(3)]]);
    expect(await targets.of('usr_9')).toEqual([]);
  });

  it('runs one query for all lookups that arrived during a query', async () => {
    const asked: (readonly string[])[] = [];
    const targets = new Targets(async (accounts) => {
      asked.push(accounts);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return [];
    });
    await Promise.all(['usr_1', 'usr_2', 'usr_3', 'usr_2'].map((account) => targets.of(account)));
    expect(asked).toEqual([['usr_1'], ['usr_2', 'usr_3']]);
  });

  it('rejects the lookups of a failed query, and no later ones', async () => {
    let broken = true;
    const targets = new Targets(async () => {
      if (broken) throw new Error('the database is away');
      return [row(1, 1)];
    });
    await expect(targets.of('usr_1')).rejects.toThrow('away');
    broken = false;
    expect(await targets.of('usr_1')).toEqual([device(1)]);
  });
});
