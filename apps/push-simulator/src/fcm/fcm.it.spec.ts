import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteApp, initializeApp, type App, type Credential } from 'firebase-admin/app';
import { getMessaging, type Message } from 'firebase-admin/messaging';
import { startSimulator, type Simulator } from '../simulator.js';

class SimulatorAgent extends https.Agent {
  constructor(private readonly to: { host: string; port: number; ca: string }) {
    super({ keepAlive: true, maxSockets: 16 });
  }

  override createConnection(options: any, done: any) {
    const { host, port, ca } = this.to;
    // The name in the certificate stays that of the provider; only the address differs.
    return super.createConnection({ ...options, host, port, ca, servername: options.host as string }, done);
  }
}

interface Account {
  client_email: string;
  private_key: string;
  project_id: string;
}
interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: {
    access_token?: string;
    expires_in?: number;
    error?: string | { code: number; status: string; message: string; details?: { errorCode?: string }[] };
    name?: string;
  };
}
interface Phone {
  activities: object[];
  id: string;
  pushToken: string;
  tray: { id: string; title: string; body: string; actions: { answer: string }[] }[];
}
interface Received {
  payload: { data?: Record<string, string> };
  verdict: { status: number; reason: string | null };
  shown: boolean;
  why?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'push-simulator-fcm-'));
let clock = 0;
let simulator: Simulator;
let agent: SimulatorAgent;
let account: Account;
let app: App;
let exchanges = 0;

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
function assertion(change: { claims?: object; key?: string } = {}): string {
  const now = Math.floor((Date.now() + clock) / 1000);
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({
    iss: account.client_email,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: 'https://oauth2.googleapis.com/token',
    iat: now,
    exp: now + 3600,
    ...change.claims,
  })}`;
  const key = createPrivateKey(change.key ?? account.private_key);
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

function post(
  host: string,
  path: string,
  headers: Record<string, string>,
  body: string,
  method = 'POST',
): Promise<Answer> {
  return new Promise((done, failed) => {
    const request = https.request({ host, path, method, headers, agent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: JSON.parse(text) as Answer['body'],
        }),
      );
      response.on('error', failed);
    });
    request.on('error', failed);
    request.end(body);
  });
}
const exchange = (given: string, grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer') =>
  post(
    'oauth2.googleapis.com',
    '/token',
    { 'content-type': 'application/x-www-form-urlencoded' },
    new URLSearchParams({ grant_type: grant, assertion: given }).toString(),
  );
const send = async (
  body: unknown,
  options: { bearer?: string; project?: string } = {},
): Promise<Answer & { code?: string }> => {
  const bearer = options.bearer ?? (await exchange(assertion())).body.access_token!;
  const answer = await post(
    'fcm.googleapis.com',
    `/v1/projects/${options.project ?? account.project_id}/messages:send`,
    { 'content-type': 'application/json', ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) },
    typeof body === 'string' ? body : JSON.stringify(body),
  );
  const error = answer.body.error as Exclude<Answer['body']['error'], string>;
  return { ...answer, code: error?.details?.find((detail) => detail.errorCode)?.errorCode };
};
const credential: Credential = {
  async getAccessToken() {
    exchanges++;
    const { body } = await exchange(assertion());
    return { access_token: body.access_token!, expires_in: body.expires_in! };
  },
};

beforeAll(async () => {
  simulator = await startSimulator({ dataFolder: folder, now: () => Date.now() + clock });
  const { fcm } = simulator.providers;
  account = JSON.parse(readFileSync(fcm.serviceAccountFile, 'utf8')) as Account;
  agent = new SimulatorAgent({ host: fcm.host, port: fcm.port, ca: readFileSync(fcm.caFile, 'utf8') });
  app = initializeApp({ credential, projectId: account.project_id, httpAgent: agent }, 'simulated');
});
beforeEach(async () => {
  clock = 0;
  await call('POST', '/reset');
});
afterAll(async () => {
  await deleteApp(app);
  agent.destroy();
  await simulator?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(simulator.controlUrl + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Body;
}
const addPhone = async (): Promise<Phone> =>
  (await call<{ phone: Phone }>('POST', '/phones', { platform: 'android' })).phone;
const phoneNow = async (phone: Phone): Promise<Phone> =>
  (await call<{ phone: Phone }>('GET', `/phones/${phone.id}`)).phone;
const receivedBy = async (phone: Phone): Promise<Received[]> =>
  (await call<{ received: Received[] }>('GET', `/phones/${phone.id}/received`)).received;
const addFault = (effect: object, count = 1) =>
  call('POST', '/faults', { match: { provider: 'fcm' }, effect, count });
const message = (phone: Phone, data: Record<string, string> = {}, android: object = {}): Message => ({
  token: phone.pushToken,
  data: { type: 'notification', id: 'anot_1', title: 'Build', body: 'It is green', ...data },
  android: { priority: 'high', ...android },
});
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );

describe('a push from firebase-admin', () => {
  it('is shown on the phone and recorded', async () => {
    const phone = await addPhone();
    const name = await getMessaging(app).send(message(phone));
    expect(name).toMatch(/^projects\/carillon-simulator\/messages\/0:/);
    expect((await phoneNow(phone)).tray).toMatchObject([
      { id: 'anot_1', title: 'Build', body: 'It is green' },
    ]);
    expect(await receivedBy(phone)).toMatchObject([
      { shown: true, verdict: { status: 200, reason: null }, payload: { data: { id: 'anot_1' } } },
    ]);
  });

  it('takes one token exchange for many sends', async () => {
    const phone = await addPhone();
    await getMessaging(app).send(message(phone));
    const before = exchanges;
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => getMessaging(app).send(message(phone, { id: `anot_${at}` }))),
    );
    expect(exchanges).toBe(before);
    expect((await phoneNow(phone)).tray).toHaveLength(20);
  });

  it('shows a prompt with its buttons, and withdraws it', async () => {
    const phone = await addPhone();
    await getMessaging(app).send(
      message(phone, {
        type: 'prompt',
        id: 'int_1',
        category: 'CARILLON_APPROVAL',
        actions: '["Go","Stop"]',
      }),
    );
    expect((await phoneNow(phone)).tray[0]!.actions).toEqual([
      { answer: 'approved', label: 'Go' },
      { answer: 'denied', label: 'Stop' },
    ]);
    await getMessaging(app).send({ token: phone.pushToken, data: { type: 'withdraw', id: 'int_1' } });
    expect((await phoneNow(phone)).tray).toEqual([]);
  });

  it('shows an activity in the order of seq, with its prompt, until its dismissal', async () => {
    const phone = await addPhone();
    const push = (event: string, seq: number, more: object = {}, data: Record<string, string> = {}) =>
      getMessaging(app).send({
        token: phone.pushToken,
        data: {
          type: 'activity',
          event,
          activityId: 'act_1',
          seq: String(seq),
          contentState: JSON.stringify({ title: 'Deploy', sequence: seq, ...more }),
          ...data,
        },
      });
    const actions = [
      { id: 'yes', label: 'Go' },
      { id: 'no', label: 'Stop' },
    ];
    const prompt = { id: 'int_1', kind: 'yes_no', actions, actionDigest: 'sha256:a' };
    await push('start', 1, { progress: 0.1, prompt });
    expect((await phoneNow(phone)).activities).toMatchObject([
      { activityId: 'act_1', state: 'active', sequence: 1, contentState: { prompt } },
    ]);
    await push('update', 3, { progress: 0.6, prompt: null });
    await push('update', 2, { progress: 0.3 });
    await push('update', 4, { progress: 60 });
    expect((await phoneNow(phone)).activities).toMatchObject([
      { sequence: 3, contentState: { progress: 0.6, prompt: null } },
    ]);
    await push('end', 5, { progress: 1 }, { dismissAt: new Date(Date.now() + 300_000).toISOString() });
    await push('update', 6, { progress: 0.9 });
    expect((await phoneNow(phone)).activities).toMatchObject([
      { state: 'ended', sequence: 5, contentState: { progress: 1 } },
    ]);
    clock = 301_000;
    expect((await phoneNow(phone)).activities).toMatchObject([{ state: 'dismissed' }]);
    expect((await receivedBy(phone)).map((record) => [record.shown, record.why])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, 'the app dropped it: seq 2 is not newer than 3'],
      [false, 'the app dropped it: it cannot read the contentState: progress must be a number from 0 to 1'],
      [true, undefined],
      [false, 'the app dropped it: act_1 has ended'],
    ]);
  });

  it('is refused beyond the quota of a phone that has one', async () => {
    const phone = await addPhone();
    await call('PATCH', `/phones/${phone.id}`, { fcmQuota: true });
    await Promise.all(
      Array.from({ length: 240 }, (_, at) => getMessaging(app).send(message(phone, { id: `anot_${at}` }))),
    );
    expect(await codeOf(getMessaging(app).send(message(phone)))).toBe('messaging/message-rate-exceeded');
    clock = 60_000;
    expect(await codeOf(getMessaging(app).send(message(phone)))).toBe('accepted');
  });

  it('waits for an offline phone, collapsed, within its time to live', async () => {
    const phone = await addPhone();
    await call('PATCH', `/phones/${phone.id}`, { online: false });
    const push = (id: string, android: object) => getMessaging(app).send(message(phone, { id }, android));
    await push('anot_1', { collapseKey: 'job' });
    await push('anot_2', { collapseKey: 'job' });
    await push('anot_3', {});
    await push('anot_4', { ttl: 0 });
    await push('anot_5', { ttl: 60_000 });
    clock = 61_000;
    await call('PATCH', `/phones/${phone.id}`, { online: true });
    expect((await phoneNow(phone)).tray.map((shown) => shown.id)).toEqual(['anot_3', 'anot_2']);
  });

  it('to an uninstalled app is not registered', async () => {
    const phone = await addPhone();
    await call('POST', `/phones/${phone.id}/uninstall`);
    expect(await codeOf(getMessaging(app).send(message(phone)))).toBe(
      'messaging/registration-token-not-registered',
    );
    expect((await receivedBy(phone))[0]!.verdict).toEqual({ status: 404, reason: 'UNREGISTERED' });
  });

  it('that is too large is an invalid argument', async () => {
    const phone = await addPhone();
    expect(await codeOf(getMessaging(app).send(message(phone, { body: 'x'.repeat(5000) })))).toBe(
      'messaging/invalid-argument',
    );
  });

  it('meets faults with the codes that the library knows', async () => {
    const phone = await addPhone();
    const fault = async (effect: object) => {
      await addFault(effect);
      return codeOf(getMessaging(app).send(message(phone)));
    };
    expect(await fault({ status: 429, retryAfterSeconds: 30 })).toBe('messaging/message-rate-exceeded');
    expect(await fault({ status: 500 })).toBe('messaging/internal-error');
    expect(await fault({ reason: 'SENDER_ID_MISMATCH' })).toBe('messaging/mismatched-credential');
    expect(await fault({ reason: 'THIRD_PARTY_AUTH_ERROR' })).toBe('messaging/third-party-auth-error');
    expect(await fault({ status: 404 })).toBe('messaging/registration-token-not-registered');
    expect(await fault({ status: 503, retryAfterSeconds: 120 })).toBe('messaging/server-unavailable');
    expect((await phoneNow(phone)).tray).toEqual([]);
  });

  it('is sent twice by the library when the connection is cut after it was taken', async () => {
    const phone = await addPhone();
    await addFault({ cut: 'after' });
    await getMessaging(app).send(message(phone));
    expect(await receivedBy(phone)).toHaveLength(2);
    // The app names the notification by its id, so the person sees one.
    expect((await phoneNow(phone)).tray).toHaveLength(1);
  });

  it('is sent again by the library when the connection is cut before', async () => {
    const phone = await addPhone();
    await addFault({ cut: 'before' });
    await getMessaging(app).send(message(phone));
    expect((await receivedBy(phone)).map((record) => record.verdict.status)).toEqual([0, 200]);
  });
});

describe('the token endpoint', () => {
  it('gives an access token for a good assertion', async () => {
    const { status, body } = await exchange(assertion());
    expect(status).toBe(200);
    expect(body).toMatchObject({ expires_in: 3599, token_type: 'Bearer' });
    expect(body.access_token).toMatch(/^ya29\./);
  });

  it('refuses a bad one with invalid_grant', async () => {
    const now = Math.floor(Date.now() / 1000);
    const refused = async (given: string) => {
      const { status, body } = await exchange(given);
      expect(`${status} ${body.error as string}`).toBe('400 invalid_grant');
    };
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    await refused(assertion({ key: other.export({ type: 'pkcs8', format: 'pem' }).toString() }));
    await refused(assertion({ claims: { iss: 'someone@else.test' } }));
    await refused(assertion({ claims: { aud: 'https://example.test/token' } }));
    await refused(assertion({ claims: { exp: now + 7300 } }));
    await refused(assertion({ claims: { iat: now - 7200, exp: now - 3600 } }));
    await refused('not.a.jwt');
    expect((await exchange(assertion(), 'password')).body.error).toBe('unsupported_grant_type');
    expect((await exchange(assertion({ claims: { scope: '' } }))).body.error).toBe('invalid_scope');
  });

  it('can be made to fail', async () => {
    await call('POST', '/faults', { match: { provider: 'oauth' }, effect: { status: 503 }, count: 1 });
    expect((await exchange(assertion())).status).toBe(503);
    expect((await exchange(assertion())).status).toBe(200);
  });
});

describe('a send request', () => {
  it('needs a bearer that is known, alive, and of the right scope', async () => {
    const phone = await addPhone();
    const body = { message: { token: phone.pushToken, data: { a: 'b' } } };
    const error = (answer: Answer) => (answer.body.error as { status: string }).status;
    expect(error(await send(body, { bearer: 'ya29.made.up' }))).toBe('UNAUTHENTICATED');
    const bearer = (await exchange(assertion())).body.access_token!;
    expect((await send(body, { bearer })).status).toBe(200);
    clock = 3_600_000;
    const expired = await send(body, { bearer });
    expect(expired.status).toBe(401);
    expect(expired.headers['www-authenticate']).toContain('Bearer');
    expect(expired.code).toBeUndefined();
    clock = 0;
    const narrow = assertion({ claims: { scope: 'https://www.googleapis.com/auth/drive' } });
    const scoped = await send(body, { bearer: (await exchange(narrow)).body.access_token! });
    expect([scoped.status, error(scoped)]).toEqual([403, 'PERMISSION_DENIED']);
  });

  it('is judged as FCM judges it', async () => {
    const phone = await addPhone();
    const bearer = (await exchange(assertion())).body.access_token!;
    const judge = async (body: unknown, project?: string) => {
      const answer = await send(body, { bearer, project });
      return `${answer.status} ${answer.code ?? '-'}`;
    };
    const token = phone.pushToken;
    expect(await judge({ message: { token, data: { a: 'b' } } })).toBe('200 -');
    expect(await judge({ message: { token }, validate_only: true })).toBe('200 -');
    expect(await judge('{')).toBe('400 -');
    expect(await judge({ message: { data: { a: 'b' } } })).toBe('400 INVALID_ARGUMENT');
    expect(await judge({ message: { token: 'short' } })).toBe('400 INVALID_ARGUMENT');
    expect(await judge({ message: { token: `${'a'.repeat(22)}:APA91b${'b'.repeat(134)}` } })).toBe(
      '404 UNREGISTERED',
    );
    expect(await judge({ message: { token } }, 'another-project')).toBe('404 -');
    expect(await judge({ message: { topic: 'news', data: { a: 'b' } } })).toBe('200 -');
    // Only what was accepted for the phone, or refused for it, stands in its records.
    expect((await receivedBy(phone)).map((record) => record.why)).toContain('only validated');
  });

  it('may come over HTTP/2 as well', async () => {
    const phone = await addPhone();
    const { fcm } = simulator.providers;
    const session = http2.connect(`https://localhost:${fcm.port}`, { ca: readFileSync(fcm.caFile, 'utf8') });
    const stream = session.request({
      ':method': 'POST',
      ':path': `/v1/projects/${account.project_id}/messages:send`,
      authorization: `Bearer ${(await exchange(assertion())).body.access_token}`,
    });
    stream.end(JSON.stringify({ message: { token: phone.pushToken, data: { title: 'x' } } }));
    const status = await new Promise((done) => stream.on('response', (headers) => done(headers[':status'])));
    session.destroy();
    expect(status).toBe(200);
    expect((await phoneNow(phone)).tray).toHaveLength(1);
  });

  it('to another address is not found', async () => {
    expect((await post('fcm.googleapis.com', '/batch', {}, '')).status).toBe(404);
    expect((await post('oauth2.googleapis.com', '/token', {}, '', 'PUT')).status).toBe(405);
  });
});
