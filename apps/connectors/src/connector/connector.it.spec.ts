import { streamMetadata, newAccount, outcomeOf, poison, rejoin, setAside } from '@carillon/testkit';
import { Connectors } from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { plus } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import { indexesOf } from '@carillon/testkit';
import { hostnameClaim, hostnameTail } from './hostname-claim';
import {
  ask,
  beat,
  begin,
  clock,
  database,
  end,
  eventsOf,
  log,
  newHostname,
  read,
  register,
  registration,
  service,
  teamOf,
} from './testbed';
import { connectorOrder } from './connector-read.handlers';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

describe('a hostname', () => {
  it('goes to one of twenty concurrent registrations, and the others keep their quota slot', async () => {
    const accounts = Array.from({ length: 4 }, newAccount);
    const hostname = newHostname();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        outcomeOf(register(accounts[n % 4] ?? '', { hostname: n % 2 ? hostname : hostname.toUpperCase() })),
      ),
    );
    expect(outcomes.sort()).toEqual(['done', ...Array.from({ length: 19 }, () => 'hostname.taken')]);
    const quotas = await Promise.all(
      accounts.map(async (accountId) => {
        const events = await log.open(await log.store.read(`connector_quota-${accountId}`));
        const of = (type: string) => events.filter(({ event }) => event.type === type).length;
        return of('SlotReserved') - of('SlotReleased');
      }),
    );
    expect(quotas.reduce((sum, each) => sum + each)).toBe(1);
  });

  it('is free as soon as its connector is removed', async () => {
    const [owner, other] = [newAccount(), newAccount()];
    const { id, hostname } = await register(owner);
    expect(await outcomeOf(register(other, { hostname }))).toBe('hostname.taken');
    await ask(owner, Connectors.remove, { id });
    expect((await register(other, { hostname })).hostname).toBe(hostname);
    expect(await outcomeOf(register(owner, { hostname }))).toBe('hostname.taken');
  });

  it('is free after a claim without a registration, and a late registration is refused', async () => {
    const hostname = newHostname();
    const dead = newId('con', Date.now());
    const claimedAt = (ms: number) => ({
      type: 'ConnectorHostnameClaimed' as const,
      connectorId: dead,
      accountId: 'usr_dead',
      teamId: null,
      claimedAt: plus(clock.now(), ms),
    });
    await log.appendTo(
      hostnameClaim,
      hostnameTail(hostname),
      [claimedAt(60_000)],
      'no_stream',
      streamMetadata('usr_dead'),
    );
    expect(await outcomeOf(register(newAccount(), { hostname }))).toBe('hostname.taken');
    await clock.advance(120_000);
    expect((await register(newAccount(), { hostname })).hostname).toBe(hostname);
    expect(await eventsOf(dead)).toEqual(['ConnectorRemoved']);
  });
});

describe('connectors', () => {
  it('are at most fifty for each account, also under concurrent requests', async () => {
    const owner = newAccount();
    const outcomes = await Promise.all(Array.from({ length: 53 }, () => outcomeOf(register(owner))));
    expect(outcomes.filter((each) => each === 'done')).toHaveLength(50);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'resource.limit_reached']));
    const [first] = (await ask(owner, Connectors.list, { limit: 1 }, await log.store.head())).items;
    await ask(owner, Connectors.remove, { id: first?.id ?? '' });
    expect(await outcomeOf(register(owner))).toBe('done');
  }, 60_000);

  it('are listed page by page, by team and by status, to those who manage them', async () => {
    const [owner, admin, member] = [newAccount(), newAccount(), newAccount()];
    const { teamId } = await teamOf({ [owner]: 'owner', [admin]: 'admin', [member]: 'member' });
    const own = [await register(admin), await register(admin), await register(admin)];
    const shared = await register(owner, { teamId });
    await beat(admin, own[0]?.id ?? '');
    const list = async (accountId: string, input: object = {}) => {
      const { items, nextCursor } = await ask(accountId, Connectors.list, input, await log.store.head());
      return { ids: items.map(({ id }) => id), nextCursor };
    };
    const all = [shared, ...own.reverse()].map(({ id }) => id);
    expect(await list(admin)).toEqual({ ids: all, nextCursor: null });
    const first = await list(admin, { limit: 3 });
    expect(first.ids).toEqual(all.slice(0, 3));
    const cursor = first.nextCursor ?? '';
    expect(await list(admin, { limit: 3, cursor })).toEqual({ ids: all.slice(3), nextCursor: null });
    expect(await outcomeOf(list(admin, { cursor, teamId }))).toBe('list.invalid_cursor');
    expect((await list(admin, { teamId })).ids).toEqual([shared.id]);
    expect((await list(admin, { status: 'online' })).ids).toEqual([own[2]?.id]);
    expect((await list(member)).ids).toEqual([]);
    expect((await list(member, { teamId })).ids).toEqual([]);
    expect(await outcomeOf(ask(member, Connectors.get, { id: shared.id }))).toBe('team.forbidden_role');
    expect(await outcomeOf(ask(newAccount(), Connectors.get, { id: shared.id }))).toBe('connector.unknown');
    const [shownInList] = (await ask(owner, Connectors.list, {}, await log.store.head())).items;
    expect(shownInList).toEqual(await read(admin, shared.id));
  });

  it('of a team that is set aside are hidden from its admins, and their own are listed', async () => {
    const projections = service.get(Projections);
    const [owner, other] = [newAccount(), newAccount()];
    const { teamId } = await teamOf({ [owner]: 'owner' });
    const own = await register(owner);
    const elsewhere = await register(other);
    const shared = await register(owner, { teamId });
    const heal = await poison(database, { table: 'connectors', column: 'team_id', value: teamId });
    await ask(owner, Connectors.change, { id: shared.id, name: 'Office' });
    await setAside(projections, 'connectors');
    const list = async (accountId: string, input: object = {}) =>
      (await ask(accountId, Connectors.list, input, await log.store.head())).items;
    for (const input of [{}, { teamId }])
      expect(await outcomeOf(list(owner, input))).toBe('projection.behind');
    expect((await list(other)).map(({ id }) => id)).toEqual([elsewhere.id]);
    expect(await list(other, { teamId })).toEqual([]);
    expect(await read(owner, shared.id)).toMatchObject({ name: 'Office' });
    await heal();
    await rejoin(projections, 'connectors', teamId);
    expect((await list(owner)).map(({ id, name }) => [id, name])).toEqual([
      [shared.id, 'Office'],
      [own.id, 'Home'],
    ]);
  });

  it('of teams are for their admins, and families have none', async () => {
    const [owner, member] = [newAccount(), newAccount()];
    const { teamId, groupId } = await teamOf({ [owner]: 'owner', [member]: 'member' });
    const { teamId: familyId } = await teamOf({ [owner]: 'owner' }, 'family');
    const elsewhere = await teamOf({ [owner]: 'owner' });
    const outcome = (accountId: string, more: object) => outcomeOf(register(accountId, more));
    expect(await outcome(member, { teamId })).toBe('team.forbidden_role');
    expect(await outcome(newAccount(), { teamId })).toBe('team.not_found');
    expect(await outcome(owner, { teamId: 'team_unknown' })).toBe('team.not_found');
    expect(await outcome(owner, { teamId: familyId })).toBe('team.feature_unavailable');
    expect(await outcome(newAccount(), { teamId: familyId })).toBe('team.not_found');
    expect(await outcome(owner, { teamId, oncallGroupId: elsewhere.groupId })).toBe('oncall_group.not_found');
    expect(await outcome(newAccount(), { oncallGroupId: groupId })).toBe('oncall_group.not_found');
    expect(await outcome(member, { oncallGroupId: groupId })).toBe('done');
    const { id } = await register(owner, { teamId, oncallGroupId: groupId });
    for (const asked of [
      ask(member, Connectors.change, { id, name: 'Mine' }),
      ask(member, Connectors.remove, { id }),
      ask(member, Connectors.rotate, { id }),
      beat(member, id),
    ])
      expect(await outcomeOf(asked)).toBe('team.forbidden_role');
    expect(await outcomeOf(ask(owner, Connectors.change, { id, oncallGroupId: elsewhere.groupId }))).toBe(
      'oncall_group.not_found',
    );
    expect(await read(owner, id)).toMatchObject({ name: 'Home', oncallGroupId: groupId, status: 'unknown' });
  });

  it('name only web apps that they serve', async () => {
    const url = 'https://a.example.com';
    const routes = [{ name: 'web', target: 'http://10.0.0.1', url, appId: newId('app', Date.now()) }];
    expect(await outcomeOf(register(newAccount(), { hostname: 'a.example.com', routes }))).toBe(
      'app.not_found',
    );
  });

  it('show a secret once, each time another one, and keep it nowhere', async () => {
    const owner = newAccount();
    const { connector, callbackSecret } = await ask(owner, Connectors.register, registration());
    const rotated = await ask(owner, Connectors.rotate, { id: connector.id });
    expect(rotated.callbackSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.callbackSecret).not.toBe(callbackSecret);
    expect(rotated.connector.secretRotatedAt).not.toBeNull();
    const kept = JSON.stringify([
      (await log.store.read(`connector-${streamTail(connector.id)}`)).map(({ data }) => data),
      await database.query(`SELECT * FROM connectors`),
      await read(owner, connector.id),
    ]);
    for (const secret of [callbackSecret, rotated.callbackSecret]) expect(kept).not.toContain(secret);
  });
});

it('the list of connectors has an index in its order', async () => {
  expect(await indexesOf(database, 'connectors')).toEqual(
    expect.arrayContaining([`(account_id, ${connectorOrder.index})`]),
  );
});
