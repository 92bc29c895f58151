import {
  eventually,
  type House,
  type HouseAccount,
  type HouseAnswer,
  type HousePhone,
  startHouse,
  trayOf,
} from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
}, 120_000);
afterAll(() => house?.close(), 90_000);

/** Ann's family with Bob in it, and a group of both; each has one phone. */
interface Home {
  readonly ann: HouseAccount;
  readonly bob: HouseAccount;
  readonly annsPhone: HousePhone;
  readonly bobsPhone: HousePhone;
  readonly teamId: string;
  readonly deviceGroupId: string;
}

const created = (answer: HouseAnswer): HouseAnswer['body'] => {
  if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

async function home(bobs: 'ios' | 'android' = 'android'): Promise<Home> {
  const ann = await house.anotherAccount();
  const bob = await house.anotherAccount();
  const teamId = await ann.family(bob);
  const capable = { liveActivities: true, interactiveLiveActivities: true };
  const annsPhone = await ann.addPhone('ios', capable);
  const bobsPhone = await bob.addPhone(bobs, bobs === 'ios' ? capable : {});
  const { group } = created(
    await ann.api('POST', `/teams/${teamId}/groups`, {
      body: { name: 'Everybody', userIds: [ann.id], deviceIds: [bobsPhone.deviceId] },
    }),
  );
  return { ann, bob, annsPhone, bobsPhone, teamId, deviceGroupId: group.id };
}

const inboxOf = async (person: HouseAccount) =>
  (await person.api('GET', '/inbox/notifications')).body.items as { id: string; readAt: string | null }[];
const pending = async (person: HouseAccount) =>
  (await person.api('GET', '/interactions')).body.interactions as { id: string }[];
const activitiesOn = async ({ id }: HousePhone) =>
  (await house.simulator('GET', `/phones/${id}`)).body.phone.activities as {
    activityId: string;
    state: string;
  }[];
const withinMs = 30_000;

/** What may be sent to a group, by its route. */
const contents: Readonly<Record<string, object>> = {
  '/notifications': { title: 'Dinner', body: 'is ready' },
  '/interactions': { kind: 'yes_no', title: 'Dinner?', prompt: 'Are you coming?' },
  '/activities': { props: { title: 'Dinner' } },
};

describe('a notification to a device group', () => {
  it('names its web app to those who can open it, as it is called now', async () => {
    const { ann, bob, annsPhone, bobsPhone, teamId, deviceGroupId } = await home();
    const dash = { name: 'Dash', url: 'https://dash.test' };
    const { app } = created(await ann.api('POST', '/apps', { body: dash }));
    const body = { ...contents['/notifications'], deviceGroupId, appId: app.id };
    const sent = created(await ann.api('POST', '/notifications', { body }));
    expect(sent).toMatchObject({ accepted: 2, notification: { appId: app.id } });
    for (const phone of [annsPhone, bobsPhone]) {
      await house.expectPushes(phone, 1);
      expect(await trayOf(house, phone)).toMatchObject([{ appId: app.id }]);
    }
    const seen = async () => {
      const items = await Promise.all(
        [ann, bob].map((who) => who.api('GET', `/inbox/notifications/notification:${sent.notification.id}`)),
      );
      return items.map((item) => item.body.app?.name ?? null);
    };
    expect(await seen()).toEqual(['Dash', null]);
    expect(await bob.api('POST', '/notifications', { body })).toMatchObject({
      status: 404,
      body: { code: 'APP_NOT_FOUND' },
    });

    const share = (to: string | null) =>
      ann.api('POST', `/apps/${app.id}/share`, { body: { teamId: to, notify: false } });
    expect((await share(teamId)).status).toBe(200);
    expect((await bob.api('GET', `/apps/${app.id}`)).status).toBe(200);
    await ann.api('PATCH', `/apps/${app.id}`, { body: { name: 'Board' } });
    await eventually(
      async () => ((await seen()).join() === 'Board,Board' ? true : undefined),
      () => 'both were not shown the app of their family',
    );
    expect((await share(null)).status).toBe(200);
    expect((await ann.api('DELETE', `/apps/${app.id}`)).status).toBe(200);
    await eventually(
      async () => ((await seen()).join() === ',' ? true : undefined),
      () => 'an app that was removed was still shown',
    );
  });

  it('rings the phones of two people; each has it in an inbox of their own and reads it for themselves', async () => {
    const { ann, bob, annsPhone, bobsPhone, deviceGroupId } = await home();
    const sent = created(
      await ann.api('POST', '/notifications', { body: { title: 'Dinner', body: 'is ready', deviceGroupId } }),
    );
    expect(sent.accepted).toBe(2);
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1);

    const item = `notification:${sent.notification.id}`;
    expect((await bob.api('POST', `/inbox/notifications/${item}/read`)).status).toBe(200);
    expect(await inboxOf(bob)).toMatchObject([{ id: item, readAt: expect.any(String) }]);
    expect(await inboxOf(ann)).toMatchObject([{ id: item, readAt: null }]);
    const copy = (await bob.api('GET', `/inbox/notifications/${item}`)).body;
    expect(copy).toMatchObject({ body: 'is ready', status: 'delivered' });
    expect(copy).not.toHaveProperty('pushReceipts');
    expect((await ann.api('GET', `/inbox/notifications/${item}`)).body.pushReceipts).toHaveLength(2);

    // It is Ann's to take back, from all.
    expect((await bob.api('POST', `/notifications/${sent.notification.id}/withdraw`)).status).toBe(404);
    expect(await ann.api('POST', `/notifications/${sent.notification.id}/withdraw`)).toMatchObject({
      status: 200,
      body: { status: 'withdrawn', accepted: 2 },
    });
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1);
    expect(await inboxOf(ann)).toMatchObject([{ id: item, readAt: expect.any(String) }]);
    expect(await trayOf(house, bobsPhone)).toEqual([]);
  });

  it('is in the inbox of a member who has no phone', async () => {
    const { ann, teamId } = await home();
    const cid = await house.anotherAccount();
    await ann.takeInto(teamId, cid);
    const { group } = created(
      await ann.api('POST', `/teams/${teamId}/groups`, { body: { name: 'Cid', userIds: [cid.id] } }),
    );
    const body = { title: 'Dinner', body: 'is ready', deviceGroupId: group.id };
    const sent = created(await ann.api('POST', '/notifications', { body }));
    expect(sent).toMatchObject({ accepted: 0, message: expect.stringContaining('in the inbox') });
    for (const person of [cid, ann])
      expect(await inboxOf(person)).toMatchObject([{ id: `notification:${sent.notification.id}` }]);
  });

  it('does not reach a former member, whose earlier items stay', async () => {
    const { ann, bob, annsPhone, bobsPhone, teamId, deviceGroupId } = await home();
    const body = { title: 'Dinner', body: 'is ready', deviceGroupId };
    created(await ann.api('POST', '/notifications', { body }));
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1);
    expect((await bob.api('POST', `/teams/${teamId}/leave`)).status).toBe(200);
    expect(created(await ann.api('POST', '/notifications', { body })).accepted).toBe(1);
    await house.expectPushes(annsPhone, 1);
    expect(await inboxOf(ann)).toHaveLength(2);
    expect(await inboxOf(bob)).toHaveLength(1);
    expect((await bob.api('POST', '/notifications', { body })).status).toBe(404);
  });

  it('is sent once for a key, also when the group is gone by the second time', async () => {
    const { ann, bob, annsPhone, bobsPhone, teamId, deviceGroupId } = await home();
    const headers = { 'idempotency-key': 'dinner' };
    const requests = Object.entries(contents).map(([path, content]) => ({
      path,
      given: { body: { ...content, deviceGroupId }, headers },
    }));
    const first = [];
    for (const { path, given } of requests) first.push(created(await ann.api('POST', path, given)));
    expect((await ann.api('DELETE', `/teams/${teamId}/groups/${deviceGroupId}`)).status).toBe(200);
    for (const [index, { path, given }] of requests.entries()) {
      expect((await ann.api('POST', path, { body: given.body })).status).toBe(404);
      const { accepted } = first[index];
      expect(await ann.api('POST', path, given)).toMatchObject({
        status: 200,
        body: { accepted, idempotent: true },
      });
    }
    expect(await inboxOf(bob)).toHaveLength(1);
    expect(await pending(bob)).toHaveLength(1);
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 3, withinMs);
  });

  it('is refused with devices beside the group, and to accounts outside its team', async () => {
    const { ann, annsPhone, deviceGroupId } = await home();
    const stranger = await house.anotherAccount();
    for (const [path, content] of Object.entries(contents)) {
      const both = { ...content, deviceGroupId, deviceIds: [annsPhone.deviceId] };
      expect(await ann.api('POST', path, { body: both })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', issues: [{ path: 'deviceGroupId' }] },
      });
      const theirs = { ...content, deviceGroupId };
      expect(await stranger.api('POST', path, { body: theirs })).toMatchObject({
        status: 404,
        body: { code: 'DEVICE_GROUP_NOT_FOUND' },
      });
    }
    expect(await inboxOf(stranger)).toEqual([]);
  });

  it('does not reach a phone that was taken off its account', async () => {
    const { ann, bob, annsPhone, bobsPhone, deviceGroupId } = await home();
    expect((await bob.api('DELETE', `/devices/${bobsPhone.deviceId}`)).status).toBe(200);
    const body = { title: 'Dinner', body: 'is ready', deviceGroupId };
    expect(created(await ann.api('POST', '/notifications', { body })).accepted).toBe(1);
    await house.expectPushes(annsPhone, 1);
  });
});

describe('a prompt to a device group', () => {
  const question = { kind: 'yes_no', title: 'Dinner?', prompt: 'Are you coming?' };

  it('is pending for both, is ended by the first answer, and leaves all phones', async () => {
    const { ann, bob, annsPhone, bobsPhone, deviceGroupId } = await home();
    const asked = created(
      await ann.api('POST', '/interactions', { body: { ...question, deviceGroupId } }),
    ).interaction;
    expect(asked.accepted).toBe(2);
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1);
    for (const person of [ann, bob]) expect(await pending(person)).toMatchObject([{ id: asked.id }]);
    expect((await bob.session('GET', `/prompts/${asked.id}`)).body.interaction).toMatchObject({
      title: question.title,
      sourceName: 'Tests',
    });
    // A prompt of another's token is nobody's to read by itself or to take back.
    expect((await bob.api('GET', `/interactions/${asked.id}`)).status).toBe(404);
    expect(await bob.session('POST', `/prompts/${asked.id}/cancel`)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ROLE' },
    });

    const waiting = ann.api('GET', `/interactions/${asked.id}/wait?timeoutSeconds=55`);
    const pressed = await house.simulator('POST', `/phones/${bobsPhone.id}/press`, {
      promptId: asked.id,
      answer: 'yes',
    });
    expect(pressed.body).toMatchObject({ status: 200 });
    expect((await waiting).body.interaction).toMatchObject({
      status: 'yes',
      response: 'yes',
      respondingUserId: bob.id,
      respondingDeviceId: bobsPhone.deviceId,
    });
    const { actionDigest } = asked;
    expect(
      await ann.session('POST', `/prompts/${asked.id}/answer`, { body: { answer: 'no', actionDigest } }),
    ).toMatchObject({ status: 409, body: { code: 'INTERACTION_NOT_PENDING', status: 'yes' } });
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1, withinMs);
    expect(await trayOf(house, annsPhone)).toEqual([]);
    for (const person of [ann, bob]) {
      expect(await pending(person)).toEqual([]);
      expect((await person.api('GET', '/activity-feed')).body.items[0]).toMatchObject({
        kind: 'response',
        result: 'yes',
      });
    }
  });

  it('is neither visible to nor answered by an account that was removed from the team, on any route', async () => {
    const { ann, bob, annsPhone, bobsPhone, teamId, deviceGroupId } = await home();
    for (const presentation of ['notification', 'live_activity']) {
      const { interaction } = created(
        await ann.api('POST', '/interactions', { body: { ...question, presentation, deviceGroupId } }),
      );
      const { id, actionDigest } = interaction;
      for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1, withinMs);
      expect(await pending(bob)).toMatchObject([{ id }]);
      expect((await ann.api('DELETE', `/teams/${teamId}/members/${bob.id}`)).status).toBe(200);

      const answered = { body: { answer: 'yes', actionDigest } };
      for (const refused of [
        await bob.session('GET', `/prompts/${id}`),
        await bob.session('POST', `/prompts/${id}/answer`, answered),
        await bob.session('POST', `/prompts/${id}/cancel`),
        await bob.api('GET', `/interactions/${id}`),
      ])
        expect(refused).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      if (presentation === 'notification') {
        const press = { promptId: id, answer: 'yes' };
        expect((await house.simulator('POST', `/phones/${bobsPhone.id}/press`, press)).body).toMatchObject({
          status: 404,
        });
      }
      expect(await pending(bob)).toEqual([]);
      expect((await bob.session('GET', '/prompts')).body.interactions).toEqual([]);
      expect((await ann.api('GET', `/interactions/${id}`)).body.interaction.status).toBe('pending');
      expect((await ann.session('POST', `/prompts/${id}/answer`, answered)).status).toBe(200);
      for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1, withinMs);
      await ann.takeInto(teamId, bob);
      const again = { userIds: [ann.id], deviceIds: [bobsPhone.deviceId] };
      await ann.api('PATCH', `/teams/${teamId}/groups/${deviceGroupId}`, { body: again });
    }
  });

  it('is shown as a live activity on the phones of both', async () => {
    const { ann, bob, annsPhone, bobsPhone, deviceGroupId } = await home();
    const body = { ...question, presentation: 'live_activity', deviceGroupId };
    const asked = created(await ann.api('POST', '/interactions', { body }));
    expect(asked).toMatchObject({ queued: 2 });
    for (const phone of [annsPhone, bobsPhone]) {
      await house.expectPushes(phone, 1, withinMs);
      expect(await activitiesOn(phone)).toMatchObject([{ activityId: asked.liveActivityId }]);
    }
    const { actionDigest } = asked.interaction;
    expect(
      await bob.session('POST', `/prompts/${asked.interaction.id}/answer`, {
        body: { answer: 'no', actionDigest },
      }),
    ).toMatchObject({ status: 200, body: { interaction: { status: 'no', respondingUserId: bob.id } } });
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1, withinMs);
  });
});

describe('a live activity for a device group', () => {
  const start = (person: HouseAccount, more: object) =>
    person.api('POST', '/activities', { body: { props: { title: 'Oven' }, ...more } });

  it('is shown on the phones of both, ends on both, and is in the lists of both', async () => {
    const { ann, bob, annsPhone, bobsPhone, deviceGroupId } = await home('ios');
    const { activity } = created(await start(ann, { key: 'oven', deviceGroupId }));
    for (const phone of [annsPhone, bobsPhone]) {
      await house.expectPushes(phone, 1, withinMs);
      expect(await activitiesOn(phone)).toMatchObject([{ activityId: activity.id, state: 'active' }]);
    }
    await eventually(
      async () => {
        const { readiness } = (await ann.api('GET', '/activities/oven')).body.activity;
        return readiness.ready === 2 ? true : undefined;
      },
      () => 'not both phones take updates',
      withinMs,
    );
    const listed = (await bob.session('GET', '/activities')).body.activities;
    expect(listed).toMatchObject([{ id: activity.id, readiness: { ready: 2 } }]);
    // It is Ann's agent that runs it.
    expect((await bob.api('GET', '/activities')).body.activities).toEqual([]);
    expect((await bob.api('POST', `/activities/${activity.id}/end`)).status).toBe(404);

    expect((await ann.api('POST', '/activities/oven/end', { body: {} })).status).toBe(200);
    for (const phone of [annsPhone, bobsPhone]) await house.expectPushes(phone, 1, withinMs);
    const feed = (await bob.api('GET', '/activity-feed')).body.items;
    expect(feed).toMatchObject([{ result: 'ended' }, { result: 'started' }]);
  });

  it('takes the fifth activity slot on a phone of another account, which nobody else gets before it ends', async () => {
    const { ann, bob, annsPhone, bobsPhone, deviceGroupId } = await home();
    for (let n = 1; n <= 4; n += 1) created(await start(bob, { key: `bobs-${n}` }));
    const { activity } = created(await start(ann, { key: 'oven', deviceGroupId }));
    const full = {
      status: 422,
      body: { code: 'ACTIVITY_CAPACITY_EXCEEDED', limit: 5, deviceIds: [bobsPhone.deviceId] },
    };
    expect(await start(bob, { key: 'bobs-5' })).toMatchObject(full);
    expect(await start(ann, { key: 'stove', deviceGroupId })).toMatchObject(full);
    // What was refused has left nothing behind on her own phone.
    created(await start(ann, { key: 'oven', replace: true, deviceGroupId }));
    expect(await start(bob, { key: 'bobs-5' })).toMatchObject(full);
    expect((await ann.api('GET', `/activities/${activity.id}`)).body.activity.status).toBe('ended');
    expect((await ann.api('POST', '/activities/oven/end', { body: {} })).status).toBe(200);
    created(await start(bob, { key: 'bobs-5' }));
    for (const phone of [annsPhone, bobsPhone]) await house.received(phone);
    house.ignorePushes();
  });

  it('never has a sixth beside it, however many ask at once', async () => {
    const { ann, bob, bobsPhone, deviceGroupId } = await home();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0 ? start(ann, { key: `anns-${n}`, deviceGroupId }) : start(bob, { key: `bobs-${n}` }),
      ),
    );
    for (const { status } of answers) expect([201, 409, 422]).toContain(status);
    const started = answers.filter(({ status }) => status === 201);
    expect(started.length).toBeLessThanOrEqual(5);
    for (let n = started.length; n < 5; n += 1) created(await start(bob, { key: `more-${n}` }));
    expect(await start(bob, { key: 'sixth' })).toMatchObject({
      status: 422,
      body: { deviceIds: [bobsPhone.deviceId] },
    });
  });
});
