import { type Hold, Permits, type PermitDemand } from './permits';

/** What the gateways hold of each token, as accounts keeps it in its rows. */
class Ledger {
  readonly told: PermitDemand[][] = [];
  private readonly held = new Map<string, Map<string, number>>();

  holdFor(gateway: string): Hold {
    return (wants) => {
      this.told.push([...wants]);
      const all = wants.map(({ tokenId, wanted, max }) => {
        const holders = this.held.get(tokenId) ?? new Map<string, number>();
        const others = [...holders].reduce((sum, [name, held]) => (name === gateway ? sum : sum + held), 0);
        const granted = Math.max(0, Math.min(wanted, max - others));
        this.held.set(tokenId, holders.set(gateway, granted));
        return granted;
      });
      return Promise.resolve(all);
    };
  }
}

let ledger: Ledger;
let failures: unknown[];
beforeEach(() => {
  ledger = new Ledger();
  failures = [];
});
const permits = (gateway: string, hold: Hold = ledger.holdFor(gateway)) =>
  new Permits(3, hold, (error) => failures.push(error));
const takeAll = (of: Permits, count: number) =>
  Promise.all(Array.from({ length: count }, () => of.take('tok_1')));
const granted = (answers: readonly boolean[]): number => answers.filter(Boolean).length;

describe('the permits of a token', () => {
  it('are as many as its maximum, and each is free again when its wait is over', async () => {
    const here = permits('a');
    expect(await takeAll(here, 4)).toEqual([true, true, true, false]);
    here.give('tok_1');
    expect(await here.take('tok_1')).toBe(true);
    expect(await here.take('tok_1')).toBe(false);
    expect(await here.take('tok_2')).toBe(true);
  });

  it('are granted to a wait that comes while the end of the last one is reported', async () => {
    const held: (() => void)[] = [];
    const hold: Hold = (wants) =>
      new Promise((resolve) => held.push(() => resolve(ledger.holdFor('a')(wants))));
    const next = async () => {
      while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      held.shift()!();
    };
    const here = permits('a', hold);
    const first = here.take('tok_1');
    await next();
    expect(await first).toBe(true);
    here.renew();
    await Promise.resolve();
    here.give('tok_1');
    await next();
    while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const second = here.take('tok_1');
    await next();
    await next();
    expect(await second).toBe(true);
  });

  it('stay within the maximum when two gateways want the last ones at the same time', async () => {
    const [one, other] = [permits('a'), permits('b')];
    await one.take('tok_1');
    const answers = await Promise.all([takeAll(one, 5), takeAll(other, 5)]);
    expect(granted(answers.flat())).toBe(2);
    one.give('tok_1');
    await one.told();
    expect(granted((await Promise.all([takeAll(one, 2), takeAll(other, 2)])).flat())).toBe(1);
  });

  it('are reported together when they change together', async () => {
    const here = permits('a');
    await Promise.all([takeAll(here, 3), here.take('tok_2')]);
    expect(ledger.told).toEqual([
      [
        { tokenId: 'tok_1', wanted: 3, max: 3 },
        { tokenId: 'tok_2', wanted: 1, max: 3 },
      ],
    ]);
  });

  it('that are released during a call are reported after it', async () => {
    let answer: (held: readonly number[]) => void = () => {};
    const held = ledger.holdFor('a');
    let slow = false;
    const here = permits('a', (wants) =>
      slow ? new Promise((resolve) => (answer = resolve)).then(() => held(wants)) : held(wants),
    );
    await takeAll(here, 2);
    slow = true;
    const third = here.take('tok_1');
    await Promise.resolve().then(() => {});
    here.give('tok_1');
    slow = false;
    answer([]);
    expect(await third).toBe(true);
    await here.told();
    expect(ledger.told.at(-1)).toEqual([{ tokenId: 'tok_1', wanted: 2, max: 3 }]);
  });

  it('are renewed as long as they are held, and leave no entries behind', async () => {
    const here = permits('a');
    await takeAll(here, 2);
    here.renew();
    await here.told();
    expect(ledger.told.at(-1)).toEqual([{ tokenId: 'tok_1', wanted: 2, max: 3 }]);
    here.give('tok_1');
    here.give('tok_1');
    await here.told();
    expect(ledger.told.at(-1)).toEqual([{ tokenId: 'tok_1', wanted: 0, max: 3 }]);
    expect(here.size).toBe(0);
    here.renew();
    await here.told();
    expect(ledger.told).toHaveLength(3);
  });

  it('are the maximum at each gateway while accounts is unavailable', async () => {
    const here = permits('a', () => Promise.reject(new Error('away')));
    expect(granted(await takeAll(here, 5))).toBe(3);
    expect(failures).toHaveLength(1);
  });
});
