import { randomUUID } from 'node:crypto';
import { answer, type Answer, type Bus, Handles } from '@carillon/bus';
import { Apps, type AppSummary, Pages, Push, type TeamEvent } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  contextOf,
  eventually,
  indexesOf,
  streamMetadata,
  oncallGroupCreated,
  rowsReach,
  type StandIns,
  startParts,
  startStandIns,
  workplaceTeam,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { team } from '../../team/team';
import { TeamsModule } from '../../teams.module';
import { type OncallPageFacts, page } from './page';
import { trigger } from './trigger';
import { pageOrder } from './page-list.handlers';

let end = (): void => {};
const theEnd = new Promise<void>((resolve) => (end = resolve));
/** The answer of connectors to the check of who can open an app. */
let connectors: 'say no' | 'are away' | 'say nothing' = 'say no';

/** A stub of connectors and push. */
@Controller()
class Neighbours {
  @Handles(Apps.visible)
  async visible(): Promise<Answer<AppSummary>> {
    if (connectors === 'say nothing') await theEnd;
    throw new Refused(connectors === 'say no' ? 'app.not_found' : 'store.unavailable');
  }

  @Handles(Push.reach)
  reach(): Answer<{ devices: { deviceId: string; accountId: string }[] }> {
    return answer({ devices: [] });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbours: StandIns;
let service: RunningService;
let bus: Bus;

beforeAll(async () => {
  parts = await startParts({ LOG_LEVEL: 'fatal' });
  neighbours = await startStandIns(parts.env['NATS_URL'] as string, Neighbours);
  service = await startService({ name: 'teams', module: TeamsModule });
  bus = await sharedBus.take();
}, 60_000);
afterAll(async () => {
  end();
  await service?.close();
  await neighbours?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

const member = newId('usr', Date.now());
const appId = newId('app', Date.now());

/** A group in a team of the member, who is alone in the rotation. */
const newGroup = async (): Promise<string> => (await newTeam()).groupId;

async function newTeam(): Promise<{ teamId: string; groupId: string }> {
  const [teamId, groupId] = [newId('team', Date.now()), newId('ocg', Date.now())];
  const { rotation } = oncallGroupCreated();
  const group = oncallGroupCreated({ groupId, rotation: { ...rotation, accountIds: [member] } });
  const joined = workplaceTeam.map((event) =>
    event.type === 'MemberJoined' && event.accountId === 'usr_member'
      ? { ...event, accountId: member }
      : event,
  );
  await happen(teamId, ...[...joined, group].map((event) => ({ ...event, teamId })));
  return { teamId, groupId };
}

async function happen(teamId: string, ...events: readonly TeamEvent[]): Promise<void> {
  const { position } = await service
    .get(Log)
    .transact(team, streamTail(teamId), () => [...events], streamMetadata(teamId));
  for (const name of ['teams', 'pages']) await rowsReach(service.get(Projections), name, position);
}

const triggered = async (groupId: string) =>
  (await bus.ask(Pages.trigger, { groupId, title: 'The shop is down', appId }, contextOf(member))).value;

describe('a page that names an app', () => {
  it.each(['are away', 'say nothing'] as const)(
    'goes out with it when those %s who know who can open it',
    async (how) => {
      connectors = how;
      const { page: shown } = await triggered(await newGroup());
      expect(shown).toMatchObject({ status: 'triggered', notified: [{ userId: member }], app: null });
      const { state } = await service.get(Log).load(page, streamTail(shown.id));
      expect(state?.appId).toBe(appId);
    },
  );

  it('is refused when the caller cannot open it', async () => {
    connectors = 'say no';
    await expect(triggered(await newGroup())).rejects.toMatchObject({ reason: 'app.not_found' });
  });
});

describe('a page whose append comes after', () => {
  const at = '2026-11-20T10:00:00.000Z';
  /** Triggers a page by a caller that read the group and its roster earlier. */
  async function lateBy(teamId: string, groupId: string): Promise<string> {
    const pageId = newId('page', Date.now());
    const roster = {
      ...{ members: [member, 'usr_admin'], current: member, turn: member },
      devices: new Map([[member, ['dev_1']]]),
    };
    const shown = { groupName: 'Backend', title: 'Down', body: null, url: null, appId: null, dedupKey: null };
    const by = { source: 'api', byAccountId: null, tokenId: null, requestId: randomUUID() } as const;
    await service
      .get(Log)
      .transact(
        page,
        streamTail(pageId),
        trigger({ pageId, groupId, teamId, ...shown, ...by, escalation: [], roster, at }),
        streamMetadata(teamId),
      );
    return pageId;
  }
  const until = <Found>(pageId: string, found: (state: OncallPageFacts) => Found | undefined) =>
    eventually(
      async () => {
        const { state } = await service.get(Log).load(page, streamTail(pageId));
        return state ? found(state) : undefined;
      },
      () => 'the page stays as it is',
    );
  const endOf = (pageId: string) => until(pageId, (state) => state.resolved ?? undefined);

  it('its group was deleted is closed', async () => {
    const { teamId, groupId } = await newTeam();
    await happen(teamId, { type: 'OncallGroupDeleted', teamId, groupId, deletedAt: at });
    expect(await endOf(await lateBy(teamId, groupId))).toMatchObject({ by: null });
  });

  it('one that cannot be closed is closed when their group is deleted', async () => {
    const { teamId, groupId } = await newTeam();
    const pageIds = [await lateBy(teamId, groupId), await lateBy(teamId, groupId)];
    const [failing = '', behind = ''] = pageIds.sort();
    const { store } = service.get(Log);
    const stream = `page-${streamTail(failing)}`;
    await store.deleteForEver(stream, (await store.readLast(stream))?.revision ?? 0n);
    await happen(teamId, { type: 'OncallGroupDeleted', teamId, groupId, deletedAt: at });
    expect(await endOf(behind)).toMatchObject({ by: null });
    expect(
      await service.get(Database).query(`SELECT FROM timers WHERE key = $1`, [`close ${groupId}`]),
    ).toHaveLength(1);
  });

  it('its team was deleted is closed', async () => {
    const { teamId, groupId } = await newTeam();
    await happen(teamId, { type: 'TeamDeleted', teamId, deletedAt: at });
    expect(await endOf(await lateBy(teamId, groupId))).toMatchObject({ by: null });
  });

  it('whom it goes to was removed leaves their phones, but not those of who is back', async () => {
    const { teamId, groupId } = await newTeam();
    const left = { type: 'MemberLeft', teamId, accountId: member, leftAt: at } as const;
    await happen(teamId, left);
    const late = await lateBy(teamId, groupId);
    expect(await until(late, ({ withdrawn }) => (withdrawn.length > 0 ? withdrawn : undefined))).toEqual([
      member,
    ]);
    await happen(teamId, {
      type: 'MemberJoined',
      teamId,
      accountId: member,
      role: 'member',
      by: 'invite',
      joinedAt: at,
    });
    const later = await lateBy(teamId, groupId);
    await happen(teamId, { type: 'OncallGroupDeleted', teamId, groupId, deletedAt: at });
    await endOf(later);
    const { state } = await service.get(Log).load(page, streamTail(later));
    expect(state?.withdrawn).toEqual([]);
  });
});

it('the list of pages has an index in its order', async () => {
  expect(await indexesOf(service.get(Database), 'pages')).toEqual(
    expect.arrayContaining([`(team_id, ${pageOrder.index})`]),
  );
});
