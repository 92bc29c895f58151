// The rows of the benchmark beside the echo route, in turns with it.
import { setTimeout as sleep } from 'node:timers/promises';
import { showActivities } from './bench-activities.mjs';
import { cpuOfEach, idleCpu, untilQuiet, usedCpu } from './bench-cpu.mjs';
import { ratesTable } from './bench-table.mjs';

const warmUpSeconds = 2;

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

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
  const body = JSON.stringify({ title: 'Build finished', body: 'main is green', projectId: 'bench' });
  const post = (title, path, bearer, more = {}) => ({ title, method: 'POST', path, body, bearer, ...more });
  const works = {
    echo: post('echo through gateway and bus', '/api/agent/bench/echo', phoneless),
    send: post('POST /notifications, no device', '/api/agent/notifications', phoneless),
    push: post('POST /notifications, two phones', '/api/agent/notifications', state.apiToken),
    inbox: {
      title: 'GET /inbox/notifications?limit=20',
      method: 'GET',
      path: '/api/agent/inbox/notifications?limit=20',
      bearer: phoneless,
    },
  };
  for (const name of ['echo', 'send', 'push'])
    works[`${name}Alone`] = { ...works[name], title: `${works[name].title}, one client alone`, clients: 1 };

  const idle = await idleCpu(house);
  /** Until all of it has been done, which its CPU time counts. */
  const run = async (work, duration = seconds) => {
    const before = usedCpu(house);
    const result = await autocannon({
      url: `${state.baseUrl}${work.path ?? ''}`,
      connections: work.clients ?? clients,
      duration,
      method: work.method,
      ...(work.requests && { requests: work.requests }),
      headers: {
        authorization: `Bearer ${work.bearer}`,
        ...((work.body || work.requests) && { 'content-type': 'application/json' }),
      },
      ...(work.body && { body: work.body }),
    });
    const failed = result.non2xx + result.errors + result.timeouts;
    if (failed > 0) throw new Error(`${work.title}: ${failed} of ${result.requests.total} failed`);
    await untilQuiet(house);
    const { total } = result.requests;
    return {
      rate: total / result.duration,
      p50: result.latency.p50,
      p99: result.latency.p99,
      total,
      cpu: cpuOfEach(before, usedCpu(house), total, idle),
    };
  };
  const middle = (seen) =>
    seen[0].cpu &&
    Object.fromEntries(
      Object.keys(seen[0].cpu).map((part) => [part, median(seen.map(({ cpu }) => cpu[part]))]),
    );
  const compare = async (names, ceiling = 'echo') => {
    const warmUp = {};
    for (const name of names) warmUp[name] = (await run(works[name], warmUpSeconds)).total;
    const seen = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const name of names) seen[name].push(await run(works[name]));
    return names.map((name) => ({
      title: works[name].title,
      rate: median(seen[name].map((each) => each.rate)),
      p50: median(seen[name].map((each) => each.p50)),
      p99: median(seen[name].map((each) => each.p99)),
      ratio: median(seen[name].map((each, index) => each.rate / seen[ceiling][index].rate)),
      cpu: middle(seen[name]),
      cpuRatio:
        seen[name][0].cpu &&
        median(seen[name].map((each, index) => each.cpu.all / seen[ceiling][index].cpu.all)),
      total: seen[name].reduce((sum, { total }) => sum + total, warmUp[name]),
    }));
  };
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
