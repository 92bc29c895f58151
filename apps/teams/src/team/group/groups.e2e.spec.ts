import { type House, type HouseAccount, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse();
}, 120_000);
afterAll(() => house?.close(), 90_000);

/** A family of two. */
const ourFamily = async () => {
  const [owner, member] = [await house.anotherAccount(), await house.anotherAccount()];
  const made = await owner.api('POST', '/teams', { body: { kind: 'family', name: 'The Smiths' } });
  const teamId: string = made.body.team.id;
  await owner.takeInto(teamId, member);
  return { owner, member, teamId, path: `/teams/${teamId}` };
};

const registration = {
  installId: 'kitchen',
  platform: 'ios',
  deviceName: 'Kitchen',
  pushToken: '0f'.repeat(32),
  pushEnvironment: 'sandbox',
  appBuild: '1.0',
  liveActivitiesCapable: false,
  interactiveLiveActivitiesCapable: false,
};
const register = async (person: HouseAccount): Promise<string> => {
  const registered = await person.session('POST', '/devices', {
    body: registration,
    token: await person.signIn(),
  });
  return registered.body.device.id;
};

describe('a device group', () => {
  it('is made of people and devices of a family, once for a key', async () => {
    const { owner, member, teamId, path } = await ourFamily();
    const deviceId = await register(member);
    const asked = {
      body: { name: ' Home ', userIds: [owner.id], deviceIds: [deviceId] },
      headers: { 'idempotency-key': 'home' },
    };
    const made = await owner.api('POST', `${path}/groups`, asked);
    expect(made).toMatchObject({
      status: 201,
      body: {
        group: {
          teamId,
          name: 'Home',
          members: [{ userId: owner.id, email: owner.email, image: null }],
          devices: [{ id: deviceId, deviceName: 'Kitchen', userId: member.id }],
        },
      },
    });
    const again = await owner.api('POST', `${path}/groups`, asked);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(made.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await owner.api('POST', `${path}/groups`, { ...asked, body: { name: 'Garden' } })).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(await owner.api('POST', `${path}/groups`, { body: { name: 'HOME' } })).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN' },
    });
    expect((await owner.api('GET', path)).body.team.deviceGroupCount).toBe(1);
  });

  it('is changed and deleted by the owner, and read by everybody in the family', async () => {
    const { owner, member, path } = await ourFamily();
    const stranger = await house.anotherAccount();
    const { group } = (
      await owner.api('POST', `${path}/groups`, { body: { name: 'Home', userIds: [owner.id, member.id] } })
    ).body;
    const second = (await owner.api('POST', `${path}/groups`, { body: { name: 'Garden' } })).body.group;
    const one = `${path}/groups/${group.id}`;

    for (const person of [owner, member]) {
      expect(await person.api('GET', one)).toMatchObject({ status: 200, body: { group } });
      expect((await person.session('GET', one)).body).toEqual({ group });
      const first = await person.api('GET', `${path}/groups?limit=1`);
      expect(first.body.groups).toEqual([second]);
      const rest = await person.api('GET', `${path}/groups?limit=1&cursor=${first.body.nextCursor}`);
      expect(rest.body).toEqual({ groups: [group], nextCursor: null });
    }
    const change = (person: HouseAccount, body: object) => person.api('PATCH', one, { body });
    for (const body of [{ name: 'Mine' }, { userIds: [stranger.id] }])
      expect(await change(member, body)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ROLE' } });
    expect((await member.api('POST', `${path}/groups`, { body: { name: 'Mine' } })).status).toBe(403);
    expect((await member.api('DELETE', one)).status).toBe(403);
    for (const [method, to, body] of [
      ['GET', `${path}/groups`],
      ['POST', `${path}/groups`, { name: 'Mine' }],
      ['GET', one],
      ['PATCH', one, { name: 'Mine' }],
      ['DELETE', one],
      ['GET', `${path}/devices`],
    ] as const)
      expect(await stranger.api(method, to, body ? { body } : {})).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });

    expect(await change(owner, { userIds: [stranger.id], name: 'Nothing of this' })).toMatchObject({
      status: 404,
      body: { code: 'MEMBER_NOT_FOUND' },
    });
    expect(await change(owner, { deviceIds: [await register(stranger)] })).toMatchObject({
      status: 404,
      body: { code: 'DEVICE_NOT_FOUND' },
    });
    expect(await change(owner, { name: 'garden' })).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN' },
    });
    expect(await change(owner, {})).toMatchObject({ status: 400, body: { code: 'EMPTY_UPDATE' } });
    for (const body of [{ userIds: [owner.id, owner.id] }, { name: '' }, { deviceIds: [''] }])
      expect(await change(owner, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect((await owner.api('GET', one)).body).toEqual({ group });
    const changed = await change(owner, { name: 'HOME', userIds: [member.id] });
    expect(changed.body.group).toMatchObject({ name: 'HOME', members: [{ userId: member.id }], devices: [] });

    expect(await owner.api('DELETE', one)).toMatchObject({ status: 200, body: { ok: true } });
    expect((await owner.api('GET', one)).status).toBe(404);
    expect((await owner.api('GET', `${path}/groups`)).body.groups).toEqual([second]);
  });

  it('loses a removed device, even when it registers again', async () => {
    const { owner, member, path } = await ourFamily();
    const deviceId = await register(member);
    const { group } = (
      await owner.api('POST', `${path}/groups`, { body: { name: 'Home', deviceIds: [deviceId] } })
    ).body;
    const one = `${path}/groups/${group.id}`;
    expect(group.devices).toHaveLength(1);
    expect((await member.api('DELETE', `/devices/${deviceId}`)).status).toBe(200);
    expect((await member.api('GET', one)).body.group.devices).toEqual([]);
    const name = () => owner.api('PATCH', one, { body: { deviceIds: [deviceId] } });
    expect(await name()).toMatchObject({ status: 404, body: { code: 'DEVICE_NOT_FOUND' } });
    expect(await register(member)).toBe(deviceId);
    expect((await member.api('GET', one)).body.group.devices).toEqual([]);
    expect((await name()).body.group.devices).toMatchObject([{ id: deviceId }]);
    expect((await member.api('GET', one)).body.group.devices).toMatchObject([{ id: deviceId }]);
  });

  it('names neither somebody who has just left, nor their device', async () => {
    const { owner, member, path } = await ourFamily();
    const deviceId = await register(member);
    const body = { name: 'Home', userIds: [owner.id, member.id], deviceIds: [deviceId] };
    const { group } = (await owner.api('POST', `${path}/groups`, { body })).body;
    expect((await member.api('POST', `${path}/leave`)).status).toBe(200);
    expect((await owner.api('GET', `${path}/groups/${group.id}`)).body.group).toMatchObject({
      members: [{ userId: owner.id }],
      devices: [],
    });
    const change = (given: object) => owner.api('PATCH', `${path}/groups/${group.id}`, { body: given });
    expect(await change({ deviceIds: [deviceId] })).toMatchObject({
      status: 404,
      body: { code: 'DEVICE_NOT_FOUND' },
    });
    expect(await change({ userIds: [member.id] })).toMatchObject({
      status: 404,
      body: { code: 'MEMBER_NOT_FOUND' },
    });
    expect((await member.api('GET', `${path}/groups/${group.id}`)).status).toBe(404);
  });
});

describe('the devices of a family', () => {
  it('are listed for its owner, the last seen first, page by page', async () => {
    const { owner, member, path } = await ourFamily();
    const stranger = await house.anotherAccount();
    await register(stranger);
    const first = await owner.addPhone('ios', { name: 'Hall' });
    const second = await member.addPhone('android', { name: 'Porch' });
    const gone = await member.addPhone('android', { name: 'Attic' });
    const third = await owner.addPhone('ios', { name: 'Cellar' });
    await member.api('DELETE', `/devices/${gone.deviceId}`);

    const page = async (query: string) => (await owner.api('GET', `${path}/devices?${query}`)).body;
    const ids = ({ devices }: { devices: { id: string }[] }) => devices.map(({ id }) => id);
    const all = await page('');
    expect(ids(all)).toEqual([third.deviceId, second.deviceId, first.deviceId]);
    const own = (await member.api('GET', '/devices')).body.devices[0];
    expect(all.devices[1]).toEqual({ ...own, userId: member.id, userName: expect.any(String) });
    const begun = await page('limit=2');
    expect(ids(begun)).toEqual([third.deviceId, second.deviceId]);
    const rest = await page(`limit=2&cursor=${begun.nextCursor}`);
    expect(ids(rest)).toEqual([first.deviceId]);
    expect(rest.nextCursor).toBeNull();
    expect(ids(await page(`userId=${member.id}`))).toEqual([second.deviceId]);
    expect(await page(`userId=${stranger.id}`)).toEqual({ devices: [], nextCursor: null });
    expect(await page(`userId=${member.id}&cursor=${begun.nextCursor}`)).toMatchObject({
      code: 'INVALID_CURSOR',
    });
    expect((await owner.session('GET', `${path}/devices`)).body).toEqual(all);
    expect(await member.api('GET', `${path}/devices`)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ROLE' },
    });
  });
});
