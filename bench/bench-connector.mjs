// The rows of the connector gateway: requests of a session that is warm, through the program and through the same proxy
// library without it, in turns. The app, the bare proxy and the program are processes of their own.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../tools/setup.mjs';
import { median } from './bench-house.mjs';

const self = fileURLToPath(import.meta.url);

/** What answers in a process of its own: the private app, the library before it, Carillon as far as it is asked. */
const listeners = {
  app: async () => {
    const body = JSON.stringify({ text: 'x'.repeat(1_000) });
    return (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    };
  },
  proxy: async (target) => {
    const { createProxyServer } = await import('httpxy');
    const { Agent } = await import('node:http');
    const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true }), xfwd: true });
    return (request, response) => proxy.web(request, response);
  },
  carillon: async (target, session) => {
    const hostname = 'bench.example.test';
    const route = { name: 'bench', url: `https://${hostname}`, target, appId: null, enabled: true };
    const connector = { enabled: true, hostname, routes: [route] };
    const user = { id: 'usr_bench', name: 'Bench' };
    let asked = 0;
    return (request, response) => {
      request.resume();
      const isAccess = request.url.endsWith('/access');
      if (isAccess) asked += 1;
      const body = isAccess
        ? { allowed: true, session, user, appId: null, target }
        : { connector, heartbeatIntervalSeconds: 30, asked };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
  },
};

if (process.argv[1] === self) {
  const [, , kind, ...given] = process.argv;
  const server = createServer({ keepAliveTimeout: 60_000 }, await listeners[kind](...given)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }));
}

/** The processor time that a process has used so far, in microseconds; Linux tells it in hundredths of a second. */
const cpuOf = ({ pid }) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
};

/** Starts a process and gives where it listens. */
async function start(args, env = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const port = /"port":(\d+),"msg":"listening"|"msg":"listening","port":(\d+)/.exec(output);
    if (!port) continue;
    // Nobody reads on; it must not stand still for that.
    child.stdout.resume?.();
    return { child, url: `http://127.0.0.1:${port[1] ?? port[2]}` };
  }
  throw new Error(`${args[0]} did not start`);
}

export async function measureConnector({ rounds, seconds, clients, autocannon }) {
  const { mintSecret, newId } = await import(join(root, 'dist/libs/signing/src/index.js'));
  const session = mintSecret('carillon_gws_').secret;
  const parts = [];
  const part = async (...given) => {
    const started = await start(...given);
    parts.push(started.child);
    return started;
  };
  try {
    const app = await part([self, 'app']);
    const proxy = await part([self, 'proxy', app.url]);
    const carillon = await part([self, 'carillon', app.url, session]);
    const asked = async () => (await (await fetch(carillon.url)).json()).asked;
    const program = await part([join(root, 'dist/apps/connector-gateway/src/main.js')], {
      CARILLON_BASE_URL: carillon.url,
      CARILLON_API_TOKEN: 'bench',
      CONNECTOR_ID: newId('con', Date.now()),
      CONNECTOR_CALLBACK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      PORT: '0',
    });
    const cookie = `__Host-carillon_gateway_bench=${session}; theme=dark`;
    const works = { app, proxy, program };
    const run = async ({ url, child }, duration) => {
      const before = cpuOf(child);
      const result = await autocannon({
        url: `${url}/things?x=1`,
        connections: clients,
        duration,
        headers: { cookie },
      });
      const failed = result.non2xx + result.errors + result.timeouts;
      if (failed > 0)
        throw new Error(
          `${failed} of ${result.requests.total} failed at ${url}: ${JSON.stringify(result.statusCodeStats)}`,
        );
      return {
        rate: result.requests.total / result.duration,
        p50: result.latency.p50,
        p99: result.latency.p99,
        cpu: (cpuOf(child) - before) / result.requests.total,
      };
    };
    for (const work of Object.values(works)) await run(work, 2);
    const before = await asked();
    const seen = { app: [], proxy: [], program: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const [name, work] of Object.entries(works)) seen[name].push(await run(work, seconds));
    const rows = Object.fromEntries(
      Object.entries(seen).map(([name, runs]) => [
        name,
        {
          rate: median(runs.map(({ rate }) => rate)),
          p50: median(runs.map(({ p50 }) => p50)),
          p99: median(runs.map(({ p99 }) => p99)),
          cpu: median(runs.map(({ cpu }) => cpu)),
          ratio: median(runs.map(({ rate }, index) => rate / seen.proxy[index].rate)),
        },
      ]),
    );
    return { rows, asked: (await asked()) - before };
  } finally {
    for (const child of parts) {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
  }
}

export const connectorTable = ({ rows, asked }) => {
  const line = (title, { rate, p50, p99, cpu, ratio }) =>
    `| ${title} | ${rate.toFixed(0)} | ${p50} | ${p99} | ${cpu.toFixed(0)} | ${ratio.toFixed(2)} |`;
  return [
    '| Server of 1 kB | requests/s | p50 ms | p99 ms | CPU µs a request | ratio to the library |',
    '|---|---|---|---|---|---|',
    line('the private app itself', rows.app),
    line('httpxy alone before it', rows.proxy),
    line(`the connector gateway, one warm session; Carillon asked ${asked} times`, rows.program),
  ].join('\n');
};
