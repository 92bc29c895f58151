// The rows of the benchmark beside the echo route, in turns with it.
import { setTimeout as sleep } from 'node:timers/promises';
import { showActivities } from './bench-activities.mjs';
import { comparing } from './bench-compare.mjs';
import { ratesTable } from './bench-table.mjs';
import { tasksOf } from './bench-works.mjs';

/** Measures all of them. `phoneless` is the token of an account without a device. */
export async function measureRates({
  house,
  call,
  database,
  phoneless,
  phonelessAccount,
  autocannon,
  rounds,
  seconds,
  clients,
  rows,
}) {
  const { state } = house;
  const works = tasksOf({ state, phoneless });
  for (const name of ['echo', 'send', 'push'])
    works[`${name}Alone`] = { ...works[name], title: `${works[name].title}, one client alone`, clients: 1 };

  const compare = await comparing({ house, autocannon, rounds, seconds, clients }, works);
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

  const results = await compare(['echo', 'send', 'push']);
  const alone = await compare(['echoAlone', 'sendAlone', 'pushAlone'], 'echoAlone');
  const sentBefore = await activities.pushes();
  const [, updated] = await compare(['echoShown', 'update'], 'echoShown');
  const pushesEach = ((await activities.pushes()) - sentBefore) / updated.total;
  await sleep(3_000);
  const lane = await activities.latency();
  await fill(10_000);
  const [, small] = await compare(['echo', 'inbox']);
  await fill(rows);
  const [, large] = await compare(['echo', 'inbox']);
  return ratesTable({ results, alone, small, large, rows, updated, pushesEach, lane });
}
