// Sends with the token of an OAuth grant beside sends with an API token of the same account, in turns.
import { createHash, randomBytes } from 'node:crypto';
import { comparing } from './bench-compare.mjs';
import { accountWithoutPhone, callerOf, startHouse } from './bench-house.mjs';

const body = JSON.stringify({ title: 'Build finished', body: 'main is green', projectId: 'bench' });
const redirectUri = 'https://client.example/callback';

/** An access token of a grant, as a client gets it by the code flow. */
async function grantToken({ baseUrl }, { email, password }) {
  const { PersonBrowser } = await import('../dist/libs/testkit/src/index.js');
  const call = callerOf({ baseUrl });
  const { client_id } = await call('POST', '/oauth/register', {
    client_name: 'Bench',
    redirect_uris: [redirectUri],
  });
  const browser = new PersonBrowser(baseUrl);
  await browser.signIn({ email, password });
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/oauth/authorize', baseUrl);
  url.search = new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    resource: `${baseUrl}/api/agent`,
    scope: 'notifications:send',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const back = await browser.agree(url);
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      code: back.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
      resource: `${baseUrl}/api/agent`,
    }),
  });
  const { access_token: token } = await answer.json();
  if (!token) throw new Error(`The token endpoint answered ${answer.status}`);
  return token;
}

export async function measureGrants({ env, rounds, seconds, clients, autocannon }) {
  const house = await startHouse({ ...env, LOG_LEVEL: 'warn' });
  try {
    const { secret } = await accountWithoutPhone(callerOf(house.state));
    const person = { email: 'bench@example.test', password: 'a long enough password' };
    const work = { method: 'POST', path: '/api/agent/notifications', body };
    const works = {
      token: { ...work, title: 'an API token', bearer: secret },
      grant: { ...work, title: 'the token of a grant', bearer: await grantToken(house.state, person) },
    };
    const compare = await comparing({ house, autocannon, rounds, seconds, clients }, works);
    return await compare(['token', 'grant'], 'token');
  } finally {
    await house.stop();
  }
}

export const grantsTable = (rows) =>
  [
    '| POST /notifications with | requests/s | p50 ms | p99 ms | CPU ms: main | CPU ms: all | times an API token |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ title, rate, p50, p99, cpu, cpuRatio }) =>
        `| ${title} | ${rate.toFixed(0)} | ${p50} | ${p99} | ${cpu?.main.toFixed(2) ?? ''} | ${cpu?.all.toFixed(2) ?? ''} | ${cpuRatio?.toFixed(2) ?? ''} |`,
    ),
  ].join('\n');
