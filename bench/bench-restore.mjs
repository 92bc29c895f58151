// The two ways back for rows: Postgres restored to a point in time beside the newer log, and all rows from the log.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startHouse } from './bench-house.mjs';
import { accountOf, accounts, inBatches, sentOf } from './bench-sent.mjs';

const keysAtOnce = 100;
/** Seconds. */
const patience = 600;
const secondsSince = (began) => (performance.now() - began) / 1000;

/** The log as services use it: it seals personal text with the key of its account. */
async function openLog({ state, data }) {
  const { Keys, Log, openEventStore } = await import('../dist/libs/event-store/src/index.js');
  const { KeyRing } = await import('../dist/libs/signing/src/index.js');
  const { keys } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
  const store = openEventStore(state.eventStoreUrl, { patienceSeconds: patience });
  return { log: new Log(store, Keys.fromRing(KeyRing.parse(keys), store)), close: () => store.close() };
}

/** Thousands at once would delay each other until all time out. */
async function makeKeys(log) {
  for (let from = 0; from < accounts; from += keysAtOnce)
    await Promise.all(
      Array.from({ length: keysAtOnce }, (_, index) => log.keys.toSeal(accountOf(from + index))),
    );
}

/** Appends the sealed events with these numbers, as sends make them. Returns the position of the last. */
async function append(house, from, to) {
  const { notification } = await import('../dist/apps/notifications/src/notification/notification.js');
  const { log, close } = await openLog(house);
  await makeKeys(log);
  let end = 0n;
  await inBatches(from, to, async (numbers) => {
    const at = new Date().toISOString();
    const parts = numbers.map((n) => {
      const { event, metadata } = sentOf(n, at);
      return { events: [event], metadata };
    });
    const stream = `bench${randomBytes(8).toString('hex')}`;
    const { position } = await log.appendParts(notification, stream, parts, 'any');
    if (position > end) end = position;
  });
  await close();
  return end;
}

/** Waits until the rows of all projections have come to a position. */
async function followed(database, position) {
  const { rows } = await database.query(
    `SELECT table_schema AS name FROM information_schema.tables WHERE table_name = 'projection_checkpoints'`,
  );
  const all = rows
    .map(({ name }) => `SELECT position FROM "${name}".projection_checkpoints`)
    .join(' UNION ALL ');
  for (;;) {
    const { rows: found } = await database.query(`SELECT min(position) AS position FROM (${all}) AS every`);
    if (BigInt(found[0].position) >= position) return;
    await sleep(500);
  }
}

const bytesOf = async (database) =>
  Number((await database.query('SELECT pg_database_size(current_database()) AS bytes')).rows[0].bytes);

/**
 * Of so many sealed events, nine tenths are in the base backup, half a tenth in the archived log of Postgres, and the
 * rest in the event log alone.
 */
export async function measureRestore({ count, env }) {
  const { startArchivingPostgres } = await import('../dist/libs/testkit/src/postgres-archive.js');
  const postgres = await startArchivingPostgres();
  const settings = { ...env, DATABASE_URL: postgres.url };
  const [inBackup, inArchive] = [Math.round(count * 0.9), Math.round(count * 0.95)];
  let house;
  const connected = async (work) => {
    const database = new pg.Client({ connectionString: postgres.url });
    await database.connect();
    try {
      return await work(database);
    } finally {
      await database.end();
    }
  };
  const say = (what) => console.error(`restore        ${what}`);
  try {
    house = await startHouse(settings);
    const emptySeconds = house.readySeconds;
    const fill = async (from, to) => {
      const began = performance.now();
      const end = await append(house, from, to);
      say(`${to} events appended, ${secondsSince(began).toFixed(0)} s`);
      await connected((database) => followed(database, end));
      say(`${to} events in all rows, ${secondsSince(began).toFixed(0)} s`);
    };
    await fill(0, inBackup);
    let began = performance.now();
    await postgres.backUp();
    const backupSeconds = secondsSince(began);
    const bytes = await connected(bytesOf);
    await fill(inBackup, inArchive);
    await postgres.mark('last_night');
    await fill(inArchive, count);
    await house.end();

    began = performance.now();
    await postgres.restore('last_night');
    const restoredSeconds = secondsSince(began);
    say(`Postgres restored, ${restoredSeconds.toFixed(0)} s`);
    house = await startHouse(settings, [], house.data);
    const caughtUpSeconds = house.readySeconds;
    say(`caught up, ${caughtUpSeconds.toFixed(0)} s`);
    const restored = await connected(counted);
    await house.end();

    house = await startHouse(settings, ['--new-rows'], house.data);
    const rebuiltSeconds = house.readySeconds;
    say(`rebuilt, ${rebuiltSeconds.toFixed(0)} s`);
    const rebuilt = await connected(counted);
    for (const items of [restored, rebuilt])
      if (items !== count) throw new Error(`The inbox has ${items} of ${count} items`);
    return {
      count,
      inBackup,
      inArchive,
      bytes,
      emptySeconds,
      backupSeconds,
      restoredSeconds,
      caughtUpSeconds,
      rebuiltSeconds,
    };
  } finally {
    await house?.stop();
    await postgres.stop();
  }
}

const counted = async (database) =>
  Number((await database.query('SELECT count(*) FROM read_models.inbox_items')).rows[0].count);

export function restoreTable(measured) {
  const whole = (number) => Math.round(number).toLocaleString('en');
  const { count, inBackup, inArchive, bytes } = measured;
  const seconds = (number) => (number < 120 ? `${number.toFixed(1)} s` : `${(number / 60).toFixed(1)} min`);
  return [
    '| What | Measured |',
    '|---|---|',
    `| the start of a standalone with an empty log | ${seconds(measured.emptySeconds)} |`,
    `| pg_basebackup, ${whole(inBackup)} events, ${whole(bytes / 2 ** 20)} MiB of rows | ${seconds(measured.backupSeconds)} |`,
    `| to a point in time: the base backup copied, the WAL of ${whole(inArchive - inBackup)} events replayed | ${seconds(measured.restoredSeconds)} |`,
    `| and the start until ready, ${whole(count - inArchive)} events applied | ${seconds(measured.caughtUpSeconds)} |`,
    `| from the log: the start with no rows until ready, ${whole(count)} events applied | ${seconds(measured.rebuiltSeconds)} |`,
  ].join('\n');
}
