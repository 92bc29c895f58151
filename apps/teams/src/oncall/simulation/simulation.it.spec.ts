import { answer, type Answer, type Bus, Handles } from '@carillon/bus';
import { Accounts, type RateGrant, Simulation, TakeRates, type TeamEvent } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  contextOf,
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

/** What was asked for, and whether it is granted. */
const takes: TakeRates['takes'] = [];
let granted = 1;

/** Stands where accounts stand. */
@Controller()
class Counting {
  @Handles(Accounts.takeRates)
  take({ takes: asked }: TakeRates): Answer<{ grants: RateGrant[] }> {
    takes.push(...asked);
    return answer({ grants: asked.map(() => ({ granted, remaining: 0, resetSeconds: 17 })) });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbours: StandIns;
let service: RunningService;
let bus: Bus;

beforeAll(async () => {
  parts = await startParts({ LOG_LEVEL: 'fatal' });
  neighbours = await startStandIns(parts.env['NATS_URL'] as string, Counting);
  service = await startService({ name: 'teams', module: TeamsModule });
  bus = await sharedBus.take();
}, 60_000);
afterAll(async () => {
  await service?.close();
  await neighbours?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

async function newGroup(): Promise<string> {
  const [teamId, groupId] = [newId('team', Date.now()), newId('ocg', Date.now())];
  const events: TeamEvent[] = [...workplaceTeam, oncallGroupCreated({ groupId })];
  const { position } = await service
    .get(Log)
    .transact(
      team,
      streamTail(teamId),
      () => events.map((event) => ({ ...event, teamId })),
      streamMetadata(teamId),
    );
  for (const name of ['teams', 'pages']) await rowsReach(service.get(Projections), name, position);
  return groupId;
}

describe('trying another rotation', () => {
  it('counts for the account, and is refused over its limit', async () => {
    const groupId = await newGroup();
    const run = (accountId: string) => bus.ask(Simulation.run, { groupId }, contextOf(accountId));
    expect((await run('usr_member')).value.summary.pageCount).toBe(0);
    expect(takes).toEqual([{ key: 'simulations usr_member', limit: 10, windowSeconds: 60, count: 1 }]);
    granted = 0;
    await expect(run('usr_member')).rejects.toMatchObject({
      reason: 'simulation.run_too_often',
      details: { limit: 10, retryAfter: 17 },
    });
    await expect(run('usr_stranger')).rejects.toMatchObject({ reason: 'oncall_group.unknown' });
    expect(takes).toHaveLength(2);
  });
});
