// The rows of the benchmark beside the echo route and the yardstick, in turns with them.
import { setTimeout as sleep } from 'node:timers/promises';
import { showActivities } from './bench-activities.mjs';
import { comparing } from './bench-compare.mjs';
import { accountWithoutPhone, eachOf, upTo } from './bench-house.mjs';
import { ratesTable } from './bench-table.mjs';
import { tasksOf } from './bench-works.mjs';
import { startYardstick } from './bench-yardstick.mjs';

const manyAccounts = 64;

/** Measures all of them. `phoneless` is the token of an account without a device. */
export async function measureRates(how) {
  const yardstick = await startYardstick();
  try {
    return await measuredBeside(yardstick, how);
  } finally {
    await yardstick.stop();
  }
}

async function measuredBeside(
  yardstick,
  { house, call, database, phoneless, phonelessAccount, autocannon, rounds, seconds, clients, rows },
) {
  const { state } = house;
  const tokens = [];
  await eachOf(upTo(manyAccounts), 2, async (n) => {
    tokens.push((await accountWithoutPhone(call, `bench-${n}@example.test`)).secret);
  });
  const works = tasksOf({ state, phoneless, tokens });
  works.yardstick = { ...works.echo, title: 'the yardstick', house: yardstick, path: '/' };
  for (const name of ['yardstick', 'echo', 'send', 'push'])
    works[`${name}Alone`] = { ...works[name], title: `${works[name].title}, one client alone`, clients: 1 };

  const compared = await comparing({ house, autocannon, rounds, seconds, clients }, works);
  const compare = (names, ceiling = 'echo', yard = 'yardstick') =>
    compared([yard, ceiling, ...names], ceiling, yard);
  const fill = async (count) => {
    await database.query(
      `INSERT INTO read_models.inbox_items (account_id, item_id, subject_id, origin, project_id, source_name, title,
         preview, body, body_format, status, created_at)
       SELECT $1, 'notification:fill_' || n, 'fill_' || n, 'notification', 'p' || n % 20, 'Bench', 'Title ' || n,
         'A preview of what was sent', 'A body of what was sent', 'text', 'delivered', now() - n * interval '1 second'
       FROM generate_series((SELECT count(*) FROM read_models.inbox_items WHERE account_id = $1) + 1, $2) n`,
      [phonelessAccount, count],
    );
    await database.query('ANALYZE read_models.inbox_items');
  };

  const activities = await showActivities({ state, call });
  works.echoShown = { ...works.echo, bearer: activities.bearer };
  works.update = {
    title: 'PATCH /activities, 100 activities in turn, a phone each',
    method: 'PATCH',
    bearer: activities.bearer,
    requests: activities.updates,
  };

  const results = await compare(['send', 'sendOfMany', 'push']);
  const alone = await compare(['sendAlone', 'pushAlone'], 'echoAlone', 'yardstickAlone');
  const sentBefore = await activities.pushes();
  const [, , updated] = await compare(['update'], 'echoShown');
  const pushesEach = ((await activities.pushes()) - sentBefore) / updated.total;
  await sleep(3_000);
  const lane = await activities.latency();
  await fill(10_000);
  const [, , small] = await compare(['inbox']);
  await fill(rows);
  const [, , large] = await compare(['inbox']);
  return ratesTable({ results, alone, small, large, rows, updated, pushesEach, lane });
}
