import { type Ask, type Bus, sealed, type Wire } from '@carillon/bus';
import {
  type Device,
  type DeviceRegistered,
  Push,
  QuietHoursOf,
  type RegisterDevice,
  type EndedSignal,
} from '@carillon/contracts';
import { Destinations } from '@carillon/destinations';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused, quotaOf, reserveSlot } from '@carillon/eventing';
import {
  Clock,
  LOGGER,
  type ManualClock,
  type RunningService,
  sharedBus,
  startService,
} from '@carillon/runtime';
import { deriveId, KeyRing, newId, streamTail } from '@carillon/signing';
import {
  indexesOf,
  contextOf,
  eventually,
  streamMetadata,
  newAccount,
  notificationSent,
  poison,
  rejoin,
  rowsReach,
  setAside,
  startParts,
} from '@carillon/testkit';
import { randomUUID } from 'node:crypto';
import { PushModule } from '../push.module';
import { bind, deactivate, device, deviceSession, register as registering } from './device';
import { DeviceHandlers } from './device.handlers';
import { deviceOrder } from './device-row';
import { installOf } from './install';

let parts: Awaited<ReturnType<typeof startParts>>;
let service: RunningService;
let bus: Bus;

const max = 6;

beforeAll(async () => {
  parts = await startParts({ LOG_LEVEL: 'fatal', CARILLON_DEVICES_PER_ACCOUNT: String(max) });
  service = await startService({ name: 'push', module: PushModule });
  bus = await sharedBus.take();
  await eventually(
    () => bus.ask(Push.targets, {}, contextOf('usr_none')).catch(() => undefined),
    () => 'the service does not answer',
  );
}, 60_000);
afterAll(async () => {
  await service?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

const newSession = (): string => newId('ses', Date.now());
/** The app of each install has a session, and gets a new one after its removal. */
const sessions = new Map<string, string>();
const sessionOf = (account: string, { installId }: RegisterDevice): string => {
  const key = `${account} ${installId}`;
  const sessionId = sessions.get(key) ?? newSession();
  sessions.set(key, sessionId);
  return sessionId;
};
const install = (more: Partial<RegisterDevice> = {}): RegisterDevice => ({
  installId: randomUUID(),
  platform: 'ios',
  deviceName: 'Ada’s iPhone',
  pushToken: randomUUID(),
  pushEnvironment: 'sandbox',
  appBuild: '42',
  liveActivitiesCapable: true,
  interactiveLiveActivitiesCapable: false,
  ...more,
});
const register = async (account: string, input = install(), sessionId = sessionOf(account, input)) =>
  (await bus.ask(Push.registerDevice, input, contextOf(account, { caller: { sessionId } }))).value;
const remove = async (account: string, id: string) => {
  const { value } = await bus.ask(Push.removeDevice, { id }, contextOf(account));
  for (const key of sessions.keys()) if (key.startsWith(account)) sessions.delete(key);
  return value;
};
const targets = async (account: string, deviceIds?: string[]) =>
  (await bus.ask(Push.targets, deviceIds ? { deviceIds } : {}, contextOf(account))).value.deviceIds;
const list = async (account: string, input: object = {}, after?: string) =>
  (await bus.ask(Push.listDevices, input, contextOf(account, { after }))).value;
const events = async ({ id }: Device, category = 'device') =>
  (await service.get(Log).store.read(`${category}-${streamTail(id)}`)).map(({ type }) => type);

describe('registering', () => {
  it('creates a device that is reachable at once', async () => {
    const account = newAccount();
    const input = install({ pushToStartToken: 'start-1' });
    const { device, created } = await register(account, input);
    expect(created).toBe(true);
    expect(device).toEqual({
      id: expect.stringMatching(/^dev_[0-9a-z]{26}$/),
      platform: 'ios',
      deviceName: 'Ada’s iPhone',
      active: true,
      liveActivitiesCapable: true,
      liveActivityTokenEnvironment: 'sandbox',
      liveActivityTokenUpdatedAt: expect.any(String),
      interactiveLiveActivitiesCapable: false,
      createdAt: expect.any(String),
      lastSeenAt: expect.any(String),
    });
    expect(await targets(account)).toEqual([device.id]);
    expect(await targets(account, [device.id])).toEqual([device.id]);
  });

  it('the same install again is the same device', async () => {
    const account = newAccount();
    const input = install();
    const first = await register(account, input);
    const again = await register(account, { ...input, deviceName: 'Work phone' });
    expect(again).toEqual({
      created: false,
      device: { ...first.device, deviceName: 'Work phone', lastSeenAt: expect.any(String) },
    });
    expect(await register(account, { ...input, deviceName: 'Work phone' })).toEqual(again);
    expect(await events(first.device)).toEqual(['DeviceRegistered', 'DeviceRegistered']);
    expect((await list(account)).items).toHaveLength(1);
  });

  it('the same install many times at once is one device', async () => {
    const account = newAccount();
    const input = install();
    const all = await Promise.all(Array.from({ length: 8 }, () => register(account, input)));
    expect(new Set(all.map(({ device }) => device.id)).size).toBe(1);
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(await events(all[0]!.device)).toEqual(['DeviceRegistered']);
  });

  it('the same install of another account is another device', async () => {
    const input = install();
    const [one, other] = [await register(newAccount(), input), await register(newAccount(), input)];
    expect(one.device.id).not.toBe(other.device.id);
    expect(other.created).toBe(true);
  });

  it('an address of another device takes it from that device', async () => {
    const [before, now] = [newAccount(), newAccount()];
    const input = install();
    const lost = await register(before, input);
    const has = await register(now, { ...input, installId: 'another' });
    expect(await targets(before)).toEqual([]);
    expect(await targets(now)).toEqual([has.device.id]);
    expect((await list(before)).items[0]!.active).toBe(false);
    expect(await events(lost.device)).toEqual(['DeviceRegistered', 'DeviceDeactivated']);

    const back = await register(before, input);
    expect(back).toMatchObject({ created: false, device: { id: lost.device.id, active: true } });
    expect(await targets(now)).toEqual([]);
  });

  it('one address from two devices at once leaves it to exactly one', async () => {
    const pushToken = randomUUID();
    const accounts = [newAccount(), newAccount(), newAccount()];
    await Promise.all(accounts.map((account) => register(account, install({ pushToken }))));
    const reachable = await Promise.all(accounts.map((account) => targets(account)));
    expect(reachable.flat()).toHaveLength(1);
  });

  it('keeps push tokens out of rows and events', async () => {
    const pushToken = `secret${randomUUID()}`;
    const { device } = await register(newAccount(), install({ pushToken }));
    const rows = await service.get(Database).query(`SELECT * FROM devices WHERE device_id = $1`, [device.id]);
    expect(JSON.stringify(rows)).not.toContain(pushToken);
    const raw = await service.get(Log).store.read(`device-${streamTail(device.id)}`);
    expect(JSON.stringify(raw.map(({ data }) => data))).not.toContain(pushToken);
  });
});

describe('new tokens', () => {
  const change = async (account: string, id: string, more: object, sessionId?: string) =>
    (
      await bus.ask(
        Push.changeTokens,
        { id, environment: 'sandbox', ...more },
        contextOf(account, { caller: { sessionId } }),
      )
    ).value;

  it('replace the old ones', async () => {
    const [account, session] = [newAccount(), newSession()];
    const { device } = await register(account, install(), session);
    const pushToken = randomUUID();
    expect((await change(account, device.id, { pushToken }, session)).device).toMatchObject({
      id: device.id,
      active: true,
    });
    await change(account, device.id, { pushToken }, session);
    expect(await events(device)).toEqual(['DeviceRegistered', 'DeviceTokensChanged']);
    const start = { pushToStartToken: 'start-2', environment: 'production' };
    expect((await change(account, device.id, start, session)).device).toMatchObject({
      liveActivityTokenEnvironment: 'production',
    });
  });

  it('are refused to another account and for an unknown device', async () => {
    const { device } = await register(newAccount());
    const refusal = { reason: 'device.not_found' };
    await expect(change(newAccount(), device.id, { pushToken: 'x' })).rejects.toMatchObject(refusal);
    await expect(change(newAccount(), newId('dev', Date.now()), { pushToken: 'x' })).rejects.toMatchObject(
      refusal,
    );
  });
});

describe('removing', () => {
  it('deletes the addresses of the device, and removes it from the list', async () => {
    const account = newAccount();
    const input = install({ pushToStartToken: 'start-1' });
    const { device } = await register(account, input);
    for (let times = 0; times < 2; times += 1) expect(await remove(account, device.id)).toEqual({ ok: true });
    expect(await events(device)).toEqual(['DeviceRegistered', 'DeviceDeactivated']);
    const [row] = await service
      .get(Database)
      .query(`SELECT * FROM devices WHERE device_id = $1`, [device.id]);
    expect(row).toMatchObject({
      active: false,
      inactive_reason: 'removed',
      push_token: null,
      push_token_hash: null,
      push_to_start_token: null,
      push_to_start_environment: null,
      push_to_start_since: null,
    });
    expect((await list(account)).items).toEqual([]);
    expect(await targets(account)).toEqual([]);

    const back = await register(account, input);
    expect(back).toMatchObject({ created: false, device: { id: device.id, active: true } });
    expect(await targets(account)).toEqual([device.id]);
    await remove(account, device.id);
  });

  it('is refused to another account and for a device that is not there', async () => {
    const { device } = await register(newAccount());
    for (const id of [device.id, newId('dev', Date.now()), 'foo', 'tok_1'])
      await expect(remove(newAccount(), id)).rejects.toMatchObject({ reason: 'device.unknown' });
  });
});

describe('the session of a phone’s app', () => {
  const change = async (account: string, id: string, sessionId: string) =>
    (
      await bus.ask(
        Push.changeTokens,
        { id, environment: 'sandbox', pushToken: randomUUID() },
        contextOf(account, { caller: { sessionId } }),
      )
    ).value;
  /** The sessions signalled as ended during an action. */
  const endedBy = async (work: () => Promise<unknown>): Promise<string[]> => {
    const ended: string[] = [];
    const stop = bus.onSignal<EndedSignal>('session.ended', (id) => ended.push(id));
    await work();
    await bus.ask(Push.targets, {}, contextOf('usr_none'));
    stop();
    return ended;
  };

  it('registers one install, and no second one with the same session', async () => {
    const [account, session] = [newAccount(), newSession()];
    const input = install();
    const { device } = await register(account, input, session);
    await expect(register(account, install(), session)).rejects.toMatchObject({
      reason: 'session.other_device',
    });
    expect((await register(account, input, session)).device.id).toBe(device.id);
    expect((await list(account)).items).toHaveLength(1);
  });

  it('registers one of two concurrent installs', async () => {
    const [account, session] = [newAccount(), newSession()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => register(account, install(), session)),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ reason: 'session.other_device' });
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await list(account)).items).toHaveLength(1);
  });

  it('is valid for its install even when the process crashed before the device was registered', async () => {
    const [account, session] = [newAccount(), newSession()];
    const input = install();
    const tail = streamTail(deriveId('dev', Date.now(), account, input.installId));
    await service
      .get(Log)
      .transact(
        deviceSession,
        streamTail(session),
        bind({ sessionId: session, accountId: account, device: tail, at: new Date().toISOString() }),
        streamMetadata(account),
      );
    await expect(register(account, install(), session)).rejects.toMatchObject({
      reason: 'session.other_device',
    });
    expect((await register(account, input, session)).created).toBe(true);
  });

  it('is not that of another phone: another session of the account cannot redirect its pushes', async () => {
    const [account, session, other] = [newAccount(), newSession(), newSession()];
    const { device } = await register(account, install(), session);
    await register(account, install(), other);
    await expect(change(account, device.id, other)).rejects.toMatchObject({ reason: 'device.not_found' });
    await expect(change(newAccount(), device.id, session)).rejects.toMatchObject({
      reason: 'device.not_found',
    });
    const receipts = [{ notificationId: newId('anot', Date.now()), receivedAt: '2026-11-20T09:00:00.000Z' }];
    await expect(
      bus.ask(
        Push.reportReceipts,
        { id: device.id, receipts },
        contextOf(account, { caller: { sessionId: other } }),
      ),
    ).rejects.toMatchObject({ reason: 'device.not_found' });
    expect((await change(account, device.id, session)).device.id).toBe(device.id);
  });

  it('ends when its install registers with another one, and stays ended', async () => {
    const [account, former, next] = [newAccount(), newSession(), newSession()];
    const input = install();
    const { device } = await register(account, input, former);
    expect(await endedBy(() => register(account, input, next))).toEqual([former]);
    await expect(register(account, input, former)).rejects.toMatchObject({ reason: 'session.ended' });
    await expect(change(account, device.id, former)).rejects.toMatchObject({ reason: 'device.not_found' });
    expect((await change(account, device.id, next)).device.id).toBe(device.id);
  });

  it('leaves the install to one of two concurrent sessions, and ends the other', async () => {
    const [account, one, other] = [newAccount(), newSession(), newSession()];
    const input = install();
    const ended = await endedBy(() =>
      Promise.allSettled([register(account, input, one), register(account, input, other)]),
    );
    expect(ended).toHaveLength(1);
    const kept = ended[0] === one ? other : one;
    expect((await register(account, input, kept)).created).toBe(false);
    await expect(register(account, input, ended[0])).rejects.toMatchObject({ reason: 'session.ended' });
  });

  it('ends with its device', async () => {
    const [account, session] = [newAccount(), newSession()];
    const input = install();
    const { device } = await register(account, input, session);
    expect(await endedBy(() => remove(account, device.id))).toEqual([session]);
    expect(await endedBy(() => remove(account, device.id))).toEqual([]);
    await expect(register(account, input, session)).rejects.toMatchObject({ reason: 'session.ended' });
    expect((await register(account, input, newSession())).created).toBe(false);
  });

  it('is needed to register', async () =>
    expect(bus.ask(Push.registerDevice, install(), contextOf(newAccount()))).rejects.toMatchObject({
      reason: 'session.required',
    }));
});

describe('targets', () => {
  it('are refused when one named is not an active device of the account', async () => {
    const account = newAccount();
    const mine = (await register(account)).device.id;
    const theirs = (await register(newAccount())).device.id;
    const refusal = { reason: 'device.not_found' };
    await expect(targets(account, [mine, theirs])).rejects.toMatchObject(refusal);
    await expect(targets(account, [newId('dev', Date.now())])).rejects.toMatchObject(refusal);
    expect(await targets(newAccount())).toEqual([]);
  });
});

describe('the devices that a push to several people reaches', () => {
  const reach = async (accountIds: string[], deviceIds: string[] = [], more: object = {}) =>
    (await bus.ask(Push.reach, { accountIds, deviceIds, ...more }, contextOf(newAccount()))).value.devices;

  it('are all their active devices, and named ones of others, each with its account', async () => {
    const [ann, bob, cid] = [newAccount(), newAccount(), newAccount()];
    const anns = (await register(ann)).device.id;
    const bobs = (await register(bob)).device.id;
    const cids = (await register(cid)).device.id;
    await register(cid);
    const removed = (await register(ann)).device.id;
    await remove(ann, removed);
    const found = await reach([ann, bob], [cids, removed, newId('dev', Date.now())]);
    const byId = (a: { deviceId: string }, b: { deviceId: string }) => (a.deviceId < b.deviceId ? -1 : 1);
    expect(found.sort(byId)).toEqual(
      [
        { deviceId: anns, accountId: ann },
        { deviceId: bobs, accountId: bob },
        { deviceId: cids, accountId: cid },
      ].sort(byId),
    );
    expect(await reach([newAccount()])).toEqual([]);
  });

  it('are only capable devices for a live activity', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const android = (await register(ann, install({ platform: 'android', liveActivitiesCapable: false })))
      .device.id;
    const old = (await register(bob, install({ liveActivitiesCapable: false }))).device.id;
    expect(await reach([ann], [old], { forActivity: true })).toEqual([{ deviceId: android, accountId: ann }]);
  });

  it('in quiet hours show a live activity silently unless it is urgent, alone and in a group', async () => {
    const ann = newAccount();
    const { id } = (await register(ann, install({ platform: 'android' }))).device;
    const quietHours = { from: '00:00', to: '00:00', timezone: 'UTC' };
    await bus.ask(QuietHoursOf.set, { quietHours }, contextOf(ann));
    const alone = async (urgent: boolean) =>
      (await bus.ask(Push.activityTargets, { urgent }, contextOf(ann))).value;
    const together = async (urgent: boolean) =>
      (
        await bus.ask(
          Push.reach,
          { accountIds: [ann], deviceIds: [], forActivity: true, urgent },
          contextOf(ann),
        )
      ).value;
    expect(await alone(false)).toEqual({ deviceIds: [id], quietDeviceIds: [id] });
    const devices = [{ deviceId: id, accountId: ann }];
    expect(await together(false)).toEqual({ devices, quietDeviceIds: [id] });
    expect([await alone(true), await together(true)]).toEqual([{ deviceIds: [id] }, { devices }]);
  });
});

describe('receipts', () => {
  const receipts = [{ notificationId: newId('anot', Date.now()), receivedAt: '2026-11-20T09:00:00.000Z' }];
  const report = async (account: string, id: string, sessionId = newSession()) =>
    bus.ask(Push.reportReceipts, { id, receipts }, contextOf(account, { caller: { sessionId } }));

  it('are recorded once and update when the phone was last seen', async () => {
    const [account, session] = [newAccount(), newSession()];
    const { device } = await register(account, install(), session);
    await (service.get(Clock) as ManualClock).advance(5_000);
    const { value, position } = await report(account, device.id, session);
    expect(value).toEqual({ ok: true });
    await report(account, device.id, session);
    expect(await events(device, 'device_seen')).toEqual(['DeviceSeen']);
    await rowsReach(service.get(Projections), 'devices', position);
    const [seen] = (await list(account)).items;
    expect(Date.parse(seen!.lastSeenAt) - Date.parse(device.lastSeenAt)).toBeGreaterThanOrEqual(5_000);
  });

  it('are refused for a device of another account', async () => {
    const { device } = await register(newAccount());
    await expect(report(newAccount(), device.id)).rejects.toMatchObject({ reason: 'device.not_found' });
    await expect(report(newAccount(), newId('dev', Date.now()))).rejects.toMatchObject({
      reason: 'device.not_found',
    });
  });
});

describe('the list of devices', () => {
  const clock = () => service.get(Clock) as ManualClock;

  it('is filtered, and paged from the device last seen', async () => {
    const account = newAccount();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.unshift((await register(account, install({ platform: n % 2 ? 'android' : 'ios' }))).device.id);
      await clock().advance(10);
    }
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(account, { limit: 2, ...(cursor && { cursor }) });
      paged.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(paged).toEqual(ids);
    expect((await list(account, { platform: 'android' })).items.map(({ id }) => id)).toEqual([
      ids[1],
      ids[3],
    ]);
    expect((await list(account, { active: false })).items).toEqual([]);
    expect((await list(account, { active: true })).items).toHaveLength(5);
    expect((await list(newAccount())).items).toEqual([]);
  });

  it('refuses a cursor of another list, or one that was altered', async () => {
    const account = newAccount();
    await register(account);
    await register(account);
    const cursor = (await list(account, { limit: 1 })).nextCursor!;
    const refusal = { reason: 'list.invalid_cursor' };
    await expect(list(account, { cursor, platform: 'ios' })).rejects.toMatchObject(refusal);
    await expect(list(newAccount(), { cursor })).rejects.toMatchObject(refusal);
    await expect(list(account, { cursor: `${cursor}x` })).rejects.toMatchObject(refusal);
  });

  it('takes a position beyond the log for the end of the log', async () =>
    expect(list(newAccount(), {}, String(2n ** 60n))).resolves.toEqual({ items: [], nextCursor: null }));
});

describe('the slot of one of six devices', () => {
  const refusal = { reason: 'resource.limit_reached', details: { limit: max } };
  const fill = (account: string, count = max) =>
    Promise.all(Array.from({ length: count }, () => persistently(() => register(account))));
  const rowsOf = (account: string) =>
    service
      .get(Database)
      .query<{ device_id: string }>(
        `SELECT device_id FROM devices WHERE account_id = $1 AND inactive_reason IS DISTINCT FROM 'removed'`,
        [account],
      );
  /** Retries after a concurrent update of the same stream, as apps do. */
  async function persistently<T>(work: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await work();
      } catch (error) {
        if ((error as Refused).reason !== 'stream.concurrent_update') throw error;
      }
  }
  /** A second instance of the service, as in another process. */
  const replica = () => {
    const { store, keys } = service.get(Log);
    const handlers = new DeviceHandlers(
      service.get(Database),
      service.get(Projections),
      new Log(store, keys),
      service.get(Clock),
      service.get(LOGGER),
      bus,
      service.get(Destinations),
      service.get(KeyRing),
    );
    const ask = handlers.register.bind(handlers) as unknown as (
      ask: Ask<RegisterDevice>,
    ) => Promise<Wire<Awaited<ReturnType<typeof register>>>>;
    return async (account: string, input: RegisterDevice) => {
      const reply = await ask(
        sealed(
          Push.registerDevice,
          input,
          contextOf(account, { caller: { sessionId: sessionOf(account, input) } }),
        ),
      );
      if ('refused' in reply) throw new Refused(reply.refused, reply.details);
      return reply.value;
    };
  };
  const uninstalled = async (account: string, { id }: Device): Promise<void> => {
    const { position } = await service
      .get(Log)
      .transact(
        device,
        streamTail(id),
        (state) => deactivate({ token: state!.pushToken!, reason: 'unregistered', at: now() })(state),
        streamMetadata(account),
      );
    await rowsReach(service.get(Projections), 'devices', position);
  };
  /** The state left by a version without slot counting: devices, but no quota stream. */
  const uncounted = async (account: string, count: number): Promise<RegisterDevice[]> => {
    const log = service.get(Log);
    const inputs = Array.from({ length: count }, () => install());
    const positions = await Promise.all(
      inputs.map(async (input) => {
        const id = deriveId('dev', Date.now(), account, input.installId);
        const given = {
          id,
          accountId: account,
          slotId: streamTail(id),
          sessionId: 'ses_1',
          install: installOf(input, 'k1'),
          at: now(),
        };
        const [{ sessionId: _none, ...event }] = registering(given)(null) as [DeviceRegistered];
        return (await log.transact(device, streamTail(id), () => [event], streamMetadata(account))).position;
      }),
    );
    const last = positions.reduce((newest, each) => (each > newest ? each : newest));
    await rowsReach(service.get(Projections), 'devices', last);
    return inputs;
  };
  const now = (): string => (service.get(Clock) as ManualClock).now();

  it('is refused to the seventh device, and a device with a slot can always update its addresses', async () => {
    const account = newAccount();
    const inputs = Array.from({ length: max }, () => install());
    for (const input of inputs) await register(account, input);
    await expect(register(account)).rejects.toMatchObject(refusal);
    expect(await register(account, { ...inputs[0]!, pushToken: randomUUID() })).toMatchObject({
      created: false,
    });
    expect(await rowsOf(account)).toHaveLength(max);
    expect((await register(newAccount())).created).toBe(true);
  });

  it('is counted exactly for concurrent registrations at two replicas', async () => {
    const account = newAccount();
    const other = replica();
    const same = install();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        persistently(async () => {
          const input = n < 4 ? same : install();
          return n % 2 ? register(account, input) : other(account, input);
        }),
      ),
    );
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(refusal);
    expect(new Set(made.map(({ device: { id } }) => id)).size).toBe(max);
    expect(made.filter(({ created }) => created)).toHaveLength(max);
    expect(await rowsOf(account)).toHaveLength(max);
  });

  it('is released when its device is removed, once per removal', async () => {
    const account = newAccount();
    const input = install();
    for (let times = 0; times < 3; times += 1) {
      const { device: mine } = await register(account, input);
      await remove(account, mine.id);
      await remove(account, mine.id);
    }
    await fill(account);
    await expect(register(account, input)).rejects.toMatchObject(refusal);
    await remove(account, (await list(account)).items[0]!.id);
    await register(account, input);
    await expect(register(account)).rejects.toMatchObject(refusal);
    expect(await rowsOf(account)).toHaveLength(max);
  });

  it('is counted exactly for one install that is removed and registers again concurrently at two replicas', async () => {
    const account = newAccount();
    const other = replica();
    const input = install();
    const { device: mine } = await register(account, input);
    for (let round = 0; round < 5; round += 1)
      await Promise.allSettled(
        Array.from({ length: 6 }, (_, n) => {
          if (n % 3 === 0) return remove(account, mine.id);
          return n % 2 ? register(account, input) : other(account, input);
        }),
      );
    await Promise.allSettled(Array.from({ length: 20 }, () => persistently(() => register(account))));
    await (service.get(Clock) as ManualClock).advance(61_000);
    await Promise.allSettled(Array.from({ length: 20 }, () => persistently(() => register(account))));
    expect(await rowsOf(account)).toHaveLength(max);
  });

  it('is freed by devices without the app, when it is needed', async () => {
    const account = newAccount();
    const made = await fill(account);
    await uninstalled(account, made[2]!.device);
    expect((await list(account)).items).toHaveLength(max);
    await (service.get(Clock) as ManualClock).advance(61_000);
    const late = await register(account);
    const ids = (await list(account)).items.map(({ id }) => id);
    expect(ids).toHaveLength(max);
    expect(ids).toContain(late.device.id);
    expect(ids).not.toContain(made[2]!.device.id);
    await expect(register(account)).rejects.toMatchObject(refusal);
  });

  it.each([
    ['an install that never registered', () => `${'z'.repeat(25)}1`],
    ['an install that has another', (registered: Device) => `${streamTail(registered.id)}.7`],
  ])('that a crashed process has reserved for %s is released after a minute', async (_, slotFor) => {
    const account = newAccount();
    const [registered] = await fill(account, max - 1);
    const lost = slotFor(registered!.device);
    await service
      .get(Log)
      .transact(
        quotaOf('device'),
        account,
        reserveSlot({ accountId: account, id: lost, until: null, max, before: [], missing: [], at: now() }),
        streamMetadata(account),
      );
    await expect(register(account)).rejects.toMatchObject(refusal);
    await (service.get(Clock) as ManualClock).advance(61_000);
    expect((await register(account)).created).toBe(true);
    await expect(register(account)).rejects.toMatchObject(refusal);
  });

  it('is also counted for devices from before slots were counted', async () => {
    const account = newAccount();
    const [first] = await uncounted(account, max - 1);
    expect((await register(account)).created).toBe(true);
    await expect(register(account)).rejects.toMatchObject(refusal);
    expect((await register(account, { ...first!, pushToken: randomUUID() })).created).toBe(false);
    expect(await rowsOf(account)).toHaveLength(max);
  });

  it('is refused to an account above the limit; its devices still update their addresses, and the newest get its pushes', async () => {
    const account = newAccount();
    const inputs = await uncounted(account, max + 3);
    await expect(register(account)).rejects.toMatchObject(refusal);
    await (service.get(Clock) as ManualClock).advance(1_000);
    const { device: newest, created } = await register(account, {
      ...inputs[0]!,
      pushToken: randomUUID(),
    });
    expect(created).toBe(false);
    expect(await rowsOf(account)).toHaveLength(max + 3);
    const reached = await targets(account);
    expect(reached).toHaveLength(max);
    expect(reached).toContain(newest.id);
    const { items } = await list(account);
    const oldest = items.map(({ id }) => id).find((id) => !reached.includes(id))!;
    expect(await targets(account, [oldest])).toEqual([oldest]);
    for (const { id } of items.slice(0, 4)) await remove(account, id);
    expect((await register(account)).created).toBe(true);
    await expect(register(account)).rejects.toMatchObject(refusal);
  });
});

describe('a push without a provider', () => {
  it('is an error at once', async () => {
    const account = newAccount();
    const { device } = await register(account);
    const notificationId = newId('anot', Date.now());
    const log = service.get(Log);
    await log.appendTo(
      { category: 'notification', initial: null, evolve: () => null, personal: { NotificationSent: [] } },
      streamTail(notificationId),
      [
        notificationSent({
          notificationId,
          accountId: account,
          deviceIds: [device.id],
          sentAt: new Date().toISOString(),
        }),
      ],
      'no_stream',
      streamMetadata(account),
    );
    const [reported] = await eventually(
      async () => {
        const found = await log.store.read(`delivery-${notificationId}`);
        return found.length > 0 ? found : undefined;
      },
      () => 'it was not reported',
    );
    expect(reported!.data).toMatchObject({
      accepted: 0,
      final: true,
      receipts: [{ deviceId: device.id, status: 'error', errorCode: 'provider_not_configured' }],
    });
  });
});

describe('the rows of devices', () => {
  const behind = { reason: 'projection.behind' };
  /** It is in the log, and not in the rows. */
  const unknown = { reason: 'store.outcome_unknown' };
  const reach = async (accountIds: string[], deviceIds: string[] = []) =>
    (await bus.ask(Push.reach, { accountIds, deviceIds }, contextOf('usr_team'))).value.devices;
  const devicesOf = async (accountIds: string[]) =>
    (await bus.ask(Push.devicesOf, { accountIds, limit: 10 }, contextOf('usr_team'))).value.devices;

  it('of an event that cannot be applied stop its account only, until a retry applies what was left out', async () => {
    const projections = service.get(Projections);
    const [ann, bob] = [newAccount(), newAccount()];
    const { device: old } = await register(ann);
    const { device: lost } = await register(ann);
    const { device: other } = await register(bob);
    const heal = await poison(service.get(Database), { table: 'devices', column: 'account_id', value: ann });
    const sold = install();
    for (const input of [install(), sold]) await expect(register(ann, input)).rejects.toMatchObject(unknown);
    await setAside(projections, 'devices');
    await expect(register(ann, sold)).rejects.toMatchObject(behind);
    await expect(remove(ann, lost.id)).rejects.toMatchObject(unknown);

    const asks: (() => Promise<unknown>)[] = [
      () => targets(ann),
      () => targets(ann, [old.id]),
      () => list(ann),
      () => devicesOf([bob, ann]),
      () => bus.ask(Push.activityTargets, {}, contextOf(ann)),
      () => remove(ann, lost.id),
    ];
    for (const ask of asks) await expect(ask()).rejects.toMatchObject(behind);
    // A push to a group reaches the others, and no phone that may have been removed.
    const toBob = [{ deviceId: other.id, accountId: bob }];
    expect(await reach([ann, bob])).toEqual(toBob);
    expect(await reach([bob], [old.id])).toEqual(toBob);
    expect(await targets(bob)).toEqual([other.id]);
    await expect(targets(bob, [old.id])).rejects.toMatchObject({ reason: 'device.not_found' });
    // A phone changes hands: from an account that is served to the one that is not, and the other way round.
    const swapped = install();
    await register(bob, swapped);
    await expect(register(ann, swapped)).rejects.toMatchObject(unknown);
    await eventually(
      async () => ((await targets(bob)).length === 1 ? true : undefined),
      () => 'the former owner keeps the address',
    );
    const { device: bought } = await register(bob, { ...sold, installId: 'bought' });

    expect(await projections.settleSetAside('devices', ann, 'retry')).toBe(false);
    await heal();
    expect(await rejoin(projections, 'devices', ann)).toBe(true);
    const healed = (await list(ann)).items;
    expect(healed.map(({ active }) => active).sort()).toEqual([false, true, true, true]);
    expect(healed.map(({ id }) => id)).not.toContain(lost.id);
    expect(await targets(ann)).toHaveLength(3);
    expect((await targets(bob)).sort()).toEqual([other.id, bought.id].sort());
  }, 60_000);

  it('give one address to its newest device, also when a late event and a new one claim it at once', async () => {
    const [projections, database, log] = [service.get(Projections), service.get(Database), service.get(Log)];
    const [ann, bob] = [newAccount(), newAccount()];
    const heal = await poison(database, { table: 'devices', column: 'account_id', value: ann });
    const shared = Array.from({ length: max - 1 }, () => install());
    for (const input of shared) await expect(register(ann, input)).rejects.toMatchObject(unknown);
    await setAside(projections, 'devices');
    await heal();
    await Promise.all([
      rejoin(projections, 'devices', ann),
      ...shared.map((input) => register(bob, { ...input, installId: randomUUID() })),
    ]);
    await rowsReach(projections, 'devices', await log.store.head());
    expect(await targets(ann)).toEqual([]);
    expect(await targets(bob)).toHaveLength(shared.length);
  }, 60_000);

  it('lack an event that is dropped, and have those behind it', async () => {
    const projections = service.get(Projections);
    const account = newAccount();
    const heal = await poison(service.get(Database), {
      table: 'devices',
      column: 'device_name',
      value: 'poison',
    });
    await expect(register(account, install({ deviceName: 'poison' }))).rejects.toMatchObject(unknown);
    await setAside(projections, 'devices');
    await expect(register(account)).rejects.toMatchObject(unknown);
    await rejoin(projections, 'devices', account, 'drop');
    expect(await targets(account)).toHaveLength(1);
    await heal();
    // What was dropped comes back when the rows are rebuilt.
    await projections.rebuild('devices');
    expect(await targets(account)).toHaveLength(2);
  }, 60_000);

  it('rebuilt from the log are the same', async () => {
    const database = service.get(Database);
    // Sealing gives a different value each time.
    const rows = () =>
      database.query(
        `SELECT device_id, account_id, platform, device_name, active, inactive_reason, push_token_hash,
           push_token IS NULL AS tokenless, push_environment, token_since, push_to_start_environment,
           push_to_start_since, live_activities_capable, created_at, last_seen_at
         FROM devices ORDER BY device_id`,
      );
    const before = await rows();
    expect(before.length).toBeGreaterThan(15);
    await service.get(Projections).rebuild('devices');
    expect(await rows()).toEqual(before);
    expect((await register(newAccount())).created).toBe(true);
  });

  it('of unfinished work cannot be rebuilt', async () =>
    expect(service.get(Projections).rebuild('deliveries')).rejects.toThrow());
});

it('the list of devices has an index in its order', async () => {
  expect(await indexesOf(service.get(Database), 'devices')).toEqual(
    expect.arrayContaining([`(account_id, ${deviceOrder.index})`]),
  );
});
