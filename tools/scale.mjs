// node tools/scale.mjs: what so many sends a second need, reckoned from what was measured; docs/scale.md says what
// follows. First the model of one machine is held against what was seen there: it knows what each part costs, with one
// client and with the most, and has to find rates, times and all that lies between.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** CPU milliseconds a request, by part. */
const cpu = (main, store, nats, postgres, simulator, generator) => ({
  main,
  store,
  nats,
  postgres,
  simulator,
  generator,
});

/**
 * All that goes in, and where each was measured; what was not says why it is taken for what it is. `echo` is a question
 * through gateway and bus that does nothing, `send` a notification without a device, `push` one to two phones, their
 * receipts included.
 */
export const inputs = {
  machine: {
    // docs/benchmarks.md, "measured", with one client and with 64: main, event store, NATS, Postgres. Simulator and load
    // generator: "Scale".
    cores: 2,
    cpu: {
      echo: { 1: cpu(0.95, 0, 0.33, 0.15, 0, 0.13), 64: cpu(0.16, 0, 0.02, 0.01, 0, 0.03) },
      send: { 1: cpu(2.73, 0.67, 0.69, 0.71, 0, 0.13), 64: cpu(1.08, 0.32, 0.12, 0.14, 0, 0.09) },
      push: { 1: cpu(6.4, 1.34, 0.86, 2.24, 1.7, 0.22), 64: cpu(3.48, 0.77, 0.23, 0.64, 0.72, 0.14) },
    },
    // Of the run for "Scale". It makes an append late, and all that wait share it.
    flushMs: 0.23,
  },
  cluster: {
    // docs/benchmarks.md, "Scale": CPU milliseconds a request of both processes of each program, 64 clients.
    programs: {
      gateway: { send: [0.41, 0.43], push: [0.87, 0.9] },
      accounts: { send: [0.48, 0.45], push: [0.79, 0.91] },
      activities: { send: [0.31, 0.26], push: [0.45, 0.52] },
      connectors: { send: [0.32, 0.28], push: [0.45, 0.45] },
      interactions: { send: [0.27, 0.3], push: [0.57, 0.53] },
      notifications: { send: [0.68, 0.69], push: [1.12, 1.16] },
      push: { send: [0.46, 0.48], push: [2.54, 0.72] },
      'read-models': { send: [0.59, 0.28], push: [1.04, 0.52] },
      teams: { send: [0.3, 0.32], push: [0.76, 0.58] },
      webhooks: { send: [0.3, 0.31], push: [0.46, 0.51] },
    },
    // Those that a send does not concern.
    idlePrograms: ['activities', 'connectors', 'interactions', 'teams', 'webhooks'],
    // Of one event when many come at once: docs/benchmarks.md, "house", 13,221 events/s of the log read, opened and applied
    // to the inbox. Who applies none of them uses less.
    followMs: 0.076,
    each: {
      // Events and messages: apps/standalone/src/costs/costs.json. What is left in the stores: docs/benchmarks.md, "Scale";
      // a push has two receipts of 610 bytes beside its own events of 1,665, as its phones are not those of all others.
      send: { events: 1, messages: 9, phones: 0, transactions: 2.1, logBytes: 873, rowBytes: 1831 },
      push: { events: 4, messages: 25, phones: 2, transactions: 3.9, logBytes: 2885, rowBytes: 3999 },
    },
    // Beside the pool of each process: one for locks, one for the ownership of work, at most one for short reads
    // (libs/event-store/src/locks.ts, owner.ts, pipeline.ts).
    connectionsBeside: 3,
    // apps/push/src/transport/fcm.ts
    placesToGoogle: 64,
  },
  assumed: {
    useAtMost: { value: 0.7, why: 'what waits grows beyond it, and one of several may go' },
    appends: {
      value: 15_000,
      why: 'what the makers of EventStoreDB showed at its launch (2012, over TCP): speakerdeck.com/eventstore/event-store-launch; not measured here, and a leader that waits for a majority and real disks may do less',
    },
    reads: { value: 50_000, why: 'from the same page; what follows is read by each process for itself' },
    natsCores: {
      value: 4,
      why: 'one server of the three: they pass on to each other what comes to the wrong one',
    },
    postgresCores: { value: 16, why: 'one primary on a machine of a usual size; a cell has one' },
    googleMs: { value: 100, why: 'a provider over the network; only stand-ins were measured' },
    copies: { value: 3, why: 'a log cluster of three' },
    pool: { value: 8, why: 'CARILLON_DB_POOL unless set (docs/settings.md)' },
  },
};

/** Requests a second, and milliseconds in the middle and at p99, from where `inputs.machine` is. The model does not look at it. */
const seen = {
  echo: { 1: { rate: 732, p50: 1, p99: 4 }, 64: { rate: 6374, p50: 9, p99: 20 } },
  send: { 1: { rate: 214, p50: 4, p99: 11 }, 64: { rate: 917, p50: 67, p99: 103 } },
  push: { 1: { rate: 92, p50: 10, p99: 25 }, 64: { rate: 286, p50: 217, p99: 267 } },
};

/**
 * The way of a request from part to part; behind the line what is done after the answer. As docs/architecture.md tells
 * it, and as many messages as apps/standalone/src/costs/costs.json counts.
 */
const counted = 'generator main nats main postgres main nats main';
const decided = `${counted} nats main nats main postgres main nats main store main`;
const routes = {
  echo: `${counted} nats main nats main generator`,
  send: `${decided} nats main generator | store main postgres main nats main`,
  push:
    `${decided} store main postgres main simulator main store main nats main nats main generator ` +
    '| store main postgres main nats main simulator main nats main store main postgres main',
};

/** Numbers between 0 and 1, the same in each run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 2 ** 32;
  };
}

/**
 * One machine: `clients` that each ask again as soon as they have their answer. A part is a thread that takes all that
 * waits for it in one turn, and gives it on when the turn is over (ADR 43); the store then waits for its flush (ADR 42).
 * Postgres has a process for each connection. All threads that have something to do share the cores.
 */
function simulate({ route, clients, costs, cores, flushMs, hopMs, requests = 3_000 }) {
  const random = numbers(7);
  const steps = routes[route].split(' ');
  const answered = steps.indexOf('|');
  const way = steps.filter((step) => step !== '|');
  const end = answered < 0 ? way.length : answered;
  const waiting = Object.fromEntries(way.map((part) => [part, []]));
  const held = new Set();
  const turns = new Set();
  const later = [];
  const count = Object.fromEntries(way.map((part) => [part, { turns: 0, visits: 0, busyMs: 0 }]));
  const times = [];
  let now = 0;
  let done = 0;
  let measuredFrom = 0;

  const arrive = (part, job) => {
    waiting[part].push(job);
    begin(part);
  };
  const begin = (part) => {
    const isMany = part === 'postgres';
    if (waiting[part].length === 0 || (!isMany && held.has(part))) return;
    const jobs = isMany ? [waiting[part].shift()] : waiting[part].splice(0);
    held.add(part);
    const { turn, visit } = costs[part];
    const left = jobs.reduce((sum) => sum - Math.log(random()) * visit, turn);
    turns.add({ part, jobs, left });
    count[part].turns += 1;
    count[part].visits += jobs.length;
    count[part].busyMs += left;
  };
  const goOn = (job) => {
    job.step += 1;
    if (job.step === end) {
      done += 1;
      if (done === Math.ceil(requests / 5)) measuredFrom = now;
      if (done > requests / 5) times.push(now - job.from);
      if (done < requests) later.push({ at: now, run: () => ask() });
    }
    if (job.step < way.length) {
      const part = way[job.step];
      later.push({ at: now + hopMs, run: () => arrive(part, job) });
    }
  };
  const ask = () => arrive(way[0], { step: 0, from: now });
  for (let client = 0; client < clients; client += 1) ask();

  while (done < requests) {
    const share = Math.min(1, cores / turns.size);
    const next = Math.min(...later.map(({ at }) => at), ...[...turns].map(({ left }) => now + left / share));
    for (const turn of turns) turn.left -= (next - now) * share;
    now = next;
    for (const turn of [...turns].filter(({ left }) => left < 1e-9)) {
      turns.delete(turn);
      const free = () => {
        held.delete(turn.part);
        turn.jobs.forEach(goOn);
        begin(turn.part);
      };
      if (turn.part === 'store') later.push({ at: now + flushMs, run: free });
      else free();
    }
    const due = later.filter(({ at }) => at <= now);
    for (const each of due) later.splice(later.indexOf(each), 1);
    for (const { run } of due) run();
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)];
  return {
    rate: (1000 * times.length) / (now - measuredFrom),
    p50: at(0.5),
    p99: at(0.99),
    mean: times.reduce((sum, each) => sum + each, 0) / times.length,
    together: Object.fromEntries(way.map((part) => [part, count[part].visits / count[part].turns])),
    use: Object.fromEntries(way.map((part) => [part, count[part].busyMs / now])),
  };
}

/**
 * What a turn of each part costs, and each visit in it, so that a request costs what was measured with one client and
 * with the most: how many visits share a turn is found by trying.
 */
function costsOf(route, { cores, flushMs, hopMs, measured }) {
  const visits = {};
  for (const step of routes[route].split(' ')) if (step !== '|') visits[step] = (visits[step] ?? 0) + 1;
  const parts = Object.keys(visits);
  const [few, most] = Object.keys(measured).map(Number);
  let together = { [few]: {}, [most]: {} };
  let costs;
  for (let round = 0; round < 6; round += 1) {
    costs = Object.fromEntries(
      parts.map((part) => {
        const [alone, withMany] = [few, most].map((clients) => measured[clients][part] / visits[part]);
        const [turnsAlone, turnsMany] = [few, most].map(
          (clients) => 1 / (together[clients][part] ?? (clients === few ? 1 : 4)),
        );
        const shared = turnsAlone - turnsMany;
        const turn =
          shared < 0.05 ? 0 : Math.min(Math.max(0, (alone - withMany) / shared), alone / turnsAlone);
        return [part, { turn, visit: Math.max(0, withMany - turn * turnsMany) }];
      }),
    );
    together = Object.fromEntries(
      [few, most].map((clients) => [
        clients,
        simulate({ route, clients, costs, cores, flushMs, hopMs, requests: 1_000 }).together,
      ]),
    );
  }
  return costs;
}

/** By how much what is found may lie beside what was seen: docs/scale.md says where it does. */
export const within = { rate: 0.25, p50: 0.5 };

/** How well the model finds what was seen on one machine: a row for each work and number of clients. */
export const heldAgainstSeen = () => (held ??= holdAgainstSeen());

// Reckoned once: it takes seconds, and who asks twice is told the same.
let held;

function holdAgainstSeen() {
  const { cores, flushMs, cpu: measured } = inputs.machine;
  // What a message between two processes takes beside all work: what is left of the time of an echo to one client.
  const alone = { ...inputs.machine, hopMs: 0, requests: 1_000 };
  const echo = costsOf('echo', { ...alone, measured: measured.echo });
  const { mean } = simulate({ route: 'echo', clients: 1, costs: echo, ...alone });
  const hopMs = Math.max(0, 1000 / seen.echo[1].rate - mean) / (routes.echo.split(' ').length - 1);
  return Object.keys(routes).flatMap((route) => {
    const costs = costsOf(route, { cores, flushMs, hopMs, measured: measured[route] });
    return Object.entries(seen[route]).map(([clients, was]) => {
      const found = simulate({ route, clients: Number(clients), costs, cores, flushMs, hopMs });
      // Times are told in whole milliseconds.
      const off = (what) => (was[what] < 5 ? 0 : found[what] / was[what] - 1);
      return {
        route,
        clients: Number(clients),
        was,
        found,
        off: { rate: off('rate'), p50: off('p50') },
      };
    });
  });
}

/**
 * Milliseconds of CPU a request, of each program: to answer, shared by its replicas; to apply what it follows, in the
 * active one; to follow, in each. What they have to do at all is what a busy standalone uses, and who does how much of it
 * is seen in a cluster, where what idle programs use is subtracted as the cost of following one by one.
 */
function programsOf(work) {
  const { programs, idlePrograms, followMs, each } = inputs.cluster;
  const seenIn = Object.entries(programs).map(([name, costs]) => ({ name, costs: costs[work] }));
  const idle = seenIn.filter(({ name }) => idlePrograms.includes(name)).flatMap(({ costs }) => costs);
  const alone = idle.reduce((sum, cost) => sum + cost, 0) / idle.length;
  const own = seenIn.map(({ name, costs }) => {
    const [less, more] = costs.map((cost) => Math.max(0, cost - (name === 'gateway' ? 0 : alone)));
    return idlePrograms.includes(name)
      ? { name, answer: 0, apply: 0 }
      : {
          name,
          answer: name === 'gateway' ? less + more : 2 * Math.min(less, more),
          apply: name === 'gateway' ? 0 : Math.abs(less - more),
        };
  });
  const all = own.reduce((sum, { answer, apply }) => sum + answer + apply, 0);
  const follow = each[work].events * followMs;
  const scale = (inputs.machine.cpu[work][64].main - follow) / all;
  return own.map(({ name, answer, apply }) => ({
    name,
    follow: name === 'gateway' ? 0 : follow,
    apply: apply * scale,
    answer: answer * scale,
  }));
}

/** What one installation uses at a rate: of each program its replicas, of each part its share. */
export function installation(work, rate) {
  const { cluster, assumed } = inputs;
  const each = cluster.each[work];
  const most = assumed.useAtMost.value;
  const programs = programsOf(work).map(({ name, follow, apply, answer }) => {
    const inAll = (rate * answer) / 1000;
    const inActive = (rate * (follow + apply)) / 1000;
    // Of two, one can go: the other has all of it then.
    const replicas = Math.max(2, Math.ceil(inAll / Math.max(0.01, most - inActive)));
    return {
      name,
      replicas,
      use: inActive + inAll / replicas,
      cores: inAll + (rate * (apply + replicas * follow)) / 1000,
    };
  });
  const following = programs.filter(({ name }) => name !== 'gateway');
  const processes = following.reduce((sum, { replicas }) => sum + replicas, 0);
  const deliveries = rate * each.events * processes;
  const parts = [
    { name: 'event store: appends', use: (rate * each.events) / assumed.appends.value },
    { name: 'event store: events to its followers', use: deliveries / assumed.reads.value },
    { name: 'NATS', use: (rate * inputs.machine.cpu[work][64].nats) / 1000 / assumed.natsCores.value },
    {
      name: 'Postgres',
      use: (rate * inputs.machine.cpu[work][64].postgres) / 1000 / assumed.postgresCores.value,
    },
    {
      name: 'connections to Google, in the active push',
      use: (rate * each.phones * assumed.googleMs.value) / 2 / 1000 / cluster.placesToGoogle,
    },
  ];
  const cores = programs.reduce((sum, program) => sum + program.cores, 0);
  return { work, rate, programs, parts, processes, deliveries, cores };
}

const usesOf = ({ programs, parts }) => [...programs.map(({ name, use }) => ({ name, use })), ...parts];

/** The part that is used most. */
const tightest = (plan) => usesOf(plan).reduce((most, each) => (each.use > most.use ? each : most));

/** The highest rate at which `fits` holds. */
function highest(fits) {
  let [low, high] = [0, 1e6];
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Where each part of one installation gives in, with as many replicas as it likes: the first one first. */
const ceilings = (work) =>
  usesOf(installation(work, 1))
    .map(({ name }) => ({
      name,
      rate: highest((rate) => usesOf(installation(work, rate)).find((each) => each.name === name).use <= 1),
    }))
    .sort((one, other) => one.rate - other.rate);

/** So many sends a second, over as many cells as it takes for no part to be used more than it should. */
export function plan(work, total) {
  const most = inputs.assumed.useAtMost.value;
  const ofOne = highest((rate) => tightest(installation(work, rate)).use <= most);
  const cells = Math.ceil(total / ofOne);
  return { total, ofOne, cells, cell: installation(work, total / cells) };
}

const works = { echo: 'echo', send: 'a notification, no device', push: 'a notification, two phones' };
export const totals = [1_000, 10_000, 100_000];

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const whole = (number) => Math.round(number).toLocaleString('en');
const tenths = (number) => number.toFixed(number < 10 ? 1 : 0);
const percent = (share) => `${share > 0 ? '+' : ''}${Math.round(share * 100)} %`;

/** What was found on one machine beside what was seen. */
const machineTable = () =>
  table(
    ['Work', 'clients', 'requests/s: seen', 'found', 'off', 'p50 ms: seen', 'found', 'p99 ms: seen', 'found'],
    heldAgainstSeen().map(({ route, clients, was, found, off }) => [
      works[route],
      clients,
      whole(was.rate),
      whole(found.rate),
      percent(off.rate),
      was.p50,
      tenths(found.p50),
      was.p99,
      tenths(found.p99),
    ]),
  );

const ceilingsTable = (work) =>
  table(
    ['What gives in', 'at, sends/s'],
    ceilings(work).map(({ name, rate }) => [name, rate > 500_000 ? 'beyond 500,000' : whole(rate)]),
  );

const perDay = 86_400;

/** The resources that a rate of sends needs. */
function needsTable(work) {
  const { assumed, cluster } = inputs;
  const each = cluster.each[work];
  const busy = inputs.machine.cpu[work][64];
  const plans = totals.map((total) => plan(work, total));
  const row = (name, of) => [name, ...plans.map(of)];
  const replicas = ({ cell }) => {
    const more = cell.programs.filter(({ replicas: count }) => count > 2);
    return ['two of each', ...more.map(({ name, replicas: count }) => `${count} of ${name}`)].join(', ');
  };
  const all = ({ cell }) => cell.programs.reduce((sum, { replicas }) => sum + replicas, 0);
  const pushes = (each.phones * 1) / 2;
  return table(
    [works[work], ...totals.map((total) => `${whole(total)}/s`)],
    [
      row('cells', ({ cells }) => cells),
      row('sends/s in each', ({ total, cells }) => whole(total / cells)),
      row('replicas in a cell', replicas),
      row('processes in a cell; in all', (of) => `${all(of)}; ${whole(all(of) * of.cells)}`),
      row('cores at work: our programs, all cells', ({ cell, cells }) => whole(cell.cores * cells)),
      row('Postgres, all cells', ({ total }) => tenths((total * busy.postgres) / 1000)),
      row('NATS, all cells', ({ total }) => tenths((total * busy.nats) / 1000)),
      row('events/s into the log = appends/s', ({ total }) => whole(total * each.events)),
      row('of them in one cell', ({ total, cells }) => whole((total * each.events) / cells)),
      row('events/s out of it to followers, in one cell', ({ cell }) => whole(cell.deliveries)),
      row('MB/s into the log, one copy', ({ total }) => tenths((total * each.logBytes) / 1e6)),
      row(`TB of log a day, ${assumed.copies.value} copies`, ({ total }) =>
        tenths((total * each.logBytes * perDay * assumed.copies.value) / 1e12),
      ),
      row('TB of rows a day, one copy', ({ total }) => tenths((total * each.rowBytes * perDay) / 1e12)),
      row('NATS messages/s', ({ total }) => whole(total * each.messages)),
      row('Postgres transactions/s, in one cell', ({ total, cells }) =>
        whole((total * each.transactions) / cells),
      ),
      row('Postgres connections, in one cell', ({ cell }) =>
        whole(cell.processes * (assumed.pool.value + cluster.connectionsBeside)),
      ),
      row('pushes/s to Apple, and to Google', ({ total }) => whole(total * pushes)),
      row('of these under way at once, in one cell', ({ total, cells }) =>
        whole((total * pushes * assumed.googleMs.value) / 1000 / cells),
      ),
      row('most used', ({ cell }) => `${tightest(cell).name}, ${Math.round(tightest(cell).use * 100)} %`),
    ],
  );
}

/** All of it, as docs/scale.md has it. */
export const figures = () =>
  [
    `### One machine\n\n${machineTable()}`,
    ...['push', 'send'].map(
      (work) =>
        `### ${works[work][0].toUpperCase()}${works[work].slice(1)}\n\n${ceilingsTable(work)}\n\n${needsTable(work)}`,
    ),
    `### What is assumed\n\n${table(
      ['What', 'taken as', 'because'],
      Object.entries(inputs.assumed).map(([name, { value, why }]) => [
        `\`${name}\``,
        value.toLocaleString('en'),
        why,
      ]),
    )}`,
  ].join('\n\n');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(figures());
  if (process.argv.includes('--write')) {
    const { format, resolveConfig } = await import('prettier');
    const page = new URL('../docs/scale.md', import.meta.url).pathname;
    const [before, rest] = readFileSync(page, 'utf8').split('<!-- figures -->');
    const [, after] = rest.split('<!-- /figures -->');
    const text = `${before}<!-- figures -->\n\n${figures()}\n\n<!-- /figures -->${after}`;
    writeFileSync(page, await format(text, { ...(await resolveConfig(page)), filepath: page }));
  }
}
