// Live activities for the benchmark: one account with 20 phones, each with as many of them as it can show.
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './bench-house.mjs';

const phones = 20;
const slots = 5;

/** Makes them: who may change them, one change of each, what was pushed so far and how long a change takes. */
export async function showActivities({ state, call }) {
  const shower = { email: 'activities@example.test', password: 'a long enough password' };
  const signIn = () => call('POST', '/api/session/login/password', { ...shower, client: 'app' });
  await call('POST', '/api/session/signup', { ...shower, name: 'Activities', client: 'app' });
  const { secret: bearer } = await call(
    'POST',
    '/api/session/tokens',
    { name: 'bench', scopes: ['notifications:send', 'activities:write', 'activities:read'] },
    (await signIn()).accessToken,
  );
  const toSimulator = async (method, path, given) =>
    (
      await fetch(`${state.simulatorUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: given && JSON.stringify(given),
      })
    ).json();
  const shownOn = [];
  const ids = [];
  for (let each = 0; each < phones; each += 1) {
    const { accessToken, refreshToken } = await signIn();
    const { phone } = await toSimulator('POST', '/phones', {
      platform: 'android',
      pair: { baseUrl: state.baseUrl, accessToken, refreshToken },
    });
    shownOn.push(phone);
    for (let slot = 0; slot < slots; slot += 1) {
      const props = { title: `Build ${each}.${slot}`, layout: 'ring', progress: 0 };
      const { activity } = await call(
        'POST',
        '/api/agent/activities',
        { props, deviceIds: [phone.deviceId] },
        bearer,
      );
      ids.push(activity.id);
    }
  }
  /** From the PATCH to the push provider, one at a time, each in another lane: one lane sends once a second. */
  const latency = async () => {
    const taken = [];
    for (const [index, id] of ids.entries()) {
      const { id: phoneId } = shownOn[Math.floor(index / slots)];
      const { next } = await toSimulator('GET', `/phones/${phoneId}/received?after=0`);
      const asked = Date.now();
      const path = `/api/agent/activities/${id}`;
      const { activity } = await call('PATCH', path, { props: { progress: 1 } }, bearer);
      for (let found; !found;) {
        const { received } = await toSimulator('GET', `/phones/${phoneId}/received?after=${next}`);
        found = received.find(
          ({ payload }) => payload.data?.activityId === id && Number(payload.data.seq) >= activity.sequence,
        );
        if (found) taken.push(Math.max(0, Date.parse(found.at) - asked));
        else if (Date.now() - asked > 30_000) throw new Error('An update did not reach the provider');
        else await sleep(2);
      }
    }
    return { p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) };
  };
  return {
    bearer,
    updates: ids.map((id, index) => ({
      method: 'PATCH',
      path: `/api/agent/activities/${id}`,
      body: JSON.stringify({ props: { progress: index / ids.length } }),
    })),
    pushes: async () => (await toSimulator('GET', '/stats')).fcm.requests,
    latency,
  };
}
