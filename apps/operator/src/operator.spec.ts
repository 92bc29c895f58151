import {
  Accounts,
  Interactions,
  type ListPage,
  type ListQuery,
  serviceNames,
  Teams,
} from '@carillon/contracts';
import { allOf, type Ask, ofEachService, onBehalfOf } from './operator';

describe('a question of the operator', () => {
  it('does not compile with a wrong field, without a needed one, or with a contract that does not exist', () => {
    // Compiled, not run.
    const questions = async (ask: Ask): Promise<void> => {
      await ask(Teams.found, { name: 'Acme', ownerEmail: 'ada@example.test' });
      // @ts-expect-error The field is `ownerEmail`.
      await ask(Teams.found, { name: 'Acme', owner: 'ada@example.test' });
      // @ts-expect-error `ownerEmail` is missing.
      await ask(Teams.found, { name: 'Acme' });
      // @ts-expect-error The field is `email`.
      await ask(Accounts.list, { address: 'ada@example.test' });
      // @ts-expect-error There is no such contract.
      await ask(Teams.founded, { name: 'Acme', ownerEmail: 'ada@example.test' });
      // @ts-expect-error The answer has no such field.
      (await ask(Accounts.byEmail, { email: 'ada@example.test' })).id.trim();
      // @ts-expect-error `pending` is true or false.
      for await (const _ of allOf((query) => ask(Interactions.list, { ...query, pending: 'yes' })));
      // @ts-expect-error It is no list.
      for await (const _ of allOf((query) => ask(Accounts.me, query)));
    };
    expect(questions).toBeInstanceOf(Function);
  });

  const asked: [string, unknown, string | undefined][] = [];
  const ask: Ask = async (contract, input, accountId) => {
    asked.push([contract.subject, input, accountId]);
    return Promise.reject(new Error('asked'));
  };
  beforeEach(() => asked.splice(0));

  it('names the account on whose behalf it is asked', async () => {
    await expect(onBehalfOf(ask, 'usr_1')(Teams.list, { limit: 1 })).rejects.toThrow('asked');
    expect(asked).toEqual([['rpc.teams.team.list', { limit: 1 }, 'usr_1']]);
  });

  it('goes to every service', async () => {
    await expect(ofEachService(ask, ({ keys }) => keys)).rejects.toThrow('asked');
    expect(asked.map(([subject]) => subject)).toEqual(serviceNames.map((name) => `rpc.${name}.key.list`));
  });
});

describe('a list', () => {
  it('is read to its end, one list page after the other', async () => {
    const queries: ListQuery[] = [];
    const list = async (query: ListQuery): Promise<ListPage<number>> => {
      queries.push(query);
      if (query.cursor === undefined) return { items: [1, 2], nextCursor: 'second' };
      return {
        items: query.cursor === 'second' ? [3] : [],
        nextCursor: query.cursor === 'second' ? 'third' : null,
      };
    };
    const all: number[] = [];
    for await (const each of allOf(list)) all.push(each);
    expect(all).toEqual([1, 2, 3]);
    expect(queries.map(({ cursor }) => cursor)).toEqual([undefined, 'second', 'third']);
  });
});
