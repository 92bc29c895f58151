// What the stream of published events takes of the memory of nats-server, with the form of the messages and the settings of
// the stream as they were and as they are.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { heldBytes } from './bench-memory.mjs';
import { end, freePort, startNats } from './bench-nats.mjs';

const atOnce = 500;
const formerWindowMs = 120_000;
/** Beyond the former window, and until the server has given back what it does not need. */
const settledMs = 180_000;
const mebibyte = 2 ** 20;

/** As the product has it: published events of a few types, each about something else. */
async function messagesOf(count, from) {
  const { publicationOf } = await import('../dist/apps/read-models/src/published/published.js');
  const { newId } = await import('../dist/libs/signing/src/index.js');
  const at = new Date();
  const id = (prefix) => newId(prefix, at.getTime());
  const kinds = [
    () => ({ type: 'NotificationSent', notificationId: id('anot'), tokenId: id('tok'), sentAt: at }),
    () => ({ type: 'DeviceRegistered', deviceId: id('dev'), registeredAt: at }),
    () => ({ type: 'InteractionAnswered', interactionId: id('int'), answeredAt: at }),
  ];
  return Array.from({ length: count }, (_, index) => {
    const event = { accountId: id('usr'), deviceIds: [id('dev')], ...kinds[index % kinds.length]() };
    const recorded = {
      id: randomUUID(),
      type: event.type,
      position: BigInt(from + index) * 900n,
      event: JSON.parse(JSON.stringify(event)),
      metadata: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    };
    const { publish } = publicationOf(recorded);
    if (!publish) throw new Error(`${event.type} is not published`);
    return publish;
  });
}

/** `hasIds`: the subjects end with the id of what the event is about. `windowMs`: of the server against repeats. */
async function measure({ title, count, hasIds, windowMs }) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-published-'));
  const port = await freePort();
  process.env.NATS_URL = `nats://127.0.0.1:${port}`;
  process.env.CARILLON_EVENTS_MEBIBYTES = '8192';
  await import('reflect-metadata');
  const { PublishedClient } = await import('../dist/apps/read-models/src/published/published.client.js');
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const { connect, nanos } = await import('@nats-io/transport-node');
  let server = await startNats(folder, port);
  const empty = heldBytes(server.child.pid, 'Rss');
  const client = new PublishedClient();
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  try {
    await client.open();
    const { streams } = await jetstreamManager(connection);
    if (windowMs !== undefined) await streams.update('EVT', { duplicate_window: nanos(windowMs) });
    for (let from = 0; from < count; from += atOnce) {
      const messages = await messagesOf(Math.min(atOnce, count - from), from);
      const sent = hasIds
        ? messages.map((message) => ({ ...message, subject: `${message.subject}.${message.about}` }))
        : messages;
      await client.publish(sent, from);
    }
    const published = heldBytes(server.child.pid, 'Rss');
    const { bytes, messages } = (await streams.info('EVT')).state;
    if (messages !== count) throw new Error(`The stream has ${messages} of ${count} messages`);
    await sleep(settledMs);
    const settled = heldBytes(server.child.pid, 'Rss');
    await end(server.child);
    server = await startNats(folder, port);
    await sleep(5_000);
    const restarted = heldBytes(server.child.pid, 'Rss');
    return { title, version: server.version, count, empty, published, settled, restarted, bytes };
  } finally {
    await client.close();
    await connection.close();
    await end(server.child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The stream as it was made until its subjects had no ids, with one of the two changes, and as it is now. */
export async function measurePublished({ count }) {
  const rows = [];
  for (const how of [
    { title: 'a subject for each event, a window of two minutes', hasIds: true, windowMs: formerWindowMs },
    { title: 'subjects without ids, a window of two minutes', hasIds: false, windowMs: formerWindowMs },
    { title: 'as it is: subjects without ids, a window of a second', hasIds: false },
  ])
    rows.push(await measure({ ...how, count }));
  return rows;
}

const inMebibytes = (bytes) => Math.round(bytes / mebibyte);

export const publishedTable = (rows) =>
  [
    `nats-server ${rows[0].version}, ${rows[0].count.toLocaleString('en')} events, its resident memory in MiB:`,
    '',
    '| The stream | empty | all published | three minutes later | after a restart | bytes of disk an event |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(({ title, count, empty, published, settled, restarted, bytes }) => {
      const cells = [empty, published, settled, restarted].map(inMebibytes);
      return `| ${[title, ...cells, Math.round(bytes / count)].join(' | ')} |`;
    }),
  ].join('\n');
