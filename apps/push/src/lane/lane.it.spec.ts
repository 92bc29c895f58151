import type { Bus } from '@carillon/bus';
import {
  type ActivityEvent,
  type DeviceTokensChanged,
  type ActivityProps,
  type LaneEvent,
  Push,
  type RegisterDevice,
} from '@carillon/contracts';
import { Database, Log, LeaseOwner } from '@carillon/event-store';
import { type Decider, instant, Refused } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { KeyRing, newId, streamTail } from '@carillon/signing';
import {
  activityProps,
  activityStarted,
  askOn,
  end,
  eventually,
  newAccount,
  notificationSent,
  startParts,
  startServiceProcess,
  startSimulator,
  streamMetadata,
} from '@carillon/testkit';
import type { ChildProcess } from 'node:child_process';
import { pushTokenContext } from '../device/devices.projection';
import { PushModule } from '../push.module';
import { updated } from './activity';
import type { Lane } from './lane';
import { laneTail } from './record';

interface Phone {
  readonly id: string;
  readonly deviceId: string;
  readonly account: string;
  /** The session of its app. */
  readonly sessionId: string;
}

let parts: Awaited<ReturnType<typeof startParts>>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let service: RunningService;
let bus: Bus;
let log: Log;
let clock: ManualClock;

const start = async (): Promise<void> => {
  service = await startService({ name: 'push', module: PushModule });
  log = service.get(Log);
  clock = service.get(Clock) as ManualClock;
  await eventually(
    () => ask('usr_none', Push.targets, {}).catch(() => undefined),
    () => 'the service does not answer',
  );
};

beforeAll(async () => {
  simulator = await startSimulator();
  parts = await startParts({ ...simulator.env, LOG_LEVEL: 'fatal' });
  bus = await sharedBus.take();
  await start();
}, 60_000);
afterAll(async () => {
  await service?.close();
  await sharedBus.release();
  await parts?.stop();
  await simulator?.stop();
}, 60_000);
afterEach(() => simulator.call('DELETE', '/faults'));

// ------------------------------------------------------------------------------------------------ what is done

const ask = askOn(() => bus);
/** As the app does, whose session it is. */
const inApp = (sessionId: string) => ({ caller: { sessionId } });

/** The service's clock and the phones'. */
async function advance(ms: number): Promise<void> {
  await clock.advance(ms);
  await simulator.call('POST', '/clock', { advanceSeconds: ms / 1_000 });
}

async function phone(
  account: string,
  platform: 'ios' | 'android',
  { withStartToken = true, ...more }: Partial<RegisterDevice> & { withStartToken?: boolean } = {},
): Promise<Phone> {
  const { phone: made } = await simulator.call('POST', '/phones', { platform, liveActivities: true });
  const sessionId = newId('ses', Date.now());
  const input: RegisterDevice = {
    installId: made.id,
    platform,
    pushToken: made.pushToken,
    pushEnvironment: 'sandbox',
    appBuild: '1',
    liveActivitiesCapable: true,
    interactiveLiveActivitiesCapable: false,
    ...(withStartToken && platform === 'ios' && { pushToStartToken: made.pushToStartToken }),
    ...more,
  };
  const { device } = await ask(account, Push.registerDevice, input, inApp(sessionId));
  return { id: made.id, deviceId: device.id, account, sessionId };
}

/** Registers an iPhone with all its tokens, as its app does when it opens. */
async function openAgain({ id, account, sessionId }: Phone): Promise<void> {
  const { phone: of } = await simulator.call('GET', `/phones/${id}`);
  const input: RegisterDevice = {
    installId: id,
    platform: 'ios',
    pushToken: of.pushToken,
    pushEnvironment: 'sandbox',
    appBuild: '2',
    liveActivitiesCapable: true,
    interactiveLiveActivitiesCapable: false,
    pushToStartToken: of.pushToStartToken,
  };
  await ask(account, Push.registerDevice, input, inApp(sessionId));
}

const props = (more: Partial<ActivityProps> = {}): ActivityProps =>
  activityProps({ title: 'Deploy', progress: 0, layout: 'ring', ...more });

/** Replaces the activities service. */
const activities: Decider<null, ActivityEvent> = {
  category: 'activity',
  initial: null,
  evolve: () => null,
  personal: {
    ActivityStarted: ['sourceName', 'props', 'prompt'],
    ActivityUpdated: ['props'],
    ActivityEnded: ['props'],
    ActivityExpired: [],
    ActivityFailed: [],
  },
};

class Activity {
  readonly id = newId('act', clock.ms());
  sequence = 1;

  constructor(readonly phones: readonly Phone[]) {}

  get accountId(): string {
    return this.phones[0]!.account;
  }

  start(lifetimeMs = 600_000): Promise<this> {
    const started = activityStarted({
      activityId: this.id,
      accountId: this.accountId,
      props: props(),
      deviceIds: this.phones.map(({ deviceId }) => deviceId),
      startedAt: clock.now(),
      expiresAt: instant(clock.ms() + lifetimeMs),
    });
    return this.append(started, 'no_stream');
  }

  update(progress: number, isMilestone = false): Promise<this> {
    this.sequence += 1;
    return this.append({
      type: 'ActivityUpdated',
      activityId: this.id,
      accountId: this.accountId,
      props: props({ progress }),
      key: null,
      sequence: this.sequence,
      updatedAt: clock.now(),
      apnsPriority: isMilestone ? 10 : 5,
      priorityReason: isMilestone ? 'milestone' : 'routine',
    });
  }

  end(dismissAfterSeconds = 300): Promise<this> {
    this.sequence += 1;
    return this.append({
      type: 'ActivityEnded',
      activityId: this.id,
      accountId: this.accountId,
      props: props({ progress: 1 }),
      reason: 'ended',
      dismissAfterSeconds,
      key: null,
      sequence: this.sequence,
      endedAt: clock.now(),
    });
  }

  expire(): Promise<this> {
    this.sequence += 1;
    return this.append({
      type: 'ActivityExpired',
      activityId: this.id,
      accountId: this.accountId,
      sequence: this.sequence,
      expiredAt: clock.now(),
    });
  }

  report(sequence = this.sequence) {
    return log.store
      .head()
      .then((head) =>
        ask(this.accountId, Push.lanes, { activityId: this.id, sequence, after: String(head) }),
      );
  }

  /** The recorded outcomes of the activity on a phone. */
  async pushed({ deviceId }: Phone): Promise<string[]> {
    return (await recordOf(this.id, deviceId))
      .filter((event) => event.type === 'ActivityPushed')
      .map(({ operation, sequence, outcome }) => `${operation} ${sequence} ${outcome}`);
  }

  private async append(event: ActivityEvent, expected: 'no_stream' | 'any' = 'any'): Promise<this> {
    await log.appendTo(
      activities,
      streamTail(this.id),
      [event],
      expected,
      streamMetadata(this.accountId, { accountId: this.accountId }),
    );
    return this;
  }
}

const recordOf = async (activityId: string, deviceId: string): Promise<LaneEvent[]> =>
  (await log.open(await log.store.read(`lane-${laneTail(activityId, deviceId)}`))).map(
    ({ event }) => event as LaneEvent,
  );

// ------------------------------------------------------------------------------------------------- what is seen

interface Got {
  readonly event: string;
  readonly sequence: number;
  readonly timestamp: number | undefined;
  readonly status: number;
  readonly at: number;
}

async function got({ id }: Phone): Promise<Got[]> {
  const { received } = await simulator.call('GET', `/phones/${id}/received`);
  return received.flatMap(({ payload, verdict, at }: any): Got[] => {
    const status = verdict.status;
    const when = Date.parse(at);
    if (payload.aps?.event)
      return [
        {
          event: payload.aps.event,
          sequence: payload.aps['content-state'].sequence,
          timestamp: payload.aps.timestamp,
          status,
          at: when,
        },
      ];
    if (payload.data?.type !== 'activity') return [];
    const { event, seq } = payload.data;
    return [{ event, sequence: Number(seq), timestamp: undefined, status, at: when }];
  });
}
const story = async (of: Phone): Promise<string[]> =>
  (await got(of)).map(
    ({ event, sequence, status }) => `${event} ${sequence}${status === 200 ? '' : ` ${status}`}`,
  );
const shown = async ({ id }: Phone, activity: Activity): Promise<any> =>
  (await simulator.call('GET', `/phones/${id}`)).phone.activities.find(
    ({ activityId }: any) => activityId === activity.id,
  );

const until = async <Value>(
  look: () => Promise<Value>,
  check: (value: Value) => boolean,
  withinMs?: number,
): Promise<Value> => {
  let last: Value;
  return eventually(
    async () => (check((last = await look())) ? last : undefined),
    () => `it stays at ${JSON.stringify(last)}`,
    withinMs,
  );
};
const toldThat = (of: Phone, ...expected: string[]): Promise<string[]> =>
  until(
    () => story(of),
    (told) => JSON.stringify(told) === JSON.stringify(expected),
  );
const fault = (match: object, effect: object, count?: number): Promise<unknown> =>
  simulator.call('POST', '/faults', { match, effect, ...(count !== undefined && { count }) });

/** Registers an iPhone's update token of the activity. */
async function registerToken(of: Phone, activity: Activity): Promise<string> {
  const { updateToken } = await until(
    () => shown(of, activity),
    (found) => found?.updateToken !== undefined,
  );
  const input = {
    deviceId: of.deviceId,
    activityId: activity.id,
    token: updateToken,
    environment: 'sandbox',
  } as const;
  await ask(of.account, Push.registerActivityToken, input, inApp(of.sessionId));
  return updateToken;
}

const database = (): Database => service.get(Database);
const laneOf = async (activity: Activity, { deviceId }: Phone): Promise<any> => {
  const [row] = await database().query(`SELECT * FROM lanes WHERE activity_id = $1 AND device_id = $2`, [
    activity.id,
    deviceId,
  ]);
  return row;
};

// ----------------------------------------------------------------------------------------------------- stories

describe('the lane of an activity', () => {
  it('starts, updates and ends the activity on both phones, and records the outcomes', async () => {
    const account = newAccount();
    const [iphone, android] = [await phone(account, 'ios'), await phone(account, 'android')];
    const activity = await new Activity([iphone, android]).start();
    await registerToken(iphone, activity);
    await activity.update(0.5);
    for (const each of [iphone, android]) await toldThat(each, 'start 1', 'update 2');
    await activity.end();
    for (const each of [iphone, android]) {
      await toldThat(each, 'start 1', 'update 2', 'end 3');
      expect(await shown(each, activity)).toMatchObject({ state: 'ended', sequence: 3 });
      await until(
        () => activity.pushed(each),
        (told) => told.join() === 'start 1 accepted,update 2 accepted,end 3 accepted',
      );
    }
    expect(await activity.report()).toMatchObject({ accepted: 2, failed: 0, queued: 0, ready: 0 });
    const stamps = (await got(iphone)).map(({ timestamp }) => timestamp!);
    expect(stamps).toEqual([...new Set(stamps)].sort());
  });

  it('gives the provider the type and priority of each push', async () => {
    const account = newAccount();
    const [iphone, android] = [await phone(account, 'ios'), await phone(account, 'android')];
    const activity = await new Activity([iphone, android]).start();
    await registerToken(iphone, activity);
    await activity.update(0.5);
    await toldThat(iphone, 'start 1', 'update 2');
    await toldThat(android, 'start 1', 'update 2');
    const of = async ({ id }: Phone) => (await simulator.call('GET', `/phones/${id}/received`)).received;
    const [began, moved] = await of(iphone);
    const about = {
      'apns-push-type': 'liveactivity',
      'apns-topic': expect.stringMatching(/\.push-type\.liveactivity$/),
    };
    expect(began.headers).toMatchObject(about);
    expect(began.headers).not.toHaveProperty('apns-priority');
    expect(moved.headers).toMatchObject({ ...about, 'apns-priority': '5' });
    expect((await of(android)).map(({ payload }: any) => payload.android.priority)).toEqual([
      'high',
      'normal',
    ]);
  });

  it('keeps operations for an iPhone until its update token arrives, and then sends them in order', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const activity = await new Activity([iphone]).start();
    await toldThat(iphone, 'start 1');
    await activity.update(0.1);
    await activity.update(0.2);
    expect(await activity.report()).toMatchObject({ queued: 1, superseded: 1, accepted: 0 });
    await activity.update(0.3, true);
    await activity.update(0.4);
    await activity.end();
    expect(await activity.report()).toMatchObject({ queued: 1, awaitingUpdateToken: 1, warnings: [] });
    await advance(31_000);
    expect(await activity.report()).toMatchObject({ warnings: ['update_token_delayed'] });
    expect(await story(iphone)).toEqual(['start 1']);
    await registerToken(iphone, activity);
    await toldThat(iphone, 'start 1', 'update 3', 'update 4', 'update 5', 'end 6');
    expect(await shown(iphone, activity)).toMatchObject({ state: 'ended' });
  });

  it('sends a new token the newest state, although the old one has received it', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const activity = await new Activity([iphone]).start();
    await registerToken(iphone, activity);
    await activity.update(0.5);
    await toldThat(iphone, 'start 1', 'update 2');
    await until(
      () => activity.pushed(iphone),
      (told) => told.length === 2,
    );
    const input = {
      deviceId: iphone.deviceId,
      activityId: activity.id,
      token: 'ab'.repeat(40),
      environment: 'sandbox',
    } as const;
    await ask(iphone.account, Push.registerActivityToken, input, inApp(iphone.sessionId));
    // The token is unknown to the provider, which deactivates nothing.
    await until(
      () => laneOf(activity, iphone),
      ({ lane }) => lane.tokenLostAtMs !== null,
    );
    expect(await activity.report()).toMatchObject({ awaitingUpdateToken: 1, queued: 1, failed: 0 });
    await registerToken(iphone, activity);
    await toldThat(iphone, 'start 1', 'update 2', 'update 2');
    const { devices } = { devices: (await ask(iphone.account, Push.targets, {})).deviceIds };
    expect(devices).toEqual([iphone.deviceId]);
  });

  it('drops only a dead update token, and fails the activity when no other token arrives', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const activity = await new Activity([iphone]).start(7_200_000);
    await registerToken(iphone, activity);
    await fault({ phoneId: iphone.id, pushType: 'liveactivity' }, { status: 410, reason: 'ExpiredToken' }, 1);
    await activity.update(0.5);
    await until(
      () => activity.report(),
      ({ awaitingUpdateToken }) => awaitingUpdateToken === 1,
    );
    await advance(11 * 60_000);
    await until(
      () => activity.pushed(iphone),
      (told) => told.at(-1) === 'update 2 failed',
    );
    expect((await ask(iphone.account, Push.targets, {})).deviceIds).toEqual([iphone.deviceId]);
  });

  it('fails when the start token is dead, and keeps the device active', async () => {
    const iphone = await phone(newAccount(), 'ios', { pushToStartToken: 'cd'.repeat(32) });
    const activity = await new Activity([iphone]).start();
    await activity.update(0.5);
    await until(
      () => activity.pushed(iphone),
      (told) => told.length === 2,
    );
    expect(await activity.pushed(iphone)).toEqual(['start 1 failed', 'update 2 failed']);
    expect((await ask(iphone.account, Push.targets, {})).deviceIds).toEqual([iphone.deviceId]);
    // Its app opens again: the activity starts again, with its present content.
    await advance(61_000);
    await openAgain(iphone);
    await until(
      () => shown(iphone, activity),
      (found) => found?.state === 'active',
    );
    expect(await shown(iphone, activity)).toMatchObject({ contentState: { progress: 0.5 } });
    await until(
      () => activity.report(),
      ({ accepted, failed }) => accepted === 1 && failed === 0,
    );
  });

  it('is on phones of other accounts too, each of which registers its own update token', async () => {
    const [anns, bobs] = [await phone(newAccount(), 'android'), await phone(newAccount(), 'ios')];
    const activity = await new Activity([anns, bobs]).start();
    await toldThat(anns, 'start 1');
    await registerToken(bobs, activity);
    await activity.update(0.5);
    await toldThat(bobs, 'start 1', 'update 2');
    await toldThat(anns, 'start 1', 'update 2');
    const report = await until(
      () => activity.report(),
      ({ accepted }) => accepted === 2,
    );
    expect(report).toMatchObject({ failed: 0, ready: 2 });
  });

  it('starts at the last registered address, however far the devices projection lags behind', async () => {
    const iphone = await phone(newAccount(), 'ios', { pushToStartToken: 'cd'.repeat(32) });
    const activity = await new Activity([iphone]).start();
    await until(
      () => activity.pushed(iphone),
      (told) => told[0] === 'start 1 failed',
    );
    await advance(61_000);
    const opened = await database().transaction(async (sql) => {
      await sql.query(`SELECT 1 FROM projection_checkpoints WHERE name = 'devices' FOR UPDATE`);
      // After two seconds the caller is told that the rows are late, however long they are held here; the log has it.
      const opening = openAgain(iphone).catch((error: unknown) => {
        if (!(error instanceof Refused) || error.reason !== 'projection.behind') throw error;
        return undefined;
      });
      await until(
        () => laneOf(activity, iphone),
        ({ lane }) => lane.waiting[0]?.wasTried === true,
      );
      return { opening };
    });
    await opened.opening;
    await until(
      () => shown(iphone, activity),
      (found) => found?.state === 'active',
    );
    // The phone receives the push before the log has its outcome.
    await until(
      () => activity.report(),
      ({ accepted, failed }) => accepted === 1 && failed === 0,
    );
  });

  it('waits for the start token of an iPhone that has not registered it yet', async () => {
    const iphone = await phone(newAccount(), 'ios', { withStartToken: false });
    const activity = await new Activity([iphone]).start();
    await until(
      () => laneOf(activity, iphone),
      (row) => row?.held === 'address',
    );
    const { phone: of } = await simulator.call('GET', `/phones/${iphone.id}`);
    const input = {
      id: iphone.deviceId,
      pushToStartToken: of.pushToStartToken,
      environment: 'sandbox',
    } as const;
    await ask(iphone.account, Push.changeTokens, input, inApp(iphone.sessionId));
    await toldThat(iphone, 'start 1');
  });

  it('retries temporary failures, with the newest content', async () => {
    const android = await phone(newAccount(), 'android');
    const activity = await new Activity([android]).start();
    await toldThat(android, 'start 1');
    await fault({ phoneId: android.id }, { status: 429, reason: 'QUOTA_EXCEEDED' }, 1);
    await activity.update(0.1);
    await toldThat(android, 'start 1', 'update 2 429');
    await until(
      () => laneOf(activity, android),
      (row) => row.owner === null && row.lane.progress.throttles === 1,
    );
    await activity.update(0.2);
    expect(await activity.report()).toMatchObject({ queued: 1, superseded: 1 });
    await advance(61_000);
    await toldThat(android, 'start 1', 'update 2 429', 'update 3');
    await until(
      () => activity.pushed(android),
      (told) => told.includes('update 3 accepted') && told.includes('update 2 superseded'),
    );
  });

  it('fails on a phone whose token cannot be decrypted, and on no other', async () => {
    const account = newAccount();
    const [android, other] = [await phone(account, 'android'), await phone(account, 'android')];
    await database().query(`UPDATE devices SET push_token = 'unreadable' WHERE device_id = $1`, [
      android.deviceId,
    ]);
    const activity = await new Activity([android, other]).start();
    await toldThat(other, 'start 1');
    await until(
      () => laneOf(activity, android),
      (row) => row?.owner === null && row.lane.state === 'failed',
    );
    expect(await story(android)).toEqual([]);
  });

  it('drops waiting operations at the deadline, and removes the activity from the phones that show it', async () => {
    const account = newAccount();
    const [iphone, android] = [await phone(account, 'ios'), await phone(account, 'android')];
    const activity = await new Activity([iphone, android]).start(60_000);
    for (const each of [iphone, android]) await toldThat(each, 'start 1');
    await activity.update(0.5);
    await toldThat(android, 'start 1', 'update 2');
    await advance(61_000);
    await activity.expire();
    await toldThat(android, 'start 1', 'update 2', 'end 3');
    await until(
      () => activity.pushed(iphone),
      (told) => told.join() === 'start 1 accepted,update 2 dropped',
    );
    await registerToken(iphone, activity);
    await toldThat(iphone, 'start 1', 'end 3');
  });

  it('starts one activity every two seconds on a device', async () => {
    const account = newAccount();
    const [android, other] = [await phone(account, 'android'), await phone(account, 'android')];
    const some = [1, 2, 3].map(() => new Activity([android, other]));
    // The times at the sender: network delays vary.
    const startsOn = new Map([android, other].map(({ deviceId }) => [deviceId, new Set<number>()]));
    const noted = until(
      async () => {
        const rows = await database().query(
          `SELECT device_id, last_start_at FROM lane_devices WHERE isfinite(last_start_at)`,
        );
        for (const row of rows) startsOn.get(row.device_id)?.add(row.last_start_at.getTime());
        return [...startsOn.values()].map(({ size }) => size);
      },
      (sizes) => sizes.every((size) => size === 3),
    );
    for (const each of some) await each.start();
    const last = await some[2]!.report();
    expect(last).toMatchObject({ queued: 2, queuedStarts: 2 });
    for (const each of [android, other]) await toldThat(each, 'start 1', 'start 1', 'start 1');
    await noted;
    for (const starts of startsOn.values()) {
      const [first = 0, second = 0, third = 0] = starts;
      expect([second - first >= 2_000, third - second >= 2_000]).toEqual([true, true]);
      expect(Date.parse(last.nextStartAt!)).toBeGreaterThan(first);
      expect(Date.parse(last.nextStartAt!)).toBeLessThanOrEqual(third);
    }
  });

  it('removes the activity from a device that is removed from the account', async () => {
    const account = newAccount();
    const [iphone, android] = [await phone(account, 'ios'), await phone(account, 'android')];
    const activity = await new Activity([iphone, android]).start();
    await registerToken(iphone, activity);
    await toldThat(android, 'start 1');
    // Its last address is far from the end of its stream.
    await log.appendTo(
      {
        category: 'device',
        initial: null,
        evolve: () => null,
        personal: { DeviceTokensChanged: [] },
      } satisfies Decider<null, DeviceTokensChanged>,
      streamTail(android.deviceId),
      Array.from({ length: 120 }, (): DeviceTokensChanged => ({
        type: 'DeviceTokensChanged',
        deviceId: android.deviceId,
        accountId: account,
        pushToken: null,
        pushToStartToken: null,
        environment: 'sandbox',
        changedAt: clock.now(),
      })),
      'any',
      streamMetadata(account, { process: 'test' }),
    );
    for (const each of [iphone, android]) {
      await until(
        () => activity.pushed(each),
        (told) => told.length === 1,
      );
      await ask(account, Push.removeDevice, { id: each.deviceId });
    }
    for (const each of [iphone, android])
      await until(
        () => shown(each, activity),
        (found) => found.state === 'dismissed',
      );
    await activity.update(0.5);
    for (const each of [iphone, android])
      await until(
        () => activity.pushed(each),
        (told) => told.join() === 'start 1 accepted,update 2 failed',
      );
    await until(
      () => laneOf(activity, iphone),
      ({ lane }) => lane.token === null && lane.waiting.length === 0,
    );
  });

  it('leaves capacity for notifications, however many activities there are', async () => {
    const account = newAccount();
    const phones = await Promise.all(Array.from({ length: 50 }, () => phone(account, 'android')));
    await fault({ pushType: 'activity' }, { latencyMs: 8_000 }, 32);
    const activity = await new Activity(phones).start();
    const counts = async () => (await Promise.all(phones.map(got))).flat().length;
    await until(counts, (count) => count === 32);
    const notificationId = newId('anot', clock.ms());
    const { deviceId, id } = phones[0]!;
    await log.appendTo(
      { category: 'notification', initial: null, evolve: () => null, personal: { NotificationSent: [] } },
      streamTail(notificationId),
      [notificationSent({ notificationId, accountId: account, deviceIds: [deviceId], sentAt: clock.now() })],
      'no_stream',
      streamMetadata(account, { accountId: account }),
    );
    await until(
      () => simulator.call('GET', `/phones/${id}/received`),
      ({ received }) => received.some(({ payload }: any) => payload.data?.type === 'notification'),
    );
    // All of them still wait for answers, so all activity slots are in use.
    expect(await counts()).toBe(32);
    await until(
      () => activity.report(),
      ({ accepted }) => accepted === 50,
      40_000,
    );
  }, 90_000);

  it('leases at most as many lanes of one account as it leaves capacity for others, however many are due', async () => {
    const android = await phone(newAccount(), 'android');
    const activity = await new Activity([android]).start();
    await activity.update(0.5, true);
    await toldThat(android, 'start 1', 'update 2');
    const { lane } = await until(
      () => laneOf(activity, android),
      (row) => row.lane.waiting.length === 0 && row.owner === null,
    );
    const { phone: of } = await simulator.call('GET', `/phones/${android.id}`);
    const due: Lane = updated(lane, { sequence: 2, priority: 10, isRoutine: false, atMs: clock.ms() });
    const deviceIds = Array.from({ length: 1_500 }, () => newId('dev', clock.ms()));
    await fault({ pushType: 'activity', phoneId: android.id }, { latencyMs: 4_000 });
    await database().query(
      `INSERT INTO devices (device_id, account_id, platform, active, push_token, push_environment, token_since,
         live_activities_capable, interactive_live_activities_capable, created_at, last_seen_at)
       SELECT id, $1, 'android', true, token, 'sandbox', now(), true, false, now(), now()
       FROM unnest($2::text[], $3::text[]) AS n (id, token)`,
      [
        android.account,
        deviceIds,
        deviceIds.map((id) => service.get(KeyRing).seal(of.pushToken, pushTokenContext(id))),
      ],
    );
    await database().query(
      `INSERT INTO lanes (activity_id, device_id, account_id, correlation_id, lane, expires_at, due_at)
       SELECT $1, id, $2, 'test', $3, $4, 'epoch' FROM unnest($5::text[]) AS n (id)`,
      [activity.id, android.account, JSON.stringify(due), instant(due.expiresAtMs), deviceIds],
    );
    const leased = async (): Promise<number> => {
      const [row] = await database().query(
        `SELECT count(*)::int AS count FROM lanes WHERE account_id = $1 AND owner IS NOT NULL`,
        [android.account],
      );
      return row.count;
    };
    expect(await until(leased, (count) => count >= 500)).toBeLessThan(800);
    const neighbour = await phone(newAccount(), 'android');
    await new Activity([neighbour]).start();
    await toldThat(neighbour, 'start 1');
    expect(await leased()).toBeLessThan(800);
    await database().query(`DELETE FROM lanes WHERE account_id = $1 AND owner IS NULL`, [android.account]);
    await simulator.call('DELETE', '/faults');
    // All five hundred outcomes must be recorded, however long that takes.
    await until(leased, (count) => count === 0, 90_000);
    await database().query(`DELETE FROM lanes WHERE account_id = $1`, [android.account]);
    await database().query(`DELETE FROM devices WHERE device_id = ANY($1)`, [deviceIds]);
  }, 180_000);
});

describe('the lane of an activity', () => {
  it('is deleted a day after its deadline', async () => {
    const account = newAccount();
    const hour = 3_600_000;
    await database().query(
      `INSERT INTO lanes (activity_id, device_id, account_id, correlation_id, lane, expires_at)
       SELECT 'act_old', id, $1, 'test', '{}', expires_at FROM unnest($2::text[], $3::timestamptz[]) n (id, expires_at)`,
      [account, ['old', 'young'], [instant(clock.ms() - 24 * hour - 1), instant(clock.ms() - 23 * hour)]],
    );
    await clock.advance(0);
    expect(
      await database().query(`DELETE FROM lanes WHERE account_id = $1 RETURNING device_id`, [account]),
    ).toEqual([{ device_id: 'young' }]);
  });
});

describe('a token', () => {
  it('of a device or activity that is not the account’s is refused', async () => {
    const [account, stranger] = [newAccount(), newAccount()];
    const [iphone, other, theirs] = [
      await phone(account, 'ios'),
      await phone(account, 'ios'),
      await phone(stranger, 'ios'),
    ];
    const activity = await new Activity([iphone]).start();
    const tell = async (by: Phone, deviceId: string, activityId: string): Promise<string> => {
      const input = { deviceId, activityId, token: 'ab', environment: 'sandbox' } as const;
      return ask(by.account, Push.registerActivityToken, input, inApp(by.sessionId)).then(
        () => 'taken',
        ({ reason }) => reason,
      );
    };
    expect(await tell(theirs, iphone.deviceId, activity.id)).toBe('device.not_found');
    expect(await tell(theirs, theirs.deviceId, activity.id)).toBe('activity.not_found');
    expect(await tell(other, other.deviceId, activity.id)).toBe('activity.not_found');
    // Another phone of the same account may not act for this one.
    expect(await tell(other, iphone.deviceId, activity.id)).toBe('device.not_found');
    expect(await tell(iphone, iphone.deviceId, newId('act', clock.ms()))).toBe('activity.not_found');
    expect(await tell(iphone, iphone.deviceId, activity.id)).toBe('taken');
    const events = await recordOf(activity.id, iphone.deviceId);
    expect(await tell(iphone, iphone.deviceId, activity.id)).toBe('taken');
    expect(await recordOf(activity.id, iphone.deviceId)).toHaveLength(events.length);
  });

  it('is not readable in the rows or in the log', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const activity = await new Activity([iphone]).start();
    const token = await registerToken(iphone, activity);
    const row = await until(
      () => laneOf(activity, iphone),
      ({ lane }) => lane.token !== null,
    );
    expect(JSON.stringify(row)).not.toContain(token);
    const raw = await log.store.read(`lane-${laneTail(activity.id, iphone.deviceId)}`);
    expect(JSON.stringify(raw.map(({ data }) => data))).not.toContain(token);
  });
});

it('targets are the devices that can show activities', async () => {
  const account = newAccount();
  const [iphone, android] = [await phone(account, 'ios'), await phone(account, 'android')];
  const old = await phone(account, 'ios', { liveActivitiesCapable: false });
  const of = (deviceIds?: string[]) => ask(account, Push.activityTargets, deviceIds ? { deviceIds } : {});
  expect((await of()).deviceIds.sort()).toEqual([iphone.deviceId, android.deviceId].sort());
  expect(await of([old.deviceId, iphone.deviceId])).toEqual({ deviceIds: [iphone.deviceId] });
  expect(await of([old.deviceId])).toEqual({ deviceIds: [] });
  await expect(of([iphone.deviceId, newId('dev', clock.ms())])).rejects.toMatchObject({
    reason: 'device.not_found',
  });
});

describe('when rows are lost', () => {
  it('lanes are rebuilt from the log, and no recorded operation is sent again', async () => {
    const account = newAccount();
    const [iphone, android] = [await phone(account, 'ios'), await phone(account, 'android')];
    const [running, over] = [new Activity([iphone, android]), new Activity([android])];
    await running.start();
    await until(
      () => running.pushed(android),
      (told) => told.length === 1,
    );
    await running.update(0.5);
    await toldThat(android, 'start 1', 'update 2');
    await advance(3_000);
    await over.start();
    await over.end();
    await until(
      () => over.pushed(android),
      (told) => told.length === 2,
    );
    const before = await story(android);
    await database().query(`TRUNCATE lanes, lane_devices`);
    await database().query(`UPDATE projection_checkpoints SET position = 0 WHERE name = 'lanes'`);
    // The projection detects the loss with the next event.
    await phone(newAccount(), 'android');
    await until(
      () => laneOf(running, iphone),
      (row) => row !== undefined,
    );
    await until(
      async () => [
        (await laneOf(over, android))?.lane.state,
        (await laneOf(running, android))?.lane.counts.accepted,
      ],
      ([state, accepted]) => state === 'over' && accepted === 2,
    );
    await advance(10_000);
    expect(await story(android)).toEqual(before);
    // The iPhone receives the operations still missing, as before.
    await registerToken(iphone, running);
    await toldThat(iphone, 'start 1', 'update 2');
    await running.update(0.7, true);
    await toldThat(iphone, 'start 1', 'update 2', 'update 3');
    const stamps = (await got(iphone)).map(({ timestamp }) => timestamp!);
    expect(stamps).toEqual([...new Set(stamps)].sort());
  }, 60_000);
});

describe('when a process crashes', () => {
  /** An activity whose update the other process has leased: the phone receives it, and the answer comes very late. */
  async function leasedOf(child: ChildProcess): Promise<Activity> {
    for (let tries = 0; tries < 20; tries += 1) {
      const android = await phone(newAccount(), 'android');
      const activity = await new Activity([android]).start();
      await until(
        () => activity.pushed(android),
        (told) => told.length === 1,
      );
      await fault({ phoneId: android.id }, { latencyMs: 30_000 }, 1);
      await activity.update(0.1, true);
      await toldThat(android, 'start 1', 'update 2');
      if ((await laneOf(activity, android)).owner !== LeaseOwner.of(service.get(Database)).me)
        return activity;
    }
    throw new Error(`the process ${child.pid} takes nothing`);
  }

  it('its leased operations are sent again, and nothing older after them', async () => {
    // The process that follows the log first leases the new lanes.
    await service.close();
    const child = await startServiceProcess('push');
    await start();
    const activity = await leasedOf(child).catch(async (error: unknown) => {
      await end(child, 'SIGKILL');
      throw error;
    });
    const [android] = activity.phones as [Phone];
    await activity.update(0.2);
    await activity.update(0.3);
    await end(child, 'SIGKILL');
    const told = await until(
      () => story(android),
      (all) => all.at(-1) === 'update 4',
      25_000,
    );
    expect(told).toEqual(['start 1', 'update 2', 'update 2', 'update 4']);
    expect(await shown(android, activity)).toMatchObject({ sequence: 4, contentState: { progress: 0.3 } });
    const outcomes = await until(
      () => activity.pushed(android),
      (all) => all.length === 4,
    );
    expect([...outcomes].sort()).toEqual([
      'start 1 accepted',
      'update 2 accepted',
      'update 3 superseded',
      'update 4 accepted',
    ]);
  }, 120_000);
});

it('a token of an activity of long ago is refused, while its log is still there', async () => {
  const iphone = await phone(newAccount(), 'ios');
  const activity = await new Activity([iphone]).start();
  const tell = async (): Promise<string> => {
    const input = {
      deviceId: iphone.deviceId,
      activityId: activity.id,
      token: 'ab',
      environment: 'sandbox',
    } as const;
    return ask(iphone.account, Push.registerActivityToken, input, inApp(iphone.sessionId)).then(
      () => 'taken',
      ({ reason }) => reason,
    );
  };
  expect(await tell()).toBe('taken');
  clock.move(90 * 24 * 60 * 60 * 1000);
  expect(await tell()).toBe('activity.not_found');
});
