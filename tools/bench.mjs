// npm run bench: starts a standalone of its own and measures it beside an echo route through the same gateway and
// bus, in turns, so that the ratios hold while the machine's speed drifts. Writes docs/benchmarks.md with --write.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectorTable, measureConnector } from './bench-connector.mjs';
import { escalationTable, measureEscalation } from './bench-escalation.mjs';
import { houseTable, idleBytes, measureLog } from './bench-log.mjs';
import { measureNeighbour, neighbourTable } from './bench-neighbour.mjs';
import { measureWaits, waitsTable } from './bench-waits.mjs';
import { installDependencies, root } from './setup.mjs';

const option = (name, fallback) => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given ? Number(given.split('=')[1]) : fallback;
};
const rounds = option('rounds', 5);
const seconds = option('seconds', 4);
const clients = option('clients', 64);
const rows = option('rows', 1_000_000);
const waits = option('waits', 5_000);
const events = option('events', 1_000_000);
/** `--only=rates`, `waits`, `log`, `neighbour`, `escalation` or `connector` leaves the other tables out. */
const only = process.argv.find((argument) => argument.startsWith('--only='))?.split('=')[1];
const wanted = (table) => only === undefined || only === table;
const neighbourSeconds = option('neighbour', 60);
const pages = option('pages', 10_000);
const pageMinutes = option('minutes', 4);

await installDependencies();
await (await import('./build.mjs')).build();
const { default: autocannon } = await import('autocannon');
const { default: pg } = await import('pg');

const page = join(root, 'docs/benchmarks.md');
const where = `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, everything and the load generator on this machine.`;
const write = (mark, ...lines) => {
  const section = [`<!-- ${mark} -->`, ...lines, `<!-- /${mark} -->`].join('\n');
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(new RegExp(`<!-- ${mark} -->[\\s\\S]*<!-- /${mark} -->`), () => section),
  );
};
const makeNeat = async () => {
  const { format, resolveConfig } = await import('prettier');
  const style = { ...(await resolveConfig(page)), filepath: page };
  writeFileSync(page, await format(readFileSync(page, 'utf8'), style));
};

if (wanted('neighbour')) {
  const table = neighbourTable(await measureNeighbour({ seconds: neighbourSeconds }));
  console.log(`\n${table}\n`);
  if (process.argv.includes('--write')) {
    const command = `\`npm run bench -- --only=neighbour --neighbour=${neighbourSeconds}\``;
    write('neighbour', where, command, '', table);
    await makeNeat();
  }
  if (only === 'neighbour') process.exit();
}

if (wanted('escalation')) {
  const table = escalationTable(await measureEscalation({ pages, minutes: pageMinutes }));
  console.log(`\n${table}\n`);
  if (process.argv.includes('--write')) {
    const command = `\`npm run bench -- --only=escalation --pages=${pages} --minutes=${pageMinutes}\``;
    write('escalation', where, command, '', table);
    await makeNeat();
  }
  if (only === 'escalation') process.exit();
}

if (wanted('connector')) {
  const table = connectorTable(await measureConnector({ rounds, seconds, clients, autocannon }));
  console.log(`\n${table}\n`);
  if (process.argv.includes('--write')) {
    const command = `\`npm run bench -- --only=connector --rounds=${rounds} --seconds=${seconds} --clients=${clients}\``;
    write('connector', where, command, '', table);
    await makeNeat();
  }
  if (only === 'connector') process.exit();
}

const data = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
const unlimited = '1000000';
const shared = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  CARILLON_PEPPER: randomBytes(32).toString('base64'),
  CARILLON_CALLER_KEY: randomBytes(32).toString('base64'),
  CARILLON_ACCOUNT_PER_MINUTE: unlimited,
  CARILLON_TOKEN_REQUESTS_PER_MINUTE: unlimited,
  CARILLON_ACCOUNT_REQUESTS_PER_MINUTE: unlimited,
  CARILLON_SESSION_REQUESTS_PER_MINUTE: unlimited,
  CARILLON_PUBLIC_REQUESTS_PER_MINUTE: unlimited,
  CARILLON_SIGNUPS_PER_HOUR: unlimited,
  CARILLON_WAITS_PER_TOKEN: unlimited,
};
const house = spawn(process.execPath, [join(root, 'dist/apps/standalone/src/main.js')], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    ...shared,
    PORT: '0',
    SIMULATOR_PORT: '0',
    CARILLON_DATA: data,
    CARILLON_BENCH: '1',
  },
});
const started = Date.now();
let state;
while (!state) {
  if (house.exitCode !== null) throw new Error('The standalone did not start');
  await sleep(100);
  try {
    state = JSON.parse(readFileSync(join(data, 'standalone.json'), 'utf8'));
  } catch {
    // Not ready yet.
  }
}
const readySeconds = (Date.now() - started) / 1000;

try {
  const bytes = wanted('log') ? await idleBytes(house.pid, data) : undefined;
  const call = async (method, path, body, bearer) => {
    const response = await fetch(`${state.baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };

  // A second account, which has no phone.
  const person = { email: 'bench@example.test', password: 'a long enough password' };
  await call('POST', '/api/session/signup', { ...person, name: 'Bench', client: 'app' });
  const { accessToken } = await call('POST', '/api/session/login/password', { ...person, client: 'app' });
  const { token, secret: phoneless } = await call(
    'POST',
    '/api/session/tokens',
    {
      name: 'bench',
      scopes: ['notifications:send', 'inbox:read', 'interactions:create', 'interactions:read'],
    },
    accessToken,
  );
  const database = new pg.Client({ connectionString: state.databaseUrl });
  await database.connect();
  const accountOf = async (tokenId) =>
    (await database.query('SELECT account_id FROM accounts.tokens WHERE token_id = $1', [tokenId])).rows[0]
      .account_id;
  const phonelessAccount = await accountOf(token.id);

  const body = JSON.stringify({ title: 'Build finished', body: 'main is green', projectId: 'bench' });
  const works = {
    echo: {
      title: 'echo through gateway and bus',
      method: 'POST',
      path: '/api/agent/bench/echo',
      body,
      bearer: phoneless,
    },
    send: {
      title: 'POST /notifications, no device',
      method: 'POST',
      path: '/api/agent/notifications',
      body,
      bearer: phoneless,
    },
    push: {
      title: 'POST /notifications, two phones',
      method: 'POST',
      path: '/api/agent/notifications',
      body,
      bearer: state.apiToken,
    },
    inbox: {
      title: 'GET /inbox/notifications?limit=20',
      method: 'GET',
      path: '/api/agent/inbox/notifications?limit=20',
      bearer: phoneless,
    },
  };
  const run = async (work, duration = seconds) => {
    const result = await autocannon({
      url: `${state.baseUrl}${work.path ?? ''}`,
      connections: clients,
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
    return {
      rate: result.requests.total / result.duration,
      p50: result.latency.p50,
      p99: result.latency.p99,
      total: result.requests.total,
    };
  };
  const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
  const compare = async (names, ceiling = 'echo') => {
    const warmUp = {};
    for (const name of names) warmUp[name] = (await run(works[name], 2)).total;
    const seen = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const name of names) seen[name].push(await run(works[name]));
    return names.map((name) => ({
      title: works[name].title,
      rate: median(seen[name].map((r) => r.rate)),
      p50: median(seen[name].map((r) => r.p50)),
      p99: median(seen[name].map((r) => r.p99)),
      ratio: median(seen[name].map((r, index) => r.rate / seen[ceiling][index].rate)),
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

  const line = ({ title, rate, p50, p99, ratio }, note = '') =>
    `| ${title}${note} | ${rate.toFixed(0)} | ${p50} | ${p99} | ${ratio.toFixed(2)} |`;
  /** The rows beside the echo route. */
  const measureRates = async () => {
    // A third account: 20 phones with 5 live activities each, which is as many as they can show.
    const shower = { email: 'activities@example.test', password: 'a long enough password' };
    await call('POST', '/api/session/signup', { ...shower, name: 'Activities', client: 'app' });
    const signedIn = await call('POST', '/api/session/login/password', { ...shower, client: 'app' });
    const { secret: showing } = await call(
      'POST',
      '/api/session/tokens',
      { name: 'bench', scopes: ['notifications:send', 'activities:write', 'activities:read'] },
      signedIn.accessToken,
    );
    const toSimulator = async (method, path, given) =>
      (
        await fetch(`${state.simulatorUrl}${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          body: given && JSON.stringify(given),
        })
      ).json();
    const shownOn = [];
    const updates = [];
    for (let each = 0; each < 20; each += 1) {
      const { accessToken: access, refreshToken } = await call('POST', '/api/session/login/password', {
        ...shower,
        client: 'app',
      });
      const { phone } = await toSimulator('POST', '/phones', {
        platform: 'android',
        pair: { baseUrl: state.baseUrl, accessToken: access, refreshToken },
      });
      shownOn.push(phone);
      for (let slot = 0; slot < 5; slot += 1) {
        const { activity } = await call(
          'POST',
          '/api/agent/activities',
          {
            props: { title: `Build ${each}.${slot}`, layout: 'ring', progress: 0 },
            deviceIds: [phone.deviceId],
          },
          showing,
        );
        updates.push(activity.id);
      }
    }
    works.echoShown = { ...works.echo, bearer: showing };
    works.update = {
      title: 'PATCH /activities, 100 activities in turn, a phone each',
      method: 'PATCH',
      bearer: showing,
      requests: updates.map((id, index) => ({
        method: 'PATCH',
        path: `/api/agent/activities/${id}`,
        body: JSON.stringify({ props: { progress: index / updates.length } }),
      })),
    };
    /** From the PATCH to the push provider, one at a time, each in another lane: one lane sends once a second. */
    const laneLatency = async () => {
      const taken = [];
      for (const [index, id] of updates.entries()) {
        const { id: phoneId } = shownOn[Math.floor(index / 5)];
        const { next } = await toSimulator('GET', `/phones/${phoneId}/received?after=0`);
        const asked = Date.now();
        const { activity } = await call(
          'PATCH',
          `/api/agent/activities/${id}`,
          { props: { progress: 1 } },
          showing,
        );
        for (let found; !found;) {
          const { received } = await toSimulator('GET', `/phones/${phoneId}/received?after=${next}`);
          found = received.find(
            ({ payload }) => payload.data?.activityId === id && Number(payload.data.seq) >= activity.sequence,
          );
          if (found) taken.push(Math.max(0, Date.parse(found.at) - asked));
          else if (Date.now() - asked > 30_000) throw new Error('An update did not reach the provider');
          else await sleep(2);
        }
      }
      const sorted = taken.sort((a, b) => a - b);
      return { p50: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] };
    };

    const results = await compare(['echo', 'send', 'push']);
    const sentBefore = (await toSimulator('GET', '/stats')).fcm.requests;
    const shownResults = await compare(['echoShown', 'update'], 'echoShown');
    const sentFor = (await toSimulator('GET', '/stats')).fcm.requests - sentBefore;
    await sleep(3_000);
    const lane = await laneLatency();
    await fill(10_000);
    const small = await compare(['echo', 'inbox']);
    await fill(rows);
    const large = await compare(['echo', 'inbox']);
    return [
      '| Work | requests/s | p50 ms | p99 ms | ratio to echo |',
      '|---|---|---|---|---|',
      ...results.map((result) => line(result)),
      line(small[1], ', 10 thousand rows'),
      line(large[1], `, ${rows.toLocaleString('en')} rows`),
      line(shownResults[1], `; ${(sentFor / shownResults[1].total).toFixed(2)} pushes an update`),
      `| PATCH /activities to the push provider, one at a time | | ${lane.p50} | ${lane.p99} | |`,
    ].join('\n');
  };

  const table = wanted('rates') ? await measureRates() : undefined;
  const waited =
    wanted('waits') &&
    (await measureWaits({
      count: waits,
      state,
      env: shared,
      call,
      agent: phoneless,
      person: accessToken,
    }));
  // Last: it makes the inbox anew, which takes away the rows that were written straight into its table.
  const log = wanted('log') && (await measureLog({ count: events, state, data, env: shared, database }));
  await database.end();

  if (table) console.log(`\n${table}`);
  if (waited) console.log(`\n${waitsTable(waited)}`);
  if (log) console.log(`\n${houseTable({ readySeconds, bytes, log })}`);
  console.log('');
  if (process.argv.includes('--write')) {
    const asked = `\`npm run bench -- --rounds=${rounds} --seconds=${seconds} --clients=${clients}\`; ready after ${readySeconds.toFixed(1)} s.`;
    if (table) write('measured', where, asked, '', table);
    if (waited)
      write('waits', where, `\`npm run bench -- --only=waits --waits=${waits}\``, '', waitsTable(waited));
    if (log)
      write(
        'house',
        where,
        `\`npm run bench -- --only=log --events=${events}\``,
        '',
        houseTable({ readySeconds, bytes, log }),
      );
    await makeNeat();
  }
} finally {
  house.kill('SIGTERM');
  await new Promise((resolve) => house.once('exit', resolve));
  rmSync(data, { recursive: true, force: true });
}
