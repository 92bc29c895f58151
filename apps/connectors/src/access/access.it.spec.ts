import { answer, type Answer, type Ask, Bus, type Context, Handles, sealed, type Wire } from '@carillon/bus';
import {
  AccountById,
  Accounts,
  type AccessGranted,
  Apps,
  type ConnectorRoute,
  Connectors,
  Consents,
  type GrantAccess,
  type IssuedPass,
  Passes,
  type Person,
  type TeamMembership,
  MembershipOf,
  operationsOf,
  type PassIssued,
  type TeamEvent,
  Teams,
  type RevalidateAccess,
  VisitorAccess,
} from '@carillon/contracts';
import { Database, type EventStore, Log, Projections } from '@carillon/event-store';
import { type Decider, type DomainEvent, plus, Refused } from '@carillon/eventing';
import {
  type ManualClock,
  metadataOf,
  processClock,
  type RunningService,
  sharedBus,
  sharedLog,
  startService,
} from '@carillon/runtime';
import { hashSecret, newId, streamTail } from '@carillon/signing';
import {
  askOn,
  contextOf,
  eventually,
  outcomeOf,
  poison,
  rejoin,
  rowsReach,
  setAside,
  type StandIns,
  startParts,
  startStandIns,
  streamMetadata,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { AppAccess } from '../app/app-access.service';
import { AppReturns } from '../app/app-returns.service';
import { AppTeams } from '../app/teams.client';
import { ConnectorAccess } from '../connector/connector-access.service';
import { Teams as ConnectorTeams } from '../connector/teams.client';
import { ConnectorsModule } from '../connectors.module';
import { GrantHandlers } from './grant.handlers';
import { People } from './people.client';
import { appUse, useKey } from './opening';
import { pass as passes, spendPass } from './pass';

const teamId = newId('team', Date.now());
/** By member of the one team, which joining it was. */
const joins = new Map<string, number>();
/** Why accounts says no of somebody. */
const outOfOrder = new Map<string, string>();
let isAway = false;
/** What others were asked, in turn. */
const asked: string[] = [];

/** A stand-in for accounts and teams. */
@Controller()
class Neighbours {
  @Handles(Accounts.person)
  person({ accountId }: AccountById): Answer<Person> {
    asked.push('person');
    if (isAway) throw new Refused('store.unavailable');
    const reason = outOfOrder.get(accountId);
    if (reason !== undefined) throw new Refused(reason);
    return answer({ id: accountId, name: 'Ada', email: 'ada@example.test', emailVerified: true });
  }

  @Handles(Teams.membership)
  membership({ accountId }: MembershipOf): Answer<TeamMembership> {
    asked.push('membership');
    return answer({
      kind: 'team',
      name: 'Acme',
      role: !joins.has(accountId) ? null : joins.get(accountId) === 1 ? 'owner' : 'member',
      memberIds: [...joins.keys()],
      joins: Object.fromEntries(joins),
    });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbours: StandIns;
let bus: Bus;
let log: Log;
let database: Database;
let running: RunningService;
let clock: ManualClock;
let pepper: Buffer;

beforeAll(async () => {
  parts = await startParts({ CARILLON_BASE_URL: 'https://bells.test/', LOG_LEVEL: 'fatal' });
  pepper = Buffer.from(parts.env['CARILLON_PEPPER'] as string, 'base64');
  clock = processClock() as ManualClock;
  neighbours = await startStandIns(parts.env['NATS_URL'] as string, Neighbours);
  bus = await sharedBus.take();
  ({ log } = await sharedLog.take());
  running = await startService({ name: 'connectors', module: ConnectorsModule });
  database = await Database.open({
    url: parts.env['DATABASE_URL'] as string,
    schema: 'connectors',
    migrations: [],
  });
}, 60_000);
beforeEach(() => {
  isAway = false;
  outOfOrder.clear();
});
afterAll(async () => {
  await running?.close();
  await database?.close();
  await neighbours?.close();
  await sharedLog.release();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

const ask = askOn(() => bus);
const hash = (secret: string): string => hashSecret(pepper, secret);
const eventsOf = async (stream: string) => (await log.store.read(stream)).map(({ type }) => type);

let made = 0;

interface Installed {
  readonly owner: string;
  readonly connectorId: string;
  readonly appId: string;
  readonly routes: ConnectorRoute[];
}

/** A personal app behind a connector of its owner, who has agreed to be signed in. */
async function installed(owner = newId('usr', clock.ms())): Promise<Installed> {
  const hostname = `p${++made}.example.test`;
  const { app } = await ask(owner, Apps.add, { name: 'Wiki', url: `https://${hostname}/` });
  const routes = ['wiki', 'wiki-too'].map((name) => ({
    name,
    target: 'http://10.0.0.1/',
    url: `https://${hostname}/`,
    appId: app.id,
  }));
  const { connector } = await ask(owner, Connectors.register, {
    name: 'Office',
    tunnelId: 't',
    hostname,
    routes,
  });
  await ask(owner, Consents.give, { id: app.id, shareName: true, shareEmail: true });
  return { owner, connectorId: connector.id, appId: app.id, routes };
}
const issue = ({ owner, appId, connectorId }: Installed): Promise<IssuedPass> =>
  ask(owner, Passes.issue, { id: appId, connectorId, route: 'wiki' });
const grant = (
  { owner, connectorId }: Installed,
  shown: Pick<GrantAccess, 'pass' | 'session'>,
  route = 'wiki',
): Promise<AccessGranted> => ask(owner, VisitorAccess.grant, { id: connectorId, route, ...shown });

/** Another replica, which knows only what is in the log, asked as the bus asks it. */
function replica(store: EventStore = log.store) {
  const itsLog = new Log(store, log.keys);
  const returns = running.get(AppReturns);
  const handlers = new GrantHandlers(
    itsLog,
    clock,
    new ConnectorAccess(itsLog, clock, running.get(ConnectorTeams)),
    new AppAccess(itsLog, clock, running.get(AppTeams), returns),
    running.get(People),
  );
  const granting = handlers.grant.bind(handlers) as unknown as (
    given: Ask<GrantAccess>,
  ) => Promise<Wire<AccessGranted>>;
  return async (
    { owner, connectorId }: Installed,
    shown: Pick<GrantAccess, 'pass' | 'session'>,
    route = 'wiki',
  ) => {
    const input = { id: connectorId, route, ...shown };
    const wire = await granting(sealed(VisitorAccess.grant, input, contextOf(owner)));
    if ('refused' in wire) throw new Refused(wire.refused);
    return wire.value;
  };
}

/** The teams service is another one; here are only its words. */
const teamWords: Decider<null, DomainEvent> = {
  category: 'team',
  initial: null,
  evolve: () => null,
  personal: { TeamCreated: ['name'] },
};
const tell = async (...events: TeamEvent[]): Promise<void> => {
  await log.appendTo(teamWords, streamTail(teamId), events, 'any', streamMetadata(teamId));
};
const joined = (accountId: string): TeamEvent => ({
  type: 'MemberJoined',
  teamId,
  accountId,
  role: 'member',
  by: 'invite',
  joinedAt: clock.now(),
});

describe('a pass', () => {
  it('is spent once by a hundred at once at two replicas', async () => {
    const at = await installed();
    const { pass } = await issue(at);
    const other = replica();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => outcomeOf((n % 2 ? other : grant)(at, { pass }))),
    );
    expect(outcomes.filter((reason) => reason === 'done')).toHaveLength(1);
    expect(outcomes.filter((reason) => reason === 'pass.invalid')).toHaveLength(99);
    expect(await eventsOf(`pass-${hash(pass)}`)).toEqual(['PassIssued', 'PassSpent']);
  });

  it('gives the same session when the command that spent it is asked again, and to no other', async () => {
    const at = await installed();
    const input = { id: at.appId, connectorId: at.connectorId, route: 'wiki' };
    const opening = contextOf(at.owner);
    const issued = (await bus.ask(Passes.issue, input, opening)).value;
    expect((await bus.ask(Passes.issue, input, { ...opening, again: true })).value).toEqual(issued);

    const entering = contextOf(at.owner);
    const shown = { id: at.connectorId, route: 'wiki', pass: issued.pass };
    const first = (await bus.ask(VisitorAccess.grant, shown, entering)).value;
    expect((await bus.ask(VisitorAccess.grant, shown, { ...entering, again: true })).value).toEqual(first);
    expect(await outcomeOf(grant(at, { pass: issued.pass }))).toBe('pass.invalid');
    expect(await eventsOf(`pass-${hash(issued.pass)}`)).toEqual(['PassIssued', 'PassSpent']);
    expect(await eventsOf(`gateway_session-${hash(first.session)}`)).toEqual(['GatewaySessionBegun']);
  });

  it('still becomes a session when the process that spent it died before the session began', async () => {
    const at = await installed();
    const { pass: secret } = await issue(at);
    const dying = contextOf(at.owner);
    const { state } = await log.load(passes, hash(secret));
    if (!state) throw new Error('There is no pass');
    await log.transact(
      passes,
      hash(secret),
      spendPass({ bound: state, by: dying.commandId, at: clock.now() }),
      metadataOf(dying),
    );
    expect(await outcomeOf(grant(at, { pass: secret }))).toBe('pass.invalid');
    const shown = { id: at.connectorId, route: 'wiki', pass: secret };
    const { session } = (await bus.ask(VisitorAccess.grant, shown, { ...dying, again: true })).value;
    expect(await grant(at, { session })).toMatchObject({ allowed: true, session });
  });

  it('is refused after the same questions and the same reading, whatever is wrong with it', async () => {
    const at = await installed();
    const elsewhere = await installed(at.owner);
    const [spent, late, foreign, revoked] = [
      await issue(at),
      await issue(at),
      await issue(elsewhere),
      await issue(at),
    ];
    await grant(at, { pass: spent.pass });
    const work = async (pass: string) => {
      const read: string[] = [];
      const counting: EventStore = Object.create(log.store, {
        read: {
          value: (stream: string, from?: bigint, count?: number) => {
            read.push(stream.slice(0, stream.indexOf('-')));
            return log.store.read(stream, from, count);
          },
        },
      });
      const ask = replica(counting);
      asked.length = 0;
      const reason = await outcomeOf(ask(at, { pass }));
      return { reason, read: read.sort(), asked: [...asked].sort() };
    };
    const unknown = await work(`carillon_pass_${'a'.repeat(38)}`);
    expect(unknown).toEqual({
      reason: 'pass.invalid',
      read: ['app', 'connector', 'pass'],
      asked: ['person'],
    });
    expect(await work('no pass at all')).toEqual(unknown);
    expect(await work(spent.pass)).toEqual(unknown);
    expect(await work(foreign.pass)).toEqual(unknown);
    await ask(at.owner, Apps.revoke, { id: at.appId });
    expect(await work(revoked.pass)).toEqual(unknown);
    await clock.advance(61_000);
    expect(await work(late.pass)).toEqual(unknown);
  });

  it('is not spent while a required service is down', async () => {
    const at = await installed();
    const { pass } = await issue(at);
    isAway = true;
    expect(await outcomeOf(grant(at, { pass }))).toBe('store.unavailable');
    isAway = false;
    expect(await grant(at, { pass })).toMatchObject({ allowed: true, appId: at.appId });
  });

  it('is for one route also where another leads to the same app', async () => {
    const at = await installed();
    const { pass } = await issue(at);
    expect(await outcomeOf(grant(at, { pass }, 'wiki-too'))).toBe('pass.invalid');
    const { session } = await grant(at, { pass });
    expect(await outcomeOf(grant(at, { session }, 'wiki-too'))).toBe('gateway_session.invalid');
  });

  it('is refused to a member of the team who has just left, at a replica that knew better', async () => {
    const [owner, member] = [newId('usr', 1), newId('usr', 2)];
    joins.set(owner, 1).set(member, 2);
    await tell(
      { type: 'TeamCreated', teamId, kind: 'team', name: 'Acme', ownerId: owner, createdAt: clock.now() },
      joined(owner),
      joined(member),
    );
    const hostname = 'team.example.test';
    const { app } = await ask(owner, Apps.add, { name: 'Wiki', url: `https://${hostname}/` });
    await ask(owner, Apps.share, { id: app.id, teamId, notify: false });
    const route = { name: 'wiki', target: 'http://10.0.0.1/', url: `https://${hostname}/`, appId: app.id };
    const { connector } = await ask(owner, Connectors.register, {
      name: 'Office',
      tunnelId: 't',
      hostname,
      routes: [route],
      teamId,
    });
    await ask(member, Consents.give, { id: app.id, shareName: false, shareEmail: false });
    const at = { owner, connectorId: connector.id, appId: app.id, routes: [route] };
    const issued = () => issue({ ...at, owner: member });
    const other = replica();
    const { session, user } = await other(at, { pass: (await issued()).pass });
    expect(user).toEqual({ id: member });
    const { pass } = await issued();
    joins.delete(member);
    for (const granting of [grant, other]) {
      expect(await outcomeOf(granting(at, { pass }))).toBe('pass.invalid');
      expect(await outcomeOf(granting(at, { session }))).toBe('gateway_session.invalid');
    }
    joins.set(member, 3);
    for (const granting of [grant, other])
      expect(await outcomeOf(granting(at, { session }))).toBe('gateway_session.invalid');
    await ask(member, Consents.give, { id: app.id, shareName: false, shareEmail: false });
    const again = await grant(at, { pass: (await issued()).pass });
    expect(await other(at, { session: again.session })).toMatchObject({ allowed: true });
  });
});

describe('an app whose origin is not the hostname of the connector', () => {
  it('is not opened through it, though its person agreed, and is again when it is back', async () => {
    const at = await installed();
    const { session } = await grant(at, { pass: (await issue(at)).pass });
    const { pass } = await issue(at);
    const move = async (url: string) => {
      await ask(at.owner, Apps.change, { id: at.appId, url });
      await ask(at.owner, Consents.give, { id: at.appId, shareName: true, shareEmail: true });
    };
    await move(`https://elsewhere-${made}.example.test/`);
    expect(await outcomeOf(issue(at))).toBe('route_name.not_found');
    expect(await outcomeOf(grant(at, { pass }))).toBe('pass.invalid');
    expect(await outcomeOf(grant(at, { session }))).toBe('gateway_session.invalid');
    await move(at.routes[0]!.url);
    expect(await grant(at, { pass: (await issue(at)).pass })).toMatchObject({ allowed: true });
  });
});

describe('a gateway session', () => {
  it.each(['account.not_found', 'account.suspended'])(
    'is over for somebody of whom accounts says %s',
    async (reason) => {
      const at = await installed();
      const { session } = await grant(at, { pass: (await issue(at)).pass });
      const { pass } = await issue(at);
      outOfOrder.set(at.owner, reason);
      expect(await outcomeOf(grant(at, { session }))).toBe('gateway_session.invalid');
      expect(await outcomeOf(grant(at, { pass }))).toBe('pass.invalid');
    },
  );

  it('is asked about with others, and what is wrong with one is told of that one alone', async () => {
    const at = await installed();
    const elsewhere = await installed(at.owner);
    const { session } = await grant(at, { pass: (await issue(at)).pass });
    const { session: foreign } = await grant(elsewhere, { pass: (await issue(elsewhere)).pass });
    const about = (...sessions: RevalidateAccess['sessions']) =>
      ask(at.owner, VisitorAccess.revalidate, { id: at.connectorId, sessions });
    await clock.advance(61_000);
    const good = await grant(at, { session });
    await clock.advance(61_000);
    const over = { allowed: false, code: 'SESSION_INVALID' };
    expect(
      await about(
        { session: 'no session at all', route: 'wiki' },
        { session, route: 'wiki' },
        { session, route: 'nowhere' },
        { session: foreign, route: 'wiki' },
        { session, route: 'wiki-too' },
      ),
    ).toEqual({ sessions: [over, good, { allowed: false, code: 'ROUTE_NAME_NOT_FOUND' }, over, over] });
    expect((await eventsOf(`gateway_session-${hash(session)}`)).slice(-2)).toEqual([
      'GatewaySessionUsed',
      'GatewaySessionUsed',
    ]);
    await ask(at.owner, Connectors.change, { id: at.connectorId, enabled: false });
    expect(await about({ session, route: 'wiki' })).toEqual({
      sessions: [{ allowed: false, code: 'CONNECTOR_DISABLED' }],
    });
  });

  it('is told nothing about while somebody is away who must be asked', async () => {
    const at = await installed();
    const { session } = await grant(at, { pass: (await issue(at)).pass });
    isAway = true;
    const sessions = [{ session, route: 'wiki' }];
    expect(await outcomeOf(ask(at.owner, VisitorAccess.revalidate, { id: at.connectorId, sessions }))).toBe(
      'store.unavailable',
    );
  });

  it('has its uses noted once a minute, also by many at once', async () => {
    const at = await installed();
    const { session } = await grant(at, { pass: (await issue(at)).pass });
    const stream = `gateway_session-${hash(session)}`;
    await grant(at, { session });
    expect(await eventsOf(stream)).toEqual(['GatewaySessionBegun']);
    const other = replica();
    for (let minutes = 1; minutes <= 2; minutes += 1) {
      await clock.advance(61_000);
      await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? other : grant)(at, { session })));
      expect(await eventsOf(stream)).toEqual([
        'GatewaySessionBegun',
        ...Array.from({ length: minutes }, () => 'GatewaySessionUsed'),
      ]);
    }
  });

  it('is over with the next request after a consent is revoked at another replica', async () => {
    const at = await installed();
    const other = replica();
    const { session } = await other(at, { pass: (await issue(at)).pass });
    await ask(at.owner, Apps.revoke, { id: at.appId });
    expect(await outcomeOf(other(at, { session }))).toBe('gateway_session.invalid');
  });

  it('is in the log by its hash alone', async () => {
    const at = await installed();
    const { pass } = await issue(at);
    const { session } = await grant(at, { pass });
    for (const [stream, secret] of [
      [`pass-${hash(pass)}`, pass],
      [`gateway_session-${hash(session)}`, session],
    ] as const) {
      const events = await log.store.read(stream);
      expect(events.length).toBeGreaterThan(0);
      expect(JSON.stringify(events.map(({ data }) => data))).not.toContain(secret);
    }
  });
});

describe('an event that cannot be applied', () => {
  it('hides the apps of its person, who still opens them, and of no other', async () => {
    const projections = running.get(Projections);
    const [at, other] = [await installed(), await installed()];
    const heal = await poison(database, { table: 'app_openings', column: 'account_id', value: at.owner });
    const { pass } = await issue(at);
    await setAside(projections, 'app_openings');
    expect(await outcomeOf(ask(at.owner, Apps.list, {}))).toBe('projection.behind');
    expect(await outcomeOf(ask(at.owner, Apps.get, { id: at.appId }))).toBe('projection.behind');
    expect(await outcomeOf(grant(at, { pass }))).toBe('done');
    await issue(other);
    const opened = async ({ owner, appId }: Installed) => {
      const { app } = await ask(owner, Apps.get, { id: appId }, await log.store.head());
      return app.lastOpenedAt;
    };
    expect(await opened(other)).not.toBeNull();
    await heal();
    await rejoin(projections, 'app_openings', at.owner);
    expect(await opened(at)).not.toBeNull();
  });
});

const gone = (stream: string) =>
  eventually(
    async () => (await log.store.read(stream)).length === 0 || undefined,
    () => `${stream} is still there`,
    30_000,
  );

describe('a pass whose end cannot be enqueued', () => {
  it('keeps the streams of its person in the log until the operator acts, and of no other; all are let in', async () => {
    const projections = running.get(Projections);
    const [at, other] = [await installed(), await installed()];
    const [issued] = await log.store.read(`pass-${hash((await issue(at)).pass)}`);
    const passHash = hash('poisoned');
    const poisoned = `pass-${passHash}`;
    const heal = await poison(database, { table: 'timers', column: 'key', value: `ended ${poisoned}` });
    const event = { ...(issued!.data as PassIssued), type: 'PassIssued' as const, passHash };
    await log.appendTo(passes, passHash, [event], 'no_stream', streamMetadata(at.owner));
    await setAside(projections, 'access');
    // Nobody reads these rows: passes and sessions are decided by the log.
    const [mine, theirs] = [(await issue(at)).pass, (await issue(other)).pass];
    for (const [who, pass] of [
      [at, mine],
      [other, theirs],
    ] as const)
      expect(await outcomeOf(grant(who, { pass }))).toBe('done');
    await rowsReach(projections, 'access', await log.store.head());
    expect(projections.statuses().filter(({ current }) => !current)).toEqual([]);
    await clock.advance(62 * 60_000);
    await gone(`pass-${hash(theirs)}`);
    expect(await eventsOf(`pass-${hash(mine)}`)).toEqual(['PassIssued', 'PassSpent']);

    const { deadLetters, dropDeadLetter, retryDeadLetter } = operationsOf('connectors');
    const asOperator: Context = {
      ...contextOf(''),
      commandId: randomUUID(),
      caller: { accountId: '', process: 'operator' },
    };
    const letters = async () => (await bus.ask(deadLetters, {}, asOperator)).value.deadLetters;
    const id = `access/${at.owner}`;
    expect(await letters()).toEqual([
      expect.objectContaining({
        queue: 'access',
        id,
        accountId: at.owner,
        reason: expect.stringMatching(/^cannot apply PassIssued at \d+: error P0001$/),
      }),
    ]);
    expect(await outcomeOf(bus.ask(retryDeadLetter, { id }, asOperator))).toBe('dead_letter.failed_again');
    expect(await letters()).toHaveLength(1);
    // Without the event that fails: its own stream stays.
    await bus.ask(dropDeadLetter, { id }, asOperator);
    expect(await letters()).toEqual([]);
    await heal();
    await clock.advance(1_000);
    await gone(`pass-${hash(mine)}`);
    expect(await eventsOf(poisoned)).toEqual(['PassIssued']);
  });
});

describe('what is over', () => {
  it('goes from the log: passes after an hour, sessions after their twelve and one more', async () => {
    const at = await installed();
    const { pass } = await issue(at);
    const { session, sessionExpiresAt } = await grant(at, { pass });
    expect(sessionExpiresAt <= plus(clock.now(), 12 * 60 * 60_000)).toBe(true);
    await rowsReach(running.get(Projections), 'access', await log.store.head());
    await clock.advance(62 * 60_000);
    await gone(`pass-${hash(pass)}`);
    expect(await outcomeOf(grant(at, { pass }))).toBe('pass.invalid');
    expect(await eventsOf(`gateway_session-${hash(session)}`)).toContain('GatewaySessionBegun');
    await clock.advance(12 * 60 * 60_000);
    await gone(`gateway_session-${hash(session)}`);
    expect(await outcomeOf(grant(at, { session }))).toBe('gateway_session.invalid');
  });

  it('leaves when the app was last opened: one event for each app and person', async () => {
    const at = await installed();
    for (let times = 0; times < 3; times += 1) {
      await clock.advance(1_000);
      await issue(at);
    }
    const stream = `app_use-${useKey({ appId: at.appId, userId: at.owner })}`;
    expect(await eventsOf(stream)).toEqual(['AppOpened']);
    const { state: openedAt } = await new Log(log.store, log.keys).load(
      appUse,
      useKey({ appId: at.appId, userId: at.owner }),
    );
    const rows = () => database.query(`SELECT * FROM app_openings ORDER BY app_id, account_id`);
    await rowsReach(running.get(Projections), 'app_openings', await log.store.head());
    const before = await rows();
    expect(before).toContainEqual({
      app_id: at.appId,
      account_id: at.owner,
      opened_at: new Date(openedAt ?? ''),
    });
    await running.get(Projections).rebuild('app_openings');
    expect(await rows()).toEqual(before);
  });
});
