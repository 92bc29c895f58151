import type { Streams, TeamEvent, TeamKind } from '@carillon/contracts';
import {
  Database,
  Feed,
  inMemoryEventStore,
  Keys,
  Log,
  type Migration,
  type On,
  Projection,
  Projections,
} from '@carillon/event-store';
import type { Decider, DomainEvent } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { startPostgres, streamMetadata } from '@carillon/testkit';
import { membership, membershipTables } from './membership';

const at = '2026-11-20T09:00:00.000Z';
const teamId = 'team_1';
const familyId = 'team_2';
const all = { teams: 'all_teams', members: 'all_members' };
const families = { teams: 'families', members: 'family_members' };

const bothTables: Migration = {
  name: 'Tables1700000000100',
  phase: 'expand',
  statements: [...membershipTables(all), ...membershipTables(families)],
};

const left: string[] = [];
class Everybody extends Projection<Streams<'team'>> {
  readonly name = 'everybody';
  readonly tables = Object.values(all);
  readonly on: On<Streams<'team'>> = {
    team: membership({
      ...all,
      onLeft: async (sql, { teamId: team, accountIds, deleted }) => {
        const rows = await sql.query(
          `SELECT 1 FROM all_members WHERE account_id = ANY($1::text[]) AND team_id = $2`,
          [accountIds, team],
        );
        left.push(`${accountIds.join('+')} ${deleted ? 'with' : 'from'} ${team}, ${rows.length} rows left`);
      },
    }),
  };
}
class Families extends Projection<Streams<'team'>> {
  readonly name = 'families';
  readonly tables = Object.values(families);
  readonly on: On<Streams<'team'>> = { team: membership({ ...families, kind: 'family' }) };
}

let stop: (() => Promise<void>)[] = [];
let log: Log;
let database: Database;
let projections: Projections;
beforeAll(async () => {
  const postgres = await startPostgres();
  stop = [() => postgres.stop()];
  const store = inMemoryEventStore();
  const ring = KeyRing.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
  log = new Log(store, Keys.fromRing(ring, store));
  const feed = Feed.of(log);
  database = await Database.open({
    url: postgres.url,
    schema: 'membership',
    migrations: [bothTables],
    poolSize: 4,
  });
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  projections = new Projections(database, log, feed, [new Everybody(), new Families()], silent);
  stop = [() => projections.stop(), () => feed.close(), () => database.close(), ...stop];
  await projections.start();
}, 60_000);
afterAll(async () => {
  for (const each of stop) await each();
}, 60_000);

const asIs: Decider<null, DomainEvent> = {
  category: 'team',
  initial: null,
  evolve: () => null,
  personal: {},
};

async function happened(...events: readonly TeamEvent[]): Promise<void> {
  let newest = 0n;
  for (const event of events) {
    const accountId = 'usr_ann';
    const metadata = streamMetadata(accountId, { accountId });
    newest = (await log.appendTo(asIs, '1', [event], 'any', metadata)).position;
  }
  for (const name of ['everybody', 'families']) await projections.reached(name, String(newest));
}
const created = (id: string, kind: TeamKind): TeamEvent => ({
  type: 'TeamCreated',
  teamId: id,
  kind,
  name: 'Team',
  ownerId: 'usr_ann',
  createdAt: at,
});
const joined = (id: string, accountId: string): TeamEvent => ({
  type: 'MemberJoined',
  teamId: id,
  accountId,
  role: 'member',
  by: 'invite',
  joinedAt: at,
});
const membersIn = async (table: string): Promise<string[]> =>
  (
    await database.query<{ team_id: string; account_id: string; membership: string }>(
      `SELECT * FROM ${table} ORDER BY team_id, account_id`,
    )
  ).map((row) => `${row.team_id} ${row.account_id} ${row.membership}`);

it('tracks membership, and gives a returning member a new number', async () => {
  await happened(created(teamId, 'team'), joined(teamId, 'usr_ann'), joined(teamId, 'usr_ben'));
  await happened({ type: 'MemberLeft', teamId, accountId: 'usr_ben', leftAt: at }, joined(teamId, 'usr_ben'));
  expect(await membersIn('all_members')).toEqual(['team_1 usr_ann 1', 'team_1 usr_ben 3']);
  expect(left).toEqual(['usr_ben from team_1, 0 rows left']);
});

it('tracks only teams of one kind if given', async () => {
  await happened(created(familyId, 'family'), joined(familyId, 'usr_ann'));
  expect(await membersIn('family_members')).toEqual(['team_2 usr_ann 1']);
  await happened({
    type: 'MemberRemoved',
    teamId: familyId,
    accountId: 'usr_ann',
    removedBy: 'usr_ben',
    removedAt: at,
  });
  expect(await membersIn('family_members')).toEqual([]);
});

it('reports all members at once when a team is deleted', async () => {
  left.length = 0;
  await happened({ type: 'TeamDeleted', teamId, deletedAt: at });
  expect(await membersIn('all_members')).toEqual([]);
  expect(left).toEqual(['usr_ann+usr_ben with team_1, 0 rows left']);
  expect(await database.query(`SELECT team_id FROM all_teams ORDER BY 1`)).toEqual([{ team_id: familyId }]);
});
