// node tools/recover.mjs --webhook=whk_… (--delivery=whd_… | --since=2026-11-20T09:00:00Z): sends one delivery of a
// reply webhook once more, or all that failed or were given up since a time, each with the `webhook-id` that it has.
// For who operates the installation; an account's owner has the same in the Session API.
import { Webhooks } from '@carillon/contracts';
import { runProgram } from './command-line';
import { asOperator } from './operator';
import { recoverOptions } from './recover-options';

const usage = 'usage: node tools/recover.mjs --webhook=whk_… (--delivery=whd_… | --since=<RFC 3339 time>)';

await runProgram(usage, async () => {
  const { id, ...which } = recoverOptions(process.argv.slice(2));
  await asOperator('carillon recover', async (ask) => {
    if ('deliveryId' in which) {
      const { delivery } = await ask(Webhooks.resend, { id, deliveryId: which.deliveryId });
      console.log(`${delivery.id}: to be sent once more after ${delivery.attempts} attempts`);
      return;
    }
    let total = 0;
    for (let more = true; more;) {
      const answer = await ask(Webhooks.recover, { id, since: which.since });
      total += answer.recovered;
      more = answer.more && answer.recovered > 0;
    }
    console.log(`${id}: ${total} deliveries to be sent once more`);
  });
});
