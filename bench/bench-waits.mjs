// The row of waits: thousands of long polls open at one gateway, a process of its own beside the house, how soon each is
// woken after an answer that another gateway took, and how much memory it costs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eachOf, percentile, upTo } from './bench-house.mjs';
import { root } from '../tools/setup.mjs';

/** Lets the gateway tell what it holds, once what it does not need any more is thrown away. */
const tellMemory = `data:text/javascript,${encodeURIComponent(
  `process.on('message', () => { gc(); gc(); process.send(process.memoryUsage()); }); process.channel.unref();`,
)}`;

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** `call` asks the house's own gateway, `agent` is an API token, `person` an app's access token. */
export async function measureWaits({ count, state, env, call, agent, person }) {
  const port = await freePort();
  const gateway = spawn(
    process.execPath,
    ['--expose-gc', '--import', tellMemory, join(root, 'dist/apps/gateway/src/main.js')],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...process.env,
        ...env,
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: '0',
        NATS_URL: state.natsUrl,
        CARILLON_BASE_URL: state.baseUrl,
      },
    },
  );
  const memory = async () => {
    gateway.send('tell');
    const [{ rss, heapUsed, external }] = await once(gateway, 'message');
    return { rss, held: heapUsed + external };
  };
  /** Opens a wait; `sent` resolves when it is on its way, `answered` with when and what came back. */
  const open = (id) => {
    const headers = { authorization: `Bearer ${agent}` };
    const asked = request({
      host: '127.0.0.1',
      port,
      path: `/api/agent/interactions/${id}/wait?timeoutSeconds=55`,
      headers,
      agent: false,
    });
    const answered = new Promise((resolve, reject) => {
      asked.on('error', reject);
      asked.on('response', async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ at: performance.now(), status: response.statusCode, body: JSON.parse(text) });
      });
    });
    answered.catch(() => {});
    const sent = once(asked, 'socket').then(([socket]) => once(socket, 'connect'));
    asked.end();
    return { sent, answered };
  };

  try {
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/healthz/ready`)).ok;
    while (!(await ready().catch(() => false))) await sleep(100);
    const prompts = [];
    const body = { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' };
    await eachOf(upTo(count + 200), 32, async () =>
      prompts.push((await call('POST', '/api/agent/interactions', body, agent)).interaction),
    );
    const answer = ({ id, actionDigest }) =>
      call('POST', `/api/session/prompts/${id}/answer`, { answer: 'approved', actionDigest }, person);

    // The first ones warm it up.
    const warming = prompts.splice(0, 200);
    const warm = warming.map(({ id }) => open(id));
    await eachOf(warming, 8, answer);
    await Promise.all(warm.map(({ answered }) => answered));
    await sleep(2_000);

    const before = await memory();
    const began = performance.now();
    const waits = new Map();
    await eachOf(prompts, 200, async ({ id }) => {
      const wait = open(id);
      waits.set(id, wait);
      await wait.sent;
    });
    await sleep(3_000);
    const after = await memory();

    const woken = [];
    await eachOf(prompts, 4, async (prompt) => {
      // What is left is answered by its deadline, and says nothing about waking.
      if (performance.now() - began > 50_000) return;
      const sent = performance.now();
      await answer(prompt);
      const acknowledged = performance.now();
      const { at, status, body: waited } = await waits.get(prompt.id).answered;
      if (status !== 200 || waited.timedOut) return;
      woken.push({ sinceSent: at - sent, sinceAcknowledged: Math.max(0, at - acknowledged) });
    });
    await Promise.all([...waits.values()].map(({ answered }) => answered));
    if (woken.length < Math.min(count, 200)) throw new Error(`Only ${woken.length} waits were woken`);
    return {
      count,
      woken: woken.length,
      heldBytes: (after.held - before.held) / count,
      rssBytes: (after.rss - before.rss) / count,
      sinceSent: [0.5, 0.99].map((share) =>
        percentile(
          woken.map((w) => w.sinceSent),
          share,
        ),
      ),
      sinceAcknowledged: [0.5, 0.99].map((share) =>
        percentile(
          woken.map((w) => w.sinceAcknowledged),
          share,
        ),
      ),
    };
  } finally {
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
  }
}

/** The row as a table of its own. */
export const waitsTable = ({ count, woken, heldBytes, rssBytes, ...rest }) => {
  const { sinceSent, sinceAcknowledged } = rest;
  const ms = (pair) => pair.map((each) => each.toFixed(1)).join(' / ');
  const kB = (bytes) => (bytes / 1_000).toFixed(1);
  return [
    '| Waits at one gateway | woken | after the answer is acknowledged, p50 / p99 ms | after it is sent, p50 / p99 ms | held by each, kB | resident, kB |',
    '|---|---|---|---|---|---|',
    `| ${count} | ${woken} | ${ms(sinceAcknowledged)} | ${ms(sinceSent)} | ${kB(heldBytes)} | ${kB(rssBytes)} |`,
  ].join('\n');
};
