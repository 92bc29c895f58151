import {
  type House,
  onCall,
  reachable,
  type Reachable,
  startHouse,
  startReplica,
  trayOf,
} from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse();
}, 120_000);
afterAll(() => house?.close(), 90_000);

const person = (name: string): Promise<Reachable> => reachable(house, name);

describe('a page', () => {
  it('names its web app to those who can open it', async () => {
    const [ann, bob] = [await person('Ann'), await person('Bob')];
    const { groupId } = await onCall(house, [ann.account, bob.account]);
    const page = (appId: string, by = ann) =>
      by.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down', appId, dedupKey: 'a' } });
    const dash = { name: 'Dash', url: 'https://dash.test' };
    const { id: appId } = (await ann.account.api('POST', '/apps', { body: dash })).body.app;
    const app = { id: appId, name: 'Dash', origin: 'https://dash.test', iconUrl: null };
    expect(await page(appId, bob)).toMatchObject({ status: 404, body: { code: 'APP_NOT_FOUND' } });
    const paged = await page(appId);
    expect(paged).toMatchObject({ status: 201, body: { accepted: 1, page: { app } } });
    const { id } = paged.body.page;
    await house.expectPushes(ann.phone, 1);
    expect(await trayOf(house, ann.phone)).toMatchObject([{ id, appId }]);
    const seen = async (who: Reachable) => (await who.account.api('GET', `/pages/${id}`)).body.app;
    expect([await seen(ann), await seen(bob)]).toEqual([app, null]);
    expect((await ann.account.api('DELETE', `/apps/${appId}`)).status).toBe(200);
    expect(await seen(ann)).toBeNull();
    expect((await ann.account.api('POST', `/pages/${id}/resolve`)).status).toBe(200);
    await house.expectPushes(ann.phone, 1);
  });

  it('rings the person on call, and is read and resolved', async () => {
    const ann = await person('Ann');
    const { groupId, teamId } = await onCall(house, [ann.account]);
    const paged = await ann.account.api('POST', `/oncall/${groupId}/pages`, {
      body: { title: 'The database is down', body: 'No writes for 5 minutes', dedupKey: 'db' },
    });
    expect(paged).toMatchObject({
      status: 201,
      body: {
        deduplicated: false,
        accepted: 1,
        page: {
          groupId,
          teamId,
          groupName: 'Backend',
          status: 'triggered',
          notified: [{ userId: ann.account.id, name: 'Ann' }],
          escalationStep: 0,
          source: 'api',
          dedupKey: 'db',
          repeatCount: 0,
        },
      },
    });
    const { id } = paged.body.page;
    const [push] = await house.expectPushes(ann.phone, 1);
    expect(push).toMatchObject({
      payload: {
        aps: { 'interruption-level': 'time-sensitive', category: 'CARILLON_PAGE' },
        carillon: { type: 'page', id, groupId, groupName: 'Backend' },
      },
    });
    expect(await trayOf(house, ann.phone)).toMatchObject([{ id, title: 'The database is down' }]);

    const again = await ann.account.api('POST', `/oncall/${groupId}/pages`, {
      body: { title: 'Still down', dedupKey: 'db' },
    });
    expect(again).toMatchObject({
      status: 200,
      body: { deduplicated: true, accepted: 0, page: { id, repeatCount: 1, title: 'The database is down' } },
    });
    const resolved = await ann.account.api('POST', `/pages/${id}/resolve`, { body: { note: 'Restarted' } });
    expect(resolved).toMatchObject({
      status: 200,
      body: { status: 'resolved', nextEscalationAt: null, resolvedBy: { userId: ann.account.id } },
    });
    await house.expectPushes(ann.phone, 1);
    expect(await trayOf(house, ann.phone)).toEqual([]);
    expect((await ann.account.api('GET', `/pages/${id}`)).body).toEqual(resolved.body);
    expect((await ann.account.api('POST', `/pages/${id}/resolve`)).body).toEqual(resolved.body);
  });
});

describe('a whole night', () => {
  it('rings the second phone when nobody answers, and is taken over and ended once, across deaths between all lines', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId } = await onCall(house, [ann.account, ben.account]);
    let id = '';
    const page = () => ann.account.api('GET', `/pages/${id}`);
    const dies = async () => {
      await house.kill9();
      await house.start();
    };

    const paged = await ann.account.api('POST', '/notifications', {
      body: { title: 'The shop is down', body: 'No commands', url: 'https://shop.test', oncall: groupId },
      headers: { 'idempotency-key': 'shop' },
    });
    expect(paged).toMatchObject({
      status: 201,
      body: {
        accepted: 1,
        deduplicated: false,
        page: { source: 'notification', dedupKey: 'shop', url: 'https://shop.test', escalationStep: 0 },
      },
    });
    id = paged.body.page.id;
    await house.expectPushes(ann.phone, 1);
    await dies();
    const again = await ann.account.api('POST', '/notifications', {
      body: { title: 'The shop is down', body: 'No commands', oncall: groupId },
      headers: { 'idempotency-key': 'shop' },
    });
    expect(again).toMatchObject({ status: 200, body: { deduplicated: true, accepted: 0, page: { id } } });

    // An installation takes some time to restart after a crash.
    const due = Date.parse((await page()).body.nextEscalationAt);
    await house.advance((due - Date.parse(await house.advance(0))) / 1_000 - 30);
    expect((await page()).body).toMatchObject({ escalationStep: 0, status: 'triggered' });
    expect(await house.received(ben.phone)).toEqual([]);
    await house.advance(60);
    expect((await page()).body).toMatchObject({
      escalationStep: 1,
      notified: [{ name: 'Ann' }, { name: 'Ben' }],
    });
    await house.expectPushes(ben.phone, 1);
    await dies();

    const pressed = await house.simulator('POST', `/phones/${ben.phone.id}/pages/${id}/acknowledge`, {});
    expect(pressed.body).toMatchObject({
      status: 200,
      body: { status: 'acknowledged', acknowledgedBy: { name: 'Ben' }, nextEscalationAt: null },
    });
    const [cleared] = await house.expectPushes(ann.phone, 1);
    expect(cleared).toMatchObject({ payload: { carillon: { type: 'withdraw', id } } });
    expect(await trayOf(house, ann.phone)).toEqual([]);
    await dies();
    await house.advance(60 * 60);
    expect((await page()).body).toMatchObject({ escalationStep: 1, status: 'acknowledged' });

    const resolved = await ben.account.api('POST', `/pages/${id}/resolve`);
    expect(resolved).toMatchObject({
      status: 200,
      body: { status: 'resolved', resolvedBy: { name: 'Ben' } },
    });
    await house.expectPushes(ben.phone, 1);
    await dies();
    expect((await page()).body).toEqual(resolved.body);
    await house.advance(24 * 60 * 60);
  }, 240_000);
});

describe('many at once', () => {
  it('fifty pages with one key are one page, which all but the first repeat', async () => {
    const ann = await person('Ann');
    const { groupId, teamId } = await onCall(house, [ann.account]);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        ann.account.api('POST', `/oncall/${groupId}/pages`, {
          body: { title: `Down ${n}`, dedupKey: 'all' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
    const { pages } = (await ann.account.api('GET', `/teams/${teamId}/pages`)).body;
    expect(pages).toMatchObject([{ repeatCount: 49, status: 'triggered' }]);
    await house.expectPushes(ann.phone, 1);
    const group = await ann.account.api('GET', `/oncall/${groupId}`);
    expect(group.body.openPageCount).toBe(1);
    await ann.account.api('POST', `/pages/${pages[0].id}/resolve`);
    await house.expectPushes(ann.phone, 1);
    expect((await ann.account.api('GET', `/oncall/${groupId}`)).body.openPageCount).toBe(0);
    const next = await ann.account.api('POST', `/oncall/${groupId}/pages`, {
      body: { title: 'Again', dedupKey: 'all' },
    });
    expect(next).toMatchObject({ status: 201, body: { accepted: 1, page: { repeatCount: 0 } } });
    expect(next.body.page.id).not.toBe(pages[0].id);
    await ann.account.api('POST', `/pages/${next.body.page.id}/resolve`);
    await house.expectPushes(ann.phone, 2);
  });

  it('forty pages with one key are one page, though two replicas make them', async () => {
    const ann = await house.anotherAccount('Ann');
    const { groupId, teamId } = await onCall(house, [ann]);
    const replica = await startReplica(house, 'teams');
    try {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () =>
          ann.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down', dedupKey: 'all' } }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(39).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.page.id)).size).toBe(1);
      const { pages } = (await ann.api('GET', `/teams/${teamId}/pages`)).body;
      expect(pages).toMatchObject([{ repeatCount: 39, status: 'triggered' }]);
    } finally {
      await replica.stop();
    }
  }, 60_000);

  it('two who press Escalate, in the same moment or without having seen each other, run one step', async () => {
    const [ann, ben, cem] = [await person('Ann'), await person('Ben'), await person('Cem')];
    const { groupId } = await onCall(house, [ann.account, ben.account, cem.account]);
    const { id } = (await ann.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } }))
      .body.page;
    await house.expectPushes(ann.phone, 1);
    const escalate = ({ account }: Reachable, escalationStep: number) =>
      account.session('POST', `/pages/${id}/escalate`, { body: { escalationStep } });
    const answers = await Promise.all([ann, ben].map((each) => escalate(each, 0)));
    for (const answer of [...answers, await escalate(cem, 0)])
      expect(answer).toMatchObject({ status: 200, body: { escalationStep: 1 } });
    await house.expectPushes(ben.phone, 1);
    expect(await house.received(cem.phone)).toEqual([]);
    expect(await escalate(cem, 1)).toMatchObject({ status: 200, body: { escalationStep: 2 } });
    for (const each of [ann, ben, cem]) await house.expectPushes(each.phone, 1);
    expect(await escalate(cem, 2)).toMatchObject({ status: 409, body: { code: 'NO_FURTHER_ESCALATION' } });
    await ann.account.session('POST', `/pages/${id}/resolve`, { body: {} });
    for (const each of [ann, ben]) await house.expectPushes(each.phone, 2);
    await house.expectPushes(cem.phone, 1);
  });

  it('two who acknowledge in the same moment both succeed, and the first is kept', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId } = await onCall(house, [ann.account, ben.account]);
    const { id } = (await ann.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } }))
      .body.page;
    const [one, other] = await Promise.all(
      [ann, ben].map(({ account }) => account.session('POST', `/pages/${id}/acknowledge`, { body: {} })),
    );
    expect([one!.status, other!.status]).toEqual([200, 200]);
    expect(one!.body.acknowledgedBy).toEqual(other!.body.acknowledgedBy);
    const byAnn = one!.body.acknowledgedBy.userId === ann.account.id;
    await house.expectPushes(ann.phone, byAnn ? 1 : 2);
  });

  it('resolving while it is escalated ends it, and rings nobody who is not cleared', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId } = await onCall(house, [ann.account, ben.account]);
    const { id } = (await ann.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } }))
      .body.page;
    const [escalated, resolved] = await Promise.all([
      ann.account.session('POST', `/pages/${id}/escalate`, { body: {} }),
      ben.account.session('POST', `/pages/${id}/resolve`, { body: {} }),
    ]);
    expect(resolved).toMatchObject({ status: 200, body: { status: 'resolved' } });
    expect([200, 409]).toContain(escalated.status);
    await house.advance(60 * 60);
    expect((await ann.account.api('GET', `/pages/${id}`)).body.status).toBe('resolved');
    expect(await trayOf(house, ann.phone)).toEqual([]);
    expect(await trayOf(house, ben.phone)).toEqual([]);
    for (const each of [ann, ben]) await house.received(each.phone);
  });
});

describe('recipients without a device', () => {
  it('nobody with a phone: the page runs all its steps at once, and waits', async () => {
    const [ann, ben] = [await house.anotherAccount('Ann'), await house.anotherAccount('Ben')];
    const { groupId } = await onCall(house, [ann, ben]);
    const paged = await ann.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } });
    expect(paged).toMatchObject({
      status: 201,
      body: { accepted: 0, page: { escalationStep: 2, nextEscalationAt: null, status: 'triggered' } },
    });
    expect((await ben.api('GET', '/oncall/me')).body.pages).toMatchObject([{ id: paged.body.page.id }]);
  });

  it('a phone that its provider refuses: the next one rings at once, and counts', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId } = await onCall(house, [ann.account, ben.account]);
    await house.simulator('POST', `/phones/${ann.phone.id}/uninstall`);
    const paged = await ann.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } });
    expect(paged).toMatchObject({ status: 201, body: { accepted: 1, page: { escalationStep: 1 } } });
    await house.expectPushes(ann.phone, 1);
    await house.expectPushes(ben.phone, 1);
  });

  it('a leaver: the page goes on to the others, and ends with the group', async () => {
    const [ann, ben] = [await person('Ann'), await person('Ben')];
    const { groupId, teamId } = await onCall(house, [ann.account, ben.account], {
      turns: [ben.account, ann.account],
    });
    const { id } = (await ann.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } }))
      .body.page;
    await house.expectPushes(ben.phone, 1);
    expect(await ben.account.api('POST', `/teams/${teamId}/leave`)).toMatchObject({ status: 200 });
    await house.expectPushes(ann.phone, 1);
    await house.expectPushes(ben.phone, 1);
    expect(await trayOf(house, ben.phone)).toEqual([]);
    expect((await ben.account.api('GET', `/pages/${id}`)).status).toBe(404);
    expect(await ann.account.api('DELETE', `/oncall/${groupId}`)).toMatchObject({ status: 200 });
    await house.expectPushes(ann.phone, 1);
    expect((await ann.account.api('GET', `/pages/${id}`)).body).toMatchObject({
      status: 'resolved',
      resolvedBy: null,
      groupName: 'Backend',
    });
    const { entries } = (await ann.account.api('GET', `/teams/${teamId}/audit`)).body;
    const ofPages = entries.filter(({ action }: { action: string }) => action.startsWith('page.'));
    expect(ofPages.map(({ action }: { action: string }) => action)).toEqual([
      'page.resolved',
      'page.escalated',
      'page.triggered',
    ]);
    expect(ofPages.map(({ actorUserId }: { actorUserId: string | null }) => actorUserId)).toEqual([
      null,
      null,
      ann.account.id,
    ]);
  });

  it('somebody else: nothing of it is to be seen', async () => {
    const ann = await person('Ann');
    const other = await house.anotherAccount('Eve');
    const { groupId } = await onCall(house, [ann.account]);
    const { id } = (await ann.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } }))
      .body.page;
    await house.expectPushes(ann.phone, 1);
    for (const [method, path] of [
      ['GET', `/pages/${id}`],
      ['POST', `/pages/${id}/resolve`],
    ] as const)
      expect(await other.api(method, path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await other.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect(
      await other.api('POST', '/notifications', { body: { title: 'x', body: 'y', oncall: groupId } }),
    ).toMatchObject({ status: 404, body: { code: 'ONCALL_GROUP_NOT_FOUND' } });
  });
});

describe('the reserve', () => {
  it('is thirty pages a minute, of which absorbed ones and sends take nothing', async () => {
    const ann = await house.anotherAccount('Ann');
    const { groupId } = await onCall(house, [ann]);
    const page = (dedupKey: string) =>
      ann.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down', dedupKey } });
    const told = ({ headers }: Awaited<ReturnType<typeof page>>) => {
      expect(headers.get('ratelimit-policy')).toBe(
        '"token";q=600;w=60, "requests";q=1200;w=60, "pages";q=30;w=60',
      );
      return headers.get('ratelimit');
    };
    await house.beginWindow();
    const statuses: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      const made = await page(`key ${n}`);
      statuses.push(made.status);
      expect(told(made)).toMatch(new RegExp(`^"pages";r=${29 - n};t=\\d+$`));
    }
    expect(new Set(statuses)).toEqual(new Set([201]));
    const absorbed = await page('key 0');
    expect(absorbed.status).toBe(200);
    expect(told(absorbed)).toMatch(/^"pages";r=0;t=\d+$/);
    const refused = await page('another');
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', limit: 30 } });
    expect(told(refused)).toMatch(/^"pages";r=0;t=\d+$/);
    const byNotification = await ann.api('POST', '/notifications', {
      body: { title: 'Down', body: 'No commands', oncall: groupId },
    });
    expect(byNotification.status).toBe(429);
    told(byNotification);
    const sent = await ann.api('POST', '/notifications', { body: { title: 'Hi', body: 'you' } });
    expect(sent.status).toBe(201);
    expect(sent.headers.get('ratelimit-policy')).toContain('"account";q=300');
  });
});
