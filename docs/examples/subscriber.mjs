// Reads Carillon's events from JetStream and prints each one once, as a line of JSON.
//
//   NATS_URL=nats://user:password@127.0.0.1:4222 node docs/examples/subscriber.mjs [name] [subjects]
//
// `name` is the durable consumer: the server remembers under it what you have read. `subjects` picks what you want,
// such as `evt.notifications.>`; without it you get all. docs/events.md and docs/asyncapi.yaml say what there is.
import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';

const stream = 'EVT';
const [name = 'example', subjects = 'evt.>'] = process.argv.slice(2);

// Every event comes at least once, and a stream that was lost is filled again from the log: then all events come again.
// The id of an event is the same each time. Here the newest ids are kept in memory; a program whose work must not
// happen twice keeps them in its own database, in the transaction that does the work.
const remembered = 100_000;
const seen = new Set();

function isNew(id) {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > remembered) seen.delete(seen.values().next().value);
  return true;
}

/** Your work. It is finished before the event is acknowledged, so that a crash in between brings the event again. */
async function handle(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

// The client takes addresses only, so the name and the password are taken out of the URL.
const { host, username, password } = new URL(process.env.NATS_URL ?? 'nats://127.0.0.1:4222');
const connection = await connect({
  servers: host,
  ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
  name,
  maxReconnectAttempts: -1,
  waitOnFirstConnect: true,
});

let stopping = false;
let repeats = 0;
let messages;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    stopping = true;
    messages?.stop();
    void connection.drain();
  });

// After an interruption the server may have come back without its store, and so without our consumer: create it again.
void (async () => {
  for await (const { type } of connection.status()) if (type === 'reconnect') messages?.stop();
})();

while (!stopping) {
  try {
    messages = await open();
    for await (const message of messages) {
      const event = message.json();
      if (isNew(event.id)) await handle(event);
      else repeats += 1;
      message.ack();
    }
  } catch (error) {
    // The stream is made by Carillon: it may not be there yet, or not again. Wait for it.
    if (!stopping) process.stderr.write(`${error.name}: ${error.message}; trying again\n`);
  }
  if (!stopping) await sleep(500);
}
process.stderr.write(`${JSON.stringify({ distinct: seen.size, repeats })}\n`);

/** Our durable consumer: found by its name, or created at the oldest event of the stream. */
async function open() {
  const manager = await jetstreamManager(connection);
  await manager.consumers.add(stream, {
    durable_name: name,
    filter_subject: subjects, // one filter as text: a list of them needs a server of 2.10 or later
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(30_000),
    max_ack_pending: 1_000,
  });
  const consumer = await jetstream(connection).consumers.get(stream, name);
  // Ends when the stream or the consumer is gone, instead of waiting for it for ever.
  return consumer.consume({ max_messages: 100, expires: 5_000, abort_on_missing_resource: true });
}
