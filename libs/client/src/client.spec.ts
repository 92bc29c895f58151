import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, type ClientSettings, createClient, createSessionClient } from './client';
import { ApiError, ConnectionError } from './errors';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Answer = (response: ServerResponse, seen: Seen) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const cut: Answer = (response) => response.socket?.destroy();
const cutInItsMidst: Answer = (response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"notif', () => response.socket?.destroy());
};

/** A server that gives one prepared answer after the other, and its last one for ever. */
class Prepared {
  readonly seen: Seen[] = [];
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly answers: Answer[]) {}

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const seen = { method, path, headers, body };
        this.seen.push(seen);
        (this.answers.length > 1 ? this.answers.shift() : this.answers[0])?.(response, seen);
      });
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    const stopped = once(this.server!, 'close');
    this.server?.close();
    this.server?.closeAllConnections();
    await stopped;
  }
}

let server: Prepared;
async function answering(answers: Answer[], settings: Partial<ClientSettings> = {}): Promise<Client> {
  server = new Prepared(answers);
  await server.start();
  return createClient({ url: server.url, token: 'carillon_pat_1', ...settings });
}
afterEach(() => server.stop());

const created = { notification: { id: 'anot_1' }, accepted: 2 };
const send = (client: Client, key?: string): Promise<{ accepted: number }> =>
  client.post('/notifications', {
    body: { title: 'Build finished', body: 'main is green' },
    ...(key !== undefined && { params: { header: { 'Idempotency-Key': key } } }),
  });

describe('a call', () => {
  it('sends the token and gives the body of the answer', async () => {
    const client = await answering([json(201, created)]);
    expect(await send(client)).toEqual(created);
    const [{ method, path, headers, body }] = server.seen as [Seen];
    expect([method, path, headers.authorization]).toEqual([
      'POST',
      '/api/agent/notifications',
      'Bearer carillon_pat_1',
    ]);
    expect(JSON.parse(body)).toEqual({ title: 'Build finished', body: 'main is green' });
  });

  it('puts ids into the path and the rest into the query', async () => {
    const client = await answering([json(200, {})]);
    await client.get('/webhooks/{id}', { params: { path: { id: 'whk_1' }, query: { limit: 5 } } });
    expect(server.seen[0]?.path).toBe('/api/agent/webhooks/whk_1?limit=5');
  });

  it('throws what the server says is wrong', async () => {
    const issues = [{ path: 'title', message: 'must not be empty', code: 'too_short' }];
    const answer = { error: 'The request is not valid.', code: 'VALIDATION_FAILED', issues };
    const client = await answering([json(400, answer, { 'x-request-id': '01ABC' })]);
    const error = await send(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', issues, requestId: '01ABC' });
  });

  it('throws an ApiError for an error page of something in between', async () => {
    const page: Answer = (response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502');
    const client = await answering([page]);
    await expect(send(client)).rejects.toMatchObject({ status: 502, code: 'HTTP_502', issues: [] });
  });

  it('gives text that is no JSON as it is', async () => {
    const table: Answer = (response) =>
      response.writeHead(200, { 'content-type': 'text/csv' }).end('at,action');
    const client = await answering([table]);
    expect(await client.get('/teams/{id}/audit', { params: { path: { id: 'team_1' } } })).toBe('at,action');
  });

  it('does not compile with input that the API does not know', () => {
    server = new Prepared([]);
    const wrong = (client: Client): void => {
      // @ts-expect-error -- there is no such path
      void client.get('/notification');
      // @ts-expect-error -- the body is missing
      void client.post('/notifications');
      // @ts-expect-error -- the title is no text
      void client.post('/notifications', { body: { title: 1, body: 'main is green' } });
      // @ts-expect-error -- a field that the API would refuse
      void client.post('/notifications', { body: { title: 'Build', body: 'green', colour: 'green' } });
      // @ts-expect-error -- no such kind of prompt
      void client.ask({ title: 'Deploy', prompt: 'Deploy?', kind: 'maybe' });
    };
    expect(wrong).toBeInstanceOf(Function);
    server.stop = () => Promise.resolve();
  });

  it('reaches the Session API the same way', async () => {
    await answering([json(200, { account: { id: 'acc_1' } })]);
    const { account } = await createSessionClient({ url: `${server.url}/`, token: 'carillon_ses_1' }).get(
      '/me',
    );
    expect(account.id).toBe('acc_1');
    expect(server.seen[0]?.path).toBe('/api/session/me');
  });
});

describe('a repetition', () => {
  it.each([429, 503])('follows a %d when its Retry-After has passed', async (status) => {
    const client = await answering([json(status, {}, { 'retry-after': '1' }), json(201, created)]);
    const began = Date.now();
    expect(await send(client)).toEqual(created);
    expect(Date.now() - began).toBeGreaterThanOrEqual(990);
    expect(server.seen).toHaveLength(2);
    expect(server.seen[1]).toMatchObject({ body: server.seen[0]?.body });
  });

  it('obeys a Retry-After that is a date', async () => {
    const past = { 'retry-after': new Date(Date.now() - 5_000).toUTCString() };
    const client = await answering([json(503, {}, past), json(201, created)]);
    expect(await send(client)).toEqual(created);
  });

  it.each([
    ['a 503 without a time', json(503, {})],
    ['a time that is too far away', json(429, {}, { 'retry-after': '61' })],
    ['an error of the server', json(500, {}, { 'retry-after': '0' })],
    ['an unknown outcome without a key', json(504, {}, { 'retry-after': '0' })],
  ])('does not follow %s', async (_name, answer) => {
    const client = await answering([answer]);
    await expect(send(client)).rejects.toBeInstanceOf(ApiError);
    expect(server.seen).toHaveLength(1);
  });

  it('ends after a few, with the last answer', async () => {
    const client = await answering([json(503, {}, { 'retry-after': '0' })], { retries: 2 });
    await expect(send(client)).rejects.toMatchObject({ status: 503 });
    expect(server.seen).toHaveLength(3);
  });

  it.each([
    ['before the answer', cut],
    ['in the midst of the answer', cutInItsMidst],
  ])('follows a connection that was cut %s, with the same key', async (_name, answer) => {
    const client = await answering([answer, json(200, created)]);
    expect(await send(client, 'build-7')).toEqual(created);
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['build-7', 'build-7']);
    expect(server.seen[1]?.body).toBe(server.seen[0]?.body);
  });

  it('waits for the first request with its key, which the server still carries out', async () => {
    const running = json(409, { code: 'IDEMPOTENCY_IN_PROGRESS' }, { 'retry-after': '0' });
    const client = await answering([cut, running, json(504, {}), json(200, created)]);
    expect(await send(client, 'build-7')).toEqual(created);
    expect(server.seen).toHaveLength(4);
  });

  it.each([
    ['before the answer', cut],
    ['in the midst of the answer', cutInItsMidst],
  ])('never follows a connection that was cut %s without a key', async (_name, answer) => {
    const client = await answering([answer, json(201, created)]);
    await expect(send(client)).rejects.toBeInstanceOf(ConnectionError);
    expect(server.seen).toHaveLength(1);
  });

  it('counts a server that says nothing as cut', async () => {
    const client = await answering([() => {}, json(200, created)], { timeoutSeconds: 0.2 });
    expect(await send(client, 'build-7')).toEqual(created);
  });

  it('ends at once when the caller gives up', async () => {
    const client = await answering([json(503, {}, { 'retry-after': '30' })]);
    const given = new AbortController();
    const sent = client.get('/devices', { signal: given.signal });
    setTimeout(() => given.abort(new Error('given up')), 100);
    await expect(sent).rejects.toThrow('given up');
  });
});

const interaction = {
  id: 'int_1',
  status: 'pending',
  createdAt: '2026-11-20T17:00:00.000Z',
  expiresAt: '2026-11-20T18:00:00.000Z',
};
const pending = json(200, { interaction, timedOut: true });
const approved = json(200, { interaction: { ...interaction, status: 'approved' }, timedOut: false });
const question = { title: 'Deploy', prompt: 'Deploy main?', kind: 'approval' } as const;

describe('asking', () => {
  it('waits until the prompt has ended', async () => {
    const client = await answering([json(201, { interaction, accepted: 2 }), pending, pending, approved]);
    const asked: unknown[] = [];
    const answer = await client.ask(question, { onAsked: ({ id }, accepted) => asked.push([id, accepted]) });
    expect(answer.status).toBe('approved');
    expect(asked).toEqual([['int_1', 2]]);
    expect(server.seen.map(({ path }) => path.split('?')[0])).toEqual([
      '/api/agent/interactions',
      ...Array.from({ length: 3 }, () => '/api/agent/interactions/int_1/wait'),
    ]);
  });

  it('asks once, and waits on, through cut connections, limits and a restart of the server', async () => {
    const limited = json(429, { code: 'TOO_MANY_WAITS' }, { 'retry-after': '0' });
    const gone = async (response: ServerResponse): Promise<void> => {
      response.socket?.destroy();
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, 600));
      await server.start();
    };
    const client = await answering([
      cut,
      json(200, { interaction, accepted: 2, idempotent: true }),
      cut,
      limited,
      (response) => void gone(response),
      json(503, {}),
      approved,
    ]);
    expect((await client.ask(question, { idempotencyKey: 'deploy-9' })).status).toBe('approved');
    const creations = server.seen.filter(({ method }) => method === 'POST');
    expect(creations.map(({ headers }) => headers['idempotency-key'])).toEqual(['deploy-9', 'deploy-9']);
  });

  it('gives up a server that is away for longer than its patience', async () => {
    const keys: unknown[] = [];
    const noting = (request: Request): Promise<Response> => {
      keys.push(request.headers.get('idempotency-key'));
      return fetch(request);
    };
    const client = await answering([], { retries: 0, fetch: noting });
    await server.stop();
    server.stop = () => Promise.resolve();
    const asked = client.ask(question, { patienceSeconds: 0.3 });
    await expect(asked).rejects.toMatchObject({ name: 'ConnectionError', wasCut: false });
    expect(new Set(keys).size).toBe(1);
    expect(keys.length).toBeGreaterThan(1);
  });

  const inProgress = json(409, { code: 'IDEMPOTENCY_IN_PROGRESS' });
  it.each([
    ['was cut', [cut]],
    ['was cut in the midst of its answer', [cutInItsMidst]],
    ['may have been carried out', [json(504, {})]],
    ['is still carried out', [inProgress]],
    ['was cut, whatever a repetition is answered', [cut, json(503, {})], 1],
  ] satisfies [string, Answer[], number?][])(
    'loses its patience no more once the question %s',
    async (_name, first, retries = 0) => {
      const away = [json(503, {}), inProgress, json(502, {})];
      const created = json(200, { interaction, accepted: 1 });
      const client = await answering([...first, ...away, created, approved], { retries });
      expect((await client.ask(question, { patienceSeconds: 0 })).status).toBe('approved');
      const creations = server.seen.filter(({ method }) => method === 'POST');
      expect(new Set(creations.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(creations).toHaveLength(first.length + 4);
    },
  );

  it('gives up a question that was cut when it must have expired', async () => {
    const client = await answering([cut], { retries: 0 });
    const expiresAt = new Date(Date.now() - 29_700).toISOString();
    const asked = client.ask({ ...question, expiresAt }, { patienceSeconds: 0 });
    await expect(asked).rejects.toMatchObject({ name: 'ConnectionError', wasCut: true });
    expect(server.seen.length).toBeGreaterThan(1);
  });

  it('takes a new key for each question', async () => {
    const client = await answering([json(201, { interaction, accepted: 0 }), approved]);
    await client.ask(question);
    expect(server.seen[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([401, 404])('ends with a %d, which no waiting mends', async (status) => {
    const client = await answering([json(201, { interaction, accepted: 1 }), json(status, {})]);
    await expect(client.ask(question)).rejects.toMatchObject({ status });
  });

  it('gives up a server that is still away when the prompt has expired', async () => {
    const short = { ...interaction, expiresAt: '2026-11-20T16:59:00.000Z' };
    const client = await answering([json(201, { interaction: short, accepted: 1 }), cut]);
    await expect(client.ask(question)).rejects.toBeInstanceOf(ConnectionError);
  });

  it('ends when the caller gives up', async () => {
    const client = await answering([json(201, { interaction, accepted: 1 }), () => {}]);
    await expect(client.ask(question, { signal: AbortSignal.timeout(200) })).rejects.toThrow(/time/);
  });
});

describe('pages', () => {
  it('are read one after the other until the last', async () => {
    const page = (id: string, nextCursor: string | null): Answer =>
      json(200, { services: [{ id }], nextCursor });
    const client = await answering([page('svc_3', 'a+b'), page('svc_2', 'c'), page('svc_1', null)]);
    const ids: string[] = [];
    for await (const { services } of client.pages('/services', { params: { query: { limit: 1 } } }))
      ids.push(...services.map(({ id }) => id));
    expect(ids).toEqual(['svc_3', 'svc_2', 'svc_1']);
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/api/agent/services?limit=1',
      '/api/agent/services?limit=1&cursor=a%2Bb',
      '/api/agent/services?limit=1&cursor=c',
    ]);
  });
});

describe('messages', () => {
  const message = (sequence: number) => ({ sequence, id: `msg_${sequence}`, body: '{}' });
  const page = (sequences: readonly number[], nextAfter: number, gaps: object[] = []): Answer =>
    json(200, { messages: sequences.map(message), nextAfter, gaps });
  /** What a caller sees that takes so many, in the order in which it does. */
  const seenBy = async (client: Client, count: number, options: object = {}): Promise<unknown[]> => {
    const seen: unknown[] = [];
    const noting = {
      onCursor: (after: number) => seen.push(`cursor ${after}`),
      onGap: ({ from, to }: { from: number; to: number }) => seen.push(`gap ${from}-${to}`),
    };
    for await (const { sequence } of client.messages('whk_1', { ...noting, ...options })) {
      seen.push(sequence);
      if (seen.filter((each) => typeof each === 'number').length === count) break;
    }
    return seen;
  };
  const asked = () => server.seen.map(({ path }) => new URL(path, server.url).searchParams.get('after'));

  it('go on where they were through cut connections, limits and a server that is away', async () => {
    const client = await answering([
      page([7, 8], 8),
      cut,
      json(429, { code: 'TOO_MANY_WAITS' }, { 'retry-after': '0' }),
      page([], 8),
      json(503, {}),
      cutInItsMidst,
      page([9], 9),
    ]);
    expect(await seenBy(client, 3)).toEqual(['cursor 6', 7, 'cursor 7', 8, 'cursor 8', 9]);
    expect(asked()).toEqual([null, '8', '8', '8', '8', '8', '8']);
  });

  it('tell of gaps where they are, and pass them once', async () => {
    const gaps = [
      { from: 4, to: 6 },
      { from: 8, to: 8 },
      { from: 10, to: 12 },
    ];
    const client = await answering([page([7, 9], 12, gaps), page([13], 13)]);
    expect(await seenBy(client, 3, { after: 3 })).toEqual([
      ...['gap 4-6', 'cursor 6', 7, 'cursor 7'],
      ...['gap 8-8', 'cursor 8', 9, 'cursor 9'],
      ...['gap 10-12', 'cursor 12', 13],
    ]);
    expect(asked()).toEqual(['3', '12']);
  });

  it('come again when the caller did not get to the end of one', async () => {
    const client = await answering([page([1, 2], 2), page([2], 2)]);
    expect(await seenBy(client, 2, { after: 0 })).toEqual([1, 'cursor 1', 2]);
    expect(await seenBy(client, 1, { after: 1 })).toEqual([2]);
  });

  it('end with what no waiting mends, with their patience, and with their caller', async () => {
    await expect(seenBy(await answering([json(404, {})]), 1)).rejects.toMatchObject({ status: 404 });
    await server.stop();
    const away = seenBy(await answering([cut]), 1, { patienceSeconds: 0.3 });
    await expect(away).rejects.toBeInstanceOf(ConnectionError);
    await server.stop();
    const left = seenBy(await answering([() => {}]), 1, { signal: AbortSignal.timeout(200) });
    await expect(left).rejects.toThrow(/time/);
  });
});
