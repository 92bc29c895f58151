// npm run bench: starts a standalone of its own and measures it beside an echo route through the same gateway and
// bus, in turns, so that the ratios hold while the machine's speed drifts. Writes docs/benchmarks.md with --write.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { appendsTable, measureAppends } from './bench-appends.mjs';
import { besideTable, measureBeside, measureProcesses } from './bench-beside.mjs';
import { clusterTable, measureCluster as measureReplicas } from './bench-cluster.mjs';
import { bystanderTable, measureBystander } from './bench-bystander.mjs';
import { consoleTable, measureConsole } from './bench-console.mjs';
import { connectorTable, measureConnector } from './bench-connector.mjs';
import { escalationTable, measureEscalation } from './bench-escalation.mjs';
import { grantsTable, measureGrants } from './bench-grants.mjs';
import { accountWithoutPhone, callerOf, startHouse } from './bench-house.mjs';
import { followTable, measureFollow } from './bench-follow.mjs';
import { houseTable, idleBytes, measureLog } from './bench-log.mjs';
import { measureTools, toolsTable } from './bench-mcp.mjs';
import { watched } from './bench-loop.mjs';
import { measureNeighbour, neighbourTable } from './bench-neighbour.mjs';
import { measureParts, partsTable } from './bench-parts.mjs';
import { measurePublished, publishedTable } from './bench-published.mjs';
import { measureRates } from './bench-rates.mjs';
import { measureReceivers, receiversTable } from './bench-receivers.mjs';
import { measureRestore, restoreTable } from './bench-restore.mjs';
import { measureAlone, measureCluster, scaleTables } from './bench-scale.mjs';
import { measureWaits, waitsTable } from './bench-waits.mjs';
import { measureWebPush, webPushTable } from './bench-web-push.mjs';
import { installDependencies, root } from '../tools/setup.mjs';

const usage = `npm run bench: starts a standalone of its own and measures it; half an hour for all tables.

  --only=<table>     rates, waits, log, neighbour, escalation or connector; the others are left out;
                     scale, parts, published, restore, follow, appends, bystander, beside, processes, receivers, cluster, tools, grants, web-push and
                     console are measured only so
  --beside=<folder>  of beside and bystander: another checkout, built, that is measured too
  --write            puts the tables into docs/benchmarks.md
  --rounds=5 --seconds=4 --clients=64    of rates, log, beside, processes, tools, grants and connector; rounds and seconds of appends; seconds of
                     scale and bystander; rounds of console
  --rows=1000000     in the inbox of rates
  --waits=5000  --events=1000000  --neighbour=60 (seconds)  --pages=10000 --minutes=4
  --answers=3000 --requests=3000    of receivers; 1000 requests of web-push, 200 of console
`;
const text = { type: 'string' };
const { values: given } = parseArgs({
  options: {
    ...Object.fromEntries(
      [
        'rounds',
        'seconds',
        'clients',
        'rows',
        'waits',
        'events',
        'neighbour',
        'pages',
        'minutes',
        'answers',
        'requests',
      ].map((name) => [name, text]),
    ),
    only: text,
    beside: text,
    write: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
if (given.help) {
  console.log(usage);
  process.exit();
}
const option = (name, fallback) => (given[name] === undefined ? fallback : Number(given[name]));
const rounds = option('rounds', 5);
const seconds = option('seconds', 4);
const clients = option('clients', 64);
const rows = option('rows', 1_000_000);
const waits = option('waits', 5_000);
const events = option('events', 1_000_000);
const { only } = given;
const wanted = (table) => only === undefined || only === table;
const neighbourSeconds = option('neighbour', 60);
const pages = option('pages', 10_000);
const pageMinutes = option('minutes', 4);

await installDependencies();
await (await import('../tools/build.mjs')).build();
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

/** Prints a table, and writes it with the command that made it. */
const report = async (mark, options, table) => {
  console.log(`\n${table}\n`);
  if (!given.write) return;
  write(mark, where, `\`npm run bench -- --only=${mark} ${options}\``, '', table);
  await makeNeat();
};

if (wanted('neighbour')) {
  const table = neighbourTable(await measureNeighbour({ seconds: neighbourSeconds }));
  await report('neighbour', `--neighbour=${neighbourSeconds}`, table);
  if (only === 'neighbour') process.exit();
}

if (wanted('escalation')) {
  const table = escalationTable(await measureEscalation({ pages, minutes: pageMinutes }));
  await report('escalation', `--pages=${pages} --minutes=${pageMinutes}`, table);
  if (only === 'escalation') process.exit();
}

if (wanted('connector')) {
  const table = connectorTable(await measureConnector({ rounds, seconds, clients, autocannon }));
  await report('connector', `--rounds=${rounds} --seconds=${seconds} --clients=${clients}`, table);
  if (only === 'connector') process.exit();
}

if (only === 'appends') {
  await report(
    'appends',
    `--rounds=${rounds} --seconds=${seconds}`,
    appendsTable(await measureAppends({ rounds, seconds })),
  );
  process.exit();
}

if (only === 'bystander') {
  const options = `${given.beside ? `--beside=${given.beside} ` : ''}--seconds=${seconds}`;
  const table = bystanderTable(await measureBystander({ folder: given.beside, seconds }));
  await report('bystander', options, table);
  process.exit();
}

if (only === 'published') {
  const table = publishedTable(await measurePublished({ count: events }));
  await report('published', `--events=${events}`, table);
  process.exit();
}

const unlimited = '1000000';
const shared = {
  NODE_ENV: 'production',
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
if (only === 'scale') {
  const how = { env: shared, seconds, autocannon };
  const measured = { alone: await measureAlone(how), cluster: await measureCluster(how) };
  await report('scale', `--seconds=${seconds}`, scaleTables(measured));
  process.exit();
}
if (only === 'parts') {
  const how = { env: { ...shared, LOG_LEVEL: 'warn' }, clients, autocannon };
  await report('parts', `--clients=${clients}`, partsTable(await measureParts(how)));
  process.exit();
}
if (only === 'beside') {
  const how = { folder: given.beside, env: shared, rounds, seconds, clients, autocannon };
  const options = `--beside=${given.beside} --rounds=${rounds} --seconds=${seconds} --clients=${clients}`;
  await report('beside', options, besideTable(await measureBeside(how)));
  process.exit();
}
if (only === 'processes') {
  const how = { env: shared, rounds, seconds, clients, autocannon };
  const options = `--rounds=${rounds} --seconds=${seconds} --clients=${clients}`;
  await report('processes', options, besideTable(await measureProcesses(how), 'processes'));
  process.exit();
}
if (only === 'tools') {
  const how = { env: shared, rounds, seconds, clients, autocannon };
  const options = `--rounds=${rounds} --seconds=${seconds} --clients=${clients}`;
  await report('tools', options, toolsTable(await measureTools(how)));
  process.exit();
}
if (only === 'grants') {
  const how = { env: shared, rounds, seconds, clients, autocannon };
  const options = `--rounds=${rounds} --seconds=${seconds} --clients=${clients}`;
  await report('grants', options, grantsTable(await measureGrants(how)));
  process.exit();
}
if (only === 'receivers') {
  const how = { env: shared, answers: option('answers', 3_000), requests: option('requests', 3_000) };
  const table = receiversTable(await measureReceivers(how));
  await report('receivers', `--answers=${how.answers} --requests=${how.requests}`, table);
  process.exit();
}
if (only === 'web-push') {
  const how = { rounds, requests: option('requests', 1_000), env: shared };
  const options = `--rounds=${rounds} --requests=${how.requests}`;
  await report('web-push', options, webPushTable(await measureWebPush(how)));
  process.exit();
}
if (only === 'console') {
  const how = { rounds, requests: option('requests', 200), env: shared };
  const options = `--rounds=${rounds} --requests=${how.requests}`;
  await report('console', options, consoleTable(await measureConsole(how)));
  process.exit();
}
if (only === 'cluster') {
  const count = option('events', 8_000);
  await report('cluster', `--events=${count}`, clusterTable(await measureReplicas({ count, env: shared })));
  process.exit();
}
if (only === 'follow') {
  const count = option('events', 20_000);
  const table = followTable(await measureFollow({ count, env: shared }));
  await report('follow', `--events=${count}`, table);
  process.exit();
}
if (only === 'restore') {
  const table = restoreTable(await measureRestore({ count: events, env: shared }));
  await report('restore', `--events=${events}`, table);
  process.exit();
}

const { folder: watchedIn, env: watching } = watched();
const house = {
  ...(await startHouse({ ...shared, ...watching, LOG_LEVEL: 'warn', CARILLON_BENCH: '1' })),
  watchedIn,
};
const { state, data, readySeconds } = house;

try {
  const bytes = wanted('log') ? await idleBytes(house.pid, data) : undefined;
  const call = callerOf(state);
  const { accessToken, tokenId, secret: phoneless } = await accountWithoutPhone(call);
  const database = new pg.Client({ connectionString: state.databaseUrl });
  await database.connect();
  const phonelessAccount = (
    await database.query('SELECT account_id FROM accounts.tokens WHERE token_id = $1', [tokenId])
  ).rows[0].account_id;

  const table =
    wanted('rates') &&
    (await measureRates({
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
    }));
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
  // Last: it rebuilds the inbox, which removes the rows that were written straight into its table.
  const log =
    wanted('log') &&
    (await measureLog({
      count: events,
      house,
      phoneless,
      env: shared,
      database,
      autocannon,
      rounds,
      seconds,
      clients,
    }));
  await database.end();

  if (table) console.log(`\n${table}`);
  if (waited) console.log(`\n${waitsTable(waited)}`);
  if (log) console.log(`\n${houseTable({ readySeconds, bytes, log })}`);
  console.log('');
  if (given.write) {
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
  await house.stop();
  rmSync(watchedIn, { recursive: true, force: true });
}
