import { type House, type HouseAccount, startHouse } from '@carillon/testkit';
import { createECDH, randomBytes, randomUUID } from 'node:crypto';

let house: House;
beforeAll(async () => {
  house = await startHouse({ receivers: true, limits: 'off' });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const point = (): string => {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair.getPublicKey('base64url');
};
const keys = () => ({ p256dh: point(), auth: randomBytes(16).toString('base64url') });
const subscription = (more: object = {}) => ({
  endpoint: `https://127.0.0.1:44444/push/${randomUUID()}`,
  expirationTime: null,
  keys: keys(),
  ...more,
});
const browser = (more: object = {}) => ({
  platform: 'web',
  installId: randomUUID(),
  deviceName: 'Firefox on a laptop',
  subscription: subscription(),
  ...more,
});

/** A person's browser: the Session API by a cookie. */
async function signedIn({ email, password }: HouseAccount) {
  const { headers } = await house.http('POST', '/api/session/login/password', { body: { email, password } });
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return (method: string, path: string, body?: unknown) =>
    house.http(method, `/api/session${path}`, {
      token: null,
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      ...(body !== undefined && { body }),
    });
}
const devices = async (person: HouseAccount, query = '') =>
  (await person.api('GET', `/devices${query}`)).body.devices;

describe('a browser', () => {
  it('becomes a device by its cookie, and stays the same one', async () => {
    const person = await house.anotherAccount();
    const call = await signedIn(person);
    const input = browser();
    const made = await call('POST', '/devices', input);
    expect(made).toMatchObject({
      status: 201,
      body: {
        device: {
          platform: 'web',
          deviceName: 'Firefox on a laptop',
          active: true,
          liveActivitiesCapable: false,
          interactiveLiveActivitiesCapable: false,
          liveActivityTokenEnvironment: null,
        },
      },
    });
    const again = await call('POST', '/devices', { ...input, subscription: subscription() });
    expect(again).toMatchObject({ status: 200, body: { device: { id: made.body.device.id } } });
    expect((await call('GET', '/devices')).body.devices).toMatchObject([{ id: made.body.device.id }]);
  });

  it('becomes one by an app session too, which is then bound to no device', async () => {
    const person = await house.anotherAccount();
    const token = await person.signIn();
    for (const body of [browser(), browser()])
      expect(await person.session('POST', '/devices', { body, token })).toMatchObject({ status: 201 });
  });

  it('is listed by the Agent API only where it asks for browsers', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('android');
    const { device } = (await (await signedIn(person))('POST', '/devices', browser())).body;
    expect(await devices(person)).toMatchObject([{ id: phone.deviceId }]);
    expect(await devices(person, '?active=true')).toMatchObject([{ id: phone.deviceId }]);
    expect(await devices(person, '?platform=web')).toMatchObject([{ id: device.id, platform: 'web' }]);
  });

  it('is among the devices of a family only for people', async () => {
    const person = await house.anotherAccount();
    const team = await person.family();
    const { device } = (await (await signedIn(person))('POST', '/devices', browser())).body;
    expect((await person.api('GET', `/teams/${team}/devices`)).body.devices).toEqual([]);
    expect((await person.session('GET', `/teams/${team}/devices`)).body.devices).toMatchObject([
      { id: device.id },
    ]);
  });

  it('can be removed by its person, who stays signed in', async () => {
    const person = await house.anotherAccount();
    const call = await signedIn(person);
    const input = browser();
    const { device } = (await call('POST', '/devices', input)).body;
    expect((await call('DELETE', `/devices/${device.id}`)).status).toBe(200);
    expect((await call('GET', '/me')).status).toBe(200);
    expect(await devices(person, '?platform=web')).toEqual([]);
    expect(await call('POST', '/devices', input)).toMatchObject({
      status: 200,
      body: { device: { id: device.id, active: true } },
    });
  });

  it('is not given the tokens of a phone', async () => {
    const person = await house.anotherAccount();
    const { device } = (await person.session('POST', '/devices', { body: browser() })).body;
    expect(
      await person.session('PUT', `/devices/${device.id}/tokens`, {
        body: { pushToken: 'ff'.repeat(32), environment: 'production' },
      }),
    ).toMatchObject({ status: 404, body: { code: 'DEVICE_NOT_FOUND' } });
  });

  it('loses its endpoint to the account that registers it next, whatever keys that gives', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const input = browser();
    await person.session('POST', '/devices', { body: input });
    const { endpoint } = input.subscription;
    const moved = browser({ subscription: subscription({ endpoint: endpoint.replace('https:', 'HTTPS:') }) });
    expect((await other.session('POST', '/devices', { body: moved })).status).toBe(201);
    expect(await devices(person, '?platform=web')).toMatchObject([{ active: false }]);
    expect(await devices(other, '?platform=web')).toMatchObject([{ active: true }]);
    expect(
      (await person.api('POST', '/notifications', { body: { title: 'a', body: 'b' } })).body.accepted,
    ).toBe(0);
  });

  it('shows no live activity', async () => {
    const person = await house.anotherAccount();
    const { device } = (await person.session('POST', '/devices', { body: browser() })).body;
    for (const more of [{}, { deviceIds: [device.id] }])
      expect(
        await person.api('POST', '/activities', { body: { props: { title: 'Build' }, ...more } }),
      ).toMatchObject({ status: 422, body: { code: 'NO_ELIGIBLE_DEVICES' } });
  });

  it.each([
    ['without a subscription', { subscription: undefined }, 'subscription'],
    ['with the token of a phone', { pushToken: 'ff' }, 'pushToken'],
    [
      'at http',
      { subscription: subscription({ endpoint: 'http://push.example/x' }) },
      'subscription.endpoint',
    ],
    [
      'at an endpoint of 2,049 characters',
      { subscription: subscription({ endpoint: `https://push.example/${'x'.repeat(2028)}` }) },
      'subscription.endpoint',
    ],
    [
      'with a point that is not on the curve',
      {
        subscription: subscription({
          keys: {
            ...keys(),
            p256dh: Buffer.concat([Buffer.from([4]), randomBytes(64)]).toString('base64url'),
          },
        }),
      },
      'subscription.keys.p256dh',
    ],
    [
      'with a compressed point',
      { subscription: subscription({ keys: { ...keys(), p256dh: randomBytes(33).toString('base64url') } }) },
      'subscription.keys.p256dh',
    ],
    [
      'with a secret of 15 bytes',
      { subscription: subscription({ keys: { ...keys(), auth: randomBytes(15).toString('base64url') } }) },
      'subscription.keys.auth',
    ],
  ])('%s is refused with the path', async (_what, more, path) => {
    const answer = await house.owner.session('POST', '/devices', { body: browser(more) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });

  it.each([
    'https://10.0.0.7/push/x',
    'https://[fd00::7]/push/x',
    'https://[::ffff:10.0.0.7]/push/x',
    'https://push.example:5432/x',
  ])('at %s is refused: a push service has a public address', async (endpoint) => {
    const body = browser({ subscription: subscription({ endpoint }) });
    expect(await house.owner.session('POST', '/devices', { body })).toMatchObject({
      status: 422,
      body: { code: 'DESTINATION_NOT_ALLOWED' },
    });
  });

  it('reads the key to subscribe with: a point of P-256, the same after a restart', async () => {
    const read = async () => (await house.owner.session('GET', '/push/key')).body;
    const { key } = await read();
    expect(Buffer.from(key, 'base64url')).toHaveLength(65);
    await house.restart();
    expect(await read()).toEqual({ key });
  });
});

describe('a push to a browser', () => {
  it('counts in accepted, rings in no quiet hours, and is withdrawn', async () => {
    const person = await house.anotherAccount();
    const browser = await person.addPhone('web');
    const send = (more: object = {}) =>
      person.api('POST', '/notifications', { body: { title: 'a', body: 'b', ...more } });
    const sent = await send({ deviceIds: [browser.deviceId] });
    expect(sent).toMatchObject({ status: 201, body: { accepted: 1 } });
    const quietHours = { from: '00:00', to: '00:00', timezone: 'UTC' };
    expect((await person.session('PUT', '/quiet-hours', { body: { quietHours } })).status).toBe(200);
    expect((await send()).body).toMatchObject({ accepted: 0 });
    expect(await person.api('POST', `/notifications/${sent.body.notification.id}/withdraw`)).toMatchObject({
      status: 200,
      body: { status: 'withdrawn' },
    });
    await house.expectPushes(browser, 2);
  });

  it('lets its person answer a prompt', async () => {
    const person = await house.anotherAccount();
    const browser = await person.addPhone('web');
    const asked = await person.api('POST', '/interactions', {
      body: { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' },
    });
    const promptId = asked.body.interaction.id;
    expect(
      (await house.simulator('POST', `/phones/${browser.id}/press`, { promptId, answer: 'approved' })).body,
    ).toMatchObject({
      status: 200,
      body: { interaction: { status: 'approved' } },
    });
    // The prompt, and what takes its place.
    await house.expectPushes(browser, 2);
  });
});

describe('a phone', () => {
  const phone = {
    platform: 'ios',
    installId: 'a-phone',
    pushToken: 'ff'.repeat(32),
    pushEnvironment: 'sandbox',
    appBuild: '1',
    liveActivitiesCapable: true,
    interactiveLiveActivitiesCapable: false,
  };

  it('is not registered by a cookie', async () => {
    const call = await signedIn(house.owner);
    expect(await call('POST', '/devices', phone)).toMatchObject({
      status: 403,
      body: { code: 'HUMAN_SESSION_REQUIRED' },
    });
  });

  it('has no subscription, and needs all its fields', async () => {
    const { pushToken: _token, ...less } = phone;
    const answer = await house.owner.session('POST', '/devices', {
      body: { ...less, subscription: subscription() },
    });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.body.issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      'pushToken',
      'subscription',
    ]);
  });
});
