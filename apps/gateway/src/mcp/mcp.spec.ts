import { HttpAdapterHost } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Scope } from '@carillon/contracts';
import type { FastifyReply } from 'fastify';
import { tooMany } from '../errors/api-error';
import { type EdgeRequest, setEdge, type HttpRequest } from '../request/row';
import { McpController, mcpRow } from './mcp.controller';
import { McpService } from './mcp.service';
import { RouteCalls } from './route-calls';

const scopes: Scope[] = ['interactions:create', 'interactions:read'];
const at = '2026-11-26T10:00:00.000Z';
const token = {
  ...{ tokenId: 'tok_1', accountId: 'acc_1', name: 'MCP', prefix: 'carillon_pat_a', scopes },
  ...{ createdAt: at, lastUsedAt: null, expiresAt: null },
};
const call = (name: string, given: unknown = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: given },
});
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'story', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const wrongClient = { 'io.modelcontextprotocol/clientInfo': { name: 7 } };

beforeAll(() => {
  process.env['CARILLON_BASE_URL'] = 'https://bells.test';
});

/** The endpoint behind an access guard that leaves the count to it, beside one route. */
async function endpoint({ isFull = false } = {}) {
  const adapter = new FastifyAdapter({ bodyLimit: 1_048_576 });
  const host = new HttpAdapterHost();
  host.httpAdapter = adapter;
  const seen = { counted: 0, route: 0 };
  const guard = {
    admit: () => {
      seen.route += 1;
      return Promise.resolve(true);
    },
    count: ({ isUncounted }: EdgeRequest) => {
      if (!isUncounted) return Promise.resolve();
      seen.counted += 1;
      return isFull ? Promise.reject(tooMany(600, 30)) : Promise.resolve();
    },
  };
  const executor = { serve: (request: EdgeRequest) => Promise.resolve(request.row.local?.(request)) };
  const controller = new McpController(new McpService(host, new RouteCalls(guard, executor)), guard);
  const app = adapter.getInstance();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_http, body, done) => done(null, body));
  app.post('/mcp', async (http, reply) => {
    setEdge(http, {
      ...{ http: http as HttpRequest, reply: reply as FastifyReply, requestId: http.id, row: mcpRow },
      ...{ byCookie: false, token, isUncounted: true },
    });
    await controller.serve(http as HttpRequest, reply as FastifyReply);
    return reply;
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  return { post, seen, close: () => app.close() };
}

const ofNow = (message: ReturnType<typeof call>) => ({
  body: { ...message, params: { ...message.params, _meta: envelope } },
  headers: {
    ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
    'mcp-name': message.params.name,
  },
});
const of2025 = (message: ReturnType<typeof call>) => ({ body: message, headers: {} });

describe.each([
  ['2026-07-28', ofNow],
  ['2025', of2025],
])('a call of a tool by a client of %s', (_era, as) => {
  it('leaves the count to the route that it requests', async () => {
    const { post, seen, ...house } = await endpoint();
    const { body, headers } = as(call('whoami'));
    const answer = await post(body, headers);
    await house.close();
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('authenticated') });
    expect(seen).toEqual({ counted: 0, route: 1 });
  });

  it.each([
    ['without an id', call('get_prompt')],
    ['with an id that is no text', call('get_prompt', { interactionId: '\ud800' })],
    ['with a wrong time to wait', call('ask', { waitSeconds: -1 })],
  ])('counts %s, which requests no route', async (_what, message) => {
    const { post, seen, ...house } = await endpoint();
    const { body, headers } = as(message);
    const answer = await post(body, headers);
    await house.close();
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('VALIDATION_FAILED') });
    expect(seen).toEqual({ counted: 1, route: 0 });
  });

  it('is refused as its route refuses a body that is too large, and counts', async () => {
    const { post, seen, ...house } = await endpoint();
    const { body, headers } = as(call('ask', { title: 'Long', prompt: 'x'.repeat(65_536) }));
    const answer = await post(body, headers);
    await house.close();
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('PAYLOAD_TOO_LARGE') });
    expect(seen).toEqual({ counted: 1, route: 0 });
  });

  it('counts when its arguments are refused before the tool is called', async () => {
    const { post, seen, ...house } = await endpoint();
    const { body, headers } = as(call('get_prompt', 7));
    await post(body, headers);
    await house.close();
    expect(seen).toEqual({ counted: 1, route: 0 });
  });
});

describe('a call of a client that has called before', () => {
  const said = (message: ReturnType<typeof call>, more: object = {}) => {
    const { body, headers } = ofNow(message);
    return { body: { ...body, params: { ...body.params, ...more } }, headers };
  };

  it.each([
    ['that is answered', call('whoami'), { counted: 0, route: 2 }],
    ['whose arguments are refused', call('get_prompt'), { counted: 2, route: 0 }],
  ])('%s has the same answer as the first one', async (_what, message, expected) => {
    const { post, seen, ...house } = await endpoint();
    const { body, headers } = ofNow(message);
    const first = await post(body, headers);
    const second = await post(body, headers);
    await house.close();
    expect([second.status, JSON.parse(second.text)]).toEqual([first.status, JSON.parse(first.text)]);
    expect(first.status).toBe(200);
    expect(seen).toEqual(expected);
  });

  it.each([
    ['another revision in its headers', said(call('whoami')), { 'mcp-protocol-version': '2025-11-25' }],
    ['another method in its headers', said(call('whoami')), { 'mcp-method': 'tools/list' }],
    ['another tool in its headers', said(call('whoami')), { 'mcp-name': 'notify' }],
    ['another media type', said(call('whoami')), { 'content-type': 'text/plain' }],
    ['a wrong envelope', said(call('whoami'), { _meta: { ...envelope, ...wrongClient } }), {}],
    ['no envelope', said(call('whoami'), { _meta: {} }), {}],
    ['arguments that are a list', said(call('whoami', [])), {}],
    ['no id', said({ ...call('whoami'), id: null as never }), {}],
  ])('is refused as the first one is with %s', async (_what, { body, headers }, more) => {
    const [fresh, known] = [await endpoint(), await endpoint()];
    const before = ofNow(call('whoami'));
    await known.post(before.body, before.headers);
    const [first, second] = [
      await fresh.post(body, { ...headers, ...more }),
      await known.post(body, { ...headers, ...more }),
    ];
    await Promise.all([fresh.close(), known.close()]);
    expect(second).toEqual(first);
    expect(first.text).not.toContain('authenticated');
    expect(known.seen).toEqual({ counted: 1, route: 1 });
  });
});

describe('a call that the protocol refuses', () => {
  it.each([
    ['an unknown revision', call('whoami'), { 'mcp-protocol-version': '2031-01-01' }],
    ['no id of its message', { ...call('whoami'), id: undefined }, {}],
    ['another site', call('whoami'), { origin: 'https://evil.example' }],
  ])('counts with %s', async (_what, body, headers) => {
    const { post, seen, ...house } = await endpoint();
    await post(body, headers);
    await house.close();
    expect(seen).toEqual({ counted: 1, route: 0 });
  });

  it('is refused by the limit once that is used up', async () => {
    const { post, ...house } = await endpoint({ isFull: true });
    const { body, headers } = ofNow(call('get_prompt'));
    const answer = await post(body, headers);
    await house.close();
    expect(answer.text).toContain('429 RATE_LIMITED');
  });
});

describe('a subscription to changes of lists', () => {
  it('is acknowledged and ends, since no list changes', async () => {
    const { post, ...house } = await endpoint();
    const notifications = { toolsListChanged: true, promptsListChanged: true };
    const answer = await post(
      {
        ...{ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen' },
        params: { notifications, _meta: envelope },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );
    await house.close();
    const messages = answer.text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 7, result: { resultType: 'complete' } },
    ]);
  });
});
