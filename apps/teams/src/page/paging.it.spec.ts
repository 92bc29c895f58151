import { randomUUID } from 'node:crypto';
import { answer, type Answer, type Bus, type Context, Handles } from '@carillon/bus';
import { Apps, type AppSummary, Pages, Push } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  oncallGroupCreated,
  rowsReach,
  type StandIns,
  startParts,
  startStandIns,
  workplaceTeam,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { team } from '../team/team';
import { TeamsModule } from '../teams.module';
import { page } from './page';

let end = (): void => {};
const theEnd = new Promise<void>((resolve) => (end = resolve));
/** How connectors answer who can open an app. */
let connectors: 'say no' | 'are away' | 'say nothing' = 'say no';

/** Stands where connectors and push stand. */
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
const contextOf = (accountId: string): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId },
  deadline: Date.now() + 20_000,
});

/** A group of a team that the member is in, who alone takes turns. */
async function newGroup(): Promise<string> {
  const [teamId, groupId] = [newId('team', Date.now()), newId('ocg', Date.now())];
  const { rotation } = oncallGroupCreated();
  const group = oncallGroupCreated({ groupId, rotation: { ...rotation, accountIds: [member] } });
  const joined = workplaceTeam.map((event) =>
    event.type === 'MemberJoined' && event.accountId === 'usr_member'
      ? { ...event, accountId: member }
      : event,
  );
  const { position } = await service
    .get(Log)
    .transact(team, streamTail(teamId), () => [...joined, group].map((event) => ({ ...event, teamId })), {
      commandId: randomUUID(),
      correlationId: 'test',
      accountId: teamId,
      actor: {},
    });
  await rowsReach(service.get(Projections), 'teams', position);
  return groupId;
}

const trigger = async (groupId: string) =>
  (await bus.ask(Pages.trigger, { groupId, title: 'The shop is down', appId }, contextOf(member))).value;

describe('a page that names an app', () => {
  it.each(['are away', 'say nothing'] as const)(
    'goes out with it when those %s who know who can open it',
    async (how) => {
      connectors = how;
      const { page: shown } = await trigger(await newGroup());
      expect(shown).toMatchObject({ status: 'triggered', notified: [{ userId: member }], app: null });
      const { state } = await service.get(Log).load(page, streamTail(shown.id));
      expect(state?.appId).toBe(appId);
    },
  );

  it('is refused when whoever pages cannot open it', async () => {
    connectors = 'say no';
    await expect(trigger(await newGroup())).rejects.toMatchObject({ reason: 'app.not_found' });
  });
});
