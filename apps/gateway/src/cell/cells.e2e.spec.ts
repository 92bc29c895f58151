import { randomBytes } from 'node:crypto';
import {
  eventually,
  type GatewayProcess,
  type House,
  type HouseAccount,
  startGateway,
  startHouse,
} from '@carillon/testkit';

const pepper = randomBytes(32).toString('base64');
/** Cell 0, whose gateway knows the address of cell 1; and cell 1, which knows no other. */
let zero: House;
let one: House;
/** A gateway of cell 1 that knows the address of cell 0. */
let other: GatewayProcess;
let agent: HouseAccount;
let cells: string;
beforeAll(async () => {
  one = await startHouse({ limits: 'off', env: { CARILLON_CELL: '1', CARILLON_PEPPER: pepper } });
  cells = `1=${one.state.baseUrl}`;
  zero = await startHouse({ env: { CARILLON_CELLS: cells } });
  other = await startGateway(one, pepper, {
    CARILLON_CELL: '1',
    CARILLON_CELLS: `0=${zero.state.baseUrl}`,
  });
}, 240_000);
beforeEach(async () => {
  agent = await one.anotherAccount();
});
afterAll(async () => {
  await other?.stop();
  await zero?.close();
  await one?.close();
}, 120_000);

async function ask(base: string, method: string, path: string, bearer: string, body?: unknown, headers = {}) {
  const answer = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}

const message = { title: 'Build finished', body: 'green' };
const inbox = '/api/agent/inbox/notifications';

describe('a token of another cell', () => {
  it('is served through the gateway of this one', async () => {
    expect(agent.apiToken).toMatch(/^carillon_pat_1/);
    const key = { 'idempotency-key': 'once', 'x-request-id': 'forwarded-1' };
    const send = () =>
      ask(zero.state.baseUrl, 'POST', '/api/agent/notifications', agent.apiToken, message, key);
    const sent = await send();
    expect(sent).toMatchObject({ status: 201, body: { accepted: 0 } });
    expect(sent.headers.get('x-request-id')).toBe('forwarded-1');
    const again = await send();
    expect(again).toMatchObject({ status: 200, body: { notification: { id: sent.body.notification.id } } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const base of [zero.state.baseUrl, one.state.baseUrl]) {
      const { status, body } = await ask(base, 'GET', `${inbox}?limit=5`, agent.apiToken);
      expect([status, body.items.map(({ title }: { title: string }) => title)]).toEqual([
        200,
        [message.title],
      ]);
    }
    const wrong = await ask(zero.state.baseUrl, 'POST', '/api/agent/notifications', agent.apiToken, {});
    expect(wrong).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  it('is refused where no address is known for its cell, before anything is looked up', async () => {
    const { status, headers, body } = await ask(one.state.baseUrl, 'GET', inbox, zero.owner.apiToken);
    expect(status).toBe(421);
    expect(headers.get('x-request-id')).toMatch(/./);
    expect(body).toEqual({
      error: 'The secret belongs to another cell. Send the request to the address of that cell.',
      code: 'WRONG_CELL',
    });
    const misspelt = zero.owner.apiToken.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    expect(await ask(one.state.baseUrl, 'GET', inbox, misspelt)).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_INVALID' },
    });
  });

  it('does not lead a sign-in, nor a request for a path that no route has', async () => {
    const signIn = ({ email, password }: HouseAccount, base: string, headers = {}) =>
      ask(base, 'POST', '/api/session/login/password', '', { email, password, client: 'app' }, headers);
    const left = (await signIn(agent, one.state.baseUrl)).body.accessToken;
    expect(left).toMatch(/^carillon_ses_1/);
    const signedIn = await signIn(zero.owner, zero.state.baseUrl, {
      cookie: `__Host-carillon_session=${left}`,
      origin: zero.state.baseUrl,
    });
    expect(signedIn.status).toBe(200);
    expect(signedIn.body.accessToken).toMatch(/^carillon_ses_0/);
    const none = await ask(zero.state.baseUrl, 'GET', '/api/agent/none', agent.apiToken);
    expect(none).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
  });

  it('is not forwarded twice', async () => {
    const hop = { 'carillon-forwarded-by': '7' };
    expect(await ask(zero.state.baseUrl, 'GET', inbox, agent.apiToken, undefined, hop)).toMatchObject({
      status: 421,
      body: { code: 'WRONG_CELL' },
    });
  });

  it('waits for an answer, and is told when the wait ends', async () => {
    const prompt = { kind: 'approval', title: 'Deploy', prompt: 'Ship it?' };
    const made = await ask(zero.state.baseUrl, 'POST', '/api/agent/interactions', agent.apiToken, prompt);
    expect(made.status).toBe(201);
    const { id } = made.body.interaction;
    const path = `/api/agent/interactions/${id}`;
    const waits = ask(zero.state.baseUrl, 'GET', `${path}/wait?timeoutSeconds=20`, agent.apiToken);
    expect((await ask(zero.state.baseUrl, 'POST', `${path}/cancel`, agent.apiToken, {})).status).toBe(200);
    expect(await waits).toMatchObject({ status: 200, body: { interaction: { status: 'canceled' } } });
  });
});

describe('other secrets of another cell', () => {
  it('a service URL takes messages', async () => {
    const made = await ask(one.state.baseUrl, 'POST', '/api/agent/services', agent.apiToken, { title: 'CI' });
    expect(made.status).toBe(201);
    const { webhookUrl } = made.body;
    const { pathname } = new URL(webhookUrl);
    const answer = await fetch(zero.state.baseUrl + pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ body: 'green' }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { ok: true }]);
  });

  it('a session is served, and an app refreshes it', async () => {
    const { email, password } = agent;
    const login = await ask(other.url, 'POST', '/api/session/login/password', '', {
      email,
      password,
      client: 'app',
    });
    expect(login.status).toBe(200);
    const { accessToken, refreshToken } = login.body;
    expect((await ask(zero.state.baseUrl, 'GET', '/api/session/me', accessToken)).status).toBe(200);
    const refreshed = await fetch(`${zero.state.baseUrl}/api/session/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refreshToken }),
    });
    expect(refreshed.status).toBe(200);
    expect(((await refreshed.json()) as { accessToken: string }).accessToken).toMatch(/^carillon_ses_1/);
  });

  it('a stream is open for as long as its reader', async () => {
    const { accessToken } = (
      await ask(one.state.baseUrl, 'POST', '/api/session/login/password', '', {
        email: agent.email,
        password: agent.password,
        client: 'app',
      })
    ).body;
    const reader = new AbortController();
    const stream = await fetch(`${zero.state.baseUrl}/api/session/stream`, {
      headers: { authorization: `Bearer ${accessToken}` },
      signal: reader.signal,
    });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ]);
    const chunks = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    await ask(zero.state.baseUrl, 'POST', '/api/agent/notifications', agent.apiToken, message);
    let text = '';
    while (!text.includes('inbox')) {
      const { value, done } = await chunks.read();
      expect(done).toBe(false);
      text += value ?? '';
    }
    reader.abort();
  });
});

it('answers 503 while the other cell is away', async () => {
  const away = await startGateway(one, pepper, {
    CARILLON_CELL: '1',
    CARILLON_CELLS: '0=http://127.0.0.1:9',
  });
  try {
    const answer = await ask(away.url, 'GET', inbox, zero.owner.apiToken);
    expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  } finally {
    await away.stop();
  }
});

it('two cells forward to each other', async () => {
  const answer = await eventually(
    async () => {
      const found = await ask(other.url, 'GET', inbox, zero.owner.apiToken);
      return found.status === 200 ? found : undefined;
    },
    () => 'cell 0 does not answer through cell 1',
    10_000,
  );
  expect(answer.body.items).toEqual([]);
});
