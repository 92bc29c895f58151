// node tools/recover.mjs --webhook=whk_… (--delivery=whd_… | --since=2026-11-20T09:00:00Z): sends one delivery of a reply
// webhook once more, or all that failed or were given up since a time, each with the `webhook-id` that it has. For who
// operates the installation; an account's owner has the same in the Session API.
import { parseArgs } from 'node:util';
import { asOperator } from './operator.mjs';

const usage = 'usage: node tools/recover.mjs --webhook=whk_… (--delivery=whd_… | --since=<RFC 3339 time>)';
const { webhook: id, delivery: deliveryId, since: given } = readOptions();
const since = given === undefined ? undefined : timeOf(given);

await asOperator('carillon recover', async (ask, { Webhooks }) => {
  if (deliveryId) {
    const { delivery } = await ask(Webhooks.resend, { id, deliveryId });
    console.log(`${delivery.id}: to be sent once more after ${delivery.attempts} attempts`);
    return;
  }
  let total = 0;
  for (let more = true; more;) {
    const answer = await ask(Webhooks.recover, { id, since });
    total += answer.recovered;
    more = answer.more && answer.recovered > 0;
  }
  console.log(`${id}: ${total} deliveries to be sent once more`);
});

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
