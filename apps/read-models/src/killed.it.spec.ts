import type { ChildProcess } from 'node:child_process';
import { isDeepStrictEqual as isEqual } from 'node:util';
import { Database, StreamDeleted } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { type ClockOrder, sharedLog } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  end,
  eventReceived,
  eventually,
  newAccount,
  notificationSent,
  startParts,
  startServiceProcess,
  streamMetadata,
} from '@carillon/testkit';

const dayMs = 24 * 60 * 60 * 1000;
/** What a step waits for, as long as the test holds this lock. */
const lock = 25;
const waits = `PERFORM pg_advisory_xact_lock(${lock});`;

let parts: Awaited<ReturnType<typeof startParts>>;
let log: Awaited<ReturnType<typeof sharedLog.take>>['log'];
let database: Database;
let child: ChildProcess;

const query = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  database.query<Row>(text, values);

async function start(): Promise<void> {
  child = await startServiceProcess('read-models', parts.env, { channel: true });
}

/** Old things become too old, and the cleanups begin. */
function pass(days: number): void {
  for (const order of [{ moveClockMs: days * dayMs }, { catchUp: true }] satisfies ClockOrder[])
    child.send(order);
}

const append = (
  category: string,
  id: string,
  accountId: string,
  ...events: readonly { readonly type: string }[]
) =>
  log.appendTo(
    { category, initial: null, evolve: () => null, personal: {} },
    streamTail(id),
    events,
    'any',
    streamMetadata(accountId),
  );

const isTrue = (look: () => Promise<boolean>, missing: string): Promise<true> =>
  eventually(
    async () => (await look()) || undefined,
    () => missing,
    40_000,
  );

// Each has rows and a clock of its own.
beforeEach(async () => {
  parts = await startParts({ CARILLON_KEEP_DAYS: '90', LOG_LEVEL: 'fatal' });
  ({ log } = await sharedLog.take());
  await start();
  database = await Database.open({ url: parts.env['DATABASE_URL']!, schema: 'read_models', migrations: [] });
}, 60_000);
afterEach(async () => {
  if (child) await end(child);
  await database?.close();
  await sharedLog.release();
  await parts?.stop();
}, 60_000);

/** Work that is killed at a step, which waits for the lock. */
interface Work {
  /** The statements that make the step wait, and the one that lets it go on. */
  readonly hold: readonly string[];
  readonly release: string;
  begin(): Promise<void>;
  isHalfDone(): Promise<boolean>;
  /** After the restart, where time has to pass again. */
  again(): void;
  isDone(): Promise<boolean>;
}

/** 5,000 rows are deleted in a transaction. */
async function deletion(): Promise<Work> {
  const [account, other] = [newAccount(), newAccount()];
  const items = (accountId: string, count: number): Promise<unknown> =>
    query(
      `INSERT INTO inbox_items (account_id, item_id, subject_id, origin, source_name, title, preview, body, body_format, created_at)
       SELECT $1, 'notification:' || n, n, 'agent', 'CI', 'Build', '', '', 'plain', now() FROM generate_series(1, $2) n`,
      [accountId, count],
    );
  await items(account, 6_000);
  await items(other, 10);
  const count = async (accountId: string): Promise<number> =>
    (await query(`SELECT FROM inbox_items WHERE account_id = $1`, [accountId])).length;
  return {
    hold: [
      `CREATE SEQUENCE gone`,
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('read_models.gone') > 5000 THEN ${waits} END IF; RETURN OLD; END $$`,
      `CREATE TRIGGER hold BEFORE DELETE ON inbox_items FOR EACH ROW EXECUTE FUNCTION hold()`,
    ],
    release: `DROP FUNCTION hold CASCADE`,
    begin: async () => {
      const deletedAt = instant(Date.now());
      const deleted = { type: 'AccountDeleted', accountId: account, deletedAt };
      await append('account', account, account, deleted);
    },
    isHalfDone: async () => (await count(account)) === 1_000,
    again: () => {},
    isDone: async () => {
      const queued = await query(`SELECT FROM timers WHERE queue = 'deleted_inboxes'`);
      return queued.length === 0 && (await count(account)) === 0 && (await count(other)) === 10;
    },
  };
}

/** A partition is detached before it is dropped. */
async function drop(): Promise<Work> {
  const account = newAccount();
  for (const daysAgo of [85, 1]) {
    const atMs = Date.now() - daysAgo * dayMs;
    const eventId = newId('evt', atMs);
    const event = eventReceived({ eventId, accountId: account, receivedAt: instant(atMs) });
    await append('event', eventId, account, event);
  }
  const rows = async (): Promise<number> =>
    (await query(`SELECT FROM events WHERE account_id = $1`, [account])).length;
  await isTrue(async () => (await rows()) === 2, 'the events have no rows');
  const detached = async (): Promise<number> =>
    (
      await query(
        `SELECT FROM pg_class WHERE relnamespace = 'read_models'::regnamespace
         AND relkind = 'r' AND NOT relispartition AND relname ~ '^events_from_'`,
      )
    ).length;
  return {
    hold: [
      `CREATE FUNCTION hold() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
         IF current_query() LIKE '%events_from_%' THEN ${waits} END IF; END $$`,
      `CREATE EVENT TRIGGER hold ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION hold()`,
    ],
    release: `DROP FUNCTION hold CASCADE`,
    begin: async () => pass(30),
    isHalfDone: async () => (await detached()) > 0 && (await rows()) === 1,
    again: () => pass(30),
    isDone: async () => {
      // The lease of the killed process outlives it by some seconds: a cleanup before its end does nothing.
      child.send({ catchUp: true } satisfies ClockOrder);
      return (await detached()) === 0 && (await rows()) === 1;
    },
  };
}

/** The streams of 500 events are cut in the log before the position is stored. */
async function truncation(): Promise<Work> {
  const account = newAccount();
  const atMs = Date.now();
  const streamOf = (sentAtMs: number, count = 1) => {
    const id = newId('anot', sentAtMs);
    const event = notificationSent({ notificationId: id, accountId: account, sentAt: instant(sentAtMs) });
    return {
      stream: `notification-${streamTail(id)}`,
      id,
      events: Array.from({ length: count }, () => event),
    };
  };
  const [first, long, last] = [streamOf(atMs), streamOf(atMs, 600), streamOf(atMs)];
  const young = streamOf(atMs + 92 * dayMs);
  const mark = { type: 'InboxItemRead', accountId: account, itemId: 'anot_1', readAt: instant(atMs) };
  await append('notification', first.id, account, ...first.events);
  for (let times = 0; times < 2; times += 1) await append('inbox', account, account, mark);
  for (const { id, events } of [long, last, young]) await append('notification', id, account, ...events);
  /** The number of events in each stream; none of one that was deleted for ever. */
  const left = (): Promise<number[]> =>
    Promise.all(
      [first.stream, `inbox-${streamTail(account)}`, long.stream, last.stream, young.stream].map((stream) =>
        log.store.read(stream).then(
          ({ length }) => length,
          (error: unknown) => {
            if (error instanceof StreamDeleted) return 0;
            throw error;
          },
        ),
      ),
    );
  const position = async (): Promise<bigint> => {
    const [row] = await query<{ position: string }>(`SELECT position FROM log_cleanup`);
    return BigInt(row?.position ?? 0);
  };
  const before = await position();
  return {
    hold: [
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${waits} RETURN NEW; END $$`,
      `CREATE TRIGGER hold BEFORE INSERT OR UPDATE ON log_cleanup FOR EACH ROW EXECUTE FUNCTION hold()`,
    ],
    release: `DROP FUNCTION hold CASCADE`,
    begin: async () => pass(92),
    isHalfDone: async () => isEqual(await left(), [0, 1, 600, 1, 1]) && (await position()) === before,
    again: () => pass(92),
    isDone: async () => {
      child.send({ catchUp: true } satisfies ClockOrder);
      return isEqual(await left(), [0, 1, 0, 0, 1]) && (await position()) > before;
    },
  };
}

it.each<[string, () => Promise<Work>]>([
  ['a change of many rows, between two batches', deletion],
  ['the drop of a partition, after it was detached', drop],
  ['a truncation of the log, between two batches', truncation],
])(
  '%s goes on when its process is killed and started again',
  async (_what, prepare) => {
    const work = await prepare();
    const guard = await database.connect();
    for (const statement of work.hold) await query(statement);
    await guard.query('SELECT pg_advisory_lock($1)', [lock]);
    await work.begin();
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${lock} AND NOT granted`;
    await isTrue(async () => (await query(waiting)).length > 0, 'the work has not reached the step');
    expect(await work.isHalfDone()).toBe(true);
    await end(child, 'SIGKILL');
    // The server still executes the statement of the killed process, which then has nobody to commit it.
    await guard.query('SELECT pg_advisory_unlock($1)', [lock]);
    await isTrue(async () => (await query(waiting)).length === 0, 'the step still waits');
    await query(work.release);
    await guard.end();
    await start();
    work.again();
    await isTrue(() => work.isDone(), 'the work has not been completed');
  },
  120_000,
);
