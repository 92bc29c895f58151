// Measures each workload in turns with the one it is compared with, since the speed of a machine drifts.
import { cpuOfEach, idleCpu, untilQuiet, usedCpu } from './bench-cpu.mjs';
import { median } from './bench-house.mjs';
import { loopOf, storeWritesOf } from './bench-loop.mjs';
import { stallsOf } from './bench-stalls.mjs';

const warmUpSeconds = 2;

/**
 * Gives who asks a house one work over and over: rate, latency in milliseconds, and CPU milliseconds a request by part,
 * those of the load generator too.
 */
export async function asking({ house, autocannon, seconds, clients }) {
  const idle = await idleCpu(house);
  /** Until all of it has been done, which its CPU time counts. */
  return async (work, duration = seconds) => {
    const [loopBefore, writesBefore] = [await loopOf(house), await storeWritesOf(house)];
    const before = usedCpu(house);
    const ownBefore = process.cpuUsage();
    const ends = [];
    const result = await autocannon({
      url: `${house.state.baseUrl}${work.path ?? ''}`,
      connections: work.clients ?? clients,
      duration,
      setupClient: (client) => client.on('response', () => ends.push(performance.now())),
      method: work.method,
      ...(work.requests && { requests: work.requests }),
      headers: {
        authorization: `Bearer ${work.bearer}`,
        ...((work.body || work.requests) && { 'content-type': 'application/json' }),
        ...work.headers,
      },
      ...(work.body && { body: work.body }),
    });
    const own = process.cpuUsage(ownBefore);
    const loop = await loopOf(house, loopBefore);
    const failed = result.non2xx + result.errors + result.timeouts;
    if (failed > 0) throw new Error(`${work.title}: ${failed} of ${result.requests.total} failed`);
    await untilQuiet(house);
    const { total } = result.requests;
    const cpu = cpuOfEach(before, usedCpu(house), total, idle);
    return {
      rate: total / result.duration,
      p50: result.latency.p50,
      p99: result.latency.p99,
      mean: result.latency.mean,
      total,
      stalls: stallsOf(ends),
      loop,
      batch: await storeWritesOf(house, writesBefore),
      cpu: cpu && { ...cpu, generator: (own.user + own.system) / 1000 / total },
    };
  };
}

/**
 * Gives what compares some of the `works`, by their names, with their ceiling and with a yardstick, both among them. A
 * work may be of another `house`.
 */
export async function comparing({ rounds, ...how }, works) {
  const runs = new Map();
  const run = async (work, duration) => {
    const { house = how.house } = work;
    if (!runs.has(house)) runs.set(house, await asking({ ...how, house }));
    return runs.get(house)(work, duration);
  };
  const middle = (seen) =>
    seen[0].cpu &&
    Object.fromEntries(
      Object.keys(seen[0].cpu).map((part) => [part, median(seen.map(({ cpu }) => cpu[part]))]),
    );
  return async (names, ceiling = 'echo', yardstick = ceiling) => {
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
      stalls: seen[name].reduce((sum, { stalls }) => sum + stalls, 0),
      loop: median(seen[name].map((each) => each.loop)),
      batch: median(seen[name].map((each) => each.batch)),
      cpu: middle(seen[name]),
      cpuRatio: cpuBeside(seen, name, ceiling),
      yards: {
        rate: median(seen[name].map((each, index) => each.rate / seen[yardstick][index].rate)),
        cpu: cpuBeside(seen, name, yardstick),
      },
      total: seen[name].reduce((sum, { total }) => sum + total, warmUp[name]),
    }));
  };
}

const cpuBeside = (seen, name, other) =>
  seen[name][0].cpu && median(seen[name].map(({ cpu }, index) => cpu.all / seen[other][index].cpu.all));
