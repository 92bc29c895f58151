import type { AuditRecorded, TeamEvent } from '@carillon/contracts';
import type { Log } from '@carillon/event-store';
import { Database } from '@carillon/event-store';
import { type RunningService, sharedLog, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { eventually, startParts, streamMetadata } from '@carillon/testkit';
import { team } from '../team/team';
import { TeamsModule } from '../teams.module';
import { AuditProcess } from './audit.process';

let parts: Awaited<ReturnType<typeof startParts>>;
let service: RunningService;
let log: Log;

beforeAll(async () => {
  parts = await startParts();
  log = (await sharedLog.take()).log;
  await start();
}, 60_000);
afterAll(async () => {
  await service.close();
  await sharedLog.release();
  await parts.stop();
}, 60_000);

async function start(): Promise<void> {
  service = await startService({ name: 'teams', module: TeamsModule });
}

const at = '2026-11-20T09:00:00.000Z';
const owner = newId('usr', 1);
const inTeam = (teamId: string, ...events: TeamEvent[]) =>
  log.appendTo(team, streamTail(teamId), events, 'any', streamMetadata(teamId, { accountId: owner }));

async function aTeam(): Promise<string> {
  const teamId = newId('team', 1);
  await inTeam(
    teamId,
    { type: 'TeamCreated', teamId, kind: 'family', name: 'The Smiths', ownerId: owner, createdAt: at },
    { type: 'MemberJoined', teamId, accountId: owner, role: 'owner', by: 'creation', joinedAt: at },
  );
  await chainOf(teamId, 0);
  return teamId;
}

const named = (teamId: string, name: string): TeamEvent => ({
  type: 'TeamChanged',
  teamId,
  name,
  changedAt: at,
});
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `Name ${n}`);

/** The chain, once it records this number of team names. */
const chainOf = (teamId: string, count: number): Promise<AuditRecorded[]> =>
  eventually(
    async () => {
      const raw = await log.store.read(`audit-${streamTail(teamId)}`);
      const chain = (await log.open(raw)).map(({ event }) => event as AuditRecorded);
      return chain.length >= 2 && namesIn(chain).length >= count ? chain : undefined;
    },
    () => `the chain says of no ${count} names`,
  );

/** The team names that the chain records, in order. */
const namesIn = (chain: readonly AuditRecorded[]): unknown[] =>
  chain.flatMap(({ action, metadata }) => (action === 'team.updated' ? [metadata?.['after']] : []));
const after = (count: number): object[] => names(count).map((name) => ({ name }));

const expectLinked = (chain: readonly AuditRecorded[]): void => {
  expect(chain.map(({ sequence }) => sequence)).toEqual(chain.map((_, index) => index + 1));
  for (const [index, { previousHash }] of chain.entries())
    if (index > 0) expect(previousHash).toBe(chain[index - 1]!.hash);
};

describe('many events at once', () => {
  it('take few appends, in the order of each chain, where one append per event made the logs fall behind', async () => {
    const [one, other] = [await aTeam(), await aTeam()];
    const from = await log.store.head();
    await service.close();
    for (const name of names(120))
      for (const teamId of [one, other]) await inTeam(teamId, named(teamId, name));
    await start();
    for (const teamId of [one, other]) {
      const chain = await chainOf(teamId, 120);
      expectLinked(chain);
      expect(namesIn(chain)).toEqual(after(120));
    }
    const entries = (await log.store.readAll(from, 1_000)).events.filter(({ stream }) =>
      stream.startsWith('audit-'),
    );
    const runs = entries.filter(({ stream }, index) => stream !== entries[index - 1]?.stream);
    expect(runs.length).toBeLessThan(30);
  }, 60_000);

  it('have one entry each, even if a process crashed after the append and before its checkpoint', async () => {
    const teamId = await aTeam();
    await service.close();
    await inTeam(teamId, ...names(450).map((name) => named(teamId, name)));
    await start();
    const recorded = await log.open(await log.store.read(`team-${streamTail(teamId)}`, 2n));
    const dying = (count: number) =>
      service.get(Database).transaction(async (sql) => {
        await service.get(AuditProcess).apply(sql, recorded.slice(0, count));
        throw new Error('died');
      });
    await expect(dying(250)).rejects.toThrow('died');
    await expect(dying(450)).rejects.toThrow('died');
    const chain = await chainOf(teamId, 450);
    expectLinked(chain);
    expect(namesIn(chain)).toEqual(after(450));
  });
});
