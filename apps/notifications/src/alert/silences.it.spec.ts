import { answer, type Bus, Handles } from '@carillon/bus';
import { Push, Services } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import {
  askOn,
  eventually,
  newAccount,
  rowsReach,
  type StandIns,
  startParts,
  startStandIns,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { Calls } from '../event/calls.service';
import { NotificationsModule } from '../notifications.module';
import { type AccountEvent, baseUrl, tellOfAccount } from '../testbed';

/** The push service of an installation without phones. */
@Controller()
class NoPhones {
  @Handles(Push.targets)
  targets() {
    return answer({ deviceIds: [] });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let standIns: StandIns;
let running: RunningService;
let bus: Bus;
let database: Database;
let clock: ManualClock;
beforeAll(async () => {
  parts = await startParts({ CARILLON_BASE_URL: baseUrl });
  standIns = await startStandIns(parts.env['NATS_URL'] as string, NoPhones);
  running = await startService({ name: 'notifications', module: NotificationsModule });
  bus = await sharedBus.take();
  database = running.get(Database);
  clock = running.get(Clock) as ManualClock;
}, 60_000);
afterAll(async () => {
  await running?.close();
  await sharedBus.release();
  await standIns?.close();
  await parts?.stop();
}, 60_000);
const ask = askOn(() => bus);

const tell = async (event: AccountEvent): Promise<void> => {
  const position = await tellOfAccount(running.get(Log), event);
  for (const rows of ['suspensions', 'service_alerts', 'services'])
    await rowsReach(running.get(Projections), rows, position);
};
const watched = async (account: string): Promise<string> => {
  const asked = { title: 'Backup', expectEverySeconds: 600 };
  const { id } = (await ask(account, Services.create, asked)).service;
  await eventually(
    async () => (await rowsOf('service_watches', id))[0],
    () => 'the service is not watched',
  );
  return id;
};
const rowsOf = (table: 'service_watches' | 'service_calls' | 'service_pages', id: string) =>
  database.query<{ silent_since: Date | null; alert_key: string }>(
    `SELECT * FROM ${table} WHERE service_id = $1`,
    [id],
  );
const silentSince = async (id: string) =>
  (await rowsOf('service_watches', id))[0]?.silent_since?.toISOString() ?? null;
const becomesSilent = (id: string) =>
  eventually(
    async () => (await silentSince(id)) ?? undefined,
    () => 'nobody has told of the silence',
    30_000,
  );

it('a suspended account is told of no silence, and its senders have their full time from when it is resumed', async () => {
  const [accountId, other] = [newAccount(), newAccount()];
  const id = await watched(accountId);
  const free = await watched(other);
  await tell({ type: 'AccountSuspended', accountId, suspendedAt: clock.now() });
  await clock.advance(7_200_000);
  // The look at both services was due.
  await becomesSilent(free);
  const resumedAt = clock.now();
  await tell({ type: 'AccountResumed', accountId, resumedAt });
  await clock.advance(590_000);
  expect(await silentSince(id)).toBeNull();
  await clock.advance(20_000);
  expect(await becomesSilent(id)).toBe(resumedAt);
});

it('a silence from before a suspension is not over because the account is resumed', async () => {
  const accountId = newAccount();
  const id = await watched(accountId);
  await clock.advance(601_000);
  const since = await becomesSilent(id);
  await tell({ type: 'AccountSuspended', accountId, suspendedAt: clock.now() });
  await tell({ type: 'AccountResumed', accountId, resumedAt: clock.now() });
  await clock.advance(120_000);
  expect([await silentSince(id), await rowsOf('service_calls', id)]).toEqual([since, []]);
});

describe('the calls, the watch and the open pages of a service', () => {
  const kept = async (id: string, accountId: string) => {
    await running.get(Calls).note(id);
    for (const key of ['open', 'ending'])
      await database.query(
        `INSERT INTO service_pages (alert_key, service_id, account_id, page_id, paged_at) VALUES ($1, $2, $3, $4, $5)`,
        [`${key} ${id}`, id, accountId, 'page', clock.now()],
      );
    await database.query(`INSERT INTO service_signals (event_id, alert_key, position) VALUES ($1, $2, 1)`, [
      id,
      `ending ${id}`,
    ]);
  };
  const left = async (id: string) => [
    (await rowsOf('service_calls', id)).length,
    (await rowsOf('service_watches', id)).length,
    (await rowsOf('service_pages', id)).map((row) => row.alert_key.split(' ')[0]),
  ];
  const all = [1, 1, ['open', 'ending']];
  /** A page that is being resolved stays until it is. */
  const ending = [0, 0, ['ending']];

  it('go with the service', async () => {
    const account = newAccount();
    const [id, other] = [await watched(account), await watched(account)];
    for (const each of [id, other]) await kept(each, account);
    await ask(account, Services.remove, { id });
    await eventually(
      async () => JSON.stringify(await left(id)) === JSON.stringify(ending) || undefined,
      () => 'the rows of the service are there',
    );
    expect(await left(other)).toEqual(all);
  });

  it('go with the text of the account', async () => {
    const [accountId, other] = [newAccount(), newAccount()];
    const [id, anothers] = [await watched(accountId), await watched(other)];
    await kept(id, accountId);
    await kept(anothers, other);
    await tell({ type: 'AccountDeleted', accountId, deletedAt: clock.now() });
    expect(await left(id)).toEqual([1, 0, ['open', 'ending']]);
    await tell({ type: 'AccountForgotten', accountId, forgottenAt: clock.now() });
    expect([await left(id), await left(anothers)]).toEqual([ending, all]);
  });
});
