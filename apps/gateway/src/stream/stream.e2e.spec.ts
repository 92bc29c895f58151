import { once } from 'node:events';
import { connect } from 'node:net';
import {
  eventually,
  type House,
  type HouseAccount,
  listen,
  type ListeningClient,
  startHouse,
} from '@carillon/testkit';

let house: House;
const open: ListeningClient[] = [];
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
}, 120_000);
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.leave()));
});
afterAll(() => house?.close(), 90_000);

const streamOf = async (
  headers: Record<string, string>,
  base = house.state.baseUrl,
): Promise<ListeningClient> => {
  const client = await listen(`${base}/api/session/stream`, headers);
  open.push(client);
  return client;
};
/** As the phone's app, and as a console in a browser. */
const asApp = async (person: HouseAccount, lastId?: string) =>
  streamOf({
    authorization: `Bearer ${await person.signIn()}`,
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  });
const cookieOf = async ({ email, password }: HouseAccount) => {
  const body = { email, password, client: 'browser' };
  const answer = await house.http('POST', '/api/session/login/password', { body });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
};
const asConsole = async (person: HouseAccount, lastId?: string) =>
  streamOf({
    cookie: await cookieOf(person),
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  });
const send = async (person: HouseAccount, more: object = {}) =>
  `notification:${
    (await person.api('POST', '/notifications', { body: { title: 'a', body: 'b', ...more } })).body
      .notification.id
  }`;
const began = async (client: ListeningClient) => {
  for (let tries = 0; client.lastId === '' && tries < 400; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
  return client;
};
const kindsOf = (client: ListeningClient) => client.told.map(({ event, data }) => data.kind ?? event);

describe('a stream', () => {
  it('begins with how to come back, and is not to be kept by anybody on the way', async () => {
    const person = await house.anotherAccount();
    const client = await began(await asApp(person));
    expect(client.status).toBe(200);
    const headers = Object.fromEntries(client.answer.headers);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
      'agent-api-version': '1.0.0',
    });
    expect(client.text).toMatch(/^retry: 2000\nid: \d+\n\n$/);
    expect(client.told).toEqual([]);
  });

  it('tells an app and a console what happens to the inbox, by id and never by text', async () => {
    const person = await house.anotherAccount();
    const clients = [await began(await asApp(person)), await began(await asConsole(person))];
    const itemId = await send(person, { title: 'a secret title', projectId: 'web' });
    await person.session('POST', `/inbox/notifications/${itemId}/read`);
    await person.session('POST', `/inbox/notifications/${itemId}/unread`);
    const { readThroughToken } = (await person.session('GET', '/inbox/notifications')).body;
    await person.session('POST', '/inbox/notifications/read-all', { body: { readThroughToken } });
    for (const client of clients) {
      const told = await client.heard(4);
      const about = { itemId, projectId: 'web', at: expect.any(String), position: expect.any(String) };
      expect(told.map(({ event, data }) => [event, data])).toEqual([
        ['inbox.changed', { ...about, kind: 'created' }],
        ['inbox.changed', { ...about, kind: 'read' }],
        ['inbox.changed', { ...about, kind: 'unread' }],
        [
          'inbox.changed',
          { kind: 'all_read', itemId: null, at: expect.any(String), position: expect.any(String) },
        ],
      ]);
      expect(told.map(({ id }) => id)).toEqual(told.map(({ data }) => data.position));
      expect(client.text).not.toContain('secret');
    }
    expect(clients[0]?.told).toEqual(clients[1]?.told);
  });

  it('tells nothing that cannot be read by then', async () => {
    const person = await house.anotherAccount();
    const client = await began(await asApp(person));
    for (let n = 1; n <= 10; n += 1) {
      const [sending] = [send(person)];
      const { data } = (await client.heard(n)).at(-1) as (typeof client.told)[0];
      expect((await person.session('GET', `/inbox/notifications/${data.itemId}`)).status).toBe(200);
      await sending;
    }
  });

  it('tells what became of a push, and of its withdrawal', async () => {
    const person = await house.anotherAccount();
    const client = await began(await asApp(person));
    const phone = await person.addPhone('android');
    await client.heard(1);
    const itemId = await send(person);
    await house.expectPushes(phone, 1);
    await client.heard(3);
    const id = itemId.replace('notification:', '');
    expect((await person.api('POST', `/notifications/${id}/withdraw`)).status).toBe(200);
    await house.expectPushes(phone, 1);
    await client.heard(4);
    expect(kindsOf(client)).toEqual(['devices.changed', 'created', 'updated', 'updated']);
    expect(new Set(client.told.slice(1).map(({ data }) => data.itemId))).toEqual(new Set([itemId]));
  });

  it("tells of a service's events, which are of its project", async () => {
    const person = await house.anotherAccount();
    const made = await person.api('POST', '/services', { body: { title: 'CI' } });
    const client = await began(await asConsole(person));
    const path = new URL(made.body.webhookUrl).pathname;
    expect((await house.http('POST', path, { body: { text: 'a' } })).status).toBeLessThan(300);
    const [told] = await client.heard(1);
    expect(told).toMatchObject({
      event: 'inbox.changed',
      data: {
        kind: 'created',
        projectId: made.body.service.id,
        itemId: expect.stringMatching(/^event:evt_/),
      },
    });
    expect((await person.session('GET', `/inbox/notifications/${told?.data.itemId}`)).status).toBe(200);
  });

  it('tells of devices that come and go', async () => {
    const person = await house.anotherAccount();
    const client = await began(await asApp(person));
    const { deviceId } = await person.addPhone('ios');
    const about = { deviceId, at: expect.any(String), position: expect.any(String) };
    await client.heard(1);
    await person.session('DELETE', `/devices/${deviceId}`);
    const told = await client.heard(2);
    expect(told.map(({ event, data }) => [event, data])).toEqual([
      ['devices.changed', about],
      ['devices.changed', about],
    ]);
    expect((await person.session('GET', '/devices')).body.devices).toEqual([]);
  });

  it("never tells of another account's", async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const client = await began(await asApp(person));
    const phone = await other.addPhone('ios');
    await send(other);
    await house.expectPushes(phone, 1);
    const mine = await send(person);
    const told = await client.heard(1);
    expect(told[0]?.data.itemId).toBe(mine);
    // Nor to a client with a position from before all of that.
    const again = await asApp(person, '1');
    await again.heard(1 + Number(again.told[0]?.event === 'reset'));
    expect(again.text).not.toContain(other.id);
  });
});

describe('coming back to a stream', () => {
  it('gives what was missed, each once, then what is new', async () => {
    const person = await house.anotherAccount();
    const first = await began(await asApp(person));
    const seen = await send(person);
    await first.heard(1);
    await first.leave();
    const missed = [await send(person), await send(person)];
    await person.session('POST', `/inbox/notifications/${seen}/read`);
    const second = await asConsole(person, first.lastId);
    await second.heard(3);
    const fresh = await send(person);
    await second.heard(4);
    expect(second.told.map(({ data }) => [data.kind, data.itemId])).toEqual([
      ['created', missed[0]],
      ['created', missed[1]],
      ['read', seen],
      ['created', fresh],
    ]);
    await second.leave();
    // From any position in between.
    const [, { id: middle } = { id: '' }, ...rest] = second.told;
    const third = await asApp(person, middle);
    expect(await third.heard(2)).toEqual(rest);
  });

  it('without having heard anything works too', async () => {
    const person = await house.anotherAccount();
    const { lastId } = await began(await asApp(person));
    const itemId = await send(person);
    const client = await asApp(person, lastId);
    expect((await client.heard(1))[0]?.data.itemId).toBe(itemId);
  });

  it.each(['nonsense', '-1', '99999999999999999999', '9223372036854775806', "1';--", 'x'.repeat(1000), 'é'])(
    'with %s as its position requests a full read once, and goes on',
    async (lastId) => {
      const person = await house.anotherAccount();
      const witness = await began(await asApp(person));
      await send(person);
      await witness.heard(1);
      const client = await asApp(person, lastId);
      expect(await client.heard(1)).toEqual([
        { event: 'reset', id: expect.stringMatching(/^\d+$/), data: { position: expect.any(String) } },
      ]);
      const itemId = await send(person);
      expect((await client.heard(2))[1]).toMatchObject({ event: 'inbox.changed', data: { itemId } });
    },
  );

  it('sends a reset after more than five hundred changes', async () => {
    const person = await house.anotherAccount();
    const witness = await began(await asApp(person));
    const { lastId } = witness;
    const itemId = await send(person);
    for (let n = 0; n < 250; n += 1)
      for (const verb of ['read', 'unread'])
        await person.api('POST', `/inbox/notifications/${itemId}/${verb}`);
    await witness.heard(501);
    const client = await asApp(person, lastId);
    expect((await client.heard(1))[0]?.event).toBe('reset');
    // Five hundred requests, one after the other.
  }, 180_000);

  it('sends a reset after a day', async () => {
    const person = await house.anotherAccount();
    const { lastId } = await began(await asApp(person));
    await send(person);
    // A change that is written while the day ends would still be sent, which does no harm.
    await (await asApp(person, lastId)).heard(1);
    await house.advance(24 * 3_600 + 1);
    const client = await asApp(person, lastId);
    expect((await client.heard(1))[0]?.event).toBe('reset');
  });
});

describe('access to the stream', () => {
  it('needs the session of a person', async () => {
    const person = await house.anotherAccount();
    const statusOf = async (headers: Record<string, string>) => {
      const client = await streamOf(headers);
      return [client.status, client.status === 200 ? '' : JSON.parse(await bodyOf(client)).code];
    };
    const bodyOf = async (client: ListeningClient) => {
      await client.end();
      return client.text;
    };
    expect(await statusOf({})).toEqual([401, 'UNAUTHENTICATED']);
    expect(await statusOf({ authorization: `Bearer ${person.apiToken}` })).toEqual([
      403,
      'HUMAN_SESSION_REQUIRED',
    ]);
    expect(await statusOf({ authorization: 'Bearer carillon_ses_x' })).toEqual([401, 'TOKEN_INVALID']);
    expect(await statusOf({ cookie: `__Host-carillon_session=${await person.signIn()}` })).toEqual([
      401,
      'TOKEN_INVALID',
    ]);
    expect(
      await statusOf({ authorization: `Bearer ${await person.signIn()}`, 'carillon-position': 'x' }),
    ).toEqual([400, 'VALIDATION_FAILED']);
    expect((await person.session('POST', '/stream')).status).toBe(405);
    expect((await person.session('GET', '/stream/')).status).toBe(404);
  });

  it('hears no more soon after signing out', async () => {
    const person = await house.anotherAccount();
    const token = await person.signIn();
    const client = await began(await streamOf({ authorization: `Bearer ${token}` }));
    const other = await began(await asApp(person));
    await house.http('POST', '/api/session/logout', { token });
    await house.advance(30);
    await client.end();
    expect(other.ended).toBe(false);
    await send(person);
    await other.heard(1);
    expect(client.told).toEqual([]);
  });

  it('hears no more when the session is over', async () => {
    const person = await house.anotherAccount();
    const client = await began(await asApp(person));
    await house.advance(3_590);
    expect(client.ended).toBe(false);
    await house.advance(30);
    await client.end();
  });

  it('has ten streams at most, and one more when one of them ends', async () => {
    const person = await house.anotherAccount();
    const token = await person.signIn();
    // Each gateway counts its own.
    const one = () => streamOf({ authorization: `Bearer ${token}` }, house.gatewayUrl);
    const ten = await Promise.all(Array.from({ length: 10 }, one));
    expect(ten.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const refused = await one();
    await refused.end();
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'TOO_MANY_WAITS', limit: 10 });
    expect(Number(refused.answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const other = await house.anotherAccount();
    expect((await asApp(other)).status).toBe(200);
    await ten[0]?.leave();
    let last = await one();
    for (let tries = 0; last.status === 429 && tries < 50; tries += 1) last = await one();
    expect(last.status).toBe(200);
  });
});

describe('when the service stops', () => {
  it('a connection that never asked for anything does not hold it up', async () => {
    const { port, hostname } = new URL(house.state.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.on('error', () => {});
    await house.stop();
    expect(house.output()).not.toContain('did not stop within');
    socket.destroy();
    await house.start();
  }, 120_000);

  it('what is under way is answered, and its connection, which could take more, does not hold it up', async () => {
    const { baseUrl } = house.state;
    const { port, hostname, host } = new URL(baseUrl);
    const person = await house.anotherAccount();
    const body = JSON.stringify({ title: 'Late', body: 'but whole' });
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => {});
    socket.write(
      `POST /api/agent/notifications HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${person.apiToken}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    );
    // By now each of two gateways has seen this stream.
    for (let n = 0; n < 2; n += 1) await house.http('GET', '/healthz/live');
    const stopped = house.stop();
    await eventually(
      () =>
        fetch(`${baseUrl}/healthz/live`).then(
          () => undefined,
          () => true,
        ),
      () => 'the gateway still takes new connections',
    );
    socket.write(body.slice(9));
    await eventually(
      () => answer.includes('"accepted":0') || undefined,
      () => `it was answered ${answer}`,
    );
    expect(answer).toContain('HTTP/1.1 201');
    await stopped;
    expect(house.output()).not.toContain('did not stop within');
    socket.destroy();
    await house.start();
  }, 120_000);

  it('streams end in order, and go on after it where they were', async () => {
    const person = await house.anotherAccount();
    const token = await person.signIn();
    const clients = await Promise.all(
      Array.from({ length: 5 }, () => streamOf({ authorization: `Bearer ${token}` })),
    );
    await Promise.all(clients.map(began));
    await send(person);
    await Promise.all(clients.map((client) => client.heard(1)));
    await house.stop();
    expect(house.output()).not.toContain('did not stop within');
    expect(clients.map(({ ended }) => ended)).toEqual(Array(5).fill(true));
    await house.start();
    const itemId = await send(person);
    const client = await asApp(person, clients[0]?.lastId);
    expect((await client.heard(1))[0]).toMatchObject({ event: 'inbox.changed', data: { itemId } });
  }, 120_000);
});
