import {
  eventually,
  type House,
  type HouseAccount,
  reachable,
  type Reachable,
  startHouse,
} from '@carillon/testkit';

let house: House;
let ann: HouseAccount;
let ben: Reachable;
let eve: HouseAccount;
let teamId: string;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  ann = await house.anotherAccount('Ann');
  ben = await reachable(house, 'Ben');
  eve = await house.anotherAccount('Eve');
  teamId = await house.workplaceTeam(ann);
  for (const each of [ben.account, eve]) await ann.takeInto(teamId, each);
}, 150_000);
afterAll(() => house?.close(), 90_000);

const hourMs = 3_600_000;
const now = async (): Promise<number> => Date.parse(await house.advance(0));
const advanceTo = async (ms: number): Promise<string> =>
  house.advance(Math.ceil((ms - (await now())) / 1000));
const at = (ms: number): string => new Date(ms).toISOString();

/** A group in which these take turns by the day, the next one in `hours`. */
const newGroup = async (name: string, people: readonly HouseAccount[], hours: number, more: object = {}) => {
  const handoff = Math.ceil(((await now()) + hours * hourMs) / 60_000) * 60_000;
  const rotation = {
    userIds: people.map(({ id }) => id),
    period: 'daily',
    handoffAt: at(handoff).slice(11, 16),
    timezone: 'UTC',
  };
  const body = { name, rotation, handoffNotices: true, ...more };
  const made = await ann.api('POST', `/teams/${teamId}/oncall`, { body });
  expect(made.status).toBe(201);
  return { id: made.body.id as string, group: made.body, handoff };
};
/** The notices of a group to an account, the oldest first. */
const notices = async (account: HouseAccount, group: string): Promise<string[]> =>
  (await account.api('GET', '/inbox/notifications')).body.items
    .map(({ title }: { title: string }) => title)
    .filter((title: string) => title.endsWith(`: ${group}`))
    .map((title: string) => (title.startsWith('You are on call') ? 'begins' : 'ends'))
    .reverse();
const come = (account: HouseAccount, group: string, ...expected: string[]) =>
  eventually(
    async () => JSON.stringify(await notices(account, group)) === JSON.stringify(expected) || undefined,
    () => `not told of ${JSON.stringify(expected)}`,
    20_000,
  );

describe('who begins and ends a shift', () => {
  it('is told once at each hand-off, with overrides, over restarts and with a clock that jumps', async () => {
    const { id, group, handoff } = await newGroup('Web', [ann, ben.account], 3);
    expect(group).toMatchObject({ handoffNotices: true, current: { person: { userId: ann.id } } });
    const [from, to] = [handoff - 2 * hourMs, handoff - hourMs];
    const override = { userId: eve.id, startsAt: at(from), endsAt: at(to) };
    expect((await ann.api('POST', `/oncall/${id}/overrides`, { body: override })).status).toBe(201);
    await advanceTo(from - 2_000);
    expect(await notices(ann, 'Web')).toEqual([]);
    await advanceTo(from);
    await come(ann, 'Web', 'ends');
    await come(eve, 'Web', 'begins');
    await advanceTo(to);
    await come(eve, 'Web', 'begins', 'ends');
    await come(ann, 'Web', 'ends', 'begins');
    const [begun] = (await eve.api('GET', '/inbox/notifications')).body.items.slice(-1);
    expect(begun).toMatchObject({ title: 'You are on call: Web', sourceName: 'Carillon' });
    expect(begun.preview).toBe(
      `Your shift began at ${at(from).slice(0, 16).replace('T', ' ')} UTC. ` +
        `It ends at ${at(to).slice(0, 16).replace('T', ' ')} UTC.`,
    );

    // The clock of the house begins anew: all of these times come a second time.
    await house.kill9();
    await house.start();
    await advanceTo(handoff + 50 * 60_000);
    await come(ann, 'Web', 'ends', 'begins', 'ends');
    await come(ben.account, 'Web', 'begins');
    expect(await notices(eve, 'Web')).toEqual(['begins', 'ends']);
    const [push] = await house.expectPushes(ben.phone, 1);
    expect(push).toMatchObject({ payload: { aps: { alert: { title: 'You are on call: Web' } } } });

    // An hour and more after the next hand-off it is no news; the one after that is.
    await advanceTo(handoff + 25 * hourMs + 60_000);
    await advanceTo(handoff + 48 * hourMs + 60_000);
    await come(ann, 'Web', 'ends', 'begins', 'ends', 'ends');
    await come(ben.account, 'Web', 'begins', 'begins');
    await house.expectPushes(ben.phone, 1);
    await ann.api('DELETE', `/oncall/${id}`);
  }, 120_000);

  it('is told when a change of the group, or the end of an override, puts somebody else on call', async () => {
    const { id } = await newGroup('Mail', [ann], 12);
    const turns = (...people: HouseAccount[]) => ({ rotation: { userIds: people.map((each) => each.id) } });
    const change = async (body: object) =>
      expect((await ann.api('PATCH', `/oncall/${id}`, { body })).status).toBe(200);
    await change(turns(eve));
    await come(ann, 'Mail', 'ends');
    await come(eve, 'Mail', 'begins');
    const window = { startsAt: at(await now()), endsAt: at((await now()) + hourMs) };
    const made = await ann.api('POST', `/oncall/${id}/overrides`, { body: { userId: ann.id, ...window } });
    await come(ann, 'Mail', 'ends', 'begins');
    await ann.api('DELETE', `/oncall/${id}/overrides/${made.body.override.id}`);
    await come(ann, 'Mail', 'ends', 'begins', 'ends');
    await come(eve, 'Mail', 'begins', 'ends', 'begins');

    await change({ handoffNotices: false });
    await change(turns(ann));
    await change({ handoffNotices: true });
    await change({ name: 'Post' });
    await change(turns(eve));
    await come(ann, 'Post', 'ends');
    expect(await notices(eve, 'Mail')).toEqual(['begins', 'ends', 'begins']);
    expect(await notices(ann, 'Mail')).toEqual(['ends', 'begins', 'ends']);
    await change(turns(eve, ann));
    expect((await ann.api('DELETE', `/teams/${teamId}/members/${eve.id}`)).status).toBe(200);
    await come(ann, 'Post', 'ends', 'begins');
    expect(await notices(eve, 'Post')).toEqual(['begins']);
  }, 120_000);

  it('is nobody in a rotation of one, or where the group does not say so', async () => {
    const alone = await newGroup('Alone', [ann], 1);
    const silent = await newGroup('Silent', [ann, ben.account], 1, { handoffNotices: undefined });
    expect(silent.group).toMatchObject({ handoffNotices: false });
    for (const days of [0, 1]) await advanceTo(alone.handoff + days * 24 * hourMs + 60_000);
    for (const name of ['Alone', 'Silent']) expect(await notices(ann, name)).toEqual([]);
  });
});
