import { createPrivateKey, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import http2 from 'node:http2';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator, type Simulator } from '../simulator.js';

interface Phone {
  id: string;
  platform: string;
  pushToken: string;
  pushToStartToken?: string;
  deviceId?: string;
  paired: boolean;
  installed: boolean;
  settings: Record<string, unknown>;
  tray: { id: string; promptId?: string; actions: unknown[] }[];
  activities: { activityId: string; state: string; updateToken?: string; updateTokenRegistered: boolean }[];
}
interface Asked {
  method: string;
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

/** A Session API of a few lines: takes what a phone sends, and remembers it. */
class FakeSessionApi {
  asked: Asked[] = [];
  valid = 'access-1';
  refresh = 'refresh-1';
  answers = new Map<string, { status: number; body: unknown }>();
  private readonly server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const asked: Asked = {
        method: request.method!,
        path: request.url!.replace('/api/session', ''),
        authorization: request.headers.authorization,
        body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      };
      this.asked.push(asked);
      const { status, body } = this.reply(asked);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return this;
  }
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  calls(path: string): Asked[] {
    return this.asked.filter(
      (asked) => asked.path === path && asked.authorization === `Bearer ${this.valid}`,
    );
  }
  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
  private reply(asked: Asked): { status: number; body: unknown } {
    if (asked.path === '/refresh') {
      if (asked.body.refreshToken !== this.refresh) return { status: 401, body: { code: 'SESSION_ENDED' } };
      const turn = Number(this.refresh.split('-')[1]) + 1;
      this.refresh = `refresh-${turn}`;
      this.valid = `access-${turn}`;
      return { status: 200, body: { accessToken: this.valid, refreshToken: this.refresh } };
    }
    if (asked.authorization !== `Bearer ${this.valid}`)
      return { status: 401, body: { code: 'UNAUTHENTICATED' } };
    return this.answers.get(asked.path) ?? { status: 201, body: { device: { id: 'dev_1' } } };
  }
}

const folder = mkdtempSync(join(tmpdir(), 'push-simulator-phones-'));
let simulator: Simulator;
let session: FakeSessionApi;

beforeAll(async () => {
  simulator = await startSimulator({ dataFolder: folder });
});
beforeEach(async () => {
  session = await new FakeSessionApi().start();
  await call('POST', '/reset');
});
afterEach(() => session.stop());
afterAll(async () => {
  await simulator?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call<Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  at = simulator,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(at.controlUrl + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}
const pair = () => ({
  baseUrl: session.baseUrl,
  accessToken: session.valid,
  refreshToken: session.refresh,
});
const addPhone = async (wanted: object = {}): Promise<Phone> =>
  (await call<{ phone: Phone }>('POST', '/phones', { platform: 'ios', ...wanted })).body.phone;
const phoneNow = async (phone: Phone): Promise<Phone> =>
  (await call<{ phone: Phone }>('GET', `/phones/${phone.id}`)).body.phone;
async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await met())) {
    if (Date.now() > end) throw new Error('it did not happen within 20 s');
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function push(
  token: string,
  payload: object,
  headers: Record<string, string> = {},
  at = simulator,
): Promise<number> {
  const { apns } = at.providers;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', kid: apns.keyId })}.${part({ iss: apns.teamId, iat: Math.floor(Date.now() / 1000) })}`;
  const key = createPrivateKey(readFileSync(apns.keyFile));
  const jwt = `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  const client = http2.connect(apns.origin, { ca: readFileSync(apns.caFile) });
  try {
    const stream = client.request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      authorization: `bearer ${jwt}`,
      'apns-topic': apns.bundleId,
      ...headers,
    });
    stream.end(JSON.stringify(payload));
    stream.resume();
    return await new Promise<number>((done, failed) => {
      stream.on('response', (answer) => done(Number(answer[':status'])));
      stream.on('error', failed);
    });
  } finally {
    client.destroy();
  }
}
const bell = (id: string) => ({
  aps: { alert: { title: 'Build', body: 'green' }, 'mutable-content': 1 },
  carillon: { type: 'notification', id },
});
const prompt = (id: string) => ({
  aps: { alert: { title: 'Deploy?', body: 'To production' }, category: 'CARILLON_APPROVAL' },
  carillon: { type: 'prompt', id, actionDigest: 'sha256:abc' },
});

describe('adding a phone', () => {
  it('makes an iPhone with its two tokens', async () => {
    const { status, body } = await call<{ phone: Phone }>('POST', '/phones', { platform: 'ios' });
    expect(status).toBe(201);
    expect(body.phone.pushToken).toMatch(/^[0-9a-f]{64}$/);
    expect(body.phone.pushToStartToken).toMatch(/^[0-9a-f]{160}$/);
    expect(body.phone).toMatchObject({
      paired: false,
      settings: { online: true, authorized: true, liveActivities: true, registerUpdateTokens: 'auto' },
      tray: [],
      activities: [],
    });
  });

  it('makes an Android phone without a push-to-start token', async () => {
    const phone = await addPhone({ platform: 'android', name: 'Pixel' });
    expect(phone.pushToken).toMatch(/^[\w-]{22}:APA91b[\w-]+$/);
    expect(phone.pushToStartToken).toBeUndefined();
  });

  it('pairs it: the phone registers as the app would', async () => {
    const phone = await addPhone({ name: 'Ada', interactiveLiveActivities: true, pair: pair() });
    expect(phone).toMatchObject({ paired: true, deviceId: 'dev_1' });
    expect(session.asked).toEqual([
      {
        method: 'POST',
        path: '/devices',
        authorization: 'Bearer access-1',
        body: {
          installId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          platform: 'ios',
          deviceName: 'Ada',
          pushToken: phone.pushToken,
          pushEnvironment: 'sandbox',
          appBuild: '1',
          liveActivitiesCapable: true,
          interactiveLiveActivitiesCapable: true,
          pushToStartToken: phone.pushToStartToken,
        },
      },
    ]);
    expect(JSON.stringify(phone)).not.toContain('access-1');
  });

  it('answers 502 with what the service said when it is not taken', async () => {
    const before = (await call<{ phones: Phone[] }>('GET', '/phones')).body.phones.length;
    session.answers.set('/devices', { status: 400, body: { code: 'VALIDATION' } });
    const { status, body } = await call('POST', '/phones', { platform: 'ios', pair: pair() });
    expect(status).toBe(502);
    expect(body).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect((await call<{ phones: Phone[] }>('GET', '/phones')).body.phones).toHaveLength(before);
  });

  it('answers 502 when nobody is there', async () => {
    const gone = pair();
    session.stop();
    expect((await call('POST', '/phones', { platform: 'ios', pair: gone })).status).toBe(502);
  });

  it('can be undone: the token is then one that nobody has', async () => {
    const phone = await addPhone();
    expect((await call('DELETE', `/phones/${phone.id}`)).status).toBe(200);
    expect((await call('DELETE', `/phones/${phone.id}`)).status).toBe(404);
    expect(await push(phone.pushToken, bell('anot_1'))).toBe(400);
  });

  it('can pair it later, and tells a new token', async () => {
    const phone = await addPhone();
    const { body } = await call<{ phone: Phone }>('POST', `/phones/${phone.id}/pair`, pair());
    expect(body.phone.deviceId).toBe('dev_1');
    const rotated = (await call<{ phone: Phone }>('POST', `/phones/${phone.id}/rotate`)).body.phone;
    expect(session.calls('/devices/dev_1/tokens')).toMatchObject([
      { method: 'PUT', body: { pushToken: rotated.pushToken, environment: 'sandbox' } },
    ]);
  });
});

describe('a paired phone', () => {
  it('sends receipts of what it showed, together', async () => {
    const phone = await addPhone({ pair: pair() });
    const shown = Array.from({ length: 10 }, (_, n) => `anot_${n}`);
    await Promise.all(shown.map((id) => push(phone.pushToken, bell(id))));
    await push(phone.pushToken, prompt('int_1'));
    const calls = () => session.calls('/devices/dev_1/receipts');
    const sent = () =>
      calls().flatMap((asked) => asked.body.receipts as { notificationId: string; receivedAt: string }[]);
    await until(() => sent().length >= shown.length);
    const receipts = sent();
    expect(receipts.map((receipt) => receipt.notificationId).sort()).toEqual(shown);
    expect(calls().length).toBeLessThan(shown.length);
    expect(receipts[0]!.receivedAt).toMatch(/^\d{4}-.*Z$/);
  });

  it('sends no receipt for what was not shown', async () => {
    const phone = await addPhone({ pair: pair() });
    await call('PATCH', `/phones/${phone.id}`, { authorized: false });
    expect(await push(phone.pushToken, bell('anot_1'))).toBe(200);
    await new Promise((done) => setTimeout(done, 400));
    expect(session.calls('/devices/dev_1/receipts')).toEqual([]);
    const { body } = await call<{ received: object[] }>('GET', `/phones/${phone.id}/received`);
    expect(body.received).toMatchObject([
      { shown: false, why: 'notifications are not allowed on this phone' },
    ]);
  });

  it('presses a button with the digest that it showed', async () => {
    const phone = await addPhone({ pair: pair() });
    await push(phone.pushToken, prompt('int_1'));
    session.answers.set('/prompts/int_1/answer', {
      status: 200,
      body: { interaction: { status: 'approved' } },
    });
    const { status, body } = await call('POST', `/phones/${phone.id}/press`, {
      promptId: 'int_1',
      answer: 'approved',
    });
    expect(status).toBe(200);
    expect(body).toEqual({ status: 200, body: { interaction: { status: 'approved' } } });
    expect(session.calls('/prompts/int_1/answer')[0]!.body).toEqual({
      answer: 'approved',
      actionDigest: 'sha256:abc',
      deviceId: 'dev_1',
    });
    expect((await phoneNow(phone)).tray).toEqual([]);
  });

  it('pressed too late still sends the digest, and shows the refusal', async () => {
    const phone = await addPhone({ pair: pair() });
    await push(phone.pushToken, prompt('int_1'));
    await push(
      phone.pushToken,
      { aps: { 'content-available': 1 }, carillon: { type: 'withdraw', id: 'int_1' } },
      { 'apns-push-type': 'background', 'apns-priority': '5' },
    );
    session.answers.set('/prompts/int_1/answer', {
      status: 409,
      body: { code: 'INTERACTION_NOT_PENDING' },
    });
    const { body } = await call('POST', `/phones/${phone.id}/press`, { promptId: 'int_1', answer: 'denied' });
    expect(body).toEqual({ status: 409, body: { code: 'INTERACTION_NOT_PENDING' } });
    expect(session.calls('/prompts/int_1/answer')[0]!.body.actionDigest).toBe('sha256:abc');
  });

  it('pressed twice hears the second time that it has ended, and shows it no more', async () => {
    const phone = await addPhone({ pair: pair() });
    await push(phone.pushToken, prompt('int_1'));
    const press = () => call('POST', `/phones/${phone.id}/press`, { promptId: 'int_1', answer: 'approved' });
    session.answers.set('/prompts/int_1/answer', { status: 200, body: {} });
    expect((await press()).body.status).toBe(200);
    session.answers.set('/prompts/int_1/answer', {
      status: 409,
      body: { code: 'INTERACTION_NOT_PENDING', status: 'approved' },
    });
    expect((await press()).body.status).toBe(409);
    expect(session.calls('/prompts/int_1/answer').map(({ body }) => body.actionDigest)).toEqual([
      'sha256:abc',
      'sha256:abc',
    ]);
    expect((await phoneNow(phone)).tray).toEqual([]);
  });

  it('keeps a prompt whose press the service did not hear', async () => {
    const phone = await addPhone({ pair: pair() });
    await push(phone.pushToken, prompt('int_1'));
    session.answers.set('/prompts/int_1/answer', { status: 503, body: { code: 'UNAVAILABLE' } });
    await call('POST', `/phones/${phone.id}/press`, { promptId: 'int_1', answer: 'approved' });
    expect((await phoneNow(phone)).tray).toMatchObject([{ promptId: 'int_1' }]);
  });

  it('replies with a choice by its button, and with a text of its own', async () => {
    const phone = await addPhone({ pair: pair() });
    const choices = ['Monday', 'Tuesday "late"'];
    await push(phone.pushToken, {
      aps: { alert: { title: 'When?', body: 'When shall we deploy?' }, category: 'CARILLON_REPLY' },
      carillon: { type: 'prompt', id: 'int_1', actions: choices, actionDigest: 'sha256:abc' },
    });
    expect((await phoneNow(phone)).tray).toMatchObject([
      { reply: true, actions: choices.map((choice) => ({ answer: choice, label: choice })) },
    ]);
    for (const answer of [choices[1], 'not before Wednesday'])
      await call('POST', `/phones/${phone.id}/press`, { promptId: 'int_1', answer });
    expect(session.calls('/prompts/int_1/answer').map(({ body }) => body.answer)).toEqual([
      'Tuesday "late"',
      'not before Wednesday',
    ]);
  });

  it('sends the digest of what it displayed last', async () => {
    const phone = await addPhone({ pair: pair() });
    await push(phone.pushToken, prompt('int_1'), { 'apns-collapse-id': 'int_1' });
    const other = { ...prompt('int_1').carillon, actionDigest: 'sha256:def' };
    await push(phone.pushToken, { ...prompt('int_1'), carillon: other }, { 'apns-collapse-id': 'int_1' });
    expect((await phoneNow(phone)).tray).toMatchObject([{ actionDigest: 'sha256:def' }]);
    await call('POST', `/phones/${phone.id}/press`, { promptId: 'int_1', answer: 'denied' });
    expect(session.calls('/prompts/int_1/answer')[0]!.body.actionDigest).toBe('sha256:def');
  });

  it('renews its session once for several calls', async () => {
    const phone = await addPhone({ pair: pair() });
    session.valid = 'access-9';
    await Promise.all(
      ['int_1', 'int_2', 'int_3'].map((promptId) =>
        call('POST', `/phones/${phone.id}/press`, { promptId, answer: 'yes' }),
      ),
    );
    expect(session.asked.filter((asked) => asked.path === '/refresh')).toHaveLength(1);
    expect(session.asked.filter((asked) => asked.authorization === 'Bearer access-2')).toHaveLength(3);
  });

  it('tells what it can do when live activities are switched off', async () => {
    const phone = await addPhone({ pair: pair() });
    await call('PATCH', `/phones/${phone.id}`, { liveActivities: false });
    const [, second] = session.calls('/devices');
    expect(second!.body).toMatchObject({ liveActivitiesCapable: false });
    expect(second!.body).not.toHaveProperty('pushToStartToken');
    expect(second!.body.installId).toBe(session.asked[0]!.body.installId);
  });
});

const liveHeaders = {
  'apns-push-type': 'liveactivity',
  'apns-topic': 'dev.carillon.app.push-type.liveactivity',
};
const startOf = (activityId: string, content: object = {}) => ({
  aps: {
    timestamp: 1000,
    event: 'start',
    'attributes-type': 'CarillonActivity',
    attributes: { activityId },
    'content-state': { title: 'Deploy', progress: 0.1, sequence: 1, ...content },
    alert: { title: 'Deploy', body: 'started' },
  },
});
const startActivity = (phone: Phone, activityId = 'act_1', content: object = {}) =>
  push(phone.pushToStartToken!, startOf(activityId, content), liveHeaders);
const tokenCalls = (activityId = 'act_1') => session.calls(`/devices/dev_1/activities/${activityId}/token`);

describe('the update token of an activity', () => {
  it('is sent by itself', async () => {
    const phone = await addPhone({ pair: pair() });
    await startActivity(phone);
    await until(async () => (await phoneNow(phone)).activities[0]!.updateTokenRegistered);
    const [activity] = (await phoneNow(phone)).activities;
    expect(tokenCalls().map((asked) => asked.body)).toEqual([
      { token: activity!.updateToken, environment: 'sandbox' },
    ]);
  });

  it('is sent when told so, if the phone is set to manual', async () => {
    const phone = await addPhone({ pair: pair() });
    await call('PATCH', `/phones/${phone.id}`, { registerUpdateTokens: 'manual' });
    await startActivity(phone);
    expect((await phoneNow(phone)).activities).toMatchObject([{ updateTokenRegistered: false }]);
    expect(tokenCalls()).toEqual([]);
    const { status, body } = await call('POST', `/phones/${phone.id}/activities/act_1/register`);
    expect([status, body.status]).toEqual([200, 201]);
    expect((await phoneNow(phone)).activities).toMatchObject([{ updateTokenRegistered: true }]);
    expect((await call('POST', `/phones/${phone.id}/activities/act_9/register`)).status).toBe(404);
  });

  it('is sent when the phone is set to auto again', async () => {
    const phone = await addPhone({ pair: pair() });
    await call('PATCH', `/phones/${phone.id}`, { registerUpdateTokens: 'manual' });
    await startActivity(phone, 'act_7');
    await call('PATCH', `/phones/${phone.id}`, { registerUpdateTokens: 'auto' });
    await until(() => tokenCalls('act_7').length === 1);
  });

  it('is sent when the phone is paired after the activity has started', async () => {
    const phone = await addPhone();
    await startActivity(phone);
    await call('POST', `/phones/${phone.id}/pair`, pair());
    await until(async () => (await phoneNow(phone)).activities[0]!.updateTokenRegistered);
  });

  it('is not sent again when the service says no', async () => {
    const phone = await addPhone({ pair: pair() });
    session.answers.set('/devices/dev_1/activities/act_1/token', { status: 404, body: {} });
    await startActivity(phone);
    await until(() => tokenCalls().length === 1);
    await new Promise((done) => setTimeout(done, 1300));
    expect(tokenCalls()).toHaveLength(1);
    expect((await phoneNow(phone)).activities).toMatchObject([{ updateTokenRegistered: false }]);
  });

  it('is sent until the service takes it', async () => {
    const phone = await addPhone({ pair: pair() });
    const path = '/devices/dev_1/activities/act_1/token';
    session.answers.set(path, { status: 503, body: {} });
    await startActivity(phone);
    await until(() => tokenCalls().length === 1);
    session.answers.delete(path);
    await until(async () => (await phoneNow(phone)).activities[0]!.updateTokenRegistered);
    expect(tokenCalls()).toHaveLength(2);
  });

  it('is sent again when it is replaced', async () => {
    const phone = await addPhone({ pair: pair() });
    await startActivity(phone);
    await until(async () => (await phoneNow(phone)).activities[0]!.updateTokenRegistered);
    await call('POST', `/phones/${phone.id}/activities/act_1/rotate`);
    await until(() => tokenCalls().length === 2);
    const [old, fresh] = tokenCalls().map((asked) => asked.body.token);
    expect(fresh).not.toBe(old);
    expect((await phoneNow(phone)).activities[0]!.updateToken).toBe(fresh);
  });

  it('that is replaced on a phone set to manual is sent when told so', async () => {
    const phone = await addPhone({ pair: pair() });
    await call('PATCH', `/phones/${phone.id}`, { registerUpdateTokens: 'manual' });
    await startActivity(phone);
    await call('POST', `/phones/${phone.id}/activities/act_1/register`);
    await call('POST', `/phones/${phone.id}/activities/act_1/rotate`);
    expect((await phoneNow(phone)).activities).toMatchObject([{ updateTokenRegistered: false }]);
    expect(tokenCalls()).toHaveLength(1);
    await call('POST', `/phones/${phone.id}/activities/act_1/register`);
    expect(tokenCalls()).toHaveLength(2);
  });

  it('cannot be replaced where there is none, or the activity is over', async () => {
    const phone = await addPhone({ pair: pair() });
    await startActivity(phone);
    expect((await call('POST', `/phones/${phone.id}/activities/act_9/rotate`)).status).toBe(404);
    await call('POST', `/phones/${phone.id}/activities/act_1/dismiss`);
    expect((await call('POST', `/phones/${phone.id}/activities/act_1/rotate`)).status).toBe(409);
    const android = await addPhone({ platform: 'android' });
    expect((await call('POST', `/phones/${android.id}/activities/act_1/rotate`)).status).toBe(404);
  });
});

describe('a replaced push-to-start token', () => {
  it('is told to the service', async () => {
    const phone = await addPhone({ pair: pair() });
    const { body } = await call<{ phone: Phone }>('POST', `/phones/${phone.id}/rotate`, { token: 'start' });
    expect(body.phone.pushToStartToken).not.toBe(phone.pushToStartToken);
    expect(session.calls('/devices/dev_1/tokens').map((asked) => asked.body)).toEqual([
      { pushToStartToken: body.phone.pushToStartToken, environment: 'sandbox' },
    ]);
  });

  it('is one that an Android phone has not', async () => {
    const phone = await addPhone({ platform: 'android' });
    expect((await call('POST', `/phones/${phone.id}/rotate`, { token: 'start' })).status).toBe(409);
  });
});

describe('the person with a live activity', () => {
  it('ends them all by switching them off, and the service hears of it', async () => {
    const phone = await addPhone({ pair: pair() });
    await startActivity(phone);
    await call('PATCH', `/phones/${phone.id}`, { liveActivities: false });
    expect((await phoneNow(phone)).activities).toMatchObject([{ state: 'dismissed', endedBy: 'the switch' }]);
    expect(session.calls('/devices').at(-1)!.body).toMatchObject({ liveActivitiesCapable: false });
    expect(await startActivity(phone, 'act_2')).toBe(200);
    expect((await phoneNow(phone)).activities).toHaveLength(1);
    await call('PATCH', `/phones/${phone.id}`, { liveActivities: true });
    await startActivity(phone, 'act_3');
    expect((await phoneNow(phone)).activities).toMatchObject([{}, { activityId: 'act_3', state: 'active' }]);
  });

  it('takes one away', async () => {
    const phone = await addPhone({ pair: pair() });
    await startActivity(phone);
    const { body } = await call<{ phone: Phone }>('POST', `/phones/${phone.id}/activities/act_1/dismiss`);
    expect(body.phone.activities).toMatchObject([{ state: 'dismissed', endedBy: 'the person' }]);
    expect((await call('POST', `/phones/${phone.id}/activities/act_9/dismiss`)).status).toBe(404);
  });

  it('presses the buttons of its prompt with the digest that it showed', async () => {
    const phone = await addPhone({ pair: pair() });
    await startActivity(phone, 'act_1', {
      prompt: {
        id: 'int_1',
        kind: 'approval',
        actions: [
          { id: 'approved', label: 'Ship' },
          { id: 'denied', label: 'Hold' },
        ],
        actionDigest: 'sha256:live',
      },
    });
    session.answers.set('/prompts/int_1/answer', {
      status: 200,
      body: { interaction: { status: 'approved' } },
    });
    const { body } = await call('POST', `/phones/${phone.id}/press`, {
      promptId: 'int_1',
      answer: 'approved',
    });
    expect(body).toEqual({ status: 200, body: { interaction: { status: 'approved' } } });
    expect(session.calls('/prompts/int_1/answer').map((asked) => asked.body)).toEqual([
      { answer: 'approved', actionDigest: 'sha256:live', deviceId: 'dev_1' },
    ]);
  });
});

describe('the account on a phone', () => {
  const showing = async (): Promise<Phone> => {
    const phone = await addPhone({ pair: pair() });
    await push(phone.pushToken, bell('anot_1'));
    await startActivity(phone);
    return phone;
  };

  it('that is another one finds nothing of the one before', async () => {
    const phone = await showing();
    session.answers.set('/devices', { status: 201, body: { device: { id: 'dev_2' } } });
    const { body } = await call<{ phone: Phone }>('POST', `/phones/${phone.id}/pair`, pair());
    expect(body.phone).toMatchObject({
      deviceId: 'dev_2',
      tray: [],
      activities: [{ state: 'dismissed', endedBy: 'sign-out' }],
    });
  });

  it('that is the same one again finds everything', async () => {
    const phone = await showing();
    const { body } = await call<{ phone: Phone }>('POST', `/phones/${phone.id}/pair`, pair());
    expect(body.phone).toMatchObject({ tray: [{ id: 'anot_1' }], activities: [{ state: 'active' }] });
  });

  it('signs out: the device is taken off it, the session ends, the screen is empty', async () => {
    const phone = await showing();
    const { status, body } = await call<{ phone: Phone; session: object }>(
      'POST',
      `/phones/${phone.id}/sign-out`,
    );
    expect(status).toBe(200);
    expect(session.asked.at(-1)).toMatchObject({ method: 'DELETE', path: '/devices/dev_1' });
    expect(session.calls('/logout')).toEqual([]);
    expect(body.phone).toMatchObject({ paired: false, tray: [], activities: [{ state: 'dismissed' }] });
    expect(body.phone).not.toHaveProperty('deviceId');
    expect((await call('POST', `/phones/${phone.id}/sign-out`)).status).toBe(409);
  });

  it('signs out of its session where the device is not taken off it', async () => {
    const phone = await showing();
    session.answers.set('/devices/dev_1', { status: 404, body: { code: 'NOT_FOUND' } });
    await call('POST', `/phones/${phone.id}/sign-out`);
    expect(session.asked.slice(-2)).toMatchObject([
      { method: 'DELETE', path: '/devices/dev_1' },
      { method: 'POST', path: '/logout' },
    ]);
  });
});

describe('the clock of the phones', () => {
  afterEach(() => call('DELETE', '/clock'));

  interface Time {
    now: string;
    aheadSeconds: number;
  }
  const advance = (advanceSeconds: unknown) => call<Time>('POST', '/clock', { advanceSeconds });

  it('runs with the wall clock and can be moved forward, and back to it', async () => {
    const before = Date.now();
    const { body } = await advance(90.5);
    expect(body.aheadSeconds).toBe(90.5);
    expect(Date.parse(body.now)).toBeGreaterThanOrEqual(before + 90_500);
    expect((await advance(3600)).body.aheadSeconds).toBe(3690.5);
    expect((await call<Time>('GET', '/clock')).body.aheadSeconds).toBe(3690.5);
    expect((await call<Time>('GET', '/phones')).body).toMatchObject({ aheadSeconds: 3690.5 });
    expect((await call<Time>('DELETE', '/clock')).body.aheadSeconds).toBe(0);
  });

  it.each([undefined, -1, '60', 1e12])('is not moved by %p', async (seconds) => {
    expect((await advance(seconds)).status).toBe(400);
    expect((await call<Time>('GET', '/clock')).body.aheadSeconds).toBe(0);
  });

  it('makes activities stale, ends and removes them', async () => {
    const phone = await addPhone();
    const start = startOf('act_1');
    Object.assign(start.aps, { 'stale-date': Math.floor(Date.now() / 1000) + 600 });
    await push(phone.pushToStartToken!, start, liveHeaders);
    const states: string[] = [];
    for (const seconds of [0, 601, 8 * 3600, 4 * 3600]) {
      await advance(seconds);
      states.push((await phoneNow(phone)).activities[0]!.state);
    }
    expect(states).toEqual(['active', 'stale', 'ended', 'dismissed']);
  });

  it('is what pushes expire by, and not what a provider token is judged by', async () => {
    const phone = await addPhone();
    await call('PATCH', `/phones/${phone.id}`, { online: false });
    const expiration = String(Math.floor(Date.now() / 1000) + 3600);
    await push(phone.pushToken, bell('anot_1'), { 'apns-expiration': expiration });
    await advance(7200);
    await call('PATCH', `/phones/${phone.id}`, { online: true });
    expect((await phoneNow(phone)).tray).toEqual([]);
    expect(await push(phone.pushToken, bell('anot_2'))).toBe(200);
    expect((await phoneNow(phone)).tray).toMatchObject([{ id: 'anot_2' }]);
  });

  it('is the one that tokens die by', async () => {
    const phone = await addPhone();
    await advance(3600);
    const { body } = await call<{ phone: { uninstalledAt: string } }>(
      'POST',
      `/phones/${phone.id}/uninstall`,
    );
    expect(Date.parse(body.phone.uninstalledAt)).toBeGreaterThan(Date.now() + 3_500_000);
  });
});

describe('the control API', () => {
  it('refuses bad input with 400 and names it', async () => {
    const phone = await addPhone();
    const bad = async (method: string, path: string, body: unknown) => {
      const answer = await call<{ error: string }>(method, path, body);
      expect(answer.status).toBe(400);
      return answer.body.error;
    };
    expect(await bad('POST', '/phones', {})).toContain('platform');
    expect(await bad('POST', '/phones', { platform: 'ios', colour: 'red' })).toContain('colour');
    expect(await bad('POST', '/phones', 'not json')).toContain('JSON');
    expect(await bad('POST', '/phones', [])).toContain('object');
    expect(await bad('POST', '/phones', { platform: 'ios', pair: { baseUrl: 'x' } })).toContain('baseUrl');
    expect(await bad('PATCH', `/phones/${phone.id}`, { online: 'yes' })).toContain('online');
    expect(await bad('PATCH', `/phones/${phone.id}`, { highPriorityPerHour: -1 })).toContain('highPriority');
    expect(await bad('POST', `/phones/${phone.id}/rotate`, { token: 'update' })).toContain('token');
    expect(await bad('POST', `/phones/${phone.id}/press`, { promptId: 'int_1' })).toContain('answer');
    expect(await bad('POST', '/faults', { match: {} })).toContain('effect');
    expect(await bad('POST', '/faults', { effect: {} })).toContain('effect');
    expect(await bad('POST', '/faults', { effect: { cut: 'sideways' } })).toContain('cut');
    expect(await bad('GET', `/phones/${phone.id}/received?after=x`, undefined)).toContain('after');
  });

  it('answers 404 to what it does not know, 405 to a wrong method, 409 to what cannot be', async () => {
    expect((await call('GET', '/phones/nobody')).status).toBe(404);
    expect((await call('PATCH', '/phones/nobody', {})).status).toBe(404);
    expect((await call('POST', '/phones/nobody/press', {})).status).toBe(404);
    expect((await call('GET', '/nothing')).status).toBe(404);
    expect((await call('DELETE', '/phones')).status).toBe(405);
    const phone = await addPhone();
    expect((await call('POST', `/phones/${phone.id}/press`, { promptId: 'i', answer: 'yes' })).status).toBe(
      409,
    );
  });

  it('counts, pages through what was received, and starts over on reset', async () => {
    const phone = await addPhone();
    expect(await push(phone.pushToken, bell('anot_1'))).toBe(200);
    expect(await push(phone.pushToken, bell('anot_2'), { 'apns-priority': '7' })).toBe(400);
    expect((await call('GET', '/stats')).body).toMatchObject({
      apns: { requests: 2, accepted: 1, refused: 1 },
      fcm: { requests: 0 },
    });
    type Page = { received: { n: number; verdict: object }[]; next: number };
    const first = (await call<Page>('GET', `/phones/${phone.id}/received?after=1`)).body;
    expect(first).toMatchObject({
      received: [{ n: 2, verdict: { status: 400, reason: 'BadPriority' } }],
      next: 2,
    });
    expect((await call<Page>('GET', `/phones/${phone.id}/received?after=2`)).body).toEqual({
      received: [],
      next: 2,
    });
    expect(await push('ab'.repeat(32), bell('anot_3'))).toBe(400);
    const all = (await call<{ received: { phoneId: string | null }[] }>('GET', '/received')).body.received;
    expect(all.map((record) => record.phoneId)).toEqual([phone.id, phone.id, null]);
    await call('POST', '/faults', { effect: { status: 500 } });
    expect((await call('POST', '/reset')).status).toBe(200);
    expect((await phoneNow(phone)).tray).toEqual([]);
    expect((await call('GET', '/faults')).body).toEqual({ faults: [] });
    expect((await call('GET', '/stats')).body).toMatchObject({ apns: { requests: 0 } });
    await push(phone.pushToken, bell('anot_4'));
    expect((await call<Page>('GET', `/phones/${phone.id}/received?after=2`)).body.received).toMatchObject([
      { n: 3 },
    ]);
  });

  it('keeps the last thousand records of a phone', async () => {
    const phone = await addPhone();
    const { apns } = simulator.providers;
    const client = http2.connect(apns.origin, { ca: readFileSync(apns.caFile) });
    client.on('error', () => {});
    for (let round = 0; round < 1300; round++) {
      await new Promise((done) => {
        const stream = client.request({ ':method': 'POST', ':path': `/3/device/${phone.pushToken}` });
        stream.end('{}');
        stream.resume();
        stream.on('close', done);
      });
    }
    client.destroy();
    const { body } = await call<{ received: { n: number }[]; next: number }>(
      'GET',
      `/phones/${phone.id}/received`,
    );
    expect(body.received).toHaveLength(1000);
    expect([body.received[0]!.n, body.next]).toEqual([301, 1300]);
  });

  it('serves the page, and no calls from other sites', async () => {
    const page = await fetch(`${simulator.controlUrl}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await page.text()).toContain('page.js');
    for (const script of ['page.js', 'activity.js', 'activity-text.js', 'element.js', 'words.js']) {
      const { status, headers } = await fetch(`${simulator.controlUrl}/${script}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    }
    expect((await call('GET', '/healthz')).body).toEqual({ status: 'ok' });
  });

  it('works for nobody who does not know its secret', async () => {
    const { phone } = (await call<{ phone: Phone }>('POST', '/phones', { platform: 'ios' })).body;
    const { origin, pathname } = new URL(simulator.controlUrl);
    const status = async (method: string, path: string): Promise<number> =>
      (await fetch(origin + path, { method, headers: { 'content-type': 'application/json' } })).status;
    const routes = [
      ...['/', '/page.js', '/phones', `/phones/${phone.id}`, `/phones/${phone.id}/received`, '/received'],
      ...['/stats', '/faults', '/clock', '/about', '/nothing', '/%ff'],
    ];
    for (const path of routes) {
      expect([path, await status('GET', path)]).toEqual([path, 401]);
      expect([path, await status('GET', `${pathname}x${path}`)]).toEqual([path, 401]);
    }
    for (const path of ['/phones', `/phones/${phone.id}/press`, `/phones/${phone.id}/uninstall`, '/reset'])
      expect([path, await status('POST', path)]).toEqual([path, 401]);
    expect(await status('DELETE', `/phones/${phone.id}`)).toBe(401);
    // A probe is told that the app is installed, and nothing else.
    expect(await status('GET', '/healthz')).toBe(200);
    expect((await call<{ phone: Phone }>('GET', `/phones/${phone.id}`)).body.phone.installed).toBe(true);
  });

  it('leads from its link to the page beside which its parts are', async () => {
    const { status, url } = await fetch(simulator.controlUrl);
    expect([status, url]).toEqual([200, `${simulator.controlUrl}/`]);
    expect((await fetch(new URL('page.css', url))).status).toBe(200);
  });

  it('is pressed by no page elsewhere, nor under another name that points here', async () => {
    const made = await call<{ phone: Phone }>('POST', '/phones', { platform: 'ios' });
    const { port, pathname } = new URL(simulator.controlUrl);
    const ask = (headers: Record<string, string>): Promise<number> =>
      new Promise((done, failed) => {
        const path = `${pathname}/phones/${made.body.phone.id}/uninstall`;
        const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
          answer.resume();
          done(answer.statusCode!);
        });
        asked.on('error', failed);
        asked.end();
      });
    const json = { 'content-type': 'application/json' };
    expect(await ask({ ...json, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await ask({ ...json, 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await ask({ ...json, origin: 'http://localhost:3000' })).toBe(403);
    expect(await ask({ ...json, host: `evil.example:${port}` })).toBe(421);
    expect(await ask({ 'content-type': 'text/plain' })).toBe(415);
    expect(await ask({})).toBe(415);
    const { body } = await call<{ phone: Phone }>('GET', `/phones/${made.body.phone.id}`);
    expect(body.phone.installed).toBe(true);
    expect(await ask({ ...json, origin: `http://localhost:${port}`, host: `localhost:${port}` })).toBe(200);
  });
});

describe('a second simulator', () => {
  it('is refused on the data folder of a running one', async () => {
    await expect(startSimulator({ dataFolder: folder })).rejects.toThrow('runs on the same data folder');
    expect((await call('GET', '/healthz')).status).toBe(200);
  });
});

describe('a restart', () => {
  it('keeps phones, trays, keys and ports', async () => {
    const data = mkdtempSync(join(tmpdir(), 'push-simulator-restart-'));
    const first = await startSimulator({ dataFolder: data });
    const { body } = await call<{ phone: Phone }>(
      'POST',
      '/phones',
      { platform: 'ios', pair: pair() },
      first,
    );
    await push(body.phone.pushToken, bell('anot_1'), {}, first);
    await call('PATCH', `/phones/${body.phone.id}`, { registerUpdateTokens: 'manual' }, first);
    await first.stop();
    expect(statSync(first.providersFile).mode & 0o777).toBe(0o600);
    const again = await startSimulator({ dataFolder: data });
    try {
      expect(again.providers).toEqual(first.providers);
      const { phones } = (await call<{ phones: Phone[] }>('GET', '/phones', undefined, again)).body;
      expect(phones).toMatchObject([
        {
          id: body.phone.id,
          pushToken: body.phone.pushToken,
          deviceId: 'dev_1',
          paired: true,
          settings: { registerUpdateTokens: 'manual' },
          tray: [{ id: 'anot_1' }],
        },
      ]);
      expect(await push(body.phone.pushToken, bell('anot_2'), {}, again)).toBe(200);
    } finally {
      await again.stop();
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('sends the update tokens that the service has not taken', async () => {
    const data = mkdtempSync(join(tmpdir(), 'push-simulator-tokens-'));
    const first = await startSimulator({ dataFolder: data });
    const { phone } = (
      await call<{ phone: Phone }>('POST', '/phones', { platform: 'ios', pair: pair() }, first)
    ).body;
    session.answers.set('/devices/dev_1/activities/act_1/token', { status: 500, body: {} });
    await push(phone.pushToStartToken!, startOf('act_1'), liveHeaders, first);
    await until(() => tokenCalls().length === 1);
    await first.stop();
    session.answers.clear();
    const again = await startSimulator({ dataFolder: data });
    try {
      await until(() => tokenCalls().length === 2);
      await until(async () => {
        const { body } = await call<{ phone: Phone }>('GET', `/phones/${phone.id}`, undefined, again);
        return body.phone.activities[0]!.updateTokenRegistered;
      });
    } finally {
      await again.stop();
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('knows phones of an earlier version', async () => {
    const data = mkdtempSync(join(tmpdir(), 'push-simulator-earlier-'));
    const first = await startSimulator({ dataFolder: data });
    const { phone } = (await call<{ phone: Phone }>('POST', '/phones', { platform: 'ios' }, first)).body;
    await first.stop();
    const file = join(data, 'phones.json');
    const { phones } = JSON.parse(readFileSync(file, 'utf8')) as {
      phones: (Partial<Phone> & { spent?: unknown })[];
    };
    const [kept] = phones;
    delete kept!.spent;
    delete kept!.settings!.frequentPushes;
    Object.assign(kept!, { activities: [{ activityId: 'act_0', state: 'started' }] });
    writeFileSync(file, JSON.stringify({ phones }));
    const again = await startSimulator({ dataFolder: data });
    try {
      await push(phone.pushToStartToken!, startOf('act_1'), liveHeaders, again);
      const { body } = await call<{ phone: Phone }>('GET', `/phones/${phone.id}`, undefined, again);
      expect(body.phone).toMatchObject({
        settings: { frequentPushes: true },
        activities: [{ activityId: 'act_1', state: 'active' }],
      });
    } finally {
      await again.stop();
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('takes other ports when its own are gone, and says which port is in use when told one', async () => {
    const data = mkdtempSync(join(tmpdir(), 'push-simulator-ports-'));
    const first = await startSimulator({ dataFolder: data });
    await first.stop();
    const squatter = createTcpServer();
    await new Promise<void>((done) => squatter.listen(first.apnsPort, '127.0.0.1', done));
    const again = await startSimulator({ dataFolder: data });
    expect(again.apnsPort).not.toBe(first.apnsPort);
    expect(again.fcmPort).toBe(first.fcmPort);
    await again.stop();
    await expect(startSimulator({ dataFolder: data, apnsPort: first.apnsPort })).rejects.toThrow(
      `port ${first.apnsPort} for APNs is in use`,
    );
    expect(existsSync(join(data, 'phones.json'))).toBe(true);
    squatter.close();
    rmSync(data, { recursive: true, force: true });
  });
});
