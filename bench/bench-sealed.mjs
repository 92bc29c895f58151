// A log whose events are sealed, as services append and follow it.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountOf, inBatches, sentOf } from './bench-sent.mjs';

const keysAtOnce = 100;
/** Seconds. */
const patience = 600;

/** The log as services use it: it seals personal text with the key of its account. */
export async function openLog({ state, data }) {
  const { Keys, Log, openEventStore } = await import('../dist/libs/event-store/src/index.js');
  const { KeyRing } = await import('../dist/libs/signing/src/index.js');
  const { keys } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
  const store = openEventStore(state.eventStoreUrl, { patienceSeconds: patience });
  return { log: new Log(store, Keys.fromRing(KeyRing.parse(keys), store)), close: () => store.close() };
}

/** Makes the keys of so many accounts. Thousands at once would delay each other until all time out. */
export async function makeKeys(log, first, count) {
  for (let from = first; from < first + count; from += keysAtOnce)
    await Promise.all(
      Array.from({ length: Math.min(keysAtOnce, first + count - from) }, (_, index) =>
        log.keys.toSeal(accountOf(from + index, first + count)),
      ),
    );
}

/** Appends the events with these numbers, as sends make them. Returns the position of the last. */
export async function appendSent(log, from, to, ownerOf = (n) => accountOf(n)) {
  const { notification } = await import('../dist/apps/notifications/src/notification/notification.js');
  let end = 0n;
  await inBatches(from, to, async (numbers) => {
    const at = new Date().toISOString();
    const parts = numbers.map((n) => {
      const { event, metadata } = sentOf(n, at, ownerOf(n));
      return { events: [event], metadata };
    });
    const stream = `bench${randomBytes(8).toString('hex')}`;
    const { position } = await log.appendParts(notification, stream, parts, 'any');
    if (position > end) end = position;
  });
  return end;
}

/** Waits until the rows of all projections have come to a position. */
export async function followed(database, position) {
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
