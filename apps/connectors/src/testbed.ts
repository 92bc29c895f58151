import { answer, type Answer, type Bus, type Context, Handles } from '@carillon/bus';
import {
  type AddedApp,
  type App,
  type AppEvent,
  Apps,
  type Contract,
  type NotificationCreated,
  Notifications,
  SendNotification,
  type TeamMembership,
  MembershipOf,
  type TeamEvent,
  type TeamRole,
  Teams,
} from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import { type Decider, type DomainEvent, Refused } from '@carillon/eventing';
import {
  Clock,
  type ManualClock,
  type RunningService,
  sharedBus,
  sharedLog,
  startService,
} from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  contextOf,
  eventually,
  newAccount,
  type StandIns,
  startParts,
  startStandIns,
  streamMetadata,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { app as apps } from './app/app';
import { ConnectorsModule } from './connectors.module';

interface TeamReply {
  joins: number;
  readonly members: Map<string, { readonly role: TeamRole; readonly join: number }>;
}

interface NotifiedPerson {
  readonly accountId: string;
  readonly key: string | undefined;
  readonly input: SendNotification;
}

export const at = '2026-11-20T09:00:00.000Z';

let made = 0;
export const newUrl = (): string => `https://app-${(made += 1)}.example.com/`;

/** What the other services know. */
class Neighbourhood {
  readonly teams = new Map<string, TeamReply>();
  readonly sent: NotifiedPerson[] = [];
  notificationsAreAway = false;
}
const neighbourhood = new Neighbourhood();

/** Stands where teams and notifications stand. */
@Controller()
class Neighbours {
  @Handles(Teams.membership)
  membership({ teamId, accountId }: MembershipOf): Answer<TeamMembership> {
    const team = neighbourhood.teams.get(teamId);
    if (!team) throw new Refused('team.unknown');
    const members = [...team.members];
    return answer({
      kind: 'team',
      name: 'Acme',
      role: team.members.get(accountId)?.role ?? null,
      memberIds: members.map(([memberId]) => memberId),
      joins: Object.fromEntries(members.map(([memberId, { join }]) => [memberId, join])),
    });
  }

  @Handles(Notifications.send)
  send(input: SendNotification, { caller, idempotency }: Context): Answer<NotificationCreated> {
    if (neighbourhood.notificationsAreAway) throw new Refused('store.unavailable');
    neighbourhood.sent.push({ accountId: caller.accountId, key: idempotency?.key, input });
    const { title, body } = input;
    const notification = { id: 'anot_1', title, body, imageUrl: null, url: null, createdAt: at };
    return answer({ notification, accepted: 0 });
  }
}

/** The teams service is another one; here are only its words. */
const teamWords: Decider<null, DomainEvent> = {
  category: 'team',
  initial: null,
  evolve: () => null,
  personal: { TeamCreated: ['name'] },
};

/** Web apps on real parts; what teams decide is told as they would. */
export class Testbed {
  readonly sent = neighbourhood.sent;
  private running: RunningService | undefined;

  private constructor(
    private readonly parts: Awaited<ReturnType<typeof startParts>>,
    private readonly neighbours: StandIns,
    private readonly bus: Bus,
    readonly log: Log,
    readonly database: Database,
  ) {}

  static async open(): Promise<Testbed> {
    const parts = await startParts({ CARILLON_CLOCK: 'manual', LOG_LEVEL: 'fatal' });
    try {
      const neighbours = await startStandIns(parts.env['NATS_URL'] as string, Neighbours);
      const bus = await sharedBus.take();
      const { log } = await sharedLog.take();
      const url = parts.env['DATABASE_URL'] as string;
      const database = await Database.open({ url, schema: 'connectors', migrations: [] });
      const bed = new Testbed(parts, neighbours, bus, log, database);
      await bed.start();
      return bed;
    } catch (error) {
      await parts.stop();
      throw error;
    }
  }

  get service(): RunningService {
    if (!this.running) throw new Error('The service does not run');
    return this.running;
  }

  get clock(): ManualClock {
    return this.service.get(Clock) as ManualClock;
  }

  set notificationsAreAway(isAway: boolean) {
    neighbourhood.notificationsAreAway = isAway;
  }

  async start(): Promise<void> {
    this.running = await startService({ name: 'connectors', module: ConnectorsModule });
  }

  async stop(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.database.close();
    await this.neighbours.close();
    await sharedLog.release();
    await sharedBus.release();
    await this.parts.stop();
  }

  async ask<Input, Output>(
    accountId: string,
    contract: Contract<Input, Output>,
    input: Input,
    after?: bigint,
  ): Promise<Output> {
    return (await this.bus.ask(contract, input, contextOf(accountId, after))).value;
  }

  async tell(teamId: string, ...events: TeamEvent[]): Promise<bigint> {
    const told = await this.log.appendTo(
      teamWords,
      streamTail(teamId),
      events,
      'any',
      streamMetadata(teamId),
    );
    return told.position;
  }

  async join(teamId: string, accountId: string, role: TeamRole = 'member'): Promise<bigint> {
    const team = neighbourhood.teams.get(teamId);
    if (!team) throw new Error('There is no such team');
    team.joins += 1;
    team.members.set(accountId, { role, join: team.joins });
    return this.tell(teamId, { type: 'MemberJoined', teamId, accountId, role, by: 'invite', joinedAt: at });
  }

  /** The service that is asked knows it; followers of the log do not know it yet. */
  forget(teamId: string, accountId: string): void {
    neighbourhood.teams.get(teamId)?.members.delete(accountId);
  }

  leave(teamId: string, accountId: string): Promise<bigint> {
    this.forget(teamId, accountId);
    return this.tell(teamId, { type: 'MemberLeft', teamId, accountId, leftAt: at });
  }

  dissolve(teamId: string): Promise<bigint> {
    neighbourhood.teams.delete(teamId);
    return this.tell(teamId, { type: 'TeamDeleted', teamId, deletedAt: at });
  }

  /** A team, its owner first. */
  async teamOf(...memberIds: string[]): Promise<string> {
    const teamId = newId('team', Date.now());
    const [ownerId = ''] = memberIds;
    neighbourhood.teams.set(teamId, { joins: 0, members: new Map() });
    await this.tell(teamId, {
      type: 'TeamCreated',
      teamId,
      kind: 'team',
      name: 'Acme',
      ownerId,
      createdAt: at,
    });
    for (const memberId of memberIds)
      await this.join(teamId, memberId, memberId === ownerId ? 'owner' : 'member');
    return teamId;
  }

  add(accountId: string, url = newUrl(), name = 'Photos'): Promise<AddedApp> {
    return this.ask(accountId, Apps.add, { name, url });
  }

  async added(accountId: string, url = newUrl(), name = 'Photos'): Promise<App> {
    return (await this.add(accountId, url, name)).app;
  }

  async move(accountId: string, id: string, teamId: string | null, notify = false): Promise<App> {
    return (await this.ask(accountId, Apps.share, { id, teamId, notify })).app;
  }

  async get(accountId: string, id: string): Promise<App> {
    return (await this.ask(accountId, Apps.get, { id }, await this.log.store.head())).app;
  }

  async list(accountId: string, more: object = {}): Promise<readonly App[]> {
    return (await this.ask(accountId, Apps.list, more, await this.log.store.head())).items;
  }

  /** Appends what the service itself, or a person in the Session API, would have. */
  async append(appId: string, accountId: string, ...events: AppEvent[]): Promise<void> {
    await this.log.appendTo(apps, streamTail(appId), events, 'any', streamMetadata(accountId));
  }

  consent(appId: string, accountId: string, userId: string, membership: string): Promise<void> {
    const what = { shareName: true, shareEmail: false, membership, givenAt: at };
    return this.append(appId, accountId, { type: 'ConsentGiven', appId, accountId, userId, ...what });
  }

  async eventsOf(appId: string): Promise<readonly string[]> {
    return (await this.log.open(await this.log.store.read(`app-${streamTail(appId)}`))).map(
      ({ type }) => type,
    );
  }

  /** Waits until the projections have caught up and all resulting commands are executed. */
  async noOrders(): Promise<void> {
    await this.list(newAccount());
    await eventually(
      async () => (await this.database.query(`SELECT FROM timers`)).length === 0 || undefined,
      () => 'an order is left',
      30_000,
    );
  }
}
