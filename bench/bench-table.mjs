// How the rows beside the echo route and the yardstick are written down for a person.
import { cpuColumns } from './bench-cpu.mjs';

/** What was measured as two tables: what callers see, and what it costs the processors. */
export function ratesTable({ results, alone, small, large, rows, updated, pushesEach, lane }) {
  const all = [
    ...results,
    ...alone,
    { ...small, title: `${small.title}, 10 thousand rows` },
    { ...large, title: `${large.title}, ${rows.toLocaleString('en')} rows` },
    { ...updated, title: `${updated.title}; ${pushesEach.toFixed(2)} pushes an update` },
  ];
  const parts = Object.keys(cpuColumns);
  return [
    '| Work | requests/s | p50 ms | p99 ms | ratio to echo | ratio to the yardstick | main busy | appends a write | stalls |',
    '|---|---|---|---|---|---|---|---|---|',
    ...all.map(
      ({ title, rate, p50, p99, ratio, yards, loop, batch, stalls }) =>
        `| ${title} | ${rate.toFixed(0)} | ${p50} | ${p99} | ${ratio.toFixed(2)} | ${yards.rate.toFixed(2)} | ${percent(loop)} | ${batch?.toFixed(1) ?? ''} | ${stalls} |`,
    ),
    `| PATCH /activities to the push provider, one at a time | | ${lane.p50} | ${lane.p99} | | | | | |`,
    '',
    `| CPU ms a request | ${parts.join(' | ')} | times an echo | times the yardstick | beside it: simulator | generator |`,
    `|---|${parts.map(() => '---|').join('')}---|---|---|---|`,
    ...all
      .filter(({ cpu }) => cpu)
      .map(
        ({ title, cpu, cpuRatio, yards }) =>
          `| ${title} | ${parts.map((part) => cpu[cpuColumns[part]].toFixed(2)).join(' | ')} | ${cpuRatio.toFixed(1)} | ${yards.cpu.toFixed(1)} | ${cpu.simulator.toFixed(2)} | ${cpu.generator.toFixed(2)} |`,
      ),
  ].join('\n');
}

const percent = (share) => (share === undefined ? '' : `${Math.round(share * 100)} %`);
