import { type House, type HouseAccount, type HousePhone, onCall, startHouse } from '@carillon/testkit';

let house: House;
let ann: HouseAccount;
let ios: HousePhone;
let android: HousePhone;
beforeAll(async () => {
  house = await startHouse({ limits: 'off', readyWithinMs: 240_000 });
  ann = await house.anotherAccount('Ann');
  ios = await ann.addPhone('ios');
  android = await ann.addPhone('android');
}, 300_000);
afterAll(() => house?.close(), 90_000);

/** Hours around the present that end in `minutes`. */
async function running(minutes = 60) {
  const now = Date.parse(await house.advance(0));
  const time = (shift: number): string => new Date(now + shift * 60_000).toISOString().slice(11, 16);
  return { from: time(-60), to: time(minutes), timezone: 'UTC' };
}
const set = (body: object) => ann.session('PUT', '/quiet-hours', { body });
const notify = (title: string, more: object = {}) =>
  ann.api('POST', '/notifications', { body: { title, body: 'quietly' }, ...more });
const ask = (title: string, more: object = {}) =>
  ann.api('POST', '/interactions', { body: { kind: 'yes_no', title, prompt: 'Is it?', ...more } });
const titles = async (phone: HousePhone, count: number): Promise<any[]> =>
  (await house.expectPushes(phone, count)).map(({ payload }: any) => payload.aps?.alert?.title ?? payload);

describe('quiet hours of a person', () => {
  let quietHours: object;
  beforeAll(async () => {
    quietHours = await running();
    const { status, body } = await set({ quietHours });
    expect([status, body]).toEqual([200, { quietHours, devices: [] }]);
  });

  it('let a notification wait in the inbox, and say that nobody was rung', async () => {
    const headers = { 'idempotency-key': 'night' };
    const message = 'Quiet hours: 2 devices were not rung. The notification is in the inbox.';
    const { status, body } = await notify('Backup finished', { headers });
    expect([status, body]).toMatchObject([201, { accepted: 0, message }]);
    const [item] = (await ann.api('GET', '/inbox/notifications')).body.items;
    expect(item).toMatchObject({ title: 'Backup finished', readAt: null });
    expect((await notify('Backup finished', { headers })).body).toMatchObject({
      accepted: 0,
      message,
      idempotent: true,
    });
  });

  it('hold for named devices, and for what a service receives', async () => {
    const named = await ann.api('POST', '/notifications', {
      body: { title: 'Named', body: 'b', deviceIds: [ios.deviceId] },
    });
    expect(named.body).toMatchObject({
      accepted: 0,
      message: expect.stringMatching(/^Quiet hours: one device/),
    });
    const { body: made } = await ann.api('POST', '/services', { body: { title: 'NAS' } });
    const path = new URL(made.webhookUrl).pathname;
    const hooked = await house.http('POST', path, { body: { text: 'disk replaced' } });
    expect(hooked.body).toMatchObject({ ok: true, accepted: 0 });
    expect((await ann.api('GET', '/events')).body.events[0]).toMatchObject({
      status: 'no_devices',
      deliveredCount: 0,
    });
  });

  it('let a prompt wait, which can be answered, and an urgent one ring', async () => {
    const waiting = await ask('Merge?');
    expect(waiting.body).toMatchObject({
      accepted: 0,
      message: 'Quiet hours: 2 devices were not rung. The prompt can be answered in the app or the console.',
    });
    const { id, actionDigest } = waiting.body.interaction;
    const answered = await ann.session('POST', `/prompts/${id}/answer`, {
      body: { answer: 'yes', actionDigest },
    });
    expect(answered.status).toBe(200);
    const urgent = await ask('Roll back?', { urgent: true });
    expect(urgent.body.accepted).toBe(2);
    expect(urgent.body).not.toHaveProperty('message');
    expect(await titles(ios, 1)).toEqual(['Roll back?']);
    await house.expectPushes(android, 1);
    await ann.session('POST', `/prompts/${urgent.body.interaction.id}/cancel`);
    await house.expectPushes(ios, 1);
    await house.expectPushes(android, 1);
  });

  it('show a prompt as a live activity without a sound, and ring for an urgent one', async () => {
    const shown = async (title: string, more: object): Promise<any> => {
      const asked = await ask(title, { presentation: 'live_activity', ...more });
      const starts = [await house.expectPushes(ios, 1), await house.expectPushes(android, 1)];
      await ann.session('POST', `/prompts/${asked.body.interaction.id}/cancel`);
      await house.expectPushes(ios, 1);
      await house.expectPushes(android, 1);
      const [onIos, onAndroid] = starts.map(([push]: any[]) => push.payload);
      return { body: asked.body, sound: onIos.aps.alert.sound, silent: onAndroid.data.silent };
    };
    expect(await shown('Merge now?', {})).toMatchObject({
      body: { queued: 2, message: 'Quiet hours: 2 devices were not rung.' },
      sound: undefined,
      silent: 'true',
    });
    const urgent = await shown('Roll back now?', { urgent: true });
    expect(urgent).toMatchObject({ body: { queued: 2 }, sound: 'default', silent: undefined });
    expect(urgent.body).not.toHaveProperty('message');
  });

  it('do not keep a page', async () => {
    const { groupId } = await onCall(house, [ann]);
    const page = await ann.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Database down' } });
    expect(page.body.accepted).toBe(2);
    await house.expectPushes(ios, 1);
    await house.expectPushes(android, 1);
    await ann.api('POST', `/pages/${page.body.page.id}/resolve`);
    await house.expectPushes(ios, 1);
    await house.expectPushes(android, 1);
  });

  it('do not hold for a device with others of its own', async () => {
    const own = { from: '00:00', to: '00:01', timezone: 'Pacific/Apia' };
    const { body } = await set({ deviceId: android.deviceId, quietHours: own });
    expect(body).toEqual({ quietHours, devices: [{ deviceId: android.deviceId, ...own }] });
    const sent = await notify('To the table');
    expect(sent.body).toMatchObject({
      accepted: 1,
      message: expect.stringMatching(/^Quiet hours: one device/),
    });
    await house.expectPushes(android, 1);
    await set({ deviceId: android.deviceId, quietHours: null });
    expect((await notify('To nobody')).body.accepted).toBe(0);
  });

  it('are those of the person alone: a device group rings the others', async () => {
    const bob = await house.anotherAccount('Bob');
    const phone = await bob.addPhone('ios');
    const familyId = await ann.family(bob);
    const { body } = await ann.api('POST', `/teams/${familyId}/groups`, {
      body: { name: 'All', userIds: [ann.id, bob.id] },
    });
    const sent = await ann.api('POST', '/notifications', {
      body: { title: 'Supper', body: 'now', deviceGroupId: body.group.id },
    });
    expect(sent.body).toMatchObject({
      accepted: 1,
      message: expect.stringMatching(/2 devices were not rung/),
    });
    expect(await titles(phone, 1)).toEqual(['Supper']);
  });

  it('outlive a restart, and end by themselves: what waited does not ring then', async () => {
    await house.restart();
    expect((await ann.session('GET', '/quiet-hours')).body).toEqual({ quietHours, devices: [] });
    expect((await notify('Still quiet')).body.accepted).toBe(0);
    await house.advance(61 * 60);
    const { body } = await notify('Good morning');
    expect(body.accepted).toBe(2);
    expect(body).not.toHaveProperty('message');
    expect(await titles(ios, 1)).toEqual(['Good morning']);
    await house.expectPushes(android, 1);
  });
});

describe('setting quiet hours', () => {
  it.each([
    [{ quietHours: { from: '22:00', to: '07:00', timezone: 'Mars/Olympus' } }, 'INVALID_TIMEZONE'],
    [{ quietHours: { from: '24:00', to: '07:00', timezone: 'UTC' } }, 'VALIDATION_FAILED'],
    [{ quietHours: { from: '22:00', timezone: 'UTC' } }, 'VALIDATION_FAILED'],
    [{}, 'VALIDATION_FAILED'],
  ])('is refused with %j', async (body, code) =>
    expect(await set(body)).toMatchObject({ status: 400, body: { code } }),
  );

  it('is refused for a device of somebody else, and for an agent', async () => {
    const { deviceId } = house.phones.ios;
    expect(await set({ deviceId, quietHours: null })).toMatchObject({
      status: 404,
      body: { code: 'DEVICE_NOT_FOUND' },
    });
    const byAgent = await ann.session('PUT', '/quiet-hours', {
      body: { quietHours: null },
      token: ann.apiToken,
    });
    expect(byAgent).toMatchObject({ status: 403, body: { code: 'HUMAN_SESSION_REQUIRED' } });
  });
});
