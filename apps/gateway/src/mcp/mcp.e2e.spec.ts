import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import {
  eventually,
  type GatewayProcess,
  type House,
  type HouseAccount,
  onCall,
  startGateway,
  startHouse,
} from '@carillon/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const pepper = randomBytes(32).toString('base64');
let house: House;
let other: GatewayProcess;
let person: HouseAccount;
beforeAll(async () => {
  house = await startHouse({ limits: 'off', env: { CARILLON_PEPPER: pepper } });
  house.ignorePushes();
  other = await startGateway(house, pepper);
  person = await house.anotherAccount();
  await person.addPhone('ios');
}, 120_000);
afterAll(async () => {
  await other?.stop();
  await house?.close();
}, 90_000);

/** Both gateways in turns, one request each. */
function turns(): typeof fetch {
  const bases = [house.state.baseUrl, other.url];
  let count = 0;
  return (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    return fetch(`${bases[count++ % bases.length]}${pathname}`, init);
  };
}

/** One gateway alone. */
const at =
  (base: string): typeof fetch =>
  (input, init) =>
    fetch(`${base}${new URL(input instanceof Request ? input.url : input).pathname}`, init);

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
interface Called {
  readonly isError?: boolean | undefined;
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: any;
}
interface Session {
  tools(): Promise<string[]>;
  call(name: string, given?: object, onprogress?: (progress: Progress) => void): Promise<Called>;
}

/** A client of the revision 2026-07-28. */
async function newer(token = person.apiToken, fetchBy = turns()): Promise<Session> {
  const client = new Client(
    { name: 'story', version: '2.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const url = new URL('/mcp', house.state.baseUrl);
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      fetch: fetchBy,
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}, onprogress) =>
      (await client.callTool(
        { name, arguments: { ...given } },
        { timeout: 120_000, ...(onprogress && { onprogress }) },
      )) as Called,
  };
}

/** A client of the revisions of 2025, which begins with a handshake. */
async function older(token = person.apiToken, fetchBy = turns()): Promise<Session> {
  const client = new OlderClient({ name: 'older-story', version: '1.0.0' });
  const url = new URL('/mcp', house.state.baseUrl);
  await client.connect(
    new OlderTransport(url, {
      fetch: fetchBy,
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }) as never,
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}, onprogress) =>
      (await client.callTool({ name, arguments: { ...given } }, undefined, {
        timeout: 120_000,
        ...(onprogress && { onprogress }),
      })) as Called,
  };
}

const tokenWith = async (held: readonly string[], who = person): Promise<string> =>
  (await who.session('POST', '/tokens', { body: { name: 'MCP', scopes: held } })).body.secret;

const pending = async (title: string): Promise<{ id: string; actionDigest: string }> =>
  eventually(
    async () =>
      (await person.session('GET', '/prompts')).body.interactions.find(
        (each: { title: string }) => each.title === title,
      ),
    () => `no prompt ${title} is pending`,
  );
const answer = async (title: string, given: string) => {
  const { id, actionDigest } = await pending(title);
  const answered = await person.session('POST', `/prompts/${id}/answer`, {
    body: { answer: given, actionDigest },
  });
  expect(answered.status).toBe(200);
  return id;
};
const deploy = () => ({ title: `Deploy ${randomUUID().slice(0, 8)}`, prompt: 'Ship it?', kind: 'approval' });

describe.each([
  ['2026-07-28', newer],
  ['2025', older],
])('a client of %s that meets two gateways in turns', (_era, connect) => {
  it('has the tools of its token', async () => {
    expect(await (await connect()).tools()).toHaveLength(23);
    const narrow = await connect(await tokenWith(['notifications:send']));
    expect(await narrow.tools()).toEqual(['notify', 'withdraw_notification', 'whoami']);
  });

  it('sends once what it repeats with its key, and removes it', async () => {
    const client = await connect();
    const given = { title: 'Built', body: 'All green', idempotencyKey: randomUUID() };
    const { structuredContent: sent } = await client.call('notify', given);
    expect(sent).toMatchObject({ accepted: 1, notification: { title: 'Built' } });
    const { structuredContent: again } = await client.call('notify', given);
    expect(again).toMatchObject({ idempotent: true, notification: { id: sent.notification.id } });
    expect(
      await client.call('withdraw_notification', { notificationId: sent.notification.id }),
    ).toMatchObject({
      structuredContent: { ok: true, status: 'withdrawn' },
    });
  });

  it('asks a person, hears of progress and gets the answer', async () => {
    const client = await connect();
    const given = deploy();
    const told: Progress[] = [];
    const asked = client.call('ask', { ...given, waitSeconds: 600 }, (progress) => told.push(progress));
    await eventually(
      () => told[1],
      () => 'no second progress came',
      30_000,
    );
    const id = await answer(given.title, 'approved');
    expect(await asked).toMatchObject({
      structuredContent: {
        interactionId: id,
        status: 'approved',
        response: 'approved',
        untrusted: ['response'],
      },
    });
    expect(told.slice(0, 2)).toMatchObject([
      { progress: 0, total: 600 },
      { progress: 10, total: 600 },
    ]);
    expect(told[0]?.message).toBe(
      'Asked all devices of the account: 1 device accepted it. Nobody has answered yet.',
    );
  }, 60_000);

  it('is told to wait on where nobody answers, and gets the answer from another gateway', async () => {
    const client = await connect();
    const given = deploy();
    const asked = await client.call('ask', { ...given, waitSeconds: 1 });
    expect(asked).toMatchObject({ structuredContent: { status: 'pending', response: null } });
    expect(asked.isError).toBeFalsy();
    expect(asked.structuredContent.next).toContain('wait_for_answer');
    const { interactionId } = asked.structuredContent;
    const waiting = client.call('wait_for_answer', { interactionId });
    await answer(given.title, 'denied');
    expect(await waiting).toMatchObject({ structuredContent: { interactionId, status: 'denied' } });
    expect(await client.call('get_prompt', { interactionId })).toMatchObject({
      structuredContent: { interaction: { status: 'denied' } },
    });
    expect(await client.call('cancel_prompt', { interactionId })).toMatchObject({ isError: true });
  });

  it('waits on in one call after 90 s, for an answer that comes through the other gateway', async () => {
    const client = await connect(person.apiToken, at(house.state.baseUrl));
    const given = deploy();
    const asked = client.call('ask', { ...given, waitSeconds: 600 }, () => {});
    const { id, actionDigest } = await pending(given.title);
    await house.advance(90);
    const answered = await fetch(`${other.url}/api/session/prompts/${id}/answer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await person.signIn()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ answer: 'approved', actionDigest }),
    });
    expect(answered.status).toBe(200);
    expect(await asked).toMatchObject({ structuredContent: { interactionId: id, status: 'approved' } });
  }, 30_000);

  it('asks through a gateway that is stopped, and has the answer after 90 s from the other', async () => {
    const stopped = await startGateway(house, pepper);
    const client = await connect(person.apiToken, at(stopped.url));
    const given = { ...deploy(), idempotencyKey: randomUUID() };
    const asked = client.call('ask', { ...given, waitSeconds: 600 }, () => {});
    const { id } = await pending(given.title);
    await stopped.stop();
    expect(await asked).toMatchObject({
      structuredContent: {
        interactionId: id,
        status: 'pending',
        next: expect.stringContaining('wait_for_answer'),
      },
    });
    await house.advance(90);
    const elsewhere = await connect(person.apiToken, at(other.url));
    const waiting = elsewhere.call('wait_for_answer', { interactionId: id });
    const again = elsewhere.call('ask', given);
    await answer(given.title, 'approved');
    for (const result of await Promise.all([waiting, again]))
      expect(result).toMatchObject({ structuredContent: { interactionId: id, status: 'approved' } });
  }, 60_000);

  it('gets each refusal as an error that says what to do', async () => {
    const client = await connect();
    const refused = async (name: string, given: object) => {
      const { isError, content } = await client.call(name, given);
      expect(isError).toBe(true);
      return { said: content?.[0]?.text, body: JSON.parse(content?.[1]?.text ?? '') };
    };
    expect(await refused('notify', { title: '', body: 'b', urgent: true })).toMatchObject({
      said: expect.stringContaining('Correct the arguments'),
      body: { code: 'VALIDATION_FAILED', issues: [{ path: 'title' }, { path: 'urgent' }] },
    });
    expect(await refused('get_prompt', { interactionId: 'int_none' })).toMatchObject({
      body: { code: 'NOT_FOUND' },
    });
    expect(await refused('get_prompt', {})).toMatchObject({
      body: { issues: [{ path: 'interactionId' }] },
    });
    expect(await refused('ask', { ...deploy(), waitSeconds: 601 })).toMatchObject({
      body: { issues: [{ path: 'waitSeconds' }] },
    });
    const key = randomUUID();
    await client.call('notify', { title: 'a', body: 'b', idempotencyKey: key });
    expect(await refused('notify', { title: 'a', body: 'c', idempotencyKey: key })).toMatchObject({
      said: expect.stringContaining('another idempotencyKey'),
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });
});

describe('a call that was cut', () => {
  it('has canceled nothing: its repeat waits for the same prompt, at the other gateway', async () => {
    const given = { ...deploy(), idempotencyKey: randomUUID() };
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ask', arguments: given },
    };
    const leaving = new AbortController();
    const left = fetch(`${house.state.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${person.apiToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal: leaving.signal,
    }).then((response) => response.text());
    const { id } = await pending(given.title);
    leaving.abort();
    await expect(left).rejects.toThrow();
    const client = await older(person.apiToken, at(other.url));
    const again = client.call('ask', given);
    await answer(given.title, 'approved');
    expect(await again).toMatchObject({ structuredContent: { interactionId: id, status: 'approved' } });
  });
});

describe('what a tool changes', () => {
  it('stands in the audit log with the client and the tool, and a page says where it comes from', async () => {
    const owner = await house.anotherAccount();
    const { teamId, groupId } = await onCall(house, [owner]);
    const client = await newer(owner.apiToken);
    const paged = await client.call('page_oncall', { groupId, title: 'Disk full' });
    expect(paged).toMatchObject({ structuredContent: { page: { source: 'mcp', title: 'Disk full' } } });
    const { entries } = (await owner.api('GET', `/teams/${teamId}/audit?action=page.triggered`)).body;
    expect(entries).toMatchObject([{ userAgent: 'story/2.0.0 (tool page_oncall)' }]);
    const oncall = await client.call('who_is_on_call', { teamId });
    expect(oncall).toMatchObject({ structuredContent: { groups: [{ id: groupId, openPageCount: 1 }] } });
    const pageId = paged.structuredContent.page.id;
    await client.call('resolve_page', { pageId });
    expect(await client.call('get_page', { pageId })).toMatchObject({
      structuredContent: { status: 'resolved', untrusted: ['title', 'body'] },
    });
  });
});

describe('the endpoint', () => {
  const post = (given: { token?: string | null; headers?: Record<string, string>; body?: unknown } = {}) => {
    const { token = person.apiToken, headers = {}, body = list } = given;
    return house.http('POST', '/mcp', {
      token,
      headers: { accept: 'application/json, text/event-stream', ...headers },
      body: body as object,
    });
  };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'story', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const modern = (more: object = {}) => ({ ...list, params: { _meta: { ...meta, ...more } } });
  const version = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

  /** The status of a request with this `Host`, which `fetch` does not let a caller choose. */
  const statusUnder = async (host: string): Promise<number | undefined> => {
    const asked = request(`${house.state.baseUrl}/mcp`, { method: 'POST', headers: { host } }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  it('names its metadata to who has no token', async () => {
    const refused = await post({ token: null });
    expect(refused.status).toBe(401);
    const url = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(url).toBe(`${house.state.baseUrl}/.well-known/oauth-protected-resource/mcp`);
    const { pathname } = new URL(url);
    for (const path of [pathname, '/.well-known/oauth-protected-resource'])
      expect(await house.http('GET', path)).toMatchObject({
        status: 200,
        body: { resource: `${house.state.baseUrl}/mcp`, bearer_methods_supported: ['header'] },
      });
  });

  it('names the scopes that a call lacks', async () => {
    const token = await tokenWith(['inbox:read']);
    const call = { ...list, method: 'tools/call', params: { name: 'ask', arguments: deploy() } };
    const refused = await post({ token, body: call });
    expect(refused).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } });
    expect(refused.headers.get('www-authenticate')).toContain(
      'error="insufficient_scope", scope="interactions:create interactions:read", resource_metadata=',
    );
  });

  it('takes no request of another site', async () => {
    expect(await post({ headers: { origin: 'https://evil.example' } })).toMatchObject({ status: 403 });
    expect(await post({ headers: { origin: 'null' } })).toMatchObject({ status: 403 });
    expect(await post({ headers: { origin: house.state.baseUrl } })).toMatchObject({ status: 200 });
    expect(await statusUnder('127.0.0.1')).toBe(401);
    expect(await statusUnder('evil.example')).toBe(403);
  });

  it.each([
    [
      'an unknown revision',
      modern({ 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }),
      { 'mcp-protocol-version': '2031-01-01' },
    ],
    ['no capabilities in its envelope', modern({ 'io.modelcontextprotocol/clientCapabilities': 7 }), {}],
    ['a header for another method', modern(), { 'mcp-method': 'tools/call' }],
    ['a header for another revision', modern(), { 'mcp-protocol-version': '2025-11-25' }],
    ['a body that is no JSON', '{"jsonrpc"', {}],
    ['several messages', [list, list], {}],
  ])('answers 400 to %s', async (_what, body, headers) =>
    expect(await post({ body, headers: { ...version, ...headers } })).toMatchObject({ status: 400 }),
  );

  it('takes up to 1 MiB', async () => {
    const padded = (bytes: number): string => {
      const frame = JSON.stringify({ ...list, params: { _meta: { pad: '' } } });
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    };
    expect(await post({ body: padded(1_048_576) })).toMatchObject({ status: 200 });
    expect(await post({ body: padded(1_048_577) })).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE', limit: 1_048_576 },
    });
  });

  it('has no stream to read and no session to end', async () => {
    for (const method of ['GET', 'DELETE'])
      expect(await house.http(method, '/mcp', { token: person.apiToken })).toMatchObject({ status: 405 });
  });

  it('counts a call of a tool once, as its route', async () => {
    const { apiToken: token } = await house.anotherAccount();
    const rest = async () => {
      const { headers } = await house.api('GET', '/auth/status', { token });
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    };
    const before = await rest();
    for (let call = 0; call < 10; call += 1)
      expect(
        await post({ token, body: { ...list, method: 'tools/call', params: { name: 'whoami' } } }),
      ).toMatchObject({ status: 200 });
    // The window of the limit slides meanwhile.
    const used = before - (await rest()) - 1;
    expect(used).toBeGreaterThan(5);
    expect(used).toBeLessThanOrEqual(10);
  });
});
