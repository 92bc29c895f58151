import type { ChildProcess } from 'node:child_process';
import { answer, type Answer, type Bus, type Context, Handles } from '@carillon/bus';
import {
  type AgentService,
  AudienceOf,
  type GroupAudience,
  Notifications,
  Push,
  ReachOf,
  Services,
  type TeamMembership,
  MembershipOf,
  type TeamEvent,
  Teams,
} from '@carillon/contracts';
import { Database, type Log, Projections } from '@carillon/event-store';
import { type Decider, type DomainEvent, Refused } from '@carillon/eventing';
import { type RunningService, sharedBus, sharedLog, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  askOn,
  end,
  eventually,
  newAccount,
  outcomeOf,
  poison,
  rejoin,
  rowsReach,
  setAside,
  type StandIns,
  startParts,
  startServiceProcess,
  startStandIns,
  streamMetadata,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { NotificationsModule } from '../notifications.module';
import { baseUrl, hashOf, sent } from '../testbed';
import { service as services } from './service';

/** The members of each family, its owner first, as the teams service answers. */
const families = new Map<string, string[]>();
let isAway = false;

/** Stands where teams and push stand. */
@Controller()
class Neighbours {
  @Handles(Teams.membership)
  membership({ teamId, accountId }: MembershipOf): Answer<TeamMembership> {
    if (isAway) throw new Refused('store.unavailable');
    const memberIds = families.get(teamId);
    if (!memberIds) throw new Refused('team.unknown');
    const rank = memberIds.indexOf(accountId);
    return answer({
      kind: 'family',
      name: 'The Smiths',
      role: rank < 0 ? null : rank === 0 ? 'owner' : 'member',
      memberIds,
      joins: Object.fromEntries(memberIds.map((memberId, index) => [memberId, index + 1])),
    });
  }

  @Handles(Teams.audience)
  audience(_: AudienceOf, { caller }: Context): Answer<GroupAudience> {
    if (isAway) throw new Refused('store.unavailable');
    const accountIds = [caller.accountId, 'usr_other'];
    return answer({ teamId: 'team_ours', accountIds, deviceIds: [], ownerIds: [] });
  }

  @Handles(Push.targets)
  targets(): Answer<{ deviceIds: string[] }> {
    return answer({ deviceIds: [] });
  }

  @Handles(Push.reach)
  reach(_: ReachOf): Answer<{ devices: { deviceId: string; accountId: string }[] }> {
    return answer({ devices: [] });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbours: StandIns;
let bus: Bus;
let log: Log;
let database: Database;

beforeAll(async () => {
  parts = await startParts({ CARILLON_BASE_URL: baseUrl, LOG_LEVEL: 'fatal' });
  neighbours = await startStandIns(parts.env['NATS_URL'] as string, Neighbours);
  bus = await sharedBus.take();
  ({ log } = await sharedLog.take());
  database = await Database.open({
    url: parts.env['DATABASE_URL'] as string,
    schema: 'notifications',
    migrations: [],
  });
}, 60_000);
beforeEach(() => {
  isAway = false;
});
afterAll(async () => {
  await database?.close();
  await neighbours?.close();
  await sharedLog.release();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

const at = '2026-11-20T09:00:00.000Z';
const ask = askOn(() => bus);

/** The teams service is another one; here are only its words. */
const teams: Decider<null, DomainEvent> = {
  category: 'team',
  initial: null,
  evolve: () => null,
  personal: { TeamCreated: ['name'] },
};
const tell = async (teamId: string, ...events: TeamEvent[]): Promise<bigint> => {
  return (await log.appendTo(teams, streamTail(teamId), events, 'any', streamMetadata(teamId))).position;
};
const joined = (teamId: string, accountId: string): TeamEvent => ({
  type: 'MemberJoined',
  teamId,
  accountId,
  role: 'member',
  by: 'invite',
  joinedAt: at,
});
const left = (teamId: string, accountId: string): TeamEvent => ({
  type: 'MemberLeft',
  teamId,
  accountId,
  leftAt: at,
});

/** A family, its owner first. */
async function familyOf(...memberIds: string[]): Promise<string> {
  const teamId = newId('team', Date.now());
  const [ownerId = ''] = memberIds;
  await tell(
    teamId,
    { type: 'TeamCreated', teamId, kind: 'family', name: 'Ours', ownerId, createdAt: at },
    ...memberIds.map((accountId) => joined(teamId, accountId)),
  );
  families.set(teamId, memberIds);
  return teamId;
}

const made = async (accountId: string): Promise<string> =>
  (await ask(accountId, Services.create, { title: 'CI' })).service.id;
const share = (accountId: string, id: string, familyId: string | null): Promise<{ service: AgentService }> =>
  ask(accountId, Services.share, { id, familyId });
const sharesOf = async (id: string): Promise<(string | null)[]> =>
  (await log.open(await log.store.read(`service-${streamTail(id)}`)))
    .map(({ event }) => event as { type: string; familyId?: string | null })
    .filter(({ type }) => type === 'ServiceShared')
    .map(({ familyId = null }) => familyId);
const takenBack = (id: string) =>
  eventually(
    async () => (await log.load(services, streamTail(id))).state?.familyId === null || undefined,
    () => 'the service is shared still',
    30_000,
  );
const noOrders = () =>
  eventually(
    async () => (await database.query(`SELECT FROM timers`)).length === 0 || undefined,
    () => 'an order is left',
    30_000,
  );

describe('a shared service', () => {
  let running: RunningService;
  beforeAll(async () => {
    running = await startService({ name: 'notifications', module: NotificationsModule });
  }, 60_000);
  afterAll(() => running?.close(), 60_000);

  it.each<[string, (teamId: string, accountId: string) => TeamEvent]>([
    ['leaves', left],
    [
      'is removed',
      (teamId, accountId) => ({
        type: 'MemberRemoved',
        teamId,
        accountId,
        removedBy: 'usr_owner',
        removedAt: at,
      }),
    ],
    ['loses the family', (teamId) => ({ type: 'TeamDeleted', teamId, deletedAt: at })],
  ])('is nobody else’s at once when its creator %s, and soon in the log', async (_how, over) => {
    const [owner, creator] = [newAccount(), newAccount()];
    const familyId = await familyOf(owner, creator);
    const [id, another, own] = [await made(creator), await made(creator), await made(owner)];
    for (const each of [id, another]) await share(creator, each, familyId);
    const listed = async (accountId: string, after?: bigint) =>
      (await ask(accountId, Services.list, { shared: true }, after)).items.map((item) => item.id).sort();
    expect(await listed(owner, await log.store.head())).toEqual([id, another].sort());
    const position = await tell(familyId, over(familyId, creator));
    families.set(familyId, [owner]);
    expect(await listed(owner, position)).toEqual([]);
    expect(await listed(creator, position)).toEqual([]);
    expect((await ask(creator, Services.get, { id }, position)).service.familyId).toBeNull();
    await expect(ask(owner, Services.get, { id }, position)).rejects.toMatchObject({
      reason: 'service.unknown',
    });
    for (const each of [id, another]) {
      await takenBack(each);
      expect(await sharesOf(each)).toEqual([familyId, null]);
    }
    expect((await ask(owner, Services.get, { id: own })).service.id).toBe(own);
  });

  it('is not listed while the events of its creator cannot be applied', async () => {
    const projections = running.get(Projections);
    const [creator, other] = [newAccount(), newAccount()];
    const familyId = await familyOf(creator, other);
    const [id, own] = [await made(creator), await made(other)];
    await share(creator, id, familyId);
    const listed = async (shared: boolean) =>
      (await ask(other, Services.list, { shared }, await log.store.head())).items.map(({ title }) => title);
    expect(await listed(true)).toEqual(['CI']);
    const heal = await poison(database, { table: 'services', column: 'account_id', value: creator });
    await ask(creator, Services.change, { id, title: 'Nightly' });
    await setAside(projections, 'services');
    await expect(listed(true)).rejects.toMatchObject({ reason: 'projection.behind' });
    expect(await listed(false)).toEqual(['CI']);
    expect((await ask(other, Services.get, { id: own })).service.title).toBe('CI');
    await heal();
    await rejoin(projections, 'services', creator);
    expect(await listed(true)).toEqual(['Nightly']);
  });

  it('stays shared when somebody else leaves, or its creator leaves another family or a team', async () => {
    const [creator, other] = [newAccount(), newAccount()];
    const familyId = await familyOf(creator, other);
    const id = await made(creator);
    await share(creator, id, familyId);
    const [elsewhere, workplace] = [newId('team', 1), newId('team', 1)];
    await tell(elsewhere, left(elsewhere, creator));
    await tell(workplace, {
      type: 'TeamCreated',
      teamId: workplace,
      kind: 'team',
      name: 'Acme',
      ownerId: creator,
      createdAt: at,
    });
    await tell(workplace, joined(workplace, creator), left(workplace, creator));
    const position = await tell(familyId, left(familyId, other));
    await rowsReach(running.get(Projections), 'shares', position);
    await noOrders();
    expect(await sharesOf(id)).toEqual([familyId]);
  });

  it('shared while its creator was leaving ends unshared, each time', async () => {
    const creator = newAccount();
    const familyId = await familyOf(creator);
    const id = await made(creator);
    await tell(familyId, left(familyId, creator));
    for (let times = 1; times <= 2; times += 1) {
      // The answer from before the creator left had said that they are a member.
      await share(creator, id, familyId);
      await takenBack(id);
      expect(await sharesOf(id)).toEqual(Array.from({ length: times }, () => [familyId, null]).flat());
    }
  });

  it('shared again after its creator came back stays shared, however late the former share ends', async () => {
    const creator = newAccount();
    const familyId = await familyOf(creator);
    const id = await made(creator);
    await share(creator, id, familyId);
    const release = await holding('UPDATE', 'timers');
    await tell(familyId, left(familyId, creator));
    const position = await tell(familyId, joined(familyId, creator));
    const asked = await ask(creator, Services.share, { id, familyId }, position);
    expect(asked.service.familyId).toBe(familyId);
    await release();
    await noOrders();
    expect(await sharesOf(id)).toEqual([familyId, familyId]);
  });

  it('is known the same way when that is rebuilt', async () => {
    const [owner, creator] = [newAccount(), newAccount()];
    const familyId = await familyOf(owner, creator);
    const [stays, over, gone] = [await made(owner), await made(creator), await made(creator)];
    for (const id of [over, gone]) await share(creator, id, familyId);
    await share(owner, stays, familyId);
    await ask(creator, Services.remove, { id: gone });
    await tell(familyId, left(familyId, creator));
    await takenBack(over);
    await rowsReach(running.get(Projections), 'shares', await log.store.head());
    const rows = () =>
      Promise.all([
        database.query(`SELECT * FROM service_shares ORDER BY service_id`),
        database.query(`SELECT * FROM family_members ORDER BY team_id, account_id`),
        database.query(`SELECT * FROM families ORDER BY team_id`),
      ]);
    const before = await rows();
    expect(before[0]).toContainEqual({
      service_id: over,
      account_id: creator,
      family_id: null,
      membership: null,
      shares: 2,
    });
    await running.get(Projections).rebuild('shares');
    expect(await rows()).toEqual(before);
    await noOrders();
  });

  it('is everybody’s when something comes in, as the family is at that moment', async () => {
    const [owner, creator] = [newAccount(), newAccount()];
    const familyId = await familyOf(owner, creator);
    const { service, webhookUrl } = await ask(creator, Services.create, { title: 'CI' });
    await share(creator, service.id, familyId);
    const hash = hashOf(webhookUrl);
    const ownersOf = async (more: { limitedBy?: 'service' } = {}) => {
      const { eventId } = await ask('', Services.receive, { hash, ...sent('text/plain', 'hello'), ...more });
      const [received] = await log.open(await log.store.read(`event-${streamTail(eventId as string)}`));
      return received?.event;
    };
    expect(await ownersOf()).toMatchObject({ accountId: creator, recipients: [owner] });
    expect(await ownersOf({ limitedBy: 'service' })).toMatchObject({
      accountId: creator,
      recipients: [owner],
      limitedBy: 'service',
    });
    isAway = true;
    await expect(ownersOf()).rejects.toMatchObject({ reason: 'store.unavailable' });
    isAway = false;
    families.set(familyId, [owner]);
    expect(await ownersOf()).not.toHaveProperty('recipients');
    families.delete(familyId);
    expect(await ownersOf()).not.toHaveProperty('recipients');
  });

  it('can have its URL changed, and its share ended, while the teams service is unavailable', async () => {
    const [creator, other] = [newAccount(), newAccount()];
    const familyId = await familyOf(creator, other);
    const id = await made(creator);
    await share(creator, id, familyId);
    isAway = true;
    expect((await ask(creator, Services.rotate, { id })).service.familyId).toBe(familyId);
    await expect(ask(other, Services.get, { id })).rejects.toMatchObject({ reason: 'store.unavailable' });
    expect((await share(creator, id, null)).service.familyId).toBeNull();
  });

  it('repeats a notification to a group, but sends no new one, while the teams service is unavailable', async () => {
    const creator = newAccount();
    const body = { title: 'Dinner', body: 'is ready', deviceGroupId: newId('grp', 1) };
    const send = (key?: string) =>
      ask(creator, Notifications.send, body, key ? { idempotency: { key, fingerprint: 'the same' } } : {});
    const head = async () => (await log.store.head()).toString();
    const first = await send('dinner');
    isAway = true;
    const before = await head();
    await expect(send()).rejects.toMatchObject({ reason: 'store.unavailable' });
    await expect(send('supper')).rejects.toMatchObject({ reason: 'store.unavailable' });
    expect(await send('dinner')).toEqual({ ...first, idempotent: true });
    expect(await head()).toBe(before);
  });
});

/** Whatever does that to a row of the table fails, until the returned function is called. */
async function holding(what: 'UPDATE' | 'DELETE', table: string): Promise<() => Promise<void>> {
  // A sequence counts on when what it counts is rolled back.
  await database.query(`CREATE SEQUENCE held`);
  await database.query(
    `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN PERFORM nextval('notifications.held'); RAISE EXCEPTION 'held by a test'; END $$`,
  );
  await database.query(`CREATE TRIGGER held BEFORE ${what} ON ${table} FOR EACH ROW EXECUTE FUNCTION hold()`);
  return async () => {
    await database.query(`DROP FUNCTION hold CASCADE`);
    await database.query(`DROP SEQUENCE held`);
  };
}
const isHeld = () =>
  eventually(
    async () => {
      const [held] = await database.query<{ is_called: boolean }>(`SELECT is_called FROM held`);
      return held?.is_called || undefined;
    },
    () => 'nothing came there',
    30_000,
  );

describe('a service that dies', () => {
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = await startServiceProcess('notifications', parts.env);
    // The leases of the killed process last five seconds more, and a request waits for current rows for two.
    await eventually(
      async () => (await outcomeOf(ask(newAccount(), Services.list, {}))) === 'done' || undefined,
      () => 'the rows are behind still',
      30_000,
    );
  };
  beforeAll(start, 60_000);
  afterAll(() => end(child));

  it.each<[string, (() => Promise<() => Promise<void>>) | undefined]>([
    ['before it has heard that the creator left', undefined],
    ['before that is in its rows', () => holding('DELETE', 'family_members')],
    ['before it begins with the order', () => holding('UPDATE', 'timers')],
    ['when the service was taken back and the order is there still', () => holding('DELETE', 'timers')],
  ])(
    '%s takes it back once',
    async (_step, hold) => {
      const [owner, creator] = [newAccount(), newAccount()];
      const familyId = await familyOf(owner, creator);
      const [id, stays] = [await made(creator), await made(owner)];
      await share(creator, id, familyId);
      await share(owner, stays, familyId);
      if (hold) {
        const release = await hold();
        await tell(familyId, left(familyId, creator));
        await isHeld();
        await end(child, 'SIGKILL');
        await release();
      } else {
        await end(child, 'SIGKILL');
        await tell(familyId, left(familyId, creator));
      }
      await start();
      await takenBack(id);
      await noOrders();
      expect(await sharesOf(id)).toEqual([familyId, null]);
      expect(await sharesOf(stays)).toEqual([familyId]);
    },
    120_000,
  );
});
