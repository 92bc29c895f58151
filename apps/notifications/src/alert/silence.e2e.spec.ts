import {
  eventually,
  type House,
  type HouseAccount,
  onCall,
  reachable,
  type Reachable,
  startHouse,
} from '@carillon/testkit';

let house: House;
let creator: HouseAccount;
let ann: Reachable;
let teamId: string;
let groupId: string;
beforeAll(async () => {
  house = await startHouse();
  ann = await reachable(house, 'Ann');
  creator = await house.anotherAccount('Creator');
  ({ teamId, groupId } = await onCall(house, [ann.account, creator]));
}, 120_000);
afterAll(() => house?.close(), 90_000);

const newService = async (more: object = {}) => {
  const { body } = await creator.api('POST', '/services', {
    body: { title: 'Backup', expectEverySeconds: 600, graceSeconds: 60, ...more },
  });
  const { id } = body.service;
  const path = new URL(body.webhookUrl).pathname;
  const titles = async (): Promise<string[]> =>
    (await creator.api('GET', `/events?serviceId=${id}`)).body.events
      .map(({ title }: any) => title)
      .reverse();
  return {
    id,
    service: body.service,
    titles,
    ping: async () =>
      expect(await house.http('POST', path, { body: '' })).toMatchObject({
        status: 200,
        body: { ok: true, eventId: null, accepted: 0 },
      }),
    send: (sent: unknown) => house.http('POST', path, { body: sent }),
    comes: async (expected: readonly string[]) => {
      let found: readonly string[] = [];
      await eventually(
        async () => {
          // The row of a silence follows its event; the next look is a second later by the clock of the house.
          await house.advance(1);
          found = await titles();
          return JSON.stringify(found) === JSON.stringify(expected) || undefined;
        },
        () => `the events are ${JSON.stringify(found)}`,
      );
    },
  };
};

describe('a service whose sender is expected to call', () => {
  it('tells once that nothing came, and that the next call did', async () => {
    const { service, ping, comes, titles } = await newService();
    expect(service).toMatchObject({ expectEverySeconds: 600, graceSeconds: 60 });
    await house.advance(600);
    await ping();
    await house.advance(650);
    expect(await titles()).toEqual([]);
    await house.advance(20);
    await comes(['Firing: Backup is silent']);
    await house.advance(7_200);
    await comes(['Firing: Backup is silent']);
    await ping();
    await house.advance(20);
    await comes(['Firing: Backup is silent', 'Resolved: Backup is silent']);
    await house.advance(700);
    await comes(['Firing: Backup is silent', 'Resolved: Backup is silent', 'Firing: Backup is silent']);
  });

  it('pages for a silence, and resolves the page', async () => {
    const { id, send } = await newService({ oncallGroupId: groupId, title: 'Nightly' });
    const states = async () =>
      (await creator.api('GET', `/teams/${teamId}/pages`)).body.pages.map(
        ({ title, status }: any) => `${title} ${status}`,
      );
    const comes = async (expected: string) =>
      eventually(
        async () => JSON.stringify(await states()) === JSON.stringify([expected]) || undefined,
        () => `there is no page "${expected}"`,
      );
    await house.advance(661);
    await comes('Firing: Nightly is silent triggered');
    await house.expectPushes(ann.phone, 1);
    expect((await send({ text: 'done' })).status).toBe(200);
    await house.advance(20);
    await comes('Firing: Nightly is silent resolved');
    await house.expectPushes(ann.phone, 1);
    await creator.api('PATCH', `/services/${id}`, { body: { expectEverySeconds: null } });
  });

  it('is watched no longer when nobody is expected to call', async () => {
    const { id, titles } = await newService();
    const changed = await creator.api('PATCH', `/services/${id}`, { body: { expectEverySeconds: null } });
    expect(changed.body.service).toMatchObject({ expectEverySeconds: null, graceSeconds: 60 });
    await house.advance(7_200);
    expect(await titles()).toEqual([]);
  });

  it.each([59, 2_678_401, 1.5, '60'])(
    'is not expected to call every %j seconds',
    async (expectEverySeconds) =>
      expect(
        await creator.api('POST', '/services', { body: { title: 'a', expectEverySeconds } }),
      ).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'expectEverySeconds' }] },
      }),
  );
});
