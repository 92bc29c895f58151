import { AsyncLocalStorage } from 'node:async_hooks';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { ApnsClient, Notification, PushType, type ApnsError, type ApnsOptions } from 'apns2';
import { Pool, type Dispatcher } from 'undici';
import { startSimulator, type Simulator } from '../simulator.js';

interface Meta {
  apnsId?: string;
  response?: { status: number; headers: Record<string, string> };
}
const meta = new AsyncLocalStorage<Meta>();

class MetaPool extends Pool {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const now = meta.getStore();
    if (!now) return super.dispatch(options, handler);
    const headers = {
      ...(options.headers as Record<string, string>),
      ...(now.apnsId ? { 'apns-id': now.apnsId } : {}),
    };
    const watched = Object.create(handler) as Required<Dispatcher.DispatchHandler>;
    const inner = handler as Required<Dispatcher.DispatchHandler>;
    if (typeof handler.onResponseStart === 'function')
      watched.onResponseStart = (controller, status, received, text) => {
        now.response = { status, headers: received as Record<string, string> };
        return inner.onResponseStart(controller, status, received, text);
      };
    else
      watched.onHeaders = (status, raw, resume, text) => {
        const received: Record<string, string> = {};
        for (let at = 0; at < raw.length; at += 2)
          received[raw[at]!.toString().toLowerCase()] = raw[at + 1]!.toString();
        now.response = { status, headers: received };
        return inner.onHeaders(status, raw, resume, text);
      };
    return super.dispatch({ ...options, headers }, watched);
  }
}

class PushApnsClient extends ApnsClient {
  override readonly client: Pool;
  constructor(options: ApnsOptions, to: { origin: string; ca: string; timeoutMs?: number }) {
    super(options);
    const timeout = to.timeoutMs ?? 5000;
    this.client = new MetaPool(to.origin, {
      connections: 1,
      pipelining: 100,
      allowH2: true,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      connect: { ca: to.ca, timeout },
    });
  }
  async sendWithMeta(notification: Notification, sent: Meta = {}): Promise<Meta> {
    await meta.run(sent, () => this.send(notification));
    return sent;
  }
}

interface Phone {
  id: string;
  pushToken: string;
  pushToStartToken: string;
  tray: { id: string; title: string }[];
  activities: {
    activityId: string;
    state: string;
    sequence: number;
    contentState: unknown;
    updateToken: string;
  }[];
}
interface Received {
  n: number;
  headers: Record<string, string>;
  payload: unknown;
  verdict: { status: number; reason: string | null };
  shown: boolean;
  why?: string;
  fault?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'push-simulator-apns-'));
let clock = 0;
const now = () => Date.now() + clock;
let simulator: Simulator;
let ca: string;
const clients: PushApnsClient[] = [];

beforeAll(async () => {
  simulator = await startSimulator({ dataFolder: folder, now });
  ca = readFileSync(simulator.providers.apns.caFile, 'utf8');
});
beforeEach(async () => {
  clock = 0;
  await call('POST', '/reset');
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.client.destroy()));
});
afterAll(async () => {
  await simulator?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call<Body>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(simulator.controlUrl + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}
const addPhone = async (wanted: object = {}): Promise<Phone> =>
  (await call<{ phone: Phone }>('POST', '/phones', { platform: 'ios', ...wanted })).body.phone;
const phoneNow = async (phone: Phone): Promise<Phone> =>
  (await call<{ phone: Phone }>('GET', `/phones/${phone.id}`)).body.phone;
const receivedBy = async (phone: Phone): Promise<Received[]> =>
  (await call<{ received: Received[] }>('GET', `/phones/${phone.id}/received`)).body.received;
const addFault = (effect: object, count = 1, match: object = {}) =>
  call('POST', '/faults', { match, effect, count });

function apnsClient(change: Partial<ApnsOptions> & { timeoutMs?: number } = {}): PushApnsClient {
  const { apns } = simulator.providers;
  const client = new PushApnsClient(
    {
      team: apns.teamId,
      keyId: apns.keyId,
      signingKey: readFileSync(apns.keyFile, 'utf8'),
      defaultTopic: apns.bundleId,
      ...change,
    },
    { origin: apns.origin, ca, timeoutMs: change.timeoutMs },
  );
  clients.push(client);
  return client;
}
const bell = (phone: Phone, id = 'anot_1', more: object = {}) =>
  new Notification(phone.pushToken, {
    alert: { title: 'Build', body: 'It is green' },
    data: { carillon: { type: 'notification', id } },
    ...more,
  });
const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'accepted',
    (error: ApnsError & { code?: string }) => error.reason ?? error.code,
  );

function providerToken(
  change: { header?: object; claims?: object; key?: string; now?: number } = {},
): string {
  const { apns } = simulator.providers;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', kid: apns.keyId, ...change.header })}.${part({
    iss: apns.teamId,
    iat: Math.floor((change.now ?? now()) / 1000),
    ...change.claims,
  })}`;
  const key = createPrivateKey(change.key ?? readFileSync(apns.keyFile));
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

interface RawAnswer {
  status: number;
  reason?: string;
  timestamp?: number;
  headers: http2.IncomingHttpHeaders;
}
const connect = () => {
  const session = http2.connect(simulator.providers.apns.origin, { ca });
  session.on('error', () => {});
  return session;
};
const raw = (
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body: string | Buffer = '{"aps":{"alert":"hello"}}',
): Promise<RawAnswer> =>
  new Promise((done, failed) => {
    const stream = session.request({ ':method': 'POST', ...headers });
    let answer: http2.IncomingHttpHeaders = {};
    let text = '';
    stream.on('response', (received) => (answer = received));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('error', failed);
    stream.on('end', () => {
      const parsed = (text ? JSON.parse(text) : {}) as { reason?: string; timestamp?: number };
      done({ status: Number(answer[':status']), headers: answer, ...parsed });
    });
    if (body.length > 0) stream.write(body);
    stream.end();
  });
async function rawOnce(headers: http2.OutgoingHttpHeaders, body?: string | Buffer): Promise<RawAnswer> {
  const session = connect();
  try {
    return await raw(session, headers, body);
  } finally {
    session.destroy();
  }
}

describe('a push from apns2', () => {
  it('is shown on the phone and recorded', async () => {
    const phone = await addPhone();
    const apnsId = '0b7f9d3e-6f5a-4b62-9e0c-2d2f8f5ef111';
    const sent = await apnsClient().sendWithMeta(bell(phone), { apnsId });
    expect(sent.response).toMatchObject({ status: 200, headers: { 'apns-id': apnsId } });
    expect(sent.response!.headers['apns-unique-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await phoneNow(phone)).tray).toMatchObject([{ id: 'anot_1', title: 'Build' }]);
    const [record] = await receivedBy(phone);
    expect(record).toMatchObject({
      n: 1,
      provider: 'apns',
      shown: true,
      verdict: { status: 200, reason: null },
      headers: { 'apns-id': apnsId, 'apns-topic': 'dev.carillon.app' },
      payload: { aps: { alert: { title: 'Build' } }, carillon: { id: 'anot_1' } },
    });
    expect(record!.headers.authorization).toMatch(/^bearer sha256:/);
  });

  it('goes through in a burst once one push has gone first', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone));
    await Promise.all(Array.from({ length: 50 }, (_, at) => client.send(bell(phone, `anot_b${at}`))));
    expect(await receivedBy(phone)).toHaveLength(51);
  });

  it('is refused in a cold burst, since only one stream is open before the first token', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) => client.send(bell(phone, `anot_c${at}`))),
    );
    const accepted = results.filter((result) => result.status === 'fulfilled').length;
    expect(accepted).toBeGreaterThanOrEqual(1);
    expect(accepted).toBeLessThan(50);
    expect(await receivedBy(phone)).toHaveLength(accepted);
  });

  it('to an uninstalled app is answered 410 with a time in milliseconds', async () => {
    const phone = await addPhone();
    const before = Date.now();
    await call('POST', `/phones/${phone.id}/uninstall`);
    const error = await apnsClient()
      .send(bell(phone))
      .catch((caught: ApnsError) => caught);
    expect(error).toMatchObject({ statusCode: 410, reason: 'Unregistered' });
    expect((error as ApnsError).timestamp).toBeGreaterThanOrEqual(before);
    expect((error as ApnsError).timestamp).toBeLessThanOrEqual(Date.now());
    expect((await receivedBy(phone))[0]!.verdict).toEqual({ status: 410, reason: 'Unregistered' });
  });

  it('to a token of the other environment is a bad device token', async () => {
    const phone = await addPhone({ environment: 'production' });
    expect(await reasonOf(apnsClient().send(bell(phone)))).toBe('BadDeviceToken');
  });

  it('to a rotated token is answered 410, to the new one 200', async () => {
    const old = await addPhone();
    const fresh = (await call<{ phone: Phone }>('POST', `/phones/${old.id}/rotate`)).body.phone;
    expect(await reasonOf(apnsClient().send(bell(old)))).toBe('Unregistered');
    expect(await reasonOf(apnsClient().send(bell(fresh)))).toBe('accepted');
  });

  it('with the same collapse id replaces the one in the tray', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone, 'anot_1', { collapseId: 'job' }));
    await client.send(bell(phone, 'anot_2', { collapseId: 'job' }));
    await client.send(bell(phone, 'anot_3'));
    expect((await phoneNow(phone)).tray.map((shown) => shown.id)).toEqual(['anot_3', 'anot_2']);
  });

  it('is withdrawn by a background push', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone));
    await client.send(
      new Notification(phone.pushToken, {
        type: PushType.background,
        priority: 5,
        contentAvailable: true,
        data: { carillon: { type: 'withdraw', id: 'anot_1' } },
      }),
    );
    expect((await phoneNow(phone)).tray).toEqual([]);
    expect((await receivedBy(phone))[1]).toMatchObject({ shown: false, why: 'withdrew anot_1' });
  });

  it('waits for an offline phone, the newest only', async () => {
    const phone = await addPhone();
    await call('PATCH', `/phones/${phone.id}`, { online: false });
    const client = apnsClient();
    await client.send(bell(phone, 'anot_1'));
    await client.send(bell(phone, 'anot_2'));
    await client.send(bell(phone, 'anot_3', { expiration: 0 }));
    expect((await phoneNow(phone)).tray).toEqual([]);
    await call('PATCH', `/phones/${phone.id}`, { online: true });
    expect((await phoneNow(phone)).tray.map((shown) => shown.id)).toEqual(['anot_2']);
    expect((await receivedBy(phone)).map((record) => record.shown)).toEqual([false, true, false]);
  });
});

describe('a live activity', () => {
  const topic = 'dev.carillon.app.push-type.liveactivity';
  const activityPush = (token: string, aps: object) =>
    new Notification(token, { type: PushType.liveactivity, topic, aps: { timestamp: 1000, ...aps } });
  const start = (phone: Phone) =>
    activityPush(phone.pushToStartToken, {
      event: 'start',
      'attributes-type': 'CarillonActivity',
      attributes: { activityId: 'act_1' },
      'content-state': { title: 'Deploy', progress: 0.1, sequence: 1 },
      alert: { title: 'Deploy', body: 'started' },
    });
  const content = (sequence: number, progress: number) => ({ title: 'Deploy', progress, sequence });

  it('starts, is updated, ignores what is not newer, and ends', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(start(phone));
    const [activity] = (await phoneNow(phone)).activities;
    expect(activity).toMatchObject({ activityId: 'act_1', state: 'active', sequence: 1 });
    const { updateToken } = activity!;
    const push = (aps: object) => client.send(activityPush(updateToken, aps));
    await push({ event: 'update', timestamp: 1002, 'content-state': content(3, 0.5) });
    await push({ event: 'update', timestamp: 1001, 'content-state': content(2, 0.3) });
    await push({ event: 'update', timestamp: 1002, 'content-state': content(4, 0.6) });
    expect((await phoneNow(phone)).activities).toMatchObject([
      { sequence: 3, contentState: { progress: 0.5 } },
    ]);
    await push({ event: 'end', timestamp: 1003, 'content-state': content(5, 1) });
    await push({ event: 'update', timestamp: 1004, 'content-state': content(6, 0.9) });
    expect((await phoneNow(phone)).activities).toMatchObject([{ state: 'ended', sequence: 5 }]);
    expect((await receivedBy(phone)).map((record) => [record.verdict.status, record.shown])).toEqual([
      [200, true],
      [200, true],
      [200, false],
      [200, false],
      [200, true],
      [200, false],
    ]);
  });

  it('needs its own topic, its own token, its own push type and a priority that it has', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(start(phone));
    const { updateToken } = (await phoneNow(phone)).activities[0]!;
    const change = (options: object) => {
      const push = start(phone);
      Object.assign(push.options, options);
      return client.send(push);
    };
    expect(await reasonOf(change({ topic: 'dev.carillon.app' }))).toBe('BadTopic');
    expect(await reasonOf(change({ topic: 'dev.other.app.push-type.liveactivity' }))).toBe('TopicDisallowed');
    expect(await reasonOf(change({ type: PushType.alert, topic: 'dev.carillon.app' }))).toBe(
      'DeviceTokenNotForTopic',
    );
    expect(await reasonOf(change({ priority: 1 }))).toBe('BadPriority');
    const update = { event: 'update', timestamp: 1002, 'content-state': content(2, 0.5) };
    expect(await reasonOf(client.send(activityPush(phone.pushToken, update)))).toBe('DeviceTokenNotForTopic');
    expect(await reasonOf(client.send(activityPush('ab'.repeat(80), update)))).toBe('BadDeviceToken');
    for (const token of [phone.pushToStartToken, updateToken])
      expect(await reasonOf(client.send(new Notification(token, { alert: 'x' })))).toBe(
        'DeviceTokenNotForTopic',
      );
    const large = { ...update, 'content-state': { ...content(2, 0.5), detail: 'm'.repeat(4096) } };
    expect(await reasonOf(client.send(activityPush(updateToken, large)))).toBe('PayloadTooLarge');
    expect((await phoneNow(phone)).activities).toMatchObject([{ sequence: 1 }]);
  });

  it('takes the start on the start token and the rest on the update token, and nothing else', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    const update = { event: 'update', timestamp: 1002, 'content-state': content(2, 0.5) };
    await client.send(activityPush(phone.pushToStartToken, update));
    await client.send(start(phone));
    const { updateToken } = (await phoneNow(phone)).activities[0]!;
    const second = start(phone);
    await client.send(activityPush(updateToken, { ...(second.options.aps as object), timestamp: 1003 }));
    expect((await receivedBy(phone)).map((record) => record.why)).toEqual([
      'ignored: event update on the push-to-start token',
      undefined,
      'ignored: a start push on an update token',
    ]);
  });

  it('is refused on an update token that was replaced, and goes on with the new one', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(start(phone));
    const old = (await phoneNow(phone)).activities[0]!.updateToken;
    const rotated = await call<{ phone: Phone }>('POST', `/phones/${phone.id}/activities/act_1/rotate`);
    const fresh = rotated.body.phone.activities[0]!.updateToken;
    expect(fresh).not.toBe(old);
    const update = { event: 'update', timestamp: 1002, 'content-state': content(2, 0.5) };
    const before = now();
    const error = await client.send(activityPush(old, update)).catch((caught: ApnsError) => caught);
    expect(error).toMatchObject({ statusCode: 410, reason: 'ExpiredToken' });
    expect((error as ApnsError).timestamp).toBeLessThanOrEqual(before);
    await client.send(activityPush(fresh, update));
    expect((await phoneNow(phone)).activities).toMatchObject([{ sequence: 2 }]);
  });

  it('does not start on a push-to-start token that was replaced', async () => {
    const phone = await addPhone();
    const rotated = await call<{ phone: Phone }>('POST', `/phones/${phone.id}/rotate`, { token: 'start' });
    expect(await reasonOf(apnsClient().send(start(phone)))).toBe('ExpiredToken');
    expect(await reasonOf(apnsClient().send(start(rotated.body.phone)))).toBe('accepted');
    expect(rotated.body.phone.pushToken).toBe(phone.pushToken);
  });

  it('is refused where the app was uninstalled, and after a reset', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    const update = { event: 'update', timestamp: 1002, 'content-state': content(2, 0.5) };
    await client.send(start(phone));
    const first = (await phoneNow(phone)).activities[0]!.updateToken;
    await call('POST', '/reset');
    expect(await reasonOf(client.send(activityPush(first, update)))).toBe('ExpiredToken');
    await client.send(start(phone));
    const second = (await phoneNow(phone)).activities[0]!.updateToken;
    await call('POST', `/phones/${phone.id}/uninstall`);
    expect(await reasonOf(client.send(activityPush(second, update)))).toBe('Unregistered');
    expect(await reasonOf(client.send(start(phone)))).toBe('Unregistered');
  });

  it('is dropped without a word when the budget of the phone is used up', async () => {
    const phone = await addPhone();
    await call('PATCH', `/phones/${phone.id}`, { highPriorityPerHour: 1 });
    const client = apnsClient();
    await client.send(start(phone));
    const { updateToken } = (await phoneNow(phone)).activities[0]!;
    for (const [at, priority] of [10, 10, 5].entries()) {
      const push = activityPush(updateToken, {
        event: 'update',
        timestamp: 1002 + at,
        'content-state': content(2 + at, 0.5),
      });
      Object.assign(push.options, { priority });
      expect(await reasonOf(client.send(push))).toBe('accepted');
    }
    const [, ...updates] = await receivedBy(phone);
    expect(updates.map((record) => [record.verdict.status, record.shown])).toEqual([
      [200, true],
      [200, false],
      [200, true],
    ]);
    expect(updates[1]!.why).toContain('the budget of 1 pushes at priority 10');
  });

  it('does not start on a phone that has them switched off', async () => {
    const phone = await addPhone();
    await call('PATCH', `/phones/${phone.id}`, { liveActivities: false });
    await apnsClient().send(start(phone));
    expect((await phoneNow(phone)).activities).toEqual([]);
  });
});

describe('a bad request', () => {
  it('gets the reason that APNs gives', async () => {
    const phone = await addPhone();
    const token = phone.pushToken;
    const good = {
      ':path': `/3/device/${token}`,
      authorization: `bearer ${providerToken()}`,
      'apns-topic': 'dev.carillon.app',
      'apns-push-type': 'alert',
    };
    const session = connect();
    const reason = async (headers: object, body?: string | Buffer) => {
      const answer = await raw(session, { ...good, ...headers }, body);
      return `${answer.status} ${answer.reason ?? ''}`.trim();
    };
    expect(await reason({})).toBe('200');
    expect(await reason({ ':method': 'PUT' })).toBe('405 MethodNotAllowed');
    expect(await reason({ ':path': '/3/device/' })).toBe('400 MissingDeviceToken');
    expect(await reason({ ':path': '/4/device/aa' })).toBe('404 BadPath');
    expect(await reason({ ':path': '/3/device/xyz' })).toBe('400 BadDeviceToken');
    expect(await reason({ ':path': `/3/device/${'ab'.repeat(32)}` })).toBe('400 BadDeviceToken');
    expect(await reason({ 'apns-id': ['a', 'b'] })).toBe('400 DuplicateHeaders');
    expect(await reason({ 'apns-id': 'ABC' })).toBe('400 BadMessageId');
    expect(await reason({ 'apns-topic': 'com.example.other' })).toBe('400 TopicDisallowed');
    expect(await reason({ 'apns-collapse-id': 'é'.repeat(64) })).toBe('200');
    expect(await reason({ 'apns-collapse-id': 'é'.repeat(65) })).toBe('400 BadCollapseId');
    expect(await reason({}, '')).toBe('400 PayloadEmpty');
    expect(await reason({}, 'not json')).toBe('400 PayloadEmpty');
    const padded = (size: number) => `{"aps":{"alert":"${'x'.repeat(size - 20)}"}}`;
    expect(await reason({}, padded(4096))).toBe('200');
    expect(await reason({}, padded(4097))).toBe('413 PayloadTooLarge');
    expect(await reason({}, padded(100_000))).toBe('413 PayloadTooLarge');
    expect(await reason({}, `{"aps":{"alert":"${'€'.repeat(1400)}"}}`)).toBe('413 PayloadTooLarge');
    session.destroy();
    const refused = (await receivedBy(phone)).filter((record) => record.verdict.status !== 200);
    expect(refused.map((record) => record.verdict.reason)).toContain('DuplicateHeaders');
    expect(refused.every((record) => !record.shown)).toBe(true);
  });

  it('for the token of another app is not for the topic', async () => {
    const phone = await addPhone({ bundleId: 'dev.carillon.other' });
    expect(await reasonOf(apnsClient().send(bell(phone)))).toBe('DeviceTokenNotForTopic');
  });

  it('over HTTP/1.1 is hung up on', async () => {
    const closed = new Promise<string>((done) => {
      const socket = tls.connect({
        port: simulator.apnsPort,
        host: '127.0.0.1',
        ca,
        ALPNProtocols: ['http/1.1'],
      });
      socket.on('secureConnect', () => done('connected'));
      socket.on('error', (error: Error & { code?: string }) => done(error.code ?? 'error'));
      socket.on('close', () => done('closed'));
    });
    expect(await closed).not.toBe('connected');
  });
});

describe('a provider token', () => {
  const send = async (phone: Phone, authorization: string | undefined) => {
    const answer = await rawOnce({
      ':path': `/3/device/${phone.pushToken}`,
      'apns-topic': 'dev.carillon.app',
      ...(authorization === undefined ? {} : { authorization }),
    });
    return answer.reason ?? 'accepted';
  };

  it('must be there, be genuine, and be ours', async () => {
    const phone = await addPhone();
    expect(await send(phone, undefined)).toBe('MissingProviderToken');
    expect(await send(phone, 'Basic abc')).toBe('MissingProviderToken');
    expect(await send(phone, 'bearer abc')).toBe('InvalidProviderToken');
    const wrong = async (change: Parameters<typeof providerToken>[0]) =>
      expect(await send(phone, `bearer ${providerToken(change)}`)).toBe('InvalidProviderToken');
    await wrong({ header: { kid: 'AAAAAAAAAA' } });
    await wrong({ header: { alg: 'HS256' } });
    await wrong({ claims: { iss: 'AAAAAAAAAA' } });
    await wrong({ claims: { iat: undefined } });
    await wrong({ claims: { iat: Math.floor(Date.now() / 1000) + 600 } });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    await wrong({ key: other.export({ type: 'pkcs8', format: 'pem' }).toString() });
    expect(await send(phone, `bearer ${providerToken()}`)).toBe('accepted');
  });

  it('of more than an hour ago has expired', async () => {
    const phone = await addPhone();
    expect(await send(phone, `bearer ${providerToken({ now: Date.now() - 3_601_000 })}`)).toBe(
      'ExpiredProviderToken',
    );
    expect(await send(phone, `bearer ${providerToken({ now: Date.now() - 3_500_000 })}`)).toBe('accepted');
  });

  it('may be replaced on a connection every twenty minutes, not sooner', async () => {
    const phone = await addPhone();
    const session = connect();
    const on = async (token: string) => {
      const answer = await raw(session, {
        ':path': `/3/device/${phone.pushToken}`,
        'apns-topic': 'dev.carillon.app',
        authorization: `bearer ${token}`,
      });
      return answer.reason ?? 'accepted';
    };
    const first = providerToken();
    expect(await on(first)).toBe('accepted');
    expect(await on(providerToken())).toBe('TooManyProviderTokenUpdates');
    expect(await on(first)).toBe('accepted');
    clock = 21 * 60_000;
    expect(await on(providerToken())).toBe('accepted');
    session.destroy();
  });

  it('may be replaced once at once when the provider said that it has expired', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone));
    await addFault({ status: 403, reason: 'ExpiredProviderToken' }, 1);
    expect(await reasonOf(client.send(bell(phone)))).toBe('ExpiredProviderToken');
    expect(await reasonOf(client.send(bell(phone)))).toBe('accepted');
    await addFault({ reason: 'ExpiredProviderToken' }, 1);
    expect(await reasonOf(client.send(bell(phone)))).toBe('ExpiredProviderToken');
    // The signature of ES256 differs each time, so the second in a second is a new token as well.
    expect(await reasonOf(client.send(bell(phone)))).toBe('TooManyProviderTokenUpdates');
  });
});

describe('a fault', () => {
  it('cuts before: nothing was taken', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone));
    await addFault({ cut: 'before' });
    expect(await reasonOf(client.send(bell(phone, 'anot_2')))).toMatch(/UND_ERR|ECONNRESET/);
    expect((await phoneNow(phone)).tray.map((shown) => shown.id)).toEqual(['anot_1']);
    expect((await receivedBy(phone))[1]).toMatchObject({ verdict: { status: 0 }, shown: false });
    expect(await reasonOf(client.send(bell(phone, 'anot_3')))).toBe('accepted');
  });

  it('cuts after: the push was shown and the sender does not know', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone));
    await addFault({ cut: 'after' });
    expect(await reasonOf(client.send(bell(phone, 'anot_2')))).toMatch(/UND_ERR|ECONNRESET/);
    expect((await phoneNow(phone)).tray.map((shown) => shown.id)).toEqual(['anot_2', 'anot_1']);
    expect((await receivedBy(phone))[1]).toMatchObject({ verdict: { status: 200 }, shown: true });
  });

  it('goes away with all that is in flight', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone));
    await addFault({ goaway: true });
    expect(await reasonOf(client.send(bell(phone, 'anot_2')))).toMatch(/UND_ERR/);
    expect((await phoneNow(phone)).tray).toHaveLength(1);
    expect(await reasonOf(client.send(bell(phone, 'anot_3')))).toBe('accepted');
  });

  it('says in GOAWAY why', async () => {
    const phone = await addPhone();
    const session = connect();
    const heard = new Promise<string>((done) =>
      session.on('goaway', (_code, _last, data) => done(data?.toString() ?? '')),
    );
    await addFault({ goaway: true });
    await raw(session, {
      ':path': `/3/device/${phone.pushToken}`,
      'apns-topic': 'dev.carillon.app',
      authorization: `bearer ${providerToken()}`,
    }).catch(() => undefined);
    expect(JSON.parse(await heard)).toEqual({ reason: 'Shutdown' });
    session.destroy();
  });

  it('refuses a stream and leaves the connection', async () => {
    const phone = await addPhone();
    const client = apnsClient();
    await client.send(bell(phone));
    await addFault({ refuseStream: true });
    expect(await reasonOf(client.send(bell(phone, 'anot_2')))).toBe('ERR_HTTP2_STREAM_ERROR');
    expect(await reasonOf(client.send(bell(phone, 'anot_2')))).toBe('accepted');
    expect((await receivedBy(phone)).map((record) => record.verdict.status)).toEqual([200, 0, 200]);
  });

  it('answers with a status, a reason and Retry-After', async () => {
    const phone = await addPhone();
    await addFault({ status: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 });
    const sent: Meta = {};
    expect(await reasonOf(apnsClient().sendWithMeta(bell(phone), sent))).toBe('TooManyRequests');
    expect(sent.response).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    await addFault({ status: 503 });
    expect(await reasonOf(apnsClient().send(bell(phone)))).toBe('ServiceUnavailable');
    await addFault({ status: 410 });
    expect(await reasonOf(apnsClient().send(bell(phone)))).toBe('Unregistered');
    expect((await phoneNow(phone)).tray).toEqual([]);
  });

  it('is slow to answer; a sender that gives up has sent all the same', async () => {
    const phone = await addPhone();
    await addFault({ latencyMs: 150 });
    const started = Date.now();
    await apnsClient().send(bell(phone));
    expect(Date.now() - started).toBeGreaterThanOrEqual(145);
    await addFault({ latencyMs: 3000 });
    expect(await reasonOf(apnsClient({ timeoutMs: 300 }).send(bell(phone, 'anot_2')))).toBe(
      'UND_ERR_HEADERS_TIMEOUT',
    );
    expect((await phoneNow(phone)).tray).toHaveLength(2);
  });

  it('meets only what it matches, as often as it says', async () => {
    const [one, other] = [await addPhone(), await addPhone()];
    const client = apnsClient();
    await addFault({ status: 500 }, 2, { phoneId: one.id, pushType: 'notification', provider: 'apns' });
    expect(await reasonOf(client.send(bell(other)))).toBe('accepted');
    expect(await reasonOf(client.send(new Notification(one.pushToken, { alert: 'x' })))).toBe('accepted');
    expect(await reasonOf(client.send(bell(one)))).toBe('InternalServerError');
    expect(await reasonOf(client.send(bell(one)))).toBe('InternalServerError');
    expect(await reasonOf(client.send(bell(one)))).toBe('accepted');
    const { body } = await call<{ faults: { met: number; remaining: number }[] }>('GET', '/faults');
    expect(body.faults).toMatchObject([{ met: 2, remaining: 0 }]);
  });
});
