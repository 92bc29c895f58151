// What a push to a browser costs beside one to an Android phone: the same sends to an account with nothing, with a phone
// and with a browser, in turns. What a push costs is what its sends cost more than those to nothing.
import { callerOf, eachOf, median, startHouse, upTo } from './bench-house.mjs';
import { cpuOfEach, idleCpu, untilQuiet, usedCpu } from './bench-cpu.mjs';

const clients = 16;
const warmUp = 200;
const platforms = { none: undefined, fcm: 'android', web: 'web' };

export async function measureWebPush({ rounds, requests, env }) {
  const house = await startHouse(env);
  try {
    const { state } = house;
    const call = callerOf(state);
    const tokens = {};
    for (const [name, platform] of Object.entries(platforms)) {
      const person = { email: `${name}@bench.example`, password: 'a long enough password', client: 'app' };
      const { accessToken, refreshToken } = await accountOf(call, person);
      const asked = { name: 'bench', scopes: ['notifications:send'] };
      tokens[name] = (await call('POST', '/api/session/tokens', asked, accessToken)).secret;
      if (platform) await pair(state, platform, { accessToken, refreshToken });
    }
    const send = (name, count) =>
      eachOf(upTo(count), clients, async () => {
        const body = { title: 'Build finished', body: 'main is green' };
        const { accepted } = await call('POST', '/api/agent/notifications', body, tokens[name]);
        if (accepted !== (platforms[name] ? 1 : 0)) throw new Error(`A push was accepted ${accepted} times`);
      });
    for (const name of Object.keys(platforms)) await send(name, warmUp);
    const idle = await idleCpu(house);
    const costs = { none: [], fcm: [], web: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const name of Object.keys(platforms)) {
        const before = usedCpu(house);
        await send(name, requests);
        await untilQuiet(house);
        costs[name].push(cpuOfEach(before, usedCpu(house), requests, idle));
      }
    return costs;
  } finally {
    await house.stop();
  }
}

async function accountOf(call, person) {
  await call('POST', '/api/session/signup', { ...person, name: 'Bench' });
  return call('POST', '/api/session/login/password', person);
}

async function pair({ simulatorUrl, baseUrl }, platform, tokens) {
  const answer = await fetch(`${simulatorUrl}/phones`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ platform, pair: { baseUrl, ...tokens } }),
  });
  if (!answer.ok) throw new Error(`A ${platform} was not taken: ${await answer.text()}`);
}

/** Milliseconds of one part for each send, the median of the rounds. */
const of = (costs, name, part) => median(costs[name].map((cost) => cost[part]));

export function webPushTable(costs) {
  const titles = {
    none: 'a notification, no device',
    fcm: 'the same, an Android phone',
    web: 'the same, a browser',
  };
  const cost = (name, part) => of(costs, name, part) - of(costs, 'none', part);
  const rows = Object.entries(titles).map(([name, title]) => {
    const own = name === 'none' ? ['', ''] : ['main', 'all'].map((part) => cost(name, part).toFixed(2));
    const times = name === 'web' ? (cost('web', 'all') / cost('fcm', 'all')).toFixed(2) : '';
    return [title, of(costs, name, 'main').toFixed(2), of(costs, name, 'all').toFixed(2), ...own, times];
  });
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const head = ['CPU ms a send', 'main', 'all', 'the push alone, main', 'the push alone, all', 'times FCM'];
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
