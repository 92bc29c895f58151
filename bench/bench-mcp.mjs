// Calls of tools beside the requests of the same routes, in turns: what the Model Context Protocol costs.
import { comparing } from './bench-compare.mjs';
import { accountWithoutPhone, callerOf, startHouse } from './bench-house.mjs';

const revision = '2026-07-28';
const text = { title: 'Build finished', body: 'main is green', projectId: 'bench' };

/** A route with the tool that requests it. */
const pairs = {
  whoami: { method: 'GET', path: '/auth/status', given: {} },
  list_inbox: { method: 'GET', path: '/inbox/notifications?limit=20', given: { limit: 20 } },
  notify: { method: 'POST', path: '/notifications', body: JSON.stringify(text), given: text },
};

const inProtocol = (name, given, bearer) => ({
  method: 'POST',
  path: '/mcp',
  bearer,
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: given,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
});

/** Measures each pair: the rows of its route and of its tool, with the ratios to the route. */
export async function measureTools({ env, rounds, seconds, clients, autocannon }) {
  const house = await startHouse({ ...env, LOG_LEVEL: 'warn' });
  try {
    const { secret: bearer } = await accountWithoutPhone(callerOf(house.state));
    const works = {};
    for (const [name, { given, path, ...request }] of Object.entries(pairs)) {
      const title = `${request.method} ${path}`;
      works[name] = { title, ...request, path: `/api/agent${path}`, bearer };
      works[`tool ${name}`] = { title: `tool ${name}`, ...inProtocol(name, given, bearer) };
    }
    const compare = await comparing({ house, autocannon, rounds, seconds, clients }, works);
    const rows = [];
    for (const name of Object.keys(pairs)) rows.push(...(await compare([name, `tool ${name}`], name)));
    return rows;
  } finally {
    await house.stop();
  }
}

export const toolsTable = (rows) =>
  [
    '| Work | requests/s | p50 ms | p99 ms | CPU µs | time of the route | CPU of the route |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ title, rate, p50, p99, cpu, ratio, cpuRatio }) =>
        `| ${title} | ${rate.toFixed(0)} | ${p50} | ${p99} | ${cpu ? (cpu.all * 1_000).toFixed(0) : ''} | ${(1 / ratio).toFixed(2)} | ${cpuRatio?.toFixed(2) ?? ''} |`,
    ),
  ].join('\n');
