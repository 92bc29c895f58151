import { answer, type Answer, type Bus, Handles } from '@carillon/bus';
import { type Contract, Oncall, PageById, Pages, Push, RaisePage, Services } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId } from '@carillon/signing';
import { askOn, eventually, newAccount, type StandIns, startParts, startStandIns } from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { RepeatedStates } from '../event/repeated-states.service';
import { NotificationsModule } from '../notifications.module';
import { read } from '../preset/read';
import { HookServices } from '../service/hook-services.service';
import { baseUrl, hashOf, sent } from '../testbed';

/** The open pages of each group and key, and what was done to pages, as the teams service does it. */
const open = new Map<string, string>();
const told: string[] = [];
let gone: string | undefined;
let recoveryFails = false;

// As much of the answers as is read here.
const groupOf: Contract<{ groupId: string }, object> = Oncall.get;
const raise: Contract<RaisePage, { page: { id: string } }> = Pages.raise;

/** Stands where teams and push stand. */
@Controller()
class Neighbours {
  @Handles(groupOf)
  group(): Answer<object> {
    return answer({});
  }

  @Handles(raise)
  raise({ groupId, dedupKey }: RaisePage): Answer<{ page: { id: string } }> {
    if (groupId === gone) throw new Refused('oncall_group.not_found');
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
  gone = undefined;
  recoveryFails = false;
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
      return reading && running.get(RepeatedStates).keyOf(service, reading);
    },
    change: (changes: object) => ask(account, Services.change, { id: made.service.id, ...changes }),
  };
};
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
});
