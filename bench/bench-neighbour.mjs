// The row of neighbours: how soon one account's sends are accepted by its phones while another does its worst, in a house
// of its own that has the usual limits.
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, percentile, startHouse } from './bench-house.mjs';
import { root } from '../tools/setup.mjs';

const everyMs = 250;
const projects = 3_500;
const foreignPhones = 20;
const slowEndpoints = 20;

/** `seconds` of rest, then as many while the worst goes on. */
export async function measureNeighbour({ seconds }) {
  const { makeAuthority, Receiver } = await import(join(root, 'dist/libs/testkit/src/receiver.js'));
  const authority = await makeAuthority();
  const slow = await Receiver.start(authority);
  slow.says({ does: 'hang' });
  const house = await startHouse({
    CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: authority.caFile,
  });
  try {
    const { state } = house;
    // So that all ways are warm.
    await sends(state, 5);
    const rest = await sends(state, seconds);
    const worst = await doTheWorst(state, slow.url);
    const under = await sends(state, seconds);
    return { rest, under, done: await worst.end() };
  } finally {
    await house.stop();
    await slow.stop();
    authority.remove();
  }
}

export const neighbourTable = ({ rest, under, done }) => {
  const line = (title, { taken, missing, refused }) =>
    `| ${title} | ${taken.length} | ${[0.5, 0.99, 1].map((share) => percentile(taken, share)).join(' / ')} | ${missing} | ${refused} |`;
  const counts = Object.entries(done).map(([what, { tried, taken }]) => `${taken} of ${tried} ${what}`);
  return [
    '| One account sends to two phones | pushes accepted | after the request, p50 / p99 / longest ms | not accepted | requests refused |',
    '|---|---|---|---|---|',
    line('at rest', rest),
    line('while another does its worst', under),
    '',
    `The worst, as far as it was let: ${counts.join(', ')}.`,
  ].join('\n');
};

/** A send every quarter of a second, whatever became of those before; from the request to the provider's word. */
async function sends(state, seconds) {
  const asked = new Map();
  let refused = 0;
  const underway = [];
  for (let n = 0; n < (seconds * 1000) / everyMs; n += 1) {
    const at = Date.now();
    underway.push(
      ask(
        `${state.baseUrl}/api/agent/notifications`,
        'POST',
        { title: 'Build finished', body: 'main is green' },
        state.apiToken,
      )
        .then(({ status, body }) => {
          if (status === 201) asked.set(body.notification?.id ?? body.id, at);
          else refused += 1;
        })
        .catch(() => (refused += 1)),
    );
    await sleep(Math.max(0, at + everyMs - Date.now()));
  }
  await Promise.all(underway);
  await sleep(3_000);
  const taken = [];
  for (const { id: phoneId } of state.phones) {
    const { body } = await ask(`${state.simulatorUrl}/phones/${phoneId}/received?after=0`, 'GET');
    for (const { at, payload, verdict } of body.received) {
      const since = asked.get((payload.carillon ?? payload.data).id);
      if (since !== undefined && verdict.status === 200) taken.push(Math.max(0, Date.parse(at) - since));
    }
  }
  return { taken, missing: asked.size * state.phones.length - taken.length, refused };
}

/** What one account, and somebody without any, can do to the house. Resolves when all of it goes on. */
async function doTheWorst(state, slowUrl) {
  const api = (method, path, body, bearer) => ask(`${state.baseUrl}/api/${path}`, method, body, bearer);
  const made = async (...asked) => {
    const { status, body } = await api(...asked);
    if (status >= 300) throw new Error(`${asked[0]} ${asked[1]}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const person = { email: 'worst@example.test', password: 'a long enough password', client: 'app' };
  const signIn = { email: person.email, password: person.password, client: 'app' };
  const { account, accessToken } = await made('POST', 'session/signup', { ...person, name: 'Worst' });
  const scopes = [
    'notifications:send',
    'inbox:read',
    'interactions:create',
    'interactions:read',
    'services:write',
  ];
  const { secret } = await made('POST', 'session/tokens', { name: 'worst', scopes }, accessToken);
  for (let n = 0; n < foreignPhones; n += 1) {
    const { status, body } = await ask(`${state.simulatorUrl}/phones`, 'POST', { platform: 'android' });
    if (status !== 201) throw new Error(JSON.stringify(body));
    const { id: phoneId, pushToken, installId } = body.phone;
    await made(
      'POST',
      'session/devices',
      registration({ platform: 'android', pushToken, installId }),
      // A session is good for one phone.
      (await made('POST', 'session/login/password', signIn)).accessToken,
    );
    await ask(`${state.simulatorUrl}/faults`, 'POST', {
      match: { phoneId },
      effect: { status: 403, reason: 'SENDER_ID_MISMATCH' },
    });
  }
  for (let n = 0; n < slowEndpoints; n += 1)
    await made('POST', 'agent/webhooks', { name: `slow ${n}`, url: slowUrl, isDefault: true }, secret);
  // The limits would keep it busy for a quarter of an hour.
  const { default: pg } = await import('pg');
  const database = new pg.Client({ connectionString: state.databaseUrl });
  await database.connect();
  await database.query(
    `INSERT INTO read_models.inbox_projects (account_id, project_id, name)
     SELECT $1, 'p' || n, repeat('プ', 80) FROM generate_series(1, $2) n`,
    [account.id, projects],
  );
  await database.end();

  let goesOn = true;
  const done = {};
  const flood = async (what, atOnce, work) => {
    done[what] = { tried: 0, taken: 0 };
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (goesOn) {
          done[what].tried += 1;
          const status = await work().then(
            (answer) => answer.status,
            () => 0,
          );
          if (status >= 200 && status < 300) done[what].taken += 1;
          // Who was refused would only be refused faster.
          else await sleep(20);
        }
      }),
    );
  };
  const message = () => ({
    title: 'Flood',
    body: 'of pushes',
    projectId: `q${randomBytes(4).toString('hex')}`,
  });
  const prompt = { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' };
  const floods = [
    flood('registrations', 4, async () => {
      const entered = await api('POST', 'session/login/password', signIn);
      if (entered.status !== 200) return entered;
      return api('POST', 'session/devices', registration(), entered.body.accessToken);
    }),
    flood('sends to all its devices', 16, () => api('POST', 'agent/notifications', message(), secret)),
    flood('lists of projects', 4, () => api('GET', 'agent/inbox/projects', undefined, secret)),
    flood('answers to hanging endpoints', 4, async () => {
      const asked = await api('POST', 'agent/interactions', prompt, secret);
      if (asked.status !== 201) return asked;
      const { id, actionDigest } = asked.body.interaction;
      return api('POST', `session/prompts/${id}/answer`, { answer: 'approved', actionDigest }, accessToken);
    }),
    flood('sign-ups', 8, () =>
      api('POST', 'session/signup', { ...person, name: 'Flood', email: `${randomUUID()}@example.test` }),
    ),
  ];
  await sleep(5_000);
  return {
    end: async () => {
      goesOn = false;
      await Promise.all(floods);
      return done;
    },
  };
}

/** Of a phone that nobody has. */
const registration = (more = {}) => ({
  installId: randomUUID(),
  platform: 'ios',
  deviceName: 'Nobody’s phone',
  pushToken: randomBytes(32).toString('hex'),
  pushEnvironment: 'sandbox',
  appBuild: '1',
  liveActivitiesCapable: false,
  interactiveLiveActivitiesCapable: false,
  ...more,
});
