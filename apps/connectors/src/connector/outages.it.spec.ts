import { type ConnectorEvent, Connectors } from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { newAccount, outcomeOf, poison, rejoin, rowsReach, setAside } from '@carillon/testkit';
import {
  ask,
  at,
  beat,
  begin,
  clock,
  comes,
  database,
  deafen,
  dieOnce,
  end,
  eventsOf,
  groups,
  listen,
  log,
  pages,
  read,
  register,
  resolved,
  service,
  start,
  teamOf,
  teams,
  tell,
  liveOn,
} from './testbed';

beforeAll(begin, 60_000);
beforeEach(liveOn);
afterAll(end, 60_000);

describe('a connector that is not heard of', () => {
  /** One with an on-call group that was heard of just now. */
  async function online(): Promise<{ owner: string; id: string; teamId: string; groupId: string }> {
    const owner = newAccount();
    const { teamId, groupId } = await teamOf({ [owner]: 'owner' });
    const { id } = await register(owner, { teamId, oncallGroupId: groupId });
    await beat(owner, id, { agentVersion: '1.0', routes: [{ name: 'web', healthy: false }] });
    await watched();
    return { owner, id, teamId, groupId };
  }
  /** Its process has seen all that has happened. */
  const watched = async (): Promise<void> => {
    await rowsReach(service.get(Projections), 'connector_outages', await log.store.head());
  };
  const isOffline = (owner: string, id: string) =>
    comes('offline', async () => {
      const last = (await eventsOf(id)).findLast((type) => /Online|Offline/.test(type));
      return last === 'ConnectorWentOffline' && (await read(owner, id)).status === 'offline';
    });
  const pagesOf = (groupId: string) => [...pages.values()].filter((page) => page.groupId === groupId);
  const told = async (id: string, type: ConnectorEvent['type'], times = 1) =>
    comes(
      `${type} ${times}`,
      async () => (await eventsOf(id)).filter((each) => each === type).length >= times,
    );

  it('is offline after 90 seconds and not before, pages its group once, and its return resolves that', async () => {
    const { owner, id, groupId } = await online();
    const { lastSeenAt } = await read(owner, id);
    await clock.advance(60_000);
    expect((await beat(owner, id)).connector).toMatchObject({ status: 'online', agentVersion: '1.0' });
    await clock.advance(80_000);
    expect((await read(owner, id)).status).toBe('online');
    expect(pagesOf(groupId)).toEqual([]);
    await clock.advance(15_000);
    await isOffline(owner, id);
    expect((await read(owner, id)).lastSeenAt).not.toBe(lastSeenAt);
    await told(id, 'ConnectorPaged');
    const [page, ...more] = pagesOf(groupId);
    expect(more).toEqual([]);
    expect(page).toMatchObject({ dedupKey: `connector:${id}:offline`, title: 'Connector "Home" is offline' });
    await clock.advance(600_000);
    expect(pagesOf(groupId)).toHaveLength(1);
    expect(resolved).not.toContain(page?.id);
    const { connector } = await beat(owner, id);
    expect(connector).toMatchObject({ status: 'online', lastSeenAt: connector.lastSeenAt });
    await told(id, 'ConnectorPageResolved');
    expect(resolved).toContain(page?.id);
    expect(await eventsOf(id)).toEqual([
      'ConnectorRegistered',
      'ConnectorCameOnline',
      'ConnectorWentOffline',
      'ConnectorPaged',
      'ConnectorCameOnline',
      'ConnectorPageResolved',
    ]);
  }, 60_000);

  it('pages and resolves in this order, once each, with a crash after any step', async () => {
    const { owner, id, groupId } = await online();
    for (let outage = 1; outage <= 2; outage += 1) {
      dieOnce();
      await clock.advance(100_000);
      await isOffline(owner, id);
      dieOnce();
      await beat(owner, id);
      await watched();
    }
    await told(id, 'ConnectorPageResolved', 2);
    expect((await eventsOf(id)).filter((type) => /Paged|Resolved/.test(type))).toEqual([
      'ConnectorPaged',
      'ConnectorPageResolved',
      'ConnectorPaged',
      'ConnectorPageResolved',
    ]);
    const made = pagesOf(groupId).map((page) => page.id);
    expect(made).toHaveLength(2);
    expect(resolved.filter((pageId) => made.includes(pageId))).toEqual(made);
  }, 60_000);

  it('pages nobody for an outage of Carillon, and is offline to its readers all the same', async () => {
    const { owner, id } = await online();
    deafen();
    await service.close();
    await start();
    // As after an outage that took longer than any gap: of the edge, the bus, the database or this service.
    await database.query(`UPDATE connector_listening SET noted_at = now() - interval '1 minute'`);
    await clock.advance(600_000);
    expect((await read(owner, id)).status).toBe('offline');
    const listed = async (status: 'online' | 'offline') =>
      (await ask(owner, Connectors.list, { status })).items.map((each) => [each.id, each.status]);
    expect([await listed('offline'), await listed('online')]).toEqual([[[id, 'offline']], []]);
    listen();
    await comes('the pulse', async () => {
      const [row] = await database.query<{ fresh: boolean }>(
        `SELECT noted_at > now() - interval '20 seconds' AS fresh FROM connector_listening`,
      );
      return row?.fresh === true;
    });
    await clock.advance(80_000);
    expect(await eventsOf(id)).not.toContain('ConnectorWentOffline');
    await clock.advance(100_000);
    await isOffline(owner, id);
  }, 60_000);

  it('is watched late when its team is set aside, and those of others in time', async () => {
    const projections = service.get(Projections);
    const owner = newAccount();
    const { teamId, groupId } = await teamOf({ [owner]: 'owner' });
    const { id } = await register(owner, { teamId, oncallGroupId: groupId });
    const heal = await poison(database, { table: 'timers', column: 'key', value: id });
    await beat(owner, id);
    await setAside(projections, 'connector_outages');
    await heal();
    const other = await online();
    await clock.advance(100_000);
    await isOffline(other.owner, other.id);
    await told(other.id, 'ConnectorPaged');
    expect(await eventsOf(id)).toEqual(['ConnectorRegistered', 'ConnectorCameOnline']);
    await rejoin(projections, 'connector_outages', teamId);
    await clock.advance(1_000);
    await isOffline(owner, id);
    await told(id, 'ConnectorPaged');
    expect(pagesOf(groupId)).toHaveLength(1);
  }, 60_000);

  it('is watched again after a crash', async () => {
    const { owner, id, groupId } = await online();
    await service.close();
    await clock.advance(30_000);
    await start();
    await clock.advance(70_000);
    await isOffline(owner, id);
    await told(id, 'ConnectorPaged');
    expect(pagesOf(groupId)).toHaveLength(1);
  }, 60_000);

  it('has its page resolved when it is removed, and is forgotten', async () => {
    const { owner, id, groupId } = await online();
    await clock.advance(100_000);
    await told(id, 'ConnectorPaged');
    await ask(owner, Connectors.remove, { id });
    await told(id, 'ConnectorPageResolved');
    expect(resolved).toContain(pagesOf(groupId)[0]?.id);
    await comes(
      'forgetting',
      async () =>
        (await database.query(`SELECT FROM connector_seen WHERE connector_id = $1`, [id])).length === 0,
    );
  }, 60_000);

  it('pages nobody when its group is gone by then', async () => {
    const { id, groupId } = await online();
    groups.delete(groupId);
    await clock.advance(100_000);
    await told(id, 'ConnectorPaged');
    expect(pagesOf(groupId)).toEqual([]);
  }, 60_000);
});

describe('the on-call group of a connector', () => {
  it('loses the group when the group is deleted: at once for readers, and soon in the log', async () => {
    const owner = newAccount();
    const { teamId, groupId } = await teamOf({ [owner]: 'owner' });
    const ids = [
      (await register(owner, { oncallGroupId: groupId })).id,
      (await register(owner, { teamId, oncallGroupId: groupId })).id,
    ];
    const position = await tell(teamId, {
      type: 'OncallGroupDeleted',
      teamId,
      groupId,
      deletedAt: at,
    });
    for (const id of ids) {
      expect((await ask(owner, Connectors.get, { id }, position)).connector.oncallGroupId).toBeNull();
      await comes('the change', async () => (await eventsOf(id)).includes('ConnectorChanged'));
    }
    const { items } = await ask(owner, Connectors.list, {}, position);
    expect(items.map((each) => each.oncallGroupId)).toEqual([null, null]);
  });

  it('loses the group when its owner leaves the team of the group, but not as a connector of the team', async () => {
    const [owner, admin] = [newAccount(), newAccount()];
    const { teamId, groupId } = await teamOf({ [owner]: 'owner', [admin]: 'admin' });
    const own = await register(admin, { oncallGroupId: groupId });
    const shared = await register(admin, { teamId, oncallGroupId: groupId });
    teams.get(teamId)?.roles.delete(admin);
    await tell(teamId, { type: 'MemberLeft', teamId, accountId: admin, leftAt: at });
    await comes('the change', async () => (await read(admin, own.id)).oncallGroupId === null);
    expect(await outcomeOf(ask(admin, Connectors.get, { id: shared.id }))).toBe('connector.unknown');
    expect(await read(owner, shared.id)).toMatchObject({ oncallGroupId: groupId, createdBy: admin });
  });

  it('takes the connectors of a team with it, whose hostnames are free then', async () => {
    const owner = newAccount();
    const { teamId, groupId } = await teamOf({ [owner]: 'owner' });
    const own = await register(owner, { oncallGroupId: groupId });
    const shared = await register(owner, { teamId });
    teams.delete(teamId);
    await tell(teamId, { type: 'TeamDeleted', teamId, deletedAt: at });
    expect(await outcomeOf(ask(owner, Connectors.get, { id: shared.id }))).toBe('connector.unknown');
    await comes('the removal', async () => (await eventsOf(shared.id)).includes('ConnectorRemoved'));
    await comes('the change', async () => (await read(owner, own.id)).oncallGroupId === null);
    expect(await outcomeOf(register(newAccount(), { hostname: shared.hostname }))).toBe('done');
  });

  it('counts as it was in the log, also for what was tied too late, and the same when it is rebuilt', async () => {
    const owner = newAccount();
    const { teamId, groupId } = await teamOf({ [owner]: 'owner' });
    await tell(teamId, { type: 'TeamDeleted', teamId, deletedAt: at });
    // The answer from before the deletion had said that the team exists.
    const shared = await register(owner, { teamId });
    const own = await register(owner, { oncallGroupId: groupId });
    await comes('the removal', async () => (await eventsOf(shared.id)).includes('ConnectorRemoved'));
    await comes('the change', async () => (await eventsOf(own.id)).includes('ConnectorChanged'));
    const rows = () =>
      Promise.all(
        ['connectors', 'connector_ties', 'connector_teams', 'connector_members', 'connector_groups'].map(
          (table) => database.query(`SELECT t.* FROM ${table} t ORDER BY t::text`),
        ),
      );
    const projections = service.get(Projections);
    for (const name of ['connectors', 'connector_ties'])
      await rowsReach(projections, name, await log.store.head());
    const before = await rows();
    for (const name of ['connectors', 'connector_ties']) await projections.rebuild(name);
    expect(await rows()).toEqual(before);
  }, 60_000);
});
