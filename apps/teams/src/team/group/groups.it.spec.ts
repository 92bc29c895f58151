import { type Bus, type Context } from '@carillon/bus';
import {
  type DeviceDeactivated,
  type DeviceEvent,
  DeviceGroups,
  type DeviceRegistered,
  type GroupDevice,
  type TeamEvent,
  Teams,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decider, type DomainEvent } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  deviceGroupCreated,
  eventually,
  streamMetadata,
  outcomeOf,
  rowsReach,
  startParts,
  workplaceTeam,
} from '@carillon/testkit';
import { randomUUID } from 'node:crypto';
import { team } from '../team';
import { TeamsModule } from '../../teams.module';

let parts: Awaited<ReturnType<typeof startParts>>;
let service: RunningService;
let bus: Bus;

beforeAll(async () => {
  parts = await startParts({ LOG_LEVEL: 'fatal' });
  service = await startService({ name: 'teams', module: TeamsModule });
  bus = await sharedBus.take();
}, 60_000);
afterAll(async () => {
  await service?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

const at = '2026-11-20T10:00:00.000Z';
const clock = (): ManualClock => service.get(Clock) as ManualClock;

const contextOf = (accountId: string, said: Partial<Context> = {}): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId, tokenId: 'tok_1' },
  deadline: Date.now() + 10_000,
  ...said,
});
const keyed = (accountId: string, key: string, fingerprint: string): Context =>
  contextOf(accountId, { idempotency: { key, fingerprint } });

/** Appends as the deciding service would. */
const append = async <Event extends DomainEvent>(
  category: string,
  id: string,
  ...events: readonly Event[]
): Promise<bigint> => {
  const decider: Decider<null, DomainEvent> = { category, initial: null, evolve: () => null, personal: {} };
  const { position } = await service
    .get(Log)
    .appendTo(decider, streamTail(id), events, 'any', streamMetadata(id));
  return position;
};

/** A workplace team of its own with `usr_owner`, `usr_admin` and `usr_member`. */
const newTeam = async (...more: readonly TeamEvent[]): Promise<string> => {
  const teamId = newId('team', Date.now());
  const events = [...workplaceTeam, ...more].map((event) => ({ ...event, teamId }));
  const position = await append('team', teamId, ...events);
  await rowsReach(service.get(Projections), 'device_groups', position);
  return teamId;
};

const groupsOf = async (teamId: string) =>
  (await service.get(Log).load(team, streamTail(teamId))).state?.groups ?? [];

describe('the audience of a device group', () => {
  it('is told to the members of its team, and to nobody else', async () => {
    const groupId = newId('dgr', Date.now());
    const devices: GroupDevice[] = ['dev_1', 'dev_2'].map((deviceId) => ({
      deviceId,
      accountId: 'usr_owner',
      removals: 0,
    }));
    const teamId = await newTeam(deviceGroupCreated({ groupId, accountIds: ['usr_admin'], devices }));
    const ask = async (accountId: string) =>
      (await bus.ask(Teams.audience, { groupId }, contextOf(accountId))).value;
    for (const accountId of ['usr_member', 'usr_owner'])
      expect(await ask(accountId)).toEqual({
        teamId,
        accountIds: ['usr_admin'],
        deviceIds: ['dev_1', 'dev_2'],
        ownerIds: ['usr_owner'],
      });
    expect(await outcomeOf(ask('usr_stranger'))).toBe('device_group.not_found');
    const left = { type: 'MemberLeft', teamId, accountId: 'usr_member', leftAt: at };
    await append('team', teamId, left);
    expect(await outcomeOf(ask('usr_member'))).toBe('device_group.not_found');
    const deleted = { type: 'DeviceGroupDeleted', teamId, groupId, name: null, deletedAt: at };
    await append('team', teamId, deleted);
    expect(await outcomeOf(ask('usr_owner'))).toBe('device_group.not_found');
  });

  it('is refused for a group that does not exist', async () => {
    const asked = bus.ask(Teams.audience, { groupId: newId('dgr', Date.now()) }, contextOf('usr_owner'));
    expect(await outcomeOf(asked)).toBe('device_group.not_found');
  });
});

it('the devices in the groups of a deleted team go, in batches, and those of another team stay', async () => {
  const devices = (count: number): GroupDevice[] =>
    Array.from({ length: count }, (_, n) => ({ deviceId: `dev_${n}`, accountId: 'usr_owner', removals: 0 }));
  const [deleted, other] = [newId('dgr', Date.now()), newId('dgr', Date.now())];
  const teamId = await newTeam(deviceGroupCreated({ groupId: deleted, devices: devices(200) }));
  const otherId = await newTeam(deviceGroupCreated({ groupId: other, devices: devices(3) }));
  const database = service.get(Database);
  // More than a batch.
  await database.query(
    `INSERT INTO group_devices (group_id, team_id, device_id, account_id, removals)
     SELECT $1, $2, 'more_' || n, 'usr_owner', 0 FROM generate_series(1, 5000) n`,
    [deleted, teamId],
  );
  const position = await append('team', teamId, { type: 'TeamDeleted', teamId, deletedAt: at });
  await rowsReach(service.get(Projections), 'device_groups', position);
  expect(await database.query(`SELECT FROM device_groups WHERE team_id = $1`, [teamId])).toEqual([]);
  const count = async (id: string): Promise<number> =>
    (await database.query(`SELECT FROM group_devices WHERE team_id = $1`, [id])).length;
  await eventually(
    async () => (await count(teamId)) === 0 || undefined,
    () => 'the devices of the deleted team are still there',
    20_000,
  );
  expect(await count(otherId)).toBe(3);
});

describe('an idempotency key', () => {
  const create = async (id: string, name: string, context: Context) =>
    (await bus.ask(DeviceGroups.create, { id, name }, context)).value;

  it('makes one group, also of two requests at once', async () => {
    const teamId = await newTeam();
    const made = await Promise.all([
      create(teamId, 'Night', keyed('usr_admin', 'once', 'a')),
      create(teamId, 'Night', keyed('usr_admin', 'once', 'a')),
    ]);
    expect(new Set(made.map(({ group }) => group.id)).size).toBe(1);
    expect(made.filter(({ idempotent }) => idempotent)).toHaveLength(1);
    expect(await groupsOf(teamId)).toHaveLength(1);
  });

  it('is refused for any other request, even for another team', async () => {
    const [one, other] = [await newTeam(), await newTeam()];
    await create(one, 'Night', keyed('usr_admin', 'mine', 'a'));
    expect(await outcomeOf(create(one, 'Day', keyed('usr_admin', 'mine', 'b')))).toBe(
      'idempotency.key_reused',
    );
    expect(await outcomeOf(create(other, 'Night', keyed('usr_admin', 'mine', 'c')))).toBe(
      'idempotency.key_reused',
    );
    expect(await groupsOf(other)).toEqual([]);
    expect(await create(other, 'Night', keyed('usr_owner', 'mine', 'c'))).not.toHaveProperty('idempotent');
  });

  it('is free after a refusal, and creates another group a day later', async () => {
    const teamId = await newTeam();
    await create(teamId, 'Night', contextOf('usr_admin'));
    expect(await outcomeOf(create(teamId, 'NIGHT', keyed('usr_admin', 'free', 'a')))).toBe('name.taken');
    const day = await create(teamId, 'Day', keyed('usr_admin', 'free', 'b'));
    await clock().advance(24 * 60 * 60 * 1000);
    const dusk = await create(teamId, 'Dusk', keyed('usr_admin', 'free', 'c'));
    expect(dusk.group.id).not.toBe(day.group.id);
    expect((await create(teamId, 'Dusk', keyed('usr_admin', 'free', 'c'))).group.id).toBe(dusk.group.id);
    expect((await groupsOf(teamId)).map(({ name }) => name)).toEqual(['Night', 'Day', 'Dusk']);
  });

  it('creates no second group when the first is deleted', async () => {
    const teamId = await newTeam();
    const { group } = await create(teamId, 'Night', keyed('usr_admin', 'gone', 'a'));
    await bus.ask(DeviceGroups.remove, { id: teamId, groupId: group.id }, contextOf('usr_admin'));
    expect(await outcomeOf(create(teamId, 'Night', keyed('usr_admin', 'gone', 'a')))).toBe(
      'device_group.unknown',
    );
    expect(await groupsOf(teamId)).toEqual([]);
  });
});

describe('a device that is removed from its account', () => {
  const registered = (deviceId: string): DeviceRegistered => ({
    type: 'DeviceRegistered',
    deviceId,
    accountId: 'usr_member',
    installId: null,
    platform: 'android',
    deviceName: 'Pixel',
    pushToken: null,
    pushEnvironment: 'production',
    pushToStartToken: null,
    appBuild: '1',
    liveActivitiesCapable: false,
    interactiveLiveActivitiesCapable: false,
    registeredAt: at,
  });
  const removed = (deviceId: string): DeviceDeactivated => ({
    type: 'DeviceDeactivated',
    deviceId,
    accountId: 'usr_member',
    reason: 'removed',
    deactivatedAt: at,
  });
  const naming = (deviceId: string, groupId: string, removals: number) =>
    deviceGroupCreated({
      groupId,
      name: groupId,
      devices: [{ deviceId, accountId: 'usr_member', removals }],
    });
  const named = async (teamId: string) => (await groupsOf(teamId)).map(({ devices }) => devices.length);
  const soon = (teamId: string, expected: readonly number[]) =>
    eventually(
      async () => (String(await named(teamId)) === String(expected) ? true : undefined),
      () => 'the device did not leave the groups that named it',
    );

  it('leaves all groups that name it, and comes back into none', async () => {
    const deviceId = newId('dev', Date.now());
    await append('device', deviceId, registered(deviceId));
    const [one, other] = [newId('dgr', Date.now()), newId('dgr', Date.now())];
    const teamId = await newTeam(naming(deviceId, one, 0), naming(deviceId, other, 0));
    await append<DeviceEvent>('device', deviceId, removed(deviceId), registered(deviceId));
    await soon(teamId, [0, 0]);
    // The device has the same id in another registration, and can be added again.
    const third = newId('dgr', Date.now());
    const position = await append('team', teamId, { ...naming(deviceId, third, 1), teamId });
    await rowsReach(service.get(Projections), 'device_groups', position);
    const { value } = await bus.ask(
      DeviceGroups.list,
      { id: teamId },
      contextOf('usr_owner', { after: String(position) }),
    );
    expect(value.items.find(({ id }) => id === third)?.devices).toMatchObject([
      { id: deviceId, deviceName: 'Pixel', userId: 'usr_member' },
    ]);
    await append('device', deviceId, removed(deviceId));
    await soon(teamId, [0, 0, 0]);
  });

  it('leaves a group that added it while it was being removed', async () => {
    const deviceId = newId('dev', Date.now());
    await append<DeviceEvent>('device', deviceId, registered(deviceId), removed(deviceId));
    const teamId = await newTeam(naming(deviceId, newId('dgr', Date.now()), 0));
    await soon(teamId, [0]);
  });

  it('is shown in no group from then on, before it has left them', async () => {
    const [deviceId, groupId] = [newId('dev', Date.now()), newId('dgr', Date.now())];
    await append('device', deviceId, registered(deviceId));
    const teamId = await newTeam(naming(deviceId, groupId, 0));
    const after = String(await append('device', deviceId, removed(deviceId)));
    const { value } = await bus.ask(
      DeviceGroups.get,
      { id: teamId, groupId },
      contextOf('usr_owner', { after }),
    );
    expect(value.group.devices).toEqual([]);
    await soon(teamId, [0]);
  });

  it('has the same rows after a rebuild', async () => {
    const rows = async () => {
      const database = service.get(Database);
      return {
        groups: await database.query(`SELECT * FROM device_groups ORDER BY group_id`),
        named: await database.query(`SELECT * FROM group_devices ORDER BY group_id, device_id`),
        devices: await database.query(`SELECT * FROM devices ORDER BY device_id`),
        keys: await database.query(`SELECT * FROM keyed_groups ORDER BY tail`),
      };
    };
    const head = await service.get(Log).store.head();
    await rowsReach(service.get(Projections), 'device_groups', head);
    const before = await rows();
    expect(before.devices.length).toBeGreaterThan(0);
    await service.get(Projections).rebuild('device_groups');
    expect(await rows()).toEqual(before);
  });
});
