import { answer, type Answer, type Bus, type Context, Handles } from '@carillon/bus';
import { type Contract, Oncall, PageById, Pages, Push, RaisePage, Services } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId } from '@carillon/signing';
import {
  askOn,
  contextOf,
  eventually,
  newAccount,
  type StandIns,
  startParts,
  startStandIns,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { RepeatedStates } from '../event/repeated-states.service';
import { NotificationsModule } from '../notifications.module';
import { read } from '../preset/read';
import { HookServices } from '../service/hook-services.service';
import { baseUrl, hashOf, sent } from '../testbed';

/** The open pages of each group and key, and what was done to pages, as the teams service does it. */
const open = new Map<string, string>();
const told: string[] = [];
/** The commands by which pages were raised: one that was not answered in time comes again. */
const raised = new Set<string>();
let gone: string | undefined;
let recoveryFails = false;
let held: Promise<void> | undefined;

// As much of the answers as is read here.
const groupOf: Contract<{ groupId: string }, object> = Oncall.get;
const raise: Contract<RaisePage, { page: { id: string } }> = Pages.raise;

/** Stands where teams and push stand. */
@Controller()
class Neighbours {
  @Handles(groupOf)
  group({ groupId }: { groupId: string }): Answer<object> {
    if (groupId === gone) throw new Refused('oncall_group.unknown');
    return answer({});
  }

  @Handles(raise)
  async raise(
    { groupId, dedupKey }: RaisePage,
    { commandId }: Context,
  ): Promise<Answer<{ page: { id: string } }>> {
    await held;
    if (groupId === gone) throw new Refused('oncall_group.not_found');
    raised.add(commandId);
    const key = `${groupId} ${dedupKey}`;
    const id = open.get(key) ?? newId('page', Date.now());
    if (!open.has(key)) told.push(`opened for ${groupId}`);
    open.set(key, id);
    return answer({ page: { id } });
  }

  @Handles(Pages.recover)
  recover({ id }: PageById): Answer<{ ok: true }> {
    if (recoveryFails) {
      recoveryFails = false;
      throw new Refused('store.unavailable');
    }
    for (const [key, pageId] of open)
      if (pageId === id && open.delete(key)) told.push(`resolved for ${key.split(' ')[0]}`);
    return answer({ ok: true });
  }

  @Handles(Push.targets)
  targets(): Answer<{ deviceIds: string[] }> {
    return answer({ deviceIds: [] });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbours: StandIns;
let running: RunningService;
let bus: Bus;
beforeAll(async () => {
  parts = await startParts({ CARILLON_BASE_URL: baseUrl });
  neighbours = await startStandIns(parts.env['NATS_URL'] as string, Neighbours);
  running = await startService({ name: 'notifications', module: NotificationsModule });
  bus = await sharedBus.take();
}, 60_000);
beforeEach(() => {
  open.clear();
  told.length = 0;
  raised.clear();
  gone = undefined;
  recoveryFails = false;
  held = undefined;
});
afterAll(async () => {
  await running?.close();
  await neighbours?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

const ask = askOn(() => bus);
type State = 'firing' | 'resolved';
const newGroup = (): string => newId('ocg', Date.now());

const payloadOf = (status: State, count: number, firingFrom = count): string =>
  JSON.stringify({
    groupKey: 'disks',
    alerts: Array.from({ length: count }, (_, n) => ({
      status: n < firingFrom ? status : 'firing',
      fingerprint: `a${n}`,
      startsAt: '2026-11-26',
    })),
  });

/** A service that makes an event of each alert. */
const newServicePerAlert = async () => {
  const [account, oncallGroupId] = [newAccount(), newGroup()];
  const more = { title: 'Monitoring', preset: 'alertmanager', eventsPer: 'alert', oncallGroupId } as const;
  const made = await ask(account, Services.create, more);
  const hash = hashOf(made.webhookUrl);
  return {
    send: (status: State, count: number, firingFrom?: number) =>
      ask('', Services.receive, { hash, ...sent('application/json', payloadOf(status, count, firingFrom)) }),
    /** Writes the states of alerts as a crash leaves them that comes before their events are written. */
    began: async (status: State, count: number, from: number) => {
      const service = await running.get(HookServices).behind(hash);
      const payload = Buffer.from(payloadOf(status, count));
      for (const reading of read(service, { headers: {}, payload }).slice(from, count))
        await running.get(RepeatedStates).keyOf(service, reading, contextOf(''));
    },
  };
};

/** A service of Alertmanager, which sends of one group with one alert. */
const newService = async (more: object) => {
  const account = newAccount();
  const made = await ask(account, Services.create, { title: 'Monitoring', preset: 'alertmanager', ...more });
  const hash = hashOf(made.webhookUrl);
  const group = (status: State): string => {
    const labels = { alertname: 'DiskFull', severity: 'warning' };
    const alert = { status, fingerprint: 'a1', labels, startsAt: '2026-11-26T09:00:00Z' };
    return JSON.stringify({ groupKey: 'disk', alerts: [alert] });
  };
  return {
    send: async (status: State) =>
      (await ask('', Services.receive, { hash, ...sent('application/json', group(status)) })).eventId,
    /** The first step of a request, as a crash leaves it. */
    began: async (status: State) => {
      const service = await running.get(HookServices).behind(hash);
      const payload = Buffer.from(group(status));
      const [reading] = read(service, { headers: {}, payload });
      return reading && running.get(RepeatedStates).keyOf(service, reading, contextOf(''));
    },
    isSaidToBeGone: (expected: boolean) =>
      eventually(
        async () =>
          (await ask(account, Services.get, { id: made.service.id })).service.oncallGroupGone === expected ||
          undefined,
        () => `the service does not say whether its group is gone: ${expected}`,
      ),
    change: (changes: object) => ask(account, Services.change, { id: made.service.id, ...changes }),
    /** Waits until the row of its watch is so. */
    silence: (isSo: (row: WatchRow) => boolean) =>
      eventually(
        async () => {
          const rows = await running
            .get(Database)
            .query<WatchRow>(`SELECT * FROM service_watches WHERE service_id = $1`, [made.service.id]);
          return rows.some(isSo) || undefined;
        },
        () => 'the watch of the service has not followed',
      ),
  };
};
type WatchRow = Readonly<Record<'silent_since' | 'told_event_id' | 'paged_group_id', unknown>>;
const pages = (...expected: string[]) =>
  eventually(
    async () => JSON.stringify(told) === JSON.stringify(expected) || undefined,
    () => `of the pages was told ${JSON.stringify(told)}`,
    30_000,
  );

describe('an alert that Alertmanager sends again', () => {
  it('is one event while its state is the last one, and pages anew when it fires again with its old start', async () => {
    const group = newGroup();
    const { send } = await newService({ oncallGroupId: group });
    const first = await send('firing');
    expect(await send('firing')).toBe(first);
    await pages(`opened for ${group}`);
    const resolved = await send('resolved');
    expect(await send('resolved')).toBe(resolved);
    await pages(`opened for ${group}`, `resolved for ${group}`);
    const again = await send('firing');
    expect(again).not.toBe(first);
    expect(await send('firing')).toBe(again);
    await pages(`opened for ${group}`, `resolved for ${group}`, `opened for ${group}`);
    expect(await send('resolved')).not.toBe(resolved);
    await pages(...[1, 2].flatMap(() => [`opened for ${group}`, `resolved for ${group}`]));
  });

  it('is one event when four come at once', async () => {
    const { send } = await newService({});
    await send('firing');
    await send('resolved');
    const ids = await Promise.all(Array.from({ length: 4 }, () => send('firing')));
    expect(new Set(ids).size).toBe(1);
  });

  it('is received by the retry of a request that died after its state was written', async () => {
    const { send, began } = await newService({});
    const first = await send('firing');
    await send('resolved');
    const key = await began('firing');
    expect(await began('firing')).toBe(key);
    const retried = await send('firing');
    expect(retried).not.toBe(first);
    expect(await began('firing')).toBe(key);
  });

  it('pages when a group is named for it, or its severity, while it fires', async () => {
    const group = newGroup();
    const { send, change } = await newService({ oncallFrom: 'error' });
    const first = await send('firing');
    await change({ oncallGroupId: group });
    expect(await send('firing')).toBe(first);
    await change({ oncallFrom: 'info' });
    const paging = await send('firing');
    expect(paging).not.toBe(first);
    expect(await send('firing')).toBe(paging);
    await pages(`opened for ${group}`);
  });
});

describe('a group of many alerts', () => {
  const count = (what: string, expected: number) =>
    eventually(
      async () => told.filter((each) => each.startsWith(what)).length === expected || undefined,
      () => `of the pages was told ${JSON.stringify(told)}`,
      60_000,
    );

  it('opens and resolves a page for each of 60 alerts, also when a request died halfway', async () => {
    const { send, began } = await newServicePerAlert();
    await send('firing', 30);
    await began('firing', 60, 50);
    const whole = await send('firing', 60);
    expect((await send('firing', 60)).eventId).toBe(whole.eventId);
    await count('opened', 60);
    await send('resolved', 25);
    await send('resolved', 60);
    await send('resolved', 60);
    await count('resolved', 60);
    expect([told.length, raised.size, open.size]).toEqual([120, 60, 0]);
  }, 120_000);

  it('pages for the alerts beyond 500 together, and leaves that page open while one of them fires', async () => {
    const { send } = await newServicePerAlert();
    await send('firing', 520);
    await count('opened', 501);
    await send('resolved', 520, 500);
    await count('resolved', 500);
    expect(open.size).toBe(1);
    // The others are not sent any more.
    await send('resolved', 10);
    await count('resolved', 501);
    expect([told.length, open.size]).toEqual([1_002, 0]);
  }, 240_000);
});

describe('the page of an alert', () => {
  it('moves to another group that its service names, also when teams fails in between', async () => {
    const [one, other] = [newGroup(), newGroup()];
    const { send, change } = await newService({ oncallGroupId: one });
    await send('firing');
    await pages(`opened for ${one}`);
    await change({ oncallGroupId: other });
    recoveryFails = true;
    await send('firing');
    await pages(`opened for ${one}`, `opened for ${other}`, `resolved for ${one}`);
    await send('resolved');
    await pages(`opened for ${one}`, `opened for ${other}`, `resolved for ${one}`, `resolved for ${other}`);
  });

  it('stays with its group while the next one cannot be paged', async () => {
    const [one, other] = [newGroup(), newGroup()];
    const { send, change } = await newService({ oncallGroupId: one });
    await send('firing');
    await pages(`opened for ${one}`);
    await change({ oncallGroupId: other });
    gone = other;
    await send('firing');
    await send('resolved');
    await pages(`opened for ${one}`, `resolved for ${one}`);
  });

  it('is opened by the next repetition once its group, which was gone, can be paged again', async () => {
    const group = newGroup();
    const { send, began, isSaidToBeGone } = await newService({ oncallGroupId: group });
    gone = group;
    const vain = await send('firing');
    await isSaidToBeGone(true);
    expect(await send('firing')).toBe(vain);
    gone = undefined;
    const key = await began('firing');
    expect(await began('firing')).toBe(key);
    const paging = await send('firing');
    expect(paging).not.toBe(vain);
    expect(await send('firing')).toBe(paging);
    await pages(`opened for ${group}`);
    await isSaidToBeGone(false);
    await send('resolved');
    await pages(`opened for ${group}`, `resolved for ${group}`);
    await running.get(Projections).rebuild('service_alerts');
  });

  it('is not opened anew by a repetition when a former group was gone', async () => {
    const [former, group] = [newGroup(), newGroup()];
    const { send, change } = await newService({ oncallGroupId: former });
    gone = former;
    let release = (): void => {};
    held = new Promise((resolve) => (release = resolve));
    await send('firing');
    await change({ oncallGroupId: group });
    const paging = await send('firing');
    release();
    await pages(`opened for ${group}`);
    await eventually(
      async () =>
        (await running.get(Database).query(`SELECT FROM service_signals`)).length === 0 || undefined,
      () => 'the pages of some events have not followed',
    );
    expect(await send('firing')).toBe(paging);
  });

  it('is opened for a silence that goes on once its group, which was gone, can be paged again', async () => {
    const [oncallGroupId, clock] = [newGroup(), running.get(Clock) as ManualClock];
    const { send, change, isSaidToBeGone, silence } = await newService({
      oncallGroupId,
      expectEverySeconds: 600,
    });
    gone = oncallGroupId;
    await clock.advance(601_000);
    await isSaidToBeGone(true);
    await silence((row) => row.silent_since !== null && row.paged_group_id === null);
    await clock.advance(60_000);
    expect(told).toEqual([]);
    gone = undefined;
    await clock.advance(16_000);
    await pages(`opened for ${oncallGroupId}`);
    await isSaidToBeGone(false);
    await clock.advance(60_000);
    await send('resolved');
    await clock.advance(16_000);
    await pages(`opened for ${oncallGroupId}`, `resolved for ${oncallGroupId}`);
    expect(raised.size).toBe(1);
    // Else it is silent again while the clock is moved for the next test.
    await change({ expectEverySeconds: null });
  });

  it('is opened for a silence that goes on once a group is named, and moves to the next one', async () => {
    const [first, next, clock] = [newGroup(), newGroup(), running.get(Clock) as ManualClock];
    const { send, change, silence } = await newService({ expectEverySeconds: 600 });
    await clock.advance(601_000);
    await silence((row) => row.silent_since !== null);
    await change({ oncallGroupId: first });
    await clock.advance(16_000);
    await pages(`opened for ${first}`);
    await clock.advance(60_000);
    await change({ oncallGroupId: next });
    await clock.advance(16_000);
    await pages(`opened for ${first}`, `opened for ${next}`, `resolved for ${first}`);
    await clock.advance(60_000);
    await send('resolved');
    await clock.advance(16_000);
    await silence((row) => row.silent_since === null && row.told_event_id === null);
    await pages(`opened for ${first}`, `opened for ${next}`, `resolved for ${first}`, `resolved for ${next}`);
    expect(raised.size).toBe(2);
    await change({ expectEverySeconds: null });
  });
});
