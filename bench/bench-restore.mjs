// The two ways back for rows: Postgres restored to a point in time beside the newer log, and all rows from the log.
import pg from 'pg';
import { startHouse } from './bench-house.mjs';
import { appendSent, followed, makeKeys, openLog } from './bench-sealed.mjs';
import { accounts } from './bench-sent.mjs';

const secondsSince = (began) => (performance.now() - began) / 1000;

/** Appends the sealed events with these numbers. Returns the position of the last. */
async function append(house, from, to) {
  const { log, close } = await openLog(house);
  await makeKeys(log, 0, accounts);
  const end = await appendSent(log, from, to);
  await close();
  return end;
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
