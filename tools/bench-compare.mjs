// Works of the benchmark asked in turns with the one that they are compared with: the speed of a machine drifts.
import { cpuOfEach, idleCpu, untilQuiet, usedCpu } from './bench-cpu.mjs';

const warmUpSeconds = 2;

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Gives what compares some of the `works`, by their names, with their ceiling. */
export async function comparing({ house, autocannon, rounds, seconds, clients }, works) {
  const { state } = house;
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
  return async (names, ceiling = 'echo') => {
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
}
