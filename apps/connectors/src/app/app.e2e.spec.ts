import { eventually, type House, type HouseAccount, type HouseAnswer, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const input = { name: 'Photos', url: 'https://photos.example.com/albums' };
const withinMs = 30_000;

const ok = ({ status, body }: HouseAnswer): HouseAnswer['body'] => {
  if (status > 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
};
const added = async (person: HouseAccount, more: object = {}) =>
  ok(await person.api('POST', '/apps', { body: { ...input, ...more } })).app;
const appsOf = async (person: HouseAccount, query = '') =>
  (ok(await person.api('GET', `/apps${query}`)).apps as { id: string }[]).map(({ id }) => id);
const inboxOf = async (person: HouseAccount) =>
  ok(await person.api('GET', '/inbox/notifications')).items as { id: string; app: { id: string } | null }[];
const counted = async (person: HouseAccount, teamId: string) =>
  ok(await person.api('GET', `/teams/${teamId}`)).team.appCount;

/** A workplace team of an owner, who takes the others in. */
async function teamOf(owner: HouseAccount, ...others: HouseAccount[]): Promise<string> {
  const teamId = await house.workplaceTeam(owner);
  for (const other of others) await owner.takeInto(teamId, other);
  return teamId;
}

describe('a web app', () => {
  it('is added, added again, changed and removed by agents and by the person alike', async () => {
    const ann = await house.anotherAccount();
    const made = await ann.api('POST', '/apps', { body: input });
    expect(made).toMatchObject({
      status: 201,
      body: {
        app: {
          ...input,
          origin: 'https://photos.example.com',
          iconUrl: null,
          projectId: null,
          projectName: null,
          shareName: false,
          shareEmail: false,
          consentedAt: null,
          lastOpenedAt: null,
          createdBy: ann.id,
          addedBy: ann.id,
          team: null,
        },
      },
    });
    const { app } = made.body;
    const again = await ann.session('POST', '/apps', {
      body: { ...input, url: `${input.url}#top`, name: 'Pictures', projectId: 'home' },
    });
    expect(again).toMatchObject({
      status: 200,
      body: { app: { id: app.id, url: input.url, name: 'Pictures', projectName: 'home' } },
    });
    const changed = await ann.api('PATCH', `/apps/${app.id}`, { body: { projectId: null, name: 'Photos' } });
    expect(changed.body.app).toEqual({ ...app, updatedAt: changed.body.app.updatedAt });
    for (const call of [ann.api.bind(ann), ann.session.bind(ann)]) {
      expect((await call('GET', `/apps/${app.id}`)).body).toEqual(changed.body);
      expect((await call('GET', '/apps')).body).toEqual({ apps: [changed.body.app], nextCursor: null });
    }
    expect((await ann.session('POST', `/apps/${app.id}/revoke`)).body).toEqual(changed.body);
    expect(await ann.session('DELETE', `/apps/${app.id}`)).toMatchObject({ status: 200, body: { ok: true } });
    expect((await ann.api('DELETE', `/apps/${app.id}`)).status).toBe(404);
    expect(await appsOf(ann)).toEqual([]);
  });

  it('is nothing to another account, whatever it asks', async () => {
    const [ann, eve] = [await house.anotherAccount(), await house.anotherAccount()];
    const { id } = await added(ann);
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['PATCH', '', { url: 'https://mine.example.com' }],
      ['DELETE', ''],
      ['POST', '/revoke'],
      ['POST', '/share', { teamId: null }],
      ['POST', '/share', { teamId: await teamOf(eve) }],
    ] as const)
      expect(await eve.api(method, `/apps/${id}${path}`, { body })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    expect(await appsOf(eve)).toEqual([]);
    for (const [path, body] of [
      ['/notifications', { title: 'a', body: 'b', appId: id }],
      ['/notifications', { title: 'a', body: 'b', appId: 'app_1' }],
    ] as const)
      expect(await eve.api('POST', path, { body })).toMatchObject({
        status: 404,
        body: { code: 'APP_NOT_FOUND' },
      });
    expect(await inboxOf(eve)).toEqual([]);
  });

  it.each<[string, object]>([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(81) }],
    ['url', { url: 'http://photos.example.com' }],
    ['url', { url: 'https://ann:secret@photos.example.com' }],
    ['url', { url: 'javascript:alert(1)' }],
    ['url', { url: 'photos.example.com' }],
    ['url', { url: `https://photos.example.com/${'x'.repeat(2048)}` }],
    ['iconUrl', { iconUrl: 'data:image/png;base64,aaaa' }],
    ['projectId', { projectId: 'not a slug' }],
    ['projectName', { projectName: 'x'.repeat(81) }],
  ])('is not added or changed with a wrong %s', async (path, wrong) => {
    const ann = house.owner;
    const { id, updatedAt } = await added(ann);
    for (const answer of [
      await ann.api('POST', '/apps', { body: { ...input, ...wrong } }),
      await ann.api('PATCH', `/apps/${id}`, { body: wrong }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', issues: [{ path }] } });
    expect(ok(await ann.api('GET', `/apps/${id}`)).app.updatedAt).toBe(updatedAt);
  });

  it('has consent and disclosure that no agent changes', async () => {
    const { id } = await added(house.owner);
    for (const field of ['shareName', 'shareEmail', 'consentedAt', 'team', 'addedBy', 'origin'])
      expect(
        await house.owner.api('PATCH', `/apps/${id}`, { body: { name: 'Photos', [field]: true } }),
      ).toMatchObject({ status: 400, body: { issues: [{ path: field, code: 'unknown_field' }] } });
    expect(await house.owner.api('PATCH', `/apps/${id}`, { body: {} })).toMatchObject({
      status: 400,
      body: { code: 'EMPTY_UPDATE' },
    });
    expect(await house.owner.api('POST', `/apps/${id}/share`, { body: {} })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'teamId' }] },
    });
  });
});

describe('a web app of a team', () => {
  it('is told to the others, on their phones and in their inboxes, and shown with what names it', async () => {
    const [owner, ann, bob] = [
      await house.anotherAccount(),
      await house.anotherAccount(),
      await house.anotherAccount(),
    ];
    const teamId = await teamOf(owner, ann, bob);
    const [annsPhone, bobsPhone] = [await ann.addPhone('ios'), await bob.addPhone('android')];
    const app = await added(ann);
    const shared = await ann.api('POST', `/apps/${app.id}/share`, { body: { teamId } });
    expect(shared).toMatchObject({ status: 200, body: { app: { id: app.id, team: { id: teamId } } } });
    await house.expectPushes(bobsPhone, 1, withinMs);
    const { id, name, origin, iconUrl } = app;
    for (const other of [owner, bob]) {
      const [item, ...more] = await eventually(
        async () => {
          const items = await inboxOf(other);
          return items.length > 0 ? items : undefined;
        },
        () => 'nobody was told',
        withinMs,
      );
      expect(more).toEqual([]);
      expect(item).toMatchObject({ title: 'New app: Photos', app: { id, name, origin, iconUrl } });
      expect(ok(await other.api('GET', `/inbox/notifications/${item?.id}`)).app).toEqual(item?.app);
    }
    expect(await inboxOf(ann)).toEqual([]);
    expect(await house.received(annsPhone)).toEqual([]);

    expect(await appsOf(bob, `?teamId=${teamId}`)).toEqual([id]);
    expect(ok(await bob.api('GET', `/teams/${teamId}/apps`)).apps).toEqual([
      ok(await bob.api('GET', `/apps/${id}`)).app,
    ]);
    expect(await counted(bob, teamId)).toBe(1);

    // Whatever names it shows it, as it is called now.
    ok(await owner.api('PATCH', `/apps/${id}`, { body: { name: 'Ours' } }));
    expect((await inboxOf(bob))[0]?.app).toMatchObject({ id, name: 'Ours' });
    const sent = await owner.api('POST', '/notifications', { body: { title: 'a', body: 'b', appId: id } });
    expect(sent.body.notification.appId).toBe(id);
    expect((await inboxOf(owner))[0]?.app).toMatchObject({ id, name: 'Ours' });
    const { id: groupId } = ok(
      await owner.api('POST', `/teams/${teamId}/oncall`, {
        body: {
          name: 'Backend',
          rotation: { userIds: [owner.id], period: 'daily', handoffAt: '09:00', timezone: 'UTC' },
        },
      }),
    );
    const paged = await bob.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down', appId: id } });
    expect(paged).toMatchObject({ status: 201, body: { page: { app: { id, name: 'Ours' } } } });

    ok(await owner.api('DELETE', `/apps/${id}`));
    expect((await inboxOf(bob))[0]?.app).toBeNull();
    expect(ok(await bob.api('GET', `/pages/${paged.body.page.id}`)).app).toBeNull();
    expect(await counted(bob, teamId)).toBe(0);
    const { entries } = ok(await owner.api('GET', `/teams/${teamId}/audit`)) as {
      entries: { action: string; actorUserId: string; targetId: string; metadata: object }[];
    };
    expect(
      entries
        .filter(({ targetId }) => targetId === id)
        .map(({ action, actorUserId }) => [action, actorUserId]),
    ).toEqual([
      ['app.removed', owner.id],
      ['app.updated', owner.id],
      ['app.shared', ann.id],
    ]);
    expect(entries.find(({ action }) => action === 'app.updated')?.metadata).toMatchObject({
      changed: ['name'],
      before: { name: 'Photos' },
      after: { name: 'Ours' },
    });
  });

  it('is moved only by the account that added it, into its teams and where the URL is free', async () => {
    const [owner, ann] = [await house.anotherAccount(), await house.anotherAccount()];
    const [teamId, elsewhere] = [await teamOf(owner, ann), await teamOf(owner)];
    const [annsApp, ownersApp] = [await added(ann), await added(owner)];
    const share = (person: HouseAccount, id: string, to: string | null) =>
      person.api('POST', `/apps/${id}/share`, { body: { teamId: to, notify: false } });
    expect(await share(ann, annsApp.id, elsewhere)).toMatchObject({
      status: 404,
      body: { code: 'TEAM_NOT_FOUND' },
    });
    expect((await share(ann, annsApp.id, teamId)).status).toBe(200);
    expect((await share(ann, annsApp.id, teamId)).status).toBe(200);
    expect(await share(owner, ownersApp.id, teamId)).toMatchObject({
      status: 409,
      body: { code: 'APP_URL_TAKEN' },
    });
    expect(await share(owner, annsApp.id, null)).toMatchObject({
      status: 403,
      body: { code: 'NOT_ADDED_BY_CALLER' },
    });
    expect((await share(ann, annsApp.id, null)).body.app).toMatchObject({ team: null });
    expect((await owner.api('GET', `/apps/${annsApp.id}`)).status).toBe(404);
  });

  it('returns to the account that added it at once when it leaves, and when the team is deleted', async () => {
    const [owner, ann] = [await house.anotherAccount(), await house.anotherAccount()];
    const teamId = await teamOf(owner, ann);
    const [annsApp, ownersApp] = [
      await added(ann),
      await added(owner, { url: 'https://wiki.example.com', name: 'Wiki' }),
    ];
    for (const [person, { id }] of [
      [ann, annsApp],
      [owner, ownersApp],
    ] as const)
      ok(await person.api('POST', `/apps/${id}/share`, { body: { teamId, notify: false } }));
    expect(await counted(owner, teamId)).toBe(2);
    ok(await ann.api('POST', `/teams/${teamId}/leave`));
    expect(ok(await ann.api('GET', `/apps/${annsApp.id}`)).app.team).toBeNull();
    expect(await appsOf(ann)).toEqual([annsApp.id]);
    expect(await appsOf(owner)).toEqual([ownersApp.id]);
    expect(await counted(owner, teamId)).toBe(1);
    ok(await owner.api('DELETE', `/teams/${teamId}`));
    expect(ok(await owner.api('GET', `/apps/${ownersApp.id}`)).app.team).toBeNull();
    expect(await appsOf(owner, '?teamId=none')).toEqual([ownersApp.id]);
  });

  it('is told once, and is where it was moved, when all is killed at the move', async () => {
    const [ann, bob] = [await house.anotherAccount(), await house.anotherAccount()];
    const teamId = await teamOf(ann, bob);
    const { id } = await added(ann);
    ok(await ann.api('POST', `/apps/${id}/share`, { body: { teamId } }));
    await house.kill9();
    await house.start();
    await eventually(
      async () => (await inboxOf(bob)).length > 0 || undefined,
      () => 'nobody was told',
      withinMs,
    );
    expect(ok(await ann.api('GET', `/apps/${id}`)).app.team).toMatchObject({ id: teamId });
    await house.advance(60);
    expect(await inboxOf(bob)).toHaveLength(1);
  });
});
