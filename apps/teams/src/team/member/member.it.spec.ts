import { answer, type Answer, type Bus, Handles } from '@carillon/bus';
import {
  AccountById,
  type AccountOpened,
  Accounts,
  Calendars,
  type Contract,
  Invites,
  Members,
  type Person,
  TeamDomain,
  type TeamEvent,
  type TeamKind,
  Teams,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Clock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { hashSecret, newId, streamTail } from '@carillon/signing';
import { type Decider, plus, Refused } from '@carillon/eventing';
import { Controller } from '@nestjs/common';
import {
  contextOf,
  eventually,
  inviteCreated,
  streamMetadata,
  newAccount,
  poison,
  rejoin,
  rowsReach,
  setAside,
  type StandIns,
  startParts,
  startStandIns,
} from '@carillon/testkit';
import { found } from '../founding';
import { OwnedTeamQuotas } from '../owned-team-quotas.service';
import { FamilyQuotas } from '../family-quotas.service';
import { codeHashOf } from '../invite/code';
import { team } from '../team';
import { TeamsModule } from '../../teams.module';

/** Stands where accounts stands: what it knows of people. */
@Controller()
class People {
  @Handles(Accounts.person)
  person({ accountId }: AccountById): Answer<Person> {
    if (accountId === 'usr_deleted') throw new Refused('account.not_found');
    return answer({
      id: accountId,
      name: 'Benjamin',
      email: `${accountId}@example.test`,
      emailVerified: true,
    });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbours: StandIns;
let running: RunningService;
let bus: Bus;

const start = () => startService({ name: 'teams', module: TeamsModule });
beforeAll(async () => {
  parts = await startParts();
  neighbours = await startStandIns(parts.env['NATS_URL'] as string, People);
  running = await start();
  bus = await sharedBus.take();
}, 60_000);
afterAll(async () => {
  await running?.close();
  await neighbours?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

/** Returns `done`, or the reason of the refusal. */
async function outcome(
  accountId: string,
  contract: Contract<unknown, unknown>,
  input: object,
): Promise<string> {
  for (;;) {
    try {
      await bus.ask(contract, input, contextOf(accountId));
      return 'done';
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // Retried, as a client would: all three tries lost against concurrent requests.
      if (error.reason !== 'stream.concurrent_update') return error.reason;
    }
  }
}
const now = () => running.get(Clock).now();

/** Returns the log position. */
async function append(teamId: string, ...events: TeamEvent[]): Promise<string> {
  const { position } = await running
    .get(Log)
    .transact(team, streamTail(teamId), () => events, streamMetadata(teamId));
  return String(position);
}

/** A team of an owner and these members. */
async function existing(kind: TeamKind, ownerId: string, ...memberIds: readonly string[]): Promise<string> {
  const teamId = newId('team', Date.now());
  const at = now();
  const quotas = running.get(kind === 'team' ? OwnedTeamQuotas : FamilyQuotas);
  await quotas.take({ accountId: ownerId, teamId, at }, streamMetadata(ownerId));
  await running
    .get(Log)
    .transact(
      team,
      streamTail(teamId),
      found({ teamId, kind, name: 'Ours', ownerId, at }),
      streamMetadata(teamId),
    );
  for (const accountId of memberIds) {
    if (kind === 'family') await quotas.take({ accountId, teamId, at }, streamMetadata(accountId));
    await append(teamId, {
      type: 'MemberJoined',
      teamId,
      accountId,
      role: 'member',
      by: 'invite',
      joinedAt: at,
    });
  }
  return teamId;
}
const accounts: Decider<null, AccountOpened> = {
  category: 'account',
  initial: null,
  evolve: () => null,
  personal: { AccountOpened: [] },
};

const makeOwner = (ownerId: string, teamId: string, userId: string) =>
  outcome(ownerId, Members.changeRole, { id: teamId, userId, role: 'owner' });
const makeFamily = (accountId: string) =>
  outcome(accountId, Teams.create, { kind: 'family', name: 'Another' });

describe('an account', () => {
  it('owns at most five workplace teams, even with many concurrent transfers', async () => {
    const heir = newAccount();
    const owners = Array.from({ length: 8 }, newAccount);
    const teams = await Promise.all(owners.map((owner) => existing('team', owner, heir)));
    const outcomes = await Promise.all(
      owners.map((owner, index) => makeOwner(owner, teams[index] as string, heir)),
    );
    expect(outcomes.sort()).toEqual([
      ...Array.from({ length: 5 }, () => 'done'),
      ...Array.from({ length: 3 }, () => 'resource.limit_reached'),
    ]);
    const statuses = await Promise.all(
      teams.map((teamId) => bus.ask(Teams.membership, { teamId, accountId: heir }, contextOf(heir))),
    );
    expect(statuses.filter(({ value }) => value.role === 'owner')).toHaveLength(5);
  });

  it('that owns five can own two others after it transfers one and deletes one', async () => {
    const heir = newAccount();
    const [another, sixthOwner, seventhOwner] = [newAccount(), newAccount(), newAccount()];
    const own = await Promise.all(Array.from({ length: 5 }, () => existing('team', heir, another)));
    const sixth = await existing('team', sixthOwner, heir);
    const seventh = await existing('team', seventhOwner, heir);
    expect(await makeOwner(sixthOwner, sixth, heir)).toBe('resource.limit_reached');
    expect(await makeOwner(heir, own[0] as string, another)).toBe('done');
    expect(await makeOwner(sixthOwner, sixth, heir)).toBe('done');
    expect(await makeOwner(seventhOwner, seventh, heir)).toBe('resource.limit_reached');
    expect(await outcome(heir, Teams.remove, { id: own[1] })).toBe('done');
    expect(await makeOwner(seventhOwner, seventh, heir)).toBe('done');
  });

  it('needs no slot for the ownership of a family', async () => {
    const [owner, heir] = [newAccount(), newAccount()];
    await Promise.all(Array.from({ length: 5 }, () => existing('team', heir)));
    const family = await existing('family', owner, heir);
    expect(await makeOwner(owner, family, heir)).toBe('done');
    expect(await outcome(owner, Members.leave, { id: family })).toBe('done');
    expect(await makeFamily(owner)).toBe('done');
    expect(await makeFamily(heir)).toBe('family.exists');
  });
});

describe('the list of teams', () => {
  it('shows no team that the account has left, however late the rows are', async () => {
    const [owner, leaver] = [newAccount(), newAccount()];
    const left = await existing('team', owner, leaver);
    const kept = [await existing('team', leaver), await existing('team', leaver)];
    expect(await outcome(leaver, Members.leave, { id: left })).toBe('done');
    const { position } = await running.get(Log).load(team, streamTail(left));
    await rowsReach(running.get(Projections), 'teams', position);
    await running
      .get(Database)
      .query(
        `INSERT INTO members (team_id, account_id, membership, role, joined_at) VALUES ($1, $2, '3', 'member', now())`,
        [left, leaver],
      );

    const pages: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const input = { limit: 1, ...(cursor && { cursor }) };
      const { value } = await bus.ask(Teams.list, input, contextOf(leaver));
      pages.push(value.items.map(({ id }) => id));
      cursor = value.nextCursor;
    } while (cursor);
    // All were created at the same time, so that they are sorted by id.
    expect(pages).toEqual(
      [left, ...kept]
        .sort()
        .reverse()
        .map((id) => (id === left ? [] : [id])),
    );
  });
});

describe('two owners at once', () => {
  it('are impossible: exactly one of two concurrent transfers succeeds', async () => {
    const [owner, one, other] = [newAccount(), newAccount(), newAccount()];
    const teamId = await existing('team', owner, one, other);
    const outcomes = await Promise.all([makeOwner(owner, teamId, one), makeOwner(owner, teamId, other)]);
    expect(outcomes.sort()).toEqual(['done', 'team.forbidden_role']);
    const { state } = await running.get(Log).load(team, streamTail(teamId));
    expect(state?.members.map(({ role }) => role).sort()).toEqual(['admin', 'member', 'owner']);
  });

  it('are impossible when the new owner leaves during the transfer', async () => {
    const [owner, heir] = [newAccount(), newAccount()];
    const teamId = await existing('family', owner, heir);
    const [made, left] = await Promise.all([
      makeOwner(owner, teamId, heir),
      outcome(heir, Members.leave, { id: teamId }),
    ]);
    const { state } = await running.get(Log).load(team, streamTail(teamId));
    expect(state?.members.filter(({ role }) => role === 'owner')).toHaveLength(1);
    expect([
      ['done', 'team.owner_must_transfer'],
      ['member.unknown', 'done'],
    ]).toContainEqual([made, left]);
  });
});

const isFreed = (accountId: string) =>
  eventually(
    async () => (await makeFamily(accountId)) === 'done' || undefined,
    () => 'still counted as a member of the family',
  );

describe('a family that somebody left', () => {
  it.each([
    ['left', 'MemberLeft'],
    ['was removed', 'MemberRemoved'],
  ] as const)(
    'releases the slot of an account that %s although the service died in between',
    async (_, type) => {
      const [owner, leaver] = [newAccount(), newAccount()];
      const teamId = await existing('family', owner, leaver);
      expect(await makeFamily(leaver)).toBe('family.exists');
      const at = now();
      await append(
        teamId,
        type === 'MemberLeft'
          ? { type, teamId, accountId: leaver, leftAt: at }
          : { type, teamId, accountId: leaver, removedBy: owner, removedAt: at },
      );
      await running.close();
      running = await start();
      await isFreed(leaver);
      expect(await makeFamily(owner)).toBe('family.exists');
    },
    30_000,
  );

  it('releases the slots of all members when the family is deleted, even if the service crashes before that', async () => {
    const accounts = Array.from({ length: 4 }, newAccount) as [string, ...string[]];
    const teamId = await existing('family', ...accounts);
    await append(teamId, { type: 'TeamDeleted', teamId, deletedAt: now() });
    await running.close();
    running = await start();
    for (const accountId of accounts) await isFreed(accountId);
  });

  it('keeps the slot of a member who came back before the worker ran', async () => {
    const [owner, leaver] = [newAccount(), newAccount()];
    const teamId = await existing('family', owner, leaver);
    const joinedAt = now();
    await append(teamId, { type: 'MemberLeft', teamId, accountId: leaver, leftAt: joinedAt });
    await running.get(FamilyQuotas).take({ accountId: leaver, teamId, at: joinedAt }, streamMetadata(leaver));
    const position = await append(teamId, {
      type: 'MemberJoined',
      teamId,
      accountId: leaver,
      role: 'member',
      by: 'invite',
      joinedAt,
    });
    await rowsReach(running.get(Projections), 'slot_releases', position);
    await eventually(
      async () => {
        const rows = await running.get(Database).query(`SELECT FROM timers WHERE queue = 'slot_releases'`);
        return rows.length === 0 || undefined;
      },
      () => 'the commands were not done',
    );
    expect(await makeFamily(leaver)).toBe('family.exists');
  });
});

describe('an event that cannot be applied', () => {
  it('leaves the names of other people, and that of its person as accounts knows it', async () => {
    const projections = running.get(Projections);
    const [owner, ben, deleted] = [newAccount(), newAccount(), 'usr_deleted'];
    const heal = await poison(running.get(Database), { table: 'people', column: 'account_id', value: ben });
    const opened = async (accountId: string, name: string) => {
      const event: AccountOpened = {
        type: 'AccountOpened',
        accountId,
        email: `${accountId}@example.test`,
        name,
        passwordHash: null,
        operator: false,
        openedAt: now(),
      };
      await running
        .get(Log)
        .appendTo(accounts, streamTail(accountId), [event], 'any', streamMetadata(accountId));
    };
    await opened(ben, 'Ben');
    await setAside(projections, 'people');
    await opened(owner, 'Ann');
    const id = await existing('team', owner, ben, deleted);
    const names = async () =>
      (await bus.ask(Teams.get, { id }, contextOf(owner))).value.members.map(({ name }) => name);
    expect((await names()).sort()).toEqual(['', 'Ann', 'Benjamin']);
    await heal();
    await rejoin(projections, 'people', ben);
    expect((await names()).sort()).toEqual(['', 'Ann', 'Ben']);
  });

  it('delays the invites of its team, and those of other teams are found', async () => {
    const projections = running.get(Projections);
    const [owner, other] = [newAccount(), newAccount()];
    const [id, elsewhere] = [await existing('team', owner), await existing('team', other)];
    const pepper = Buffer.from(parts.env['CARILLON_PEPPER'] as string, 'base64');
    const invite = async (invitedBy: string, teamId: string): Promise<string> => {
      const code = newId('inv', Date.now());
      const [createdAt, codeHash] = [now(), codeHashOf(pepper, code)];
      const expiresAt = plus(createdAt, 60_000);
      await append(
        teamId,
        inviteCreated({ teamId, inviteId: code, invitedBy, codeHash, createdAt, expiresAt }),
      );
      return code;
    };
    const look = (code: string) =>
      outcome(newAccount(), Invites.admits as Contract<unknown, unknown>, {
        code,
        email: 'eve@example.test',
      });
    const heal = await poison(running.get(Database), { table: 'invite_codes', column: 'team_id', value: id });
    const code = await invite(owner, id);
    await setAside(projections, 'invite_codes');
    const ofOther = await invite(other, elsewhere);
    await eventually(
      async () => (await look(ofOther)) === 'done' || undefined,
      () => 'the invite of the other team is not found',
    );
    expect(await look(code)).toBe('projection.behind');
    await heal();
    await rejoin(projections, 'invite_codes', id);
    expect(await look(code)).toBe('done');
  });

  it('hides the new calendar of its account, and those of others are read', async () => {
    const projections = running.get(Projections);
    const [ann, bob] = [newAccount(), newAccount()];
    const pepper = Buffer.from(parts.env['CARILLON_PEPPER'] as string, 'base64');
    const hashOf = async (accountId: string): Promise<string> => {
      const { value } = await bus.ask(Calendars.openOwn, {}, contextOf(accountId));
      return hashSecret(pepper, /([^/]*)\.ics$/.exec(value.url)![1]!);
    };
    const read = (hash: string) => outcome('', Calendars.read as Contract<unknown, unknown>, { hash });
    const heal = await poison(running.get(Database), {
      table: 'oncall_calendars',
      column: 'account_id',
      value: ann,
    });
    const hers = await hashOf(ann);
    await setAside(projections, 'oncall_calendars');
    const his = await hashOf(bob);
    // The answer does not wait for the row of a new calendar.
    await eventually(
      async () => (await read(his)) === 'done' || undefined,
      () => 'the calendar of the other account is not found',
    );
    expect(await read(hers)).toBe('projection.behind');
    await heal();
    await rejoin(projections, 'oncall_calendars', ann);
    expect(await read(hers)).toBe('done');
  });

  it('keeps the slots of its team, and those of other teams are released', async () => {
    const projections = running.get(Projections);
    const [owner, leaver, other, ofOther] = [newAccount(), newAccount(), newAccount(), newAccount()];
    const id = await existing('family', owner, leaver);
    const elsewhere = await existing('family', other, ofOther);
    await rowsReach(projections, 'slot_releases', await running.get(Log).store.head());
    const heal = await poison(running.get(Database), { table: 'slot_holders', column: 'team_id', value: id });
    const left = (teamId: string, accountId: string) =>
      append(teamId, { type: 'MemberLeft', teamId, accountId, leftAt: now() });
    await left(id, leaver);
    await setAside(projections, 'slot_releases');
    await left(elsewhere, ofOther);
    await isFreed(ofOther);
    expect(await makeFamily(leaver)).toBe('family.exists');
    await heal();
    await rejoin(projections, 'slot_releases', id);
    await isFreed(leaver);
  });
});

describe('an account that was just created and joined a team', () => {
  it('had no name for the others until the rows had it', async () => {
    const owner = newAccount();
    const id = await existing('family', owner);
    for (let time = 1; time <= 3; time += 1) {
      const [accountId, at] = [newAccount(), now()];
      const profile = {
        email: `${accountId}@example.test`,
        name: 'Ben',
        passwordHash: null,
        operator: false,
      };
      const opened: AccountOpened = { type: 'AccountOpened', accountId, ...profile, openedAt: at };
      await running
        .get(Log)
        .appendTo(accounts, streamTail(accountId), [opened], 'any', streamMetadata(accountId));
      await append(id, {
        type: 'MemberJoined',
        teamId: id,
        accountId,
        role: 'member',
        by: 'invite',
        joinedAt: at,
      });
      const { value } = await bus.ask(Teams.get, { id }, contextOf(owner));
      expect(value.members.find(({ userId }) => userId === accountId)).toMatchObject({ name: 'Ben' });
    }
  });
});

describe('while accounts is unavailable and the rate limits of teams are not counted,', () => {
  it('no invite is created', async () => {
    const owner = newAccount();
    const id = await existing('family', owner);
    expect(await outcome(owner, Invites.create, { id })).toBe('bus.unavailable');
    const { value } = await bus.ask(Invites.list, { id, state: 'all' }, contextOf(owner));
    expect(value.items).toEqual([]);
  });

  it('no name server is queried for a domain', async () => {
    const owner = newAccount();
    const id = await existing('team', owner);
    await bus.ask(TeamDomain.set, { id, domain: 'acme.internal' }, contextOf(owner));
    expect(await outcome(owner, TeamDomain.verify, { id })).toBe('bus.unavailable');
  });
});
