// From what is answered to those who hear of it: open streams, reply webhooks and pages, each beside sends of one run.
import { join } from 'node:path';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOfEach, idleCpu, untilQuiet, usedCpu } from './bench-cpu.mjs';
import {
  accountWithoutPhone,
  callerOf,
  eachOf,
  percentile,
  startHouse,
  upTo,
  workplaceTeam,
} from './bench-house.mjs';
import { stallsOf } from './bench-stalls.mjs';
import { root } from '../tools/setup.mjs';

const liveSends = 300;
const aloneAnswers = 60;
const aloneEveryMs = 150;
const answerClients = 32;
const sendClients = 64;
const endpoints = 8;
const refused = 20_000;
const body = { title: 'Build finished', body: 'main is green', projectId: 'bench' };

/** `answers` go to one endpoint, then as many to eight; `requests` are sends, and pages of one group. */
export async function measureReceivers({ env, answers, requests }) {
  const { makeAuthority, Receiver } = await import(join(root, 'dist/libs/testkit/src/receiver.js'));
  const authority = await makeAuthority();
  const receiver = await Receiver.start(authority);
  const arrived = new Map();
  const house = await startHouse({
    ...env,
    CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    CARILLON_PAGES_PER_MINUTE: '1000000',
    NODE_EXTRA_CA_CERTS: authority.caFile,
    LOG_LEVEL: 'warn',
  });
  receiver.says(({ body }) => {
    const { id } = body.interaction ?? body.data.interaction;
    if (!arrived.has(id)) arrived.set(id, performance.now());
    return { status: 204 };
  });
  const once = callerOf(house.state);
  /** A busy machine is late for a moment; what is refused then is asked again, as its caller would. */
  const call = async (...asked) => {
    for (let tries = 1; ; tries += 1)
      try {
        return await once(...asked);
      } catch (error) {
        if (tries === 20 || !/: 50[34] /.test(error.message)) throw error;
        await sleep(250);
      }
  };
  try {
    const idle = await idleCpu(house);
    /** What `clients` do one after the other, until all of it has been done. */
    const measured = async (title, count, clients, work) => {
      const before = usedCpu(house);
      const began = performance.now();
      const took = [];
      const ends = [];
      await eachOf(upTo(count), clients, async (n) => {
        const from = performance.now();
        await work(n);
        ends.push(performance.now());
        took.push(ends.at(-1) - from);
      });
      const seconds = (performance.now() - began) / 1000;
      await untilQuiet(house);
      const cpu = cpuOfEach(before, usedCpu(house), count, idle);
      return { title, count, rate: count / seconds, took, cpu, stalls: stallsOf(ends), began };
    };

    const { accessToken, secret } = await accountWithoutPhone(call);
    const send = (title, count, clients) =>
      measured(title, count, clients, () => call('POST', '/api/agent/notifications', body, secret));
    const prompts = async (count, webhookOf) => {
      const made = [];
      await eachOf(upTo(count), 16, async (n) => {
        const given = { title: 'Deploy', prompt: 'Ship it?', kind: 'approval', webhookId: webhookOf(n) };
        made.push((await call('POST', '/api/agent/interactions', given, webhooker)).interaction);
      });
      await untilQuiet(house);
      return made;
    };
    const answer = ({ id, actionDigest }) =>
      call('POST', `/api/session/prompts/${id}/answer`, { answer: 'approved', actionDigest }, accessToken);
    const webhooker = (
      await call(
        'POST',
        '/api/session/tokens',
        { name: 'hook', scopes: ['interactions:create', 'services:write'] },
        accessToken,
      )
    ).secret;

    await send('warm-up', 500, 16);
    const rows = [];
    rows.push(await send('sends, 64 clients', requests, sendClients));
    const sendAlone = await send('sends, one client alone', 300, 1);
    rows.push(sendAlone);

    const streams = await Promise.all([1, 2].map(() => listen(house.state.baseUrl, accessToken)));
    const answeredAt = new Map();
    const live = await measured('live: sends in a row, at two open streams', liveSends, 1, async () => {
      const { notification } = await call('POST', '/api/agent/notifications', body, secret);
      answeredAt.set(notification.id, performance.now());
    });
    for (const stream of streams) stream.leave();
    const late = [...answeredAt].map(
      ([id, at]) => Math.max(...streams.map(({ told }) => told.get(id) ?? Infinity)) - at,
    );
    rows.push({ ...live, after: late });

    const webhooks = [];
    for (let n = 0; n <= endpoints; n += 1)
      webhooks.push(
        await call('POST', '/api/agent/webhooks', { name: `hook ${n}`, url: receiver.url }, webhooker),
      );
    const idOf = (n) => (webhooks[n].webhook ?? webhooks[n]).id;

    const hook = async (title, count, clients, webhookOf, everyMs = 0) => {
      const made = await prompts(count, webhookOf);
      const at = new Map();
      const row = await measured(title, count, clients, async (n) => {
        await answer(made[n]);
        at.set(made[n].id, performance.now());
        if (everyMs > 0) await sleep(everyMs);
      });
      for (let look = 0; look < 1200 && made.some(({ id }) => !arrived.has(id)); look += 1) await sleep(100);
      const after = made.map(({ id }) => (arrived.get(id) ?? Infinity) - at.get(id));
      const last = Math.max(...made.map(({ id }) => arrived.get(id) ?? Infinity));
      return { ...row, after, received: count / ((last - row.began) / 1000) };
    };
    rows.push(await hook('hook: answers, one at a time', aloneAnswers, 1, () => idOf(0), aloneEveryMs));
    rows.push(await hook('hook: answers by 32 clients, one endpoint', answers, answerClients, () => idOf(0)));
    rows.push(
      await hook('hook: answers by 32 clients, eight endpoints', answers, answerClients, (n) =>
        idOf(n % endpoints),
      ),
    );

    await refuse(house.state, { webhookId: idOf(endpoints), beside: idOf(0) });
    rows.push(
      await hook(
        `hook: the same to one endpoint, ${refused.toLocaleString('en')} wait for one that refuses`,
        answers,
        answerClients,
        () => idOf(0),
      ),
    );

    const { apiToken, account } = house.state;
    const teamId = workplaceTeam(house.data, account.email, env);
    const group = await call(
      'POST',
      `/api/agent/teams/${teamId}/oncall`,
      {
        name: 'Everything',
        rotation: { userIds: [account.id], period: 'daily', handoffAt: '00:00', timezone: 'UTC' },
        escalation: [{ afterMinutes: 1_440, target: 'group' }],
      },
      apiToken,
    );
    rows.push(
      await measured('page: one group, a phone each, 64 clients', requests, sendClients, (n) =>
        call('POST', `/api/agent/oncall/${group.id}/pages`, { title: `Down ${n}` }, apiToken),
      ),
    );
    rows.push(
      await measured('sends to the same phones, 64 clients', requests, sendClients, () =>
        call('POST', '/api/agent/notifications', body, apiToken),
      ),
    );
    return rows;
  } finally {
    await house.stop();
    await receiver.stop();
    authority.remove();
  }
}

/**
 * What an hour of refusals leaves: deliveries to one endpoint of an account, whose next attempts are later. They are written
 * straight into the table, since none is made in the run.
 */
async function refuse({ databaseUrl }, { webhookId, beside }) {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(
    `INSERT INTO webhooks.replies (delivery_id, webhook_id, account_id, message_id, reply_type, status, attempts,
       attempt_log, sequence, created_at, due_at)
     SELECT 'refused_' || n, $1, w.account_id, 'refused_' || n, 'interaction.answered', 'retrying', 3, '[]', n,
       now() - interval '1 hour', now() + interval '10 minutes' + n * interval '300 ms'
     FROM webhooks.webhooks w, generate_series(1, $3) n WHERE w.webhook_id = $2`,
    [webhookId, beside, refused],
  );
  const { rows } = await database.query('SELECT count(*) FROM webhooks.replies WHERE webhook_id = $1', [
    webhookId,
  ]);
  await database.end();
  if (Number(rows[0].count) !== refused) throw new Error('Not all refused deliveries were written');
}

/** A stream of an account: when each notification was told of first. */
async function listen(baseUrl, bearer) {
  const over = new AbortController();
  const response = await fetch(`${baseUrl}/api/session/stream`, {
    headers: { authorization: `Bearer ${bearer}` },
    signal: over.signal,
  });
  if (response.status !== 200) throw new Error(`A stream was answered ${response.status}`);
  const told = new Map();
  const read = async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body) {
      const at = performance.now();
      rest += decoder.decode(chunk, { stream: true });
      for (const [, id] of rest.matchAll(/notification:(anot_[a-zA-Z0-9]+)/g))
        if (!told.has(id)) told.set(id, at);
      rest = rest.slice(rest.lastIndexOf('\n\n') + 1);
    }
  };
  read().catch(() => {});
  return { told, leave: () => over.abort() };
}

export function receiversTable(rows) {
  const cellsOf = ({ title, rate, took, after, received, cpu, stalls }) => [
    title,
    rate.toFixed(0),
    times(took),
    after ? times(after) : '',
    received?.toFixed(0) ?? '',
    cpu ? cpu.all.toFixed(2) : '',
    cpu ? (cpu.all / rows[0].cpu.all).toFixed(1) : '',
    stalls,
  ];
  return [
    [
      'Work',
      'answered/s',
      'answer p50 / p99 ms',
      'heard after it p50 / p99 ms',
      'received/s',
      'CPU ms each',
      'in sends',
      'stalls',
    ],
    Array.from({ length: 8 }, () => '---'),
    ...rows.map(cellsOf),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const times = (all) => [0.5, 0.99].map((share) => percentile(all, share).toFixed(0)).join(' / ');
