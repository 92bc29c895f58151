import { jwkOf, readAuditKeys, readExport, type VerificationReport, verify } from '@carillon/audit';
import type { Bus, Context } from '@carillon/bus';
import {
  type AccountForgotten,
  type AccountOpened,
  Audit,
  type AuditLogEntry,
  type ReadAuditExport,
  type StreamEvents,
  type TeamEvent,
  type TokenRevoked,
  type WebhookChanged,
  type WebhookDisabled,
} from '@carillon/contracts';
import { Database, Log, Projections, startScavenges } from '@carillon/event-store';
import type { Decider, DomainEvent, EventMetadata } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { eventually, scavenge, startParts, streamMetadata } from '@carillon/testkit';
import { randomUUID } from 'node:crypto';
import { team } from '../team/team';
import { TeamsModule } from '../teams.module';
import { AuditProcess } from './audit.process';

const day = 24 * 60 * 60 * 1000;

let parts: Awaited<ReturnType<typeof startParts>>;
let service: RunningService;
let bus: Bus;
let log: Log;

beforeAll(async () => {
  parts = await startParts();
  await start();
  bus = await sharedBus.take();
}, 60_000);
// At midnight the new entries are signed, which is an entry more.
beforeEach(async () => {
  const left = day - (clock().ms() % day);
  if (left < 5 * 60_000) await clock().advance(left + 1_000);
});
afterAll(async () => {
  await service?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

async function start(): Promise<void> {
  service = await startService({ name: 'teams', module: TeamsModule });
  log = service.get(Log);
}

const contextOf = (accountId: string, after?: string): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId, origin: { ip: '192.0.2.7', userAgent: 'curl/8' } },
  deadline: Date.now() + 10_000,
  ...(after !== undefined && { after }),
});

const from = (accountId: string, more: Partial<EventMetadata> = {}): EventMetadata => ({
  ...streamMetadata(accountId, { accountId, tokenId: 'tok_1' }),
  origin: { ip: '192.0.2.1', userAgent: 'agent/1' },
  ...more,
});

const asIs = <Event extends DomainEvent>(
  category: keyof StreamEvents,
  personal: Decider<null, Event>['personal'],
): Decider<null, Event> => ({
  category,
  initial: null,
  evolve: () => null,
  personal,
});

/** The newest log position that a test has written. */
let newest = '0';
async function write<State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  id: string,
  events: readonly NoInfer<Event>[],
  metadata: EventMetadata,
): Promise<void> {
  newest = String((await log.appendTo(decider, streamTail(id), events, 'any', metadata)).position);
}

const clock = (): ManualClock => service.get(Clock) as ManualClock;
const now = (): string => service.get(Clock).now();
const inTeam = (teamId: string, by: string, ...events: TeamEvent[]): Promise<void> =>
  write(team, teamId, events, { ...from(by), accountId: teamId });

interface Made {
  readonly teamId: string;
  readonly owner: string;
  readonly member: string;
}

/** A family of an owner called Ann and one other. */
async function family(): Promise<Made> {
  const at = now();
  const [teamId, owner, member] = [newId('team', 1), newId('usr', 1), newId('usr', 1)];
  for (const [accountId, name] of [
    [owner, 'Ann'],
    [member, 'Ben'],
  ] as const) {
    const opened = { accountId, email: `${name}@example.test`, name, passwordHash: null, operator: false };
    await write(
      asIs<AccountOpened>('account', { AccountOpened: [] }),
      accountId,
      [{ type: 'AccountOpened', ...opened, openedAt: at }],
      from(accountId),
    );
  }
  await inTeam(
    teamId,
    owner,
    { type: 'TeamCreated', teamId, kind: 'family', name: 'The Smiths', ownerId: owner, createdAt: at },
    { type: 'MemberJoined', teamId, accountId: owner, role: 'owner', by: 'creation', joinedAt: at },
    { type: 'MemberJoined', teamId, accountId: member, role: 'member', by: 'invite', joinedAt: at },
  );
  return { teamId, owner, member };
}

const renamed = (teamId: string, name: string): TeamEvent => ({
  type: 'TeamChanged',
  teamId,
  name,
  changedAt: now(),
});

const keys = (): string[] => readAuditKeys(process.env['CARILLON_AUDIT_KEY']!).map((key) => jwkOf(key).x);
const verified = (entries: readonly AuditLogEntry[]): VerificationReport =>
  verify(readExport([JSON.stringify({ entries, nextCursor: null })]), { keys: keys() });

async function entriesOf({ teamId, owner }: Made, more: object = {}): Promise<AuditLogEntry[]> {
  const { value } = await bus.ask(Audit.list, { id: teamId, ...more }, contextOf(owner, newest));
  return [...value.items];
}
const actions = (entries: readonly AuditLogEntry[]): string[] => entries.map(({ action }) => action);

async function exported({ teamId, owner }: Made, more: object = {}): Promise<AuditLogEntry[]> {
  const context = contextOf(owner, newest);
  const { value, position } = await bus.ask(Audit.export, { id: teamId, ...more }, context);
  newest = position!;
  const all: AuditLogEntry[] = [];
  for (let before: number | null = value.sequence + 1; before !== null && all.length < value.rows;) {
    const asked: ReadAuditExport = { id: teamId, ...more, before, limit: 3 };
    const page = await bus.ask(Audit.read, asked, contextOf(owner, newest));
    all.push(...page.value.entries);
    before = page.value.next;
  }
  return all.slice(0, value.rows);
}

describe('what happens in a team', () => {
  it('is in its audit log in order, with actor, token and address', async () => {
    const made = await family();
    await inTeam(made.teamId, made.member, renamed(made.teamId, 'Smith & Co'));
    const entries = await entriesOf(made);
    expect(actions(entries)).toEqual(['team.updated', 'member.joined', 'member.joined', 'team.created']);
    expect(entries[0]).toMatchObject({
      teamId: made.teamId,
      actorUserId: made.member,
      actorName: 'Ben',
      actorTokenId: 'tok_1',
      targetType: 'team',
      targetId: made.teamId,
      ip: '192.0.2.1',
      userAgent: 'agent/1',
      metadata: { changed: ['name'], before: { name: 'The Smiths' }, after: { name: 'Smith & Co' } },
    });
    expect(verified(entries).finding).toBeUndefined();
  });

  it('is refused for an invalid cursor before the membership is checked', async () => {
    const { teamId } = await family();
    const read = bus.ask(Audit.list, { id: teamId, cursor: 'none' }, contextOf(newId('usr', 1)));
    await expect(read).rejects.toMatchObject({ reason: 'list.invalid_cursor' });
  });

  it('is nobody else’s to read, and no member’s', async () => {
    const made = await family();
    const asked = (accountId: string) =>
      bus.ask(Audit.list, { id: made.teamId }, contextOf(accountId, newest));
    await expect(asked(made.member)).rejects.toMatchObject({ reason: 'team.forbidden_role' });
    await expect(asked(newId('usr', 1))).rejects.toMatchObject({ reason: 'team.unknown' });
    const exporting = bus.ask(Audit.export, { id: made.teamId }, contextOf(made.member, newest));
    await expect(exporting).rejects.toMatchObject({ reason: 'team.forbidden_role' });
    expect(actions(await entriesOf(made))).not.toContain('audit.exported');
  });

  it('is found by time, action and person, page by page', async () => {
    const made = await family();
    const at = await clock().advance(60_000);
    for (const name of ['A', 'B', 'C'])
      await inTeam(made.teamId, made.member, { ...renamed(made.teamId, name), changedAt: at } as TeamEvent);
    expect(await entriesOf(made, { from: at })).toHaveLength(3);
    expect(await entriesOf(made, { to: at })).toHaveLength(3);
    expect(await entriesOf(made, { action: 'team.updated' })).toHaveLength(3);
    expect(await entriesOf(made, { actorUserId: made.member })).toHaveLength(3);
    const pages: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const asked = { id: made.teamId, limit: 2, ...(cursor && { cursor }) };
      const { value } = await bus.ask(Audit.list, asked, contextOf(made.owner, newest));
      pages.push(...value.items.map(({ id }) => id));
      cursor = value.nextCursor;
    }
    expect(pages).toEqual((await entriesOf(made)).map(({ id }) => id));
    const other = await bus.ask(Audit.list, { id: made.teamId, limit: 2 }, contextOf(made.owner, newest));
    const strange = { id: made.teamId, action: 'team.created', cursor: other.value.nextCursor! };
    await expect(bus.ask(Audit.list, strange, contextOf(made.owner))).rejects.toMatchObject({
      reason: 'list.invalid_cursor',
    });
  });
});

describe('what happens to a member elsewhere', () => {
  const revoked = (accountId: string) => {
    const tokenId = newId('tok', 1);
    const event = { type: 'TokenRevoked' as const, tokenId, accountId, revokedAt: now() };
    return write(asIs<TokenRevoked>('token', { TokenRevoked: [] }), tokenId, [event], from(accountId));
  };

  it('is in the audit log of each team that they are in just then', async () => {
    const [one, other] = [await family(), await family()];
    await inTeam(other.teamId, other.owner, {
      type: 'MemberJoined',
      teamId: other.teamId,
      accountId: one.member,
      role: 'member',
      by: 'invite',
      joinedAt: now(),
    });
    await revoked(one.member);
    await inTeam(one.teamId, one.member, {
      type: 'MemberLeft',
      teamId: one.teamId,
      accountId: one.member,
      leftAt: now(),
    });
    await revoked(one.member);
    expect(actions(await entriesOf(one)).slice(0, 2)).toEqual(['member.left', 'token.revoked']);
    expect(actions(await entriesOf(other)).slice(0, 2)).toEqual(['token.revoked', 'token.revoked']);
  });

  it('is an endpoint that was switched off, by them or since it failed; not one that was switched on', async () => {
    const made = await family();
    const webhookId = newId('whk', 1);
    const changed = (enabled: boolean) =>
      write(
        asIs<WebhookChanged>('webhook', { WebhookChanged: [] }),
        webhookId,
        [{ type: 'WebhookChanged', webhookId, accountId: made.member, enabled, changedAt: now() }],
        from(made.member),
      );
    await changed(false);
    await changed(true);
    await write(
      asIs<WebhookDisabled>('webhook', { WebhookDisabled: [] }),
      webhookId,
      [
        {
          type: 'WebhookDisabled',
          webhookId,
          accountId: made.member,
          reason: 'failing',
          disabledAt: now(),
        },
      ],
      {
        commandId: randomUUID(),
        correlationId: 'x',
        accountId: made.member,
        actor: { process: 'webhooks.health' },
      },
    );
    const [failed, switched, ...before] = await entriesOf(made);
    expect(actions(before)).not.toContain('webhook.disabled');
    expect(failed).toMatchObject({
      action: 'webhook.disabled',
      targetId: webhookId,
      actorUserId: null,
      actorName: null,
      metadata: { reason: 'failing', userId: made.member, process: 'webhooks.health' },
    });
    expect(switched).toMatchObject({
      action: 'webhook.disabled',
      actorUserId: made.member,
      actorName: 'Ben',
    });
  });
});

describe('the chain of a team', () => {
  const inLog = (teamId: string) => log.store.read(`audit-${streamTail(teamId)}`);

  it('is the same after the process crashed between an entry and the projection checkpoint', async () => {
    const made = await family();
    await entriesOf(made);
    const before = await inLog(made.teamId);
    await service.close();
    await start();
    await service
      .get(Database)
      .query(`UPDATE projection_checkpoints SET position = 0 WHERE name = 'audit_process'`);
    await service.close();
    await start();
    await inTeam(made.teamId, made.owner, renamed(made.teamId, 'Renamed'));
    const entries = await entriesOf(made);
    expect(entries).toHaveLength(before.length + 1);
    expect((await inLog(made.teamId)).slice(0, -1)).toEqual(before);
    expect(entries[0]!.metadata).toMatchObject({
      before: { name: 'The Smiths' },
      after: { name: 'Renamed' },
    });
    expect(verified(entries).finding).toBeUndefined();
  });

  it('is one, also when twenty exports and many events come at once', async () => {
    const made = await family();
    await entriesOf(made);
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        if (index % 3) await exported(made);
        else await inTeam(made.teamId, made.owner, renamed(made.teamId, `Name ${index}`));
      }),
    );
    const entries = await entriesOf(made);
    expect(entries).toHaveLength(33);
    expect(verified(entries).finding).toBeUndefined();
  });

  it('takes no event twice, though two replicas that both think they are active follow it', async () => {
    const made = await family();
    await inTeam(made.teamId, made.owner, renamed(made.teamId, 'Once'));
    const raw = await log.store.read(`team-${streamTail(made.teamId)}`);
    const follow = async (from: number): Promise<void> => {
      const recorded = await log.open(raw.slice(from));
      await service.get(Database).transaction((sql) => service.get(AuditProcess).apply(sql, recorded));
    };
    await Promise.all([follow(0), follow(0)]);
    // Events that are delivered again are older than the position of the chain.
    await Promise.all([follow(1), follow(0), follow(2)]);
    const entries = await entriesOf(made);
    expect(entries).toHaveLength(4);
    expect(verified(entries).finding).toBeUndefined();
  });

  it('is not restarted when its newest entry is unreadable: nothing is appended', async () => {
    const made = await family();
    await entriesOf(made);
    const stream = `audit-${streamTail(made.teamId)}`;
    const { metadata } = (await log.store.readLast(stream))!;
    await log.store.append(stream, [{ id: randomUUID(), type: 'AuditRecorded', data: 'none', metadata }], 2n);
    const exporting = bus.ask(Audit.export, { id: made.teamId }, contextOf(made.owner));
    await expect(exporting).rejects.toMatchObject({ reason: 'internal' });
    expect((await log.store.readLast(stream))!.revision).toBe(3n);
    // Deleted, so that the daily work finds nothing.
    await log.store.delete(stream);
  });

  it('never goes back in time, whatever the clocks say', async () => {
    const made = await family();
    await inTeam(made.teamId, made.owner, {
      ...renamed(made.teamId, 'Early'),
      changedAt: '2020-01-01T00:00:00.000Z',
    } as TeamEvent);
    const [newestEntry, before] = await entriesOf(made);
    expect(newestEntry!.createdAt).toBe(before!.createdAt);
  });

  it('holds when a person was erased, whose text then is nowhere', async () => {
    const made = await family();
    await inTeam(made.teamId, made.member, renamed(made.teamId, 'By Ben'));
    await entriesOf(made);
    await log.keys.shred(made.member);
    await service.get(Projections).rebuild('audit');
    const entries = await exported(made);
    expect(entries[1]).toMatchObject({
      actorUserId: made.member,
      actorName: null,
      ip: null,
      userAgent: null,
    });
    expect(Object.keys(entries[1]!.metadata)).toEqual(['proof']);
    const report = verified(entries);
    expect(report.finding).toBeUndefined();
    expect(report.notProved.join()).toContain('1 entries said of persons');
  });

  it('tells readers nothing of a person once it was erased, and erases 5,000 entries a transaction', async () => {
    const made = await family();
    await entriesOf(made);
    const database = service.get(Database);
    await database.query(
      `INSERT INTO audit_entries (team_id, sequence, created_at, action, actor_user_id, entry)
       SELECT $1, -n, '2026-01-01T00:00:00Z', 'team.updated', $2, json_build_object('id', 'aud_' || n,
         'actorName', 'Ben', 'ip', '192.0.2.1', 'userAgent', 'agent/1', 'action', 'team.updated',
         'metadata', json_build_object('field', 'name', 'proof', json_build_object('sequence', n, 'salt', 'salt')))
       FROM generate_series(1, 12000) AS n`,
      [made.teamId, made.member],
    );
    const locking = await database.connect();
    await locking.query(`BEGIN`);
    await locking.query(`SELECT FROM audit_entries WHERE team_id = $1 AND sequence >= -20 FOR UPDATE`, [
      made.teamId,
    ]);
    await write(
      asIs<AccountForgotten>('account', { AccountForgotten: [] }),
      made.member,
      [{ type: 'AccountForgotten', accountId: made.member, forgottenAt: now() }],
      from(made.member),
    );
    await service.get(Projections).reached('audit', newest);
    const ofMember = async () =>
      JSON.stringify(await entriesOf(made, { actorUserId: made.member, limit: 20 }));
    const told = await ofMember();
    expect(JSON.parse(told)).toEqual(
      Array.from({ length: 20 }, (_, n) => ({
        ...{ id: `aud_${n + 1}`, actorName: null, ip: null, userAgent: null, action: 'team.updated' },
        metadata: { proof: { sequence: n + 1 } },
      })),
    );
    const erasedAtOnce = async () =>
      (
        await database.query<{ n: number }>(
          `SELECT count(*)::integer AS n FROM audit_entries WHERE actor_user_id = $1 AND sequence < 0
             AND entry ->> 'actorName' IS NULL GROUP BY xmin::text ORDER BY n DESC`,
          [made.member],
        )
      ).map(({ n }) => n);
    await eventually(
      async () => (await erasedAtOnce()).length === 3 || undefined,
      () => 'the entries are not erased',
      20_000,
    );
    expect(await erasedAtOnce()).toEqual([5_000, 5_000, 1_980]);
    await locking.query(`COMMIT`);
    await locking.end();
    await eventually(
      async () => (await erasedAtOnce()).length === 4 || undefined,
      () => 'the entries that were locked are not erased',
      20_000,
    );
    expect(await erasedAtOnce()).toEqual([5_000, 5_000, 1_980, 20]);
    expect(await ofMember()).toBe(told);
    await database.query(`DELETE FROM audit_entries WHERE team_id = $1 AND sequence < 0`, [made.teamId]);
  }, 60_000);

  it('has the same rows after a rebuild', async () => {
    const made = await family();
    const entries = await exported(made);
    await service.get(Projections).rebuild('audit_process');
    await service.get(Projections).rebuild('audit');
    expect(await entriesOf(made)).toEqual(entries);
    await inTeam(made.teamId, made.owner, renamed(made.teamId, 'After'));
    expect((await entriesOf(made))[0]).toMatchObject({ actorName: 'Ann', action: 'team.updated' });
  });
});

describe('an export', () => {
  it('is its own first row, signed, and tells how many rows it has', async () => {
    const made = await family();
    const entries = await exported(made);
    expect(actions(entries)).toEqual(['audit.exported', 'member.joined', 'member.joined', 'team.created']);
    expect(entries[0]).toMatchObject({
      actorName: 'Ann',
      ip: '192.0.2.7',
      userAgent: 'curl/8',
      metadata: { format: 'csv', rows: 4, truncated: false, proof: { checkpoint: { key: keys()[0] } } },
    });
    expect(verified(entries)).toMatchObject({ rows: 4, notProved: ['Whether newer entries were left out.'] });
  });

  it('of some has no row that was not asked for, and the log has its entry all the same', async () => {
    const made = await family();
    expect(actions(await exported(made, { action: 'member.joined' }))).toEqual([
      'member.joined',
      'member.joined',
    ]);
    expect(await exported(made, { to: '2020-01-01T00:00:00.000Z' })).toEqual([]);
    const mine = await exported(made, { actorUserId: made.member });
    expect(mine).toEqual([]);
    expect(actions(await entriesOf(made)).slice(0, 3)).toEqual(Array(3).fill('audit.exported'));
  });
});

describe('an export of more than 50,000 entries', () => {
  it('has 50,000 and says that there are more', async () => {
    const made = await family();
    await entriesOf(made);
    const lots = (count: number) =>
      service.get(Database).query(
        `INSERT INTO audit_entries (team_id, sequence, created_at, action, entry)
         SELECT $1, -n, '2026-01-01T00:00:00Z', 'team.updated', '{}' FROM generate_series(1, $2) AS n
         ON CONFLICT DO NOTHING`,
        [made.teamId, count],
      );
    const begun = async () =>
      (await bus.ask(Audit.export, { id: made.teamId }, contextOf(made.owner, newest))).value;
    await lots(49_996);
    expect(await begun()).toMatchObject({ rows: 50_000, truncated: false });
    expect(await begun()).toMatchObject({ rows: 50_000, truncated: true });
  });
});

describe('once a day', () => {
  const advance = async (ms: number): Promise<void> => {
    await clock().advance(ms);
    newest = String((await log.store.head()) ?? 0n);
  };

  it('what is new is signed, and nothing where nothing is', async () => {
    const made = await family();
    await entriesOf(made);
    await advance(day);
    const [checkpoint, ...before] = await entriesOf(made);
    expect(checkpoint).toMatchObject({ action: 'audit.checkpointed', actorUserId: null });
    expect(actions(before)).not.toContain('audit.checkpointed');
    expect(verified([checkpoint!, ...before]).proved.join()).toContain('Entry 4 and all before it');
    await advance(2 * day);
    expect(await entriesOf(made)).toHaveLength(4);
    await exported(made);
    await advance(2 * day);
    expect(actions(await entriesOf(made)).slice(0, 2)).toEqual(['audit.exported', 'audit.checkpointed']);
  });

  it('what is older than the team keeps goes, from the log and its disk too, and the rest verifies', async () => {
    const made = await family();
    const stream = `audit-${streamTail(made.teamId)}`;
    await inTeam(made.teamId, made.owner, {
      type: 'TeamChanged',
      teamId: made.teamId,
      retentionDays: 7,
      changedAt: now(),
    });
    await entriesOf(made);
    const first = await log.store.read(stream);
    await advance(5 * day);
    await inTeam(made.teamId, made.owner, renamed(made.teamId, 'Young'));
    await entriesOf(made);
    await advance(3 * day);
    const entries = await entriesOf(made);
    expect(actions(entries)).not.toContain('team.created');
    expect(actions(entries)).toContain('team.updated');
    const oldest = entries.at(-1)!.metadata.proof.sequence;
    const removed = first.filter(({ revision }) => revision < oldest - 2).map(({ position }) => position);
    expect(removed.length).toBeGreaterThan(1);
    expect(oldest).toBeGreaterThan(4);
    const report = verified(await exported(made));
    expect(report.finding).toBeUndefined();
    expect(report.notProved.join()).toContain(`retention has removed those before ${oldest}`);
    expect(await log.store.read(stream)).toHaveLength(entries.length + 1);
    await scavenge(startScavenges, log.store, removed);
    await inTeam(made.teamId, made.owner, renamed(made.teamId, 'After the scavenge'));
    expect(verified(await exported(made)).finding).toBeUndefined();
    expect((await entriesOf(made)).slice(-entries.length)).toEqual(entries);
    await advance(30 * day);
    const [rest, ...none] = await entriesOf(made);
    expect(rest).toMatchObject({ action: 'audit.checkpointed' });
    expect(none.length).toBeLessThan(3);
    await service.get(Projections).rebuild('audit');
    expect(await entriesOf(made)).toEqual([rest, ...none]);
  });

  it('cut off the log what rows that were behind lacked, as if it were too old', async () => {
    const made = await family();
    await inTeam(made.teamId, made.owner, {
      type: 'TeamChanged',
      teamId: made.teamId,
      retentionDays: 7,
      changedAt: now(),
    });
    const entries = await entriesOf(made);
    const stream = `audit-${streamTail(made.teamId)}`;
    await service.get(Database).query(`DELETE FROM audit_entries WHERE team_id = $1`, [made.teamId]);
    await advance(day);
    expect(await log.store.read(stream)).toHaveLength(entries.length);
    await service.get(Projections).rebuild('audit');
    const signed = await eventually(
      async () => {
        const found = await entriesOf(made);
        return found.length > entries.length ? found : undefined;
      },
      () => 'nothing was signed when the rows were there again',
    );
    expect(signed.slice(1)).toEqual(entries);
    expect(signed[0]).toMatchObject({ action: 'audit.checkpointed' });
  });
});
