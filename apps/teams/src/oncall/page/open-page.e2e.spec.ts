import { Keys, Log, openEventStore } from '@carillon/event-store';
import { KeyRing, streamTail } from '@carillon/signing';
import {
  eventually,
  type House,
  type HouseAccount,
  listen,
  onCall,
  reachable,
  type Reachable,
  startHouse,
  trayOf,
} from '@carillon/testkit';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

let house: House;
beforeAll(async () => {
  house = await startHouse();
}, 120_000);
afterAll(() => house?.close(), 90_000);

const daySeconds = 24 * 60 * 60;
const person = (name: string): Promise<Reachable> => reachable(house, name);
const page = async (account: HouseAccount, groupId: string, more: object = {}) => {
  const made = await account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down', ...more } });
  expect(made.status).toBe(201);
  return made.body.page;
};
const shown = async (account: HouseAccount, id: string) => (await account.api('GET', `/pages/${id}`)).body;

// Runs first: a crash of the installation loses its clock offset.
describe('a prompt that escalates', () => {
  it('becomes one page across deaths before and after its time, and its answer resolves that across another', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId, teamId } = await onCall(house, [ann.account, ben.account], { turns: [ben.account] });
    const dies = async () => {
      await house.kill9();
      await house.start();
    };
    const asked = await ann.account.api('POST', '/interactions', {
      body: {
        title: 'Deploy?',
        prompt: 'Version 7 is ready.',
        kind: 'yes_no',
        escalateTo: { groupId, afterSeconds: 60 },
      },
    });
    expect(asked.status).toBe(201);
    await house.expectPushes(ann.phone, 1);
    await dies();
    await house.advance(61);
    const pages = async () => (await ann.account.api('GET', `/teams/${teamId}/pages`)).body.pages;
    const [paged] = await eventually(
      async () => {
        const found = await pages();
        return found.length > 0 ? found : undefined;
      },
      () => 'the prompt became no page',
    );
    expect(paged).toMatchObject({ title: 'Deploy?', status: 'triggered', notified: [{ name: 'Ben' }] });
    await house.expectPushes(ben.phone, 1);
    await dies();
    expect(await pages()).toMatchObject([{ id: paged.id, status: 'triggered', repeatCount: 0 }]);

    const { id } = asked.body.interaction;
    const { actionDigest } = (await ann.account.session('GET', `/prompts/${id}`)).body.interaction;
    const answered = await ann.account.session('POST', `/prompts/${id}/answer`, {
      body: { answer: 'yes', actionDigest },
    });
    expect(answered.status).toBe(200);
    // Whether a phone is cleared again depends on how much of that was recorded before the crash.
    house.ignorePushes(ann.phone, ben.phone);
    await dies();
    await eventually(
      async () => ((await pages())[0].status === 'resolved' ? true : undefined),
      () => 'the page is open although its prompt was answered',
    );
    for (const each of [ann, ben])
      await eventually(
        async () => ((await trayOf(house, each.phone)).length === 0 ? true : undefined),
        () => `${each.account.id} is still asked`,
      );
    await dies();
    expect(await pages()).toMatchObject([{ id: paged.id, status: 'resolved', resolvedBy: null }]);
  }, 240_000);
});

describe('a page that is open', () => {
  it('leaves all phones when its team is deleted, and rings nobody any more', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId, teamId } = await onCall(house, [ann.account, ben.account]);
    const { id } = await page(ann.account, groupId);
    await house.expectPushes(ann.phone, 1);
    expect(await ann.account.api('DELETE', `/teams/${teamId}`)).toMatchObject({ status: 200 });
    await house.expectPushes(ann.phone, 1);
    expect(await trayOf(house, ann.phone)).toEqual([]);
    for (const { account } of [ann, ben]) expect((await account.api('GET', `/pages/${id}`)).status).toBe(404);
    await house.advance(60 * 60);
    expect(await house.received(ben.phone)).toEqual([]);
    expect(await trayOf(house, ann.phone)).toEqual([]);
  });

  it('stays open for the others when the last member of the rotation leaves, and can be ended', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId, teamId } = await onCall(house, [ann.account, ben.account], { turns: [ben.account] });
    const { id } = await page(ann.account, groupId);
    await house.expectPushes(ben.phone, 1);
    expect(await ben.account.api('POST', `/teams/${teamId}/leave`)).toMatchObject({ status: 200 });
    await house.expectPushes(ben.phone, 1);
    expect(await trayOf(house, ben.phone)).toEqual([]);
    const left = await eventually(
      async () => {
        const found = await shown(ann.account, id);
        return found.nextEscalationAt === null ? found : undefined;
      },
      () => 'the page still waits for its next step',
    );
    expect(left).toMatchObject({
      status: 'triggered',
      escalationStep: 2,
      notified: [{ userId: ben.account.id }],
    });
    expect((await ann.account.api('GET', `/oncall/${groupId}`)).body).toMatchObject({
      current: null,
      openPageCount: 1,
    });
    await house.advance(60 * 60);
    expect(await house.received(ann.phone)).toEqual([]);
    expect(await ann.account.api('POST', `/pages/${id}/resolve`)).toMatchObject({
      status: 200,
      body: { status: 'resolved' },
    });
    const { entries } = (await ann.account.api('GET', `/teams/${teamId}/audit`)).body;
    const actions = entries.map(({ action }: { action: string }) => action);
    expect(actions).toContain('oncall_group.emptied');
  });

  it('goes on by one step when the clock moves by a year at once, and shifts are those of that day', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId } = await onCall(house, [ann.account, ben.account]);
    const { id } = await page(ann.account, groupId);
    await house.expectPushes(ann.phone, 1);
    const now = await house.advance(365 * daySeconds);
    const found = await shown(ann.account, id);
    expect(found).toMatchObject({ status: 'triggered', escalationStep: 1 });
    const next = Date.parse(found.nextEscalationAt) - Date.parse(now);
    expect(next).toBeGreaterThan(9 * 60_000);
    expect(next).toBeLessThanOrEqual(10 * 60_000);
    await house.expectPushes(ben.phone, 1);
    const [shift] = (await ann.account.api('GET', `/oncall/${groupId}`)).body.upcoming;
    expect(Date.parse(shift.startsAt)).toBeGreaterThan(Date.parse(now));
    await house.advance(11 * 60);
    expect(await shown(ann.account, id)).toMatchObject({ escalationStep: 2, nextEscalationAt: null });
    await house.expectPushes(ann.phone, 1);
    await house.expectPushes(ben.phone, 1);
    await ann.account.api('POST', `/pages/${id}/resolve`);
    for (const each of [ann, ben]) {
      await house.expectPushes(each.phone, 2);
      expect(await trayOf(house, each.phone)).toEqual([]);
    }
  });

  it('goes on when Escalate is pressed on a phone, and leaves that phone', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId } = await onCall(house, [ann.account, ben.account]);
    const { id } = await page(ann.account, groupId);
    await house.expectPushes(ann.phone, 1);
    const press = (each: Reachable, action: string) =>
      house.simulator('POST', `/phones/${each.phone.id}/pages/${id}/${action}`, {});
    expect((await press(ann, 'escalate')).body).toMatchObject({
      status: 200,
      body: { status: 'triggered', escalationStep: 1, notified: [{ name: 'Ann' }, { name: 'Ben' }] },
    });
    expect(await trayOf(house, ann.phone)).toEqual([]);
    await house.expectPushes(ben.phone, 1);
    expect(await trayOf(house, ben.phone)).toMatchObject([{ id, title: 'Down' }]);
    expect((await press(ben, 'acknowledge')).body).toMatchObject({
      status: 200,
      body: { status: 'acknowledged' },
    });
    await house.expectPushes(ann.phone, 1);
    expect((await press(ben, 'escalate')).body).toMatchObject({
      status: 409,
      body: { code: 'PAGE_ALREADY_ACKNOWLEDGED' },
    });
  });

  it('is told to the screens of those it goes to, and of nobody else', async () => {
    const [ann, ben] = [await house.anotherAccount('Ann'), await house.anotherAccount('Ben')];
    const { groupId } = await onCall(house, [ann, ben], { turns: [ann] });
    const streamOf = async (account: HouseAccount) =>
      listen(`${house.state.baseUrl}/api/session/stream`, {
        authorization: `Bearer ${await account.signIn()}`,
      });
    const [screen, other] = [await streamOf(ann), await streamOf(ben)];
    try {
      for (const each of [screen, other])
        await eventually(
          () => each.lastId !== '' || undefined,
          () => 'the stream did not begin',
        );
      const { id } = await page(ben, groupId, { title: 'A secret title' });
      await ann.session('POST', `/pages/${id}/acknowledge`, { body: {} });
      await ben.session('POST', `/pages/${id}/resolve`, { body: {} });
      const kinds = await eventually(
        () => {
          const told = screen.told.filter(({ event }) => event === 'pages.changed');
          return told.at(-1)?.data.kind === 'resolved' ? told : undefined;
        },
        () => `the screen was told ${JSON.stringify(screen.told)}`,
      );
      expect(new Set(kinds.map(({ data }) => data.pageId))).toEqual(new Set([id]));
      expect(kinds.map(({ data }) => data.kind).filter((kind) => kind !== 'notified')).toEqual([
        'acknowledged',
        'resolved',
      ]);
      expect(kinds[0]?.data.kind).toBe('notified');
      expect(screen.text).not.toContain('secret');
      expect(other.told.filter(({ event }) => event === 'pages.changed')).toEqual([]);
    } finally {
      await Promise.all([screen.leave(), other.leave()]);
    }
  });
});

describe('the pages of a team', () => {
  it('are found by status, group and time, page by page', async () => {
    const ann = await house.anotherAccount('Ann');
    const { groupId, teamId } = await onCall(house, [ann]);
    const second = await ann.api('POST', `/teams/${teamId}/oncall`, {
      body: {
        name: 'Frontend',
        rotation: { userIds: [ann.id], period: 'daily', handoffAt: '00:00', timezone: 'UTC' },
      },
    });
    const made: string[] = [];
    const times: string[] = [];
    for (const group of [groupId, groupId, second.body.id, groupId]) {
      const { id, createdAt } = await page(ann, group);
      made.push(id);
      times.push(createdAt);
      await house.advance(1);
    }
    const [one, two, three, four] = made;
    await ann.session('POST', `/pages/${one}/acknowledge`, { body: {} });
    await ann.api('POST', `/pages/${two}/resolve`);
    const idsOf = async (query: string): Promise<string[]> =>
      (await ann.api('GET', `/teams/${teamId}/pages?${query}`)).body.pages.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf('')).toEqual([four, three, two, one]);
    expect(await idsOf('status=acknowledged')).toEqual([one]);
    expect(await idsOf('status=acknowledged&status=resolved')).toEqual([two, one]);
    expect(await idsOf('status=triggered')).toEqual([four, three]);
    expect(await idsOf(`groupId=${second.body.id}`)).toEqual([three]);
    expect(await idsOf(`groupId=${groupId}&status=triggered`)).toEqual([four]);
    expect(await idsOf(`from=${times[1]}&to=${times[3]}`)).toEqual([three, two]);
    expect(await idsOf(`from=${times[3]}`)).toEqual([four]);
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const list = await ann.api('GET', `/teams/${teamId}/pages?limit=3${cursor && `&cursor=${cursor}`}`);
      pages.push(...list.body.pages.map(({ id }: { id: string }) => id));
      cursor = list.body.nextCursor;
    }
    expect(pages).toEqual([four, three, two, one]);
    const { nextCursor } = (await ann.api('GET', `/teams/${teamId}/pages?limit=1`)).body;
    expect(
      await ann.api('GET', `/teams/${teamId}/pages?limit=1&status=resolved&cursor=${nextCursor}`),
    ).toMatchObject({ status: 400, body: { code: 'INVALID_CURSOR' } });
    expect((await ann.api('GET', `/teams/${teamId}/pages?status=ended`)).status).toBe(400);
  });

  it('are kept as long as the team wants, once they are closed: then rows and log have none of their text', async () => {
    const ann = await house.anotherAccount('Ann');
    const { groupId, teamId } = await onCall(house, [ann]);
    const closed = await page(ann, groupId, { title: 'A secret title', dedupKey: 'db' });
    await ann.api('POST', `/pages/${closed.id}/resolve`);
    const open = await page(ann, groupId, { dedupKey: 'other' });
    await house.advance(5 * daySeconds);
    const idsOf = async () =>
      (await ann.api('GET', `/teams/${teamId}/pages`)).body.pages.map(({ id }: { id: string }) => id);
    expect(await idsOf()).toEqual([open.id, closed.id]);
    expect(await ann.api('PATCH', `/teams/${teamId}`, { body: { retentionDays: 7 } })).toMatchObject({
      status: 200,
    });
    expect(await idsOf()).toEqual([open.id, closed.id]);
    await house.advance(3 * daySeconds);
    expect(await idsOf()).toEqual([open.id]);
    expect((await ann.api('GET', `/pages/${closed.id}`)).status).toBe(404);
    expect((await ann.api('POST', `/pages/${closed.id}/resolve`)).status).toBe(404);

    const { keys } = JSON.parse(readFileSync(join(house.dataDir, 'secrets.json'), 'utf8'));
    const store = openEventStore(house.state.eventStoreUrl);
    try {
      const log = new Log(store, Keys.fromRing(KeyRing.parse(keys), store));
      const typesOf = async (id: string) =>
        (await log.store.read(`page-${streamTail(id)}`)).map(({ type }) => type);
      await eventually(
        async () => ((await typesOf(closed.id)).join() === 'PageForgotten' ? true : undefined),
        () => 'the page is still in the log',
      );
      expect(await typesOf(open.id)).toContain('PageTriggered');
    } finally {
      await store.close();
    }
    const again = await page(ann, groupId, { dedupKey: 'db' });
    expect(again.id).not.toBe(closed.id);
    expect(await idsOf()).toEqual([again.id, open.id]);
  });
});
