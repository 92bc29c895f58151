// node tools/recover.mjs --webhook=whk_… (--delivery=whd_… | --since=2026-11-20T09:00:00Z): sends one delivery of a reply
// webhook once more, or all that failed or were given up since a time, each with the `webhook-id` that it has. For who
// operates the installation; an account's owner has the same in the Session API. Takes NATS_URL and CARILLON_CALLER_KEY
// from the environment, else those of the standalone that runs on CARILLON_DATA.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installDependencies, root } from './setup.mjs';

const usage = 'usage: node tools/recover.mjs --webhook=whk_… (--delivery=whd_… | --since=<RFC 3339 time>)';
const { webhook: id, delivery: deliveryId, since: given } = readOptions();
const since = given === undefined ? undefined : timeOf(given);
await installDependencies();
await (await import('./build.mjs')).build();

const timeoutMs = 30_000;
findParts();
const { Bus } = await import('../dist/libs/bus/src/index.js');
const { Webhooks } = await import('../dist/libs/contracts/src/index.js');
const bus = await Bus.open(undefined, 'carillon recover').catch((error) => {
  console.error(`Not done: ${error.message}`);
  process.exit(1);
});
try {
  if (deliveryId) {
    const { delivery } = await ask(Webhooks.resend, { id, deliveryId });
    console.log(`${delivery.id}: to be sent once more after ${delivery.attempts} attempts`);
  } else {
    let total = 0;
    for (let more = true; more;) {
      const answer = await ask(Webhooks.recover, { id, since });
      total += answer.recovered;
      more = answer.more && answer.recovered > 0;
    }
    console.log(`${id}: ${total} deliveries to be sent once more`);
  }
} catch (error) {
  console.error(`Not done: ${error.reason ?? error.message}`);
  process.exitCode = 1;
} finally {
  await bus.close();
}

async function ask(contract, input) {
  const commandId = randomUUID();
  const { value } = await bus.ask(contract, input, {
    commandId,
    correlationId: commandId,
    caller: { accountId: '', process: 'operator' },
    deadline: Date.now() + timeoutMs,
  });
  return value;
}

function readOptions() {
  try {
    const options = { webhook: { type: 'string' }, delivery: { type: 'string' }, since: { type: 'string' } };
    const { values } = parseArgs({ options });
    if (values.webhook && Boolean(values.delivery) !== Boolean(values.since)) return values;
  } catch (error) {
    console.error(error.message);
  }
  console.error(usage);
  process.exit(2);
}

function timeOf(text) {
  const at = new Date(text);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  console.error(`"${text}" is no time. ${usage}`);
  process.exit(2);
}

function findParts() {
  if (process.env.NATS_URL || process.env.NATS_URL_FILE) return;
  const data = process.env.CARILLON_DATA ?? join(root, '.carillon');
  try {
    const read = (file) => JSON.parse(readFileSync(join(data, file), 'utf8'));
    process.env.NATS_URL = read('standalone.json').natsUrl;
    process.env.CARILLON_CALLER_KEY ??= read('secrets.json').callerKey;
  } catch {
    console.error(`No standalone runs on ${data}, and NATS_URL is not set.`);
    process.exit(1);
  }
}
