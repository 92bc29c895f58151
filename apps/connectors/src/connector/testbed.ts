import { answer, type Answer, type Bus, type Context, Handles } from '@carillon/bus';
import {
  type Connector,
  type ConnectorEvent,
  Connectors,
  edgePulse,
  type Membership,
  Oncall,
  OncallGroupAt,
  PageById,
  Pages,
  RaisePage,
  type TeamMembership,
  MembershipOf,
  type TeamEvent,
  type TeamRole,
  Teams,
  TeamsOf,
} from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import { type Decider, type DomainEvent, Refused } from '@carillon/eventing';
import {
  Clock,
  type ManualClock,
  type RunningService,
  ServiceModule,
  sharedBus,
  startService,
} from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { askOn, eventually, streamMetadata, oncallGroupCreated, startParts } from '@carillon/testkit';
import { Controller, Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors.module';

/** The roles in each team, and the team of each on-call group, as the teams service answers. */
export const teams = new Map<string, { kind: 'team' | 'family'; roles: Map<string, TeamRole> }>();
export const groups = new Map<string, string>();
/** What was made of questions to page, by their commands; and which pages were resolved. */
export const pages = new Map<string, { id: string; groupId: string; dedupKey: string; title: string }>();
export const resolved: string[] = [];
/** How often it still dies after it has done what it was asked. */
let dies = 0;

/** Stands where teams stands. */
@Controller()
class Neighbour {
  @Handles(Teams.membership)
  membership({ teamId, accountId }: MembershipOf): Answer<TeamMembership> {
    const team = teams.get(teamId);
    if (!team) throw new Refused('team.unknown');
    const memberIds = [...team.roles.keys()];
    const joins = Object.fromEntries(memberIds.map((each) => [each, 1]));
    return answer({
      kind: team.kind,
      name: 'Ours',
      role: team.roles.get(accountId) ?? null,
      memberIds,
      joins,
    });
  }

  @Handles(Teams.memberships)
  memberships({ accountIds }: TeamsOf): Answer<{ memberships: Record<string, Membership[]> }> {
    const of = (accountId: string): Membership[] =>
      [...teams].flatMap(([teamId, { kind, roles }]) => {
        const role = roles.get(accountId);
        return role ? [{ teamId, kind, role }] : [];
      });
    return answer({ memberships: Object.fromEntries(accountIds.map((each) => [each, of(each)])) });
  }

  @Handles(Oncall.get)
  group({ groupId }: OncallGroupAt, { caller }: Context) {
    const teamId = groups.get(groupId);
    if (!teamId || !teams.get(teamId)?.roles.has(caller.accountId)) throw new Refused('oncall_group.unknown');
    return answer({ id: groupId, teamId } as never);
  }

  @Handles(Pages.raise)
  raise({ groupId, dedupKey = '', title }: RaisePage, { commandId, caller }: Context) {
    if (caller.accountId !== '' || caller.process === undefined) throw new Refused('oncall_group.not_found');
    if (!groups.has(groupId)) throw new Refused('oncall_group.not_found');
    const page = pages.get(commandId) ?? { id: newId('page', Date.now()), groupId, dedupKey, title };
    pages.set(commandId, page);
    this.die();
    return answer({ page: { id: page.id }, deduplicated: false, accepted: 0 } as never);
  }

  @Handles(Pages.recover)
  recover({ id }: PageById): Answer<{ ok: true }> {
    if (!resolved.includes(id)) resolved.push(id);
    this.die();
    return answer({ ok: true });
  }

  private die(): void {
    if (dies === 0) return;
    dies -= 1;
    throw new Refused('store.unavailable');
  }
}

@Module({ imports: [ServiceModule.for({ name: 'teams' })], controllers: [Neighbour] })
class NeighbourModule {}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbour: RunningService;
export let service: RunningService;
let bus: Bus;
export let log: Log;
export let database: Database;
export let clock: ManualClock;
let pulse: NodeJS.Timeout;

export const start = async (): Promise<void> => {
  service = await startService({ name: 'connectors', module: ConnectorsModule });
  log = service.get(Log);
  database = service.get(Database);
  clock = service.get(Clock) as ManualClock;
};
/** The edge says that it is there. */
export const listen = (): void => {
  bus.signal(edgePulse, 'test');
  pulse = setInterval(() => bus.signal(edgePulse, 'test'), 500);
};
/** It says so no more. */
export const deafen = (): void => clearInterval(pulse);

/** The service beside a stand-in for teams, on real parts. */
export async function begin(): Promise<void> {
  parts = await startParts({ LOG_LEVEL: 'fatal' });
  neighbour = await startService({ name: 'teams', module: NeighbourModule });
  bus = await sharedBus.take();
  await start();
  listen();
  await eventually(
    async () => (await database.query(`SELECT FROM connector_listening`))[0],
    () => 'nobody listens',
  );
}
export async function end(): Promise<void> {
  deafen();
  await service?.close();
  await neighbour?.close();
  await sharedBus.release();
  await parts?.stop();
}
/** The stand-in dies once more after it has done what it was asked next. */
export const dieOnce = (): void => {
  dies = 1;
};
export const liveOn = (): void => {
  dies = 0;
};

export const ask = askOn(() => bus);
let hosts = 0;
export const newHostname = () => `h${(hosts += 1)}.example.com`;
export const registration = (more: object = {}) => ({
  name: 'Home',
  tunnelId: 't-1',
  hostname: newHostname(),
  ...more,
});
export const register = async (accountId: string, more: object = {}): Promise<Connector> =>
  (await ask(accountId, Connectors.register, registration(more))).connector;
export const read = async (accountId: string, id: string): Promise<Connector> =>
  (await ask(accountId, Connectors.get, { id }, await log.store.head())).connector;
export const beat = (accountId: string, id: string, more: object = {}) =>
  ask(accountId, Connectors.heartbeat, { id, ...more });
export const eventsOf = async (id: string): Promise<ConnectorEvent['type'][]> =>
  (await log.open(await log.store.read(`connector-${streamTail(id)}`))).map(
    ({ event }) => event.type as ConnectorEvent['type'],
  );
export const comes = (what: string, look: () => Promise<boolean>) =>
  eventually(
    async () => (await look()) || undefined,
    () => `${what} did not come`,
    30_000,
  );

/** The teams service is another one; here are only its words. */
const teamWords: Decider<null, DomainEvent> = {
  category: 'team',
  initial: null,
  evolve: () => null,
  personal: { TeamCreated: ['name'], OncallGroupCreated: ['name'], OncallGroupDeleted: ['name'] },
};
export const tell = async (teamId: string, ...events: TeamEvent[]): Promise<bigint> => {
  return (await log.appendTo(teamWords, streamTail(teamId), events, 'any', streamMetadata(teamId))).position;
};
export const at = '2026-11-20T09:00:00.000Z';
/** A team with people in it, the owner first, and an on-call group. */
export async function teamOf(
  roles: Readonly<Record<string, TeamRole>>,
  kind: 'team' | 'family' = 'team',
): Promise<{ teamId: string; groupId: string }> {
  const teamId = newId('team', Date.now());
  const groupId = newId('ocg', Date.now());
  teams.set(teamId, { kind, roles: new Map(Object.entries(roles)) });
  groups.set(groupId, teamId);
  const ownerId = Object.keys(roles)[0] ?? '';
  await tell(
    teamId,
    { type: 'TeamCreated', teamId, kind, name: 'Ours', ownerId, createdAt: at },
    ...Object.entries(roles).map(([accountId, role]): TeamEvent => ({
      type: 'MemberJoined',
      teamId,
      accountId,
      role,
      by: 'invite',
      joinedAt: at,
    })),
    oncallGroupCreated({ teamId, groupId }),
  );
  return { teamId, groupId };
}
