import { eventually } from '@carillon/testkit';
import { setTimeout as pause } from 'node:timers/promises';
import { ann, begin, creator, end, groupId, house, newService, teamId } from '../testbed';

beforeAll(begin, 120_000);
afterAll(end, 90_000);

const watchedService = async (more: object = {}) => {
  const body = { title: 'Backup', expectEverySeconds: 600, graceSeconds: 60, ...more };
  const made = await newService(house, creator, body);
  const { send, titles } = made;
  return {
    ...made,
    ping: async () =>
      expect(await send('')).toMatchObject({
        status: 200,
        body: { ok: true, eventId: null, accepted: 0 },
      }),
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
  // First, since a house that starts again has the time of the system: its clock must not have been moved before.
  it('is not silent for the time in which the house is down, and is told of once also when it dies meanwhile', async () => {
    const { service, ping, comes, titles } = await watchedService();
    await house.kill9();
    // The edge tells every three seconds that calls can come; what is longer than 20 seconds is a gap.
    await pause(25_000);
    await house.start();
    const elapsed = Date.parse(await house.advance(0)) - Date.parse(service.createdAt);
    await house.advance(Math.ceil(665 - elapsed / 1000));
    expect(await titles()).toEqual([]);
    await eventually(
      async () => {
        await house.advance(30);
        return (await titles()).length > 0 || undefined;
      },
      () => 'nobody was told of the silence',
      60_000,
    );
    await house.kill9();
    await house.start();
    await house.advance(7_200);
    await comes(['Firing: Backup is silent']);
    await ping();
    await house.advance(20);
    await comes(['Firing: Backup is silent', 'Resolved: Backup is silent']);
  }, 180_000);

  it('tells once that nothing came, and that the next call did', async () => {
    const { service, ping, comes, titles } = await watchedService();
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
    const { id, send } = await watchedService({ oncallGroupId: groupId, title: 'Nightly' });
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
    const { id, titles } = await watchedService();
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
