import { eventually, type House, type HouseAccount, startHouse } from '@carillon/testkit';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const rotationOf = (...userIds: string[]) => ({
  userIds,
  period: 'daily',
  handoffAt: '09:00',
  timezone: 'Europe/Berlin',
});

let house: House;
let ada: HouseAccount;
let teamId: string;
beforeAll(async () => {
  house = await startHouse();
  ada = await house.anotherAccount('Ada');
  teamId = await house.workplaceTeam(ada);
}, 150_000);
afterAll(() => house?.close(), 90_000);

const now = async (): Promise<number> => Date.parse(await house.advance(0));
const at = (ms: number): string => new Date(ms).toISOString();
const makeGroup = async (name: string, rotation: object = rotationOf(ada.id)) =>
  (await ada.api('POST', `/teams/${teamId}/oncall`, { body: { name, rotation } })).body;

describe('an on-call group', () => {
  it('is made once for a key, found, changed and deleted', async () => {
    const path = `/teams/${teamId}/oncall`;
    const asked = {
      body: { name: ' Backend ', rotation: rotationOf(ada.id) },
      headers: { 'idempotency-key': 'backend' },
    };
    const made = await ada.api('POST', path, asked);
    expect(made).toMatchObject({
      status: 201,
      body: {
        teamId,
        name: 'Backend',
        rotation: { members: [{ userId: ada.id, name: 'Ada', image: null }], handoffAt: '09:00' },
        escalation: [
          { afterMinutes: 5, target: 'next' },
          { afterMinutes: 10, target: 'group' },
        ],
        current: { person: { userId: ada.id }, override: false },
        overrides: [],
        warnings: { gaps: [], overlaps: [] },
      },
    });
    expect(made.body.upcoming).toHaveLength(10);
    const again = await ada.api('POST', path, asked);
    expect(again).toMatchObject({ status: 200, body: made.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(
      await ada.api('POST', path, { ...asked, body: { ...asked.body, name: 'Platform' } }),
    ).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });

    const { warnings: _, ...group } = made.body;
    const one = `/oncall/${group.id}`;
    expect((await ada.api('GET', one)).body).toEqual(group);
    expect((await ada.session('GET', path)).body).toEqual({ groups: [group], nextCursor: null });
    expect(await ada.api('PATCH', one, { body: { rotation: {} } })).toMatchObject({
      status: 400,
      body: { code: 'EMPTY_UPDATE' },
    });
    const renamed = await ada.api('PATCH', one, { body: { name: 'Core', rotation: {} } });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Core', rotation: group.rotation } });
    const tomorrow = at((await now()) + 3 * dayMs);
    const changed = await ada.api('PATCH', one, {
      body: { name: 'Platform', rotation: { startsAt: tomorrow, period: 'weekly' } },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Platform', rotation: { period: 'weekly', handoffAt: '09:00' }, current: null },
    });
    expect(changed.body.warnings.gaps).toHaveLength(1);
    expect(changed.body.warnings.gaps[0].endsAt).toBe(changed.body.rotation.startsAt);

    expect(await ada.api('DELETE', one)).toMatchObject({ status: 200, body: { ok: true } });
    for (const method of ['GET', 'DELETE'])
      expect(await ada.api(method, one)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('is told what a rotation may not be', async () => {
    const refused = async (rotation: object) => {
      const { status, body } = await ada.api('POST', `/teams/${teamId}/oncall`, {
        body: { name: 'Never', rotation: { ...rotationOf(ada.id), ...rotation } },
      });
      return [status, body.code, body.issues?.[0]?.path];
    };
    for (const handoffAt of ['24:00', '9:00', '09:60', '09:00:00'])
      expect(await refused({ handoffAt })).toEqual([400, 'VALIDATION_FAILED', 'rotation.handoffAt']);
    for (const timezone of ['+02:00', 'Europe/Atlantis'])
      expect(await refused({ timezone })).toEqual([400, 'INVALID_TIMEZONE', undefined]);
    expect(await refused({ userIds: [house.owner.id] })).toEqual([404, 'MEMBER_NOT_FOUND', undefined]);
    expect(await refused({ userIds: [] })).toEqual([400, 'VALIDATION_FAILED', 'rotation.userIds']);
  });

  it('is unknown outside its team, and unavailable in families', async () => {
    const { id } = await makeGroup('Private');
    const stranger = house.owner;
    // Invalid input is refused before the caller's role is checked.
    const rotation = { ...rotationOf(ada.id), timezone: '+02:00' };
    for (const [method, path, body, code] of [
      ['POST', `/teams/${teamId}/oncall`, { name: 'Never', rotation }, 'INVALID_TIMEZONE'],
      ['PATCH', `/oncall/${id}`, { rotation }, 'INVALID_TIMEZONE'],
      ['POST', `/oncall/${id}/simulate`, { rotation }, 'INVALID_TIMEZONE'],
      ['GET', `/teams/${teamId}/pages?cursor=x`, undefined, 'INVALID_CURSOR'],
    ] as const)
      expect(await stranger.api(method, path, { body })).toMatchObject({ status: 400, body: { code } });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['GET', '/explain', undefined],
      ['GET', '/coverage', undefined],
      ['DELETE', '/overrides/ovr_1', undefined],
    ] as const)
      expect(await stranger.api(method, `/oncall/${id}${path}`, { body })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    const { team } = (await stranger.api('POST', '/teams', { body: { kind: 'family', name: 'The Smiths' } }))
      .body;
    expect((await stranger.api('GET', `/teams/${team.id}/oncall`)).body).toEqual({
      groups: [],
      nextCursor: null,
    });
    expect(
      await stranger.api('POST', `/teams/${team.id}/oncall`, {
        body: { name: 'Ours', rotation: rotationOf(stranger.id) },
      }),
    ).toMatchObject({ status: 403, body: { code: 'TEAM_FEATURE_UNAVAILABLE' } });
  });
});

describe('an override', () => {
  it('takes a window over once for a key, and ends when it is deleted', async () => {
    const { id } = await makeGroup('Overridden');
    const path = `/oncall/${id}/overrides`;
    const from = await now();
    const asked = {
      body: { userId: ada.id, startsAt: at(from - dayMs), endsAt: at(from + hourMs) },
      headers: { 'idempotency-key': 'over' },
    };
    const made = await ada.api('POST', path, asked);
    expect(made).toMatchObject({
      status: 201,
      body: {
        override: { person: { userId: ada.id }, endsAt: asked.body.endsAt },
        group: { id, current: { override: true, overrideId: made.body.override.id } },
        warnings: { gaps: [], overlaps: [] },
      },
    });
    expect(made.body.override.startsAt >= at(from)).toBe(true);
    expect(await ada.api('POST', path, asked)).toMatchObject({
      status: 200,
      body: { override: made.body.override },
    });
    expect(
      await ada.api('POST', path, {
        body: { ...asked.body, startsAt: at(from + hourMs - 1), endsAt: at(from + dayMs) },
      }),
    ).toMatchObject({ status: 409, body: { code: 'OVERRIDE_OVERLAP' } });
    expect(
      await ada.api('POST', path, {
        body: { ...asked.body, startsAt: at(from + dayMs), endsAt: at(from + 32 * dayMs + 1_000) },
      }),
    ).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', issues: [{ path: 'endsAt' }] } });

    await house.advance(60);
    const remove = () => ada.api('DELETE', `${path}/${made.body.override.id}`);
    expect(await remove()).toMatchObject({ status: 200, body: { ok: true, warnings: { gaps: [] } } });
    expect((await remove()).status).toBe(404);
    expect((await ada.api('GET', `/oncall/${id}`)).body).toMatchObject({
      current: { override: false },
      overrides: [],
    });
    expect((await ada.api('GET', `/oncall/${id}?at=${at(from + 30_000)}`)).body.current.override).toBe(true);
  });
});

describe('a schedule', () => {
  it('does not stop the house when it is asked about the end of the year 9999', async () => {
    const { id } = await makeGroup('Endless');
    for (const path of [`/oncall/${id}`, `/oncall/${id}/explain`]) {
      for (const [when, code] of [
        ['9999-12-30T12:00:00Z', 'too_big'],
        ['9999-12-31T23:59:59.999Z', 'too_big'],
        ['0001-01-01T00:00:00Z', 'too_small'],
      ])
        expect(await ada.api('GET', `${path}?at=${when}`)).toMatchObject({
          status: 400,
          body: { code: 'VALIDATION_FAILED', issues: [{ path: 'at', code }] },
        });
      const inYears = at((await now()) + 19 * 365 * dayMs);
      expect((await ada.api('GET', `${path}?at=${inYears}`)).status).toBe(200);
    }
    const startsAt = '9999-12-30T12:00:00Z';
    expect(await ada.api('PATCH', `/oncall/${id}`, { body: { rotation: { startsAt } } })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'rotation.startsAt', code: 'too_big' }] },
    });
    expect((await ada.api('GET', `/oncall/${id}`)).body.current.person.userId).toBe(ada.id);
  });

  it('is told as it was known then, and explained', async () => {
    const { id, rotation } = await makeGroup('Remembered');
    const before = await now();
    await house.advance(3_600);
    const startsAt = at((await now()) + 10 * dayMs);
    const changed = await ada.api('PATCH', `/oncall/${id}`, { body: { rotation: { startsAt } } });
    expect(changed.body.current).toBeNull();
    const then = await ada.api('GET', `/oncall/${id}?at=${at(before + 1_000)}`);
    expect(then.body).toMatchObject({ rotation, current: { person: { userId: ada.id } } });
    const explained = await ada.api('GET', `/oncall/${id}/explain?at=${at(before + 1_000)}`);
    expect(explained).toMatchObject({
      status: 200,
      body: { person: { userId: ada.id, name: 'Ada' }, kind: 'rotation', turn: 0, overrideId: null },
    });
    expect(explained.body.text).toMatch(/^Ada is on call from .*: it is their turn, number 0 /);
    expect((await ada.api('GET', `/oncall/${id}/explain`)).body).toMatchObject({
      person: null,
      kind: 'nobody',
      shift: null,
    });
    expect((await ada.api('GET', `/oncall/${id}?at=${at(before - dayMs)}`)).status).toBe(404);
    const other = await house.anotherAccount('Eve');
    expect((await other.api('GET', `/oncall/${id}?at=${at(before + 1_000)}`)).status).toBe(404);
    const coverage = await ada.api('GET', `/oncall/${id}/coverage`);
    expect(coverage.body.gaps).toEqual([
      { startsAt: coverage.body.from, endsAt: changed.body.rotation.startsAt },
    ]);
  });

  it('is told for a window: the past as it was held, and the rest as it is now', async () => {
    const { id } = await makeGroup('Calendar');
    const made = await now();
    await house.advance(3_600);
    const startsAt = at((await now()) + 10 * dayMs);
    const changed = await ada.api('PATCH', `/oncall/${id}`, { body: { rotation: { startsAt } } });
    const change = changed.body.updatedAt;
    const list = (from: string, to: string, who = ada) =>
      who.session('GET', `/oncall/${id}/shifts?from=${from}&to=${to}`);
    const [from, to] = [at(made - 30 * dayMs), at(made + 30 * dayMs)];
    const { status, body } = await list(from, to);
    expect(status).toBe(200);
    // A handoff may have been in that hour.
    const past = body.shifts.filter((shift: { startsAt: string }) => shift.startsAt < change);
    expect(past.at(-1)).toMatchObject({ person: { userId: ada.id, name: 'Ada' }, override: false });
    expect(past.at(-1).endsAt).toBe(change);
    expect(Date.parse(past[0].startsAt)).toBeLessThanOrEqual(made);
    expect(body.shifts[past.length].startsAt).toBe(changed.body.rotation.startsAt);
    expect(body.shifts.at(-1).endsAt).toBe(to);
    expect((await list(from, at(made - dayMs))).body.shifts).toEqual([]);
    const inYears = made + 10 * 365 * dayMs;
    expect((await list(at(inYears), at(inYears + 62 * dayMs))).body.shifts.length).toBeGreaterThan(1);
    for (const [wrongTo, code] of [
      [from, 'invalid_value'],
      [at(made + 33 * dayMs), 'too_big'],
    ] as const)
      expect(await list(from, wrongTo)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', issues: [{ path: 'to', code }] },
      });
    expect((await list(from, to, await house.anotherAccount('Eve'))).status).toBe(404);
    expect((await ada.api('GET', `/oncall/${id}/shifts?from=${from}&to=${to}`)).status).toBe(404);
  });

  it('of a group that was deleted since is told as it was known then', async () => {
    const { id, rotation } = await makeGroup('Gone');
    const then = at((await now()) + 1_000);
    await house.advance(3_600);
    expect(await ada.api('DELETE', `/oncall/${id}`)).toMatchObject({ status: 200 });
    expect((await ada.api('GET', `/oncall/${id}`)).status).toBe(404);
    expect(await ada.api('GET', `/oncall/${id}?at=${then}`)).toMatchObject({
      status: 200,
      body: { id, name: 'Gone', rotation, current: { person: { userId: ada.id } } },
    });
    expect((await ada.api('GET', `/oncall/${id}/explain?at=${then}`)).body).toMatchObject({
      kind: 'rotation',
    });
    expect((await ada.api('GET', `/oncall/${id}?at=${at(await now())}`)).status).toBe(404);
    expect((await house.api('GET', `/oncall/${id}?at=${then}`)).status).toBe(404);
  });

  it('of somebody is told in order', async () => {
    const { id } = await makeGroup('Mine');
    const { shifts } = (await ada.api('GET', '/oncall/me')).body;
    const own = shifts.filter((shift: { groupId: string }) => shift.groupId === id);
    expect(own).toMatchObject([
      { groupName: 'Mine', teamId, person: { userId: ada.id } },
      { groupName: 'Mine', teamId, person: { userId: ada.id } },
    ]);
    expect(own[0].endsAt).toBe(own[1].startsAt);
    expect((await house.session('GET', '/oncall/me')).body.shifts).toEqual([]);
  });
});

describe('a calendar', () => {
  const read = (url: string) => house.http('GET', new URL(url).pathname);
  it('is read by its secret URL, shown once, until it is ended', async () => {
    const { id } = await makeGroup('Nights');
    for (const path of [`/oncall/${id}/calendar`, '/oncall/me/calendar']) {
      const made = await ada.api('POST', path);
      expect(made).toMatchObject({ status: 201, body: { url: expect.stringMatching(/^http.*\.ics$/) } });
      const { url } = made.body;
      const found = await read(url);
      expect(found.status).toBe(200);
      expect(found.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
      expect(String(found.body).replaceAll('\r\n ', '')).toMatch(
        /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n[^]*Nights/,
      );

      const another = (await ada.session('POST', path)).body.url;
      expect((await read(url)).status).toBe(404);
      expect((await read(another)).status).toBe(200);
      expect(await ada.api('DELETE', path)).toMatchObject({ status: 200, body: { ok: true } });
      expect(await ada.api('DELETE', path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      expect((await read(another)).status).toBe(404);
    }
    expect(house.logs().some(({ text }) => text.includes('carillon_cal_'))).toBe(false);
  });

  it('ends with its group, and is none to strangers', async () => {
    const { id } = await makeGroup('Short-lived');
    expect((await house.api('POST', `/oncall/${id}/calendar`)).status).toBe(404);
    const { url } = (await ada.api('POST', `/oncall/${id}/calendar`)).body;
    await ada.api('DELETE', `/oncall/${id}`);
    expect(await read(url)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    for (const path of ['/calendar/nonsense.ics', `/calendar/carillon_cal_${'0'.repeat(38)}.ics`])
      expect((await house.http('GET', path)).status).toBe(404);
  });
});

describe('pages of a group', () => {
  it('are counted and told while they are open, and tried on another escalation', async () => {
    house.ignorePushes();
    const { id } = await makeGroup('Paged');
    await ada.addPhone('ios');
    const before = await now();
    const { page } = (await ada.api('POST', `/oncall/${id}/pages`, { body: { title: 'Disk full' } })).body;
    expect((await ada.api('GET', `/oncall/${id}`)).body.openPageCount).toBe(1);
    expect((await ada.api('GET', '/oncall/me')).body.pages).toMatchObject([{ id: page.id, groupId: id }]);
    expect((await house.api('GET', '/oncall/me')).body.pages).toEqual([]);
    await house.advance(60);
    await ada.api('POST', `/pages/${page.id}/resolve`, { body: {} });
    expect((await ada.api('GET', `/oncall/${id}`)).body.openPageCount).toBe(0);
    expect((await ada.api('GET', `/oncall/${id}?at=${at(before + 30_000)}`)).body.openPageCount).toBe(1);
    expect((await ada.api('GET', '/oncall/me')).body.pages).toEqual([]);

    await ada.api('POST', `/oncall/${id}/pages`, { body: { title: 'Still full' } });
    await house.advance(60);
    const escalation = [{ afterMinutes: 1, target: 'group' }];
    const tried = await ada.api('POST', `/oncall/${id}/simulate`, { body: { escalation } });
    expect(tried).toMatchObject({
      status: 200,
      body: {
        pages: [
          { before: [{ userId: ada.id }], firstRungDeltaSeconds: 0 },
          { pageId: page.id, before: [{ userId: ada.id, at: page.createdAt }], firstRungDeltaSeconds: 0 },
        ],
        summary: { pageCount: 2, ringsBefore: 2, truncated: false },
      },
    });
    expect((await ada.api('GET', `/oncall/${id}`)).body.escalation).toHaveLength(2);
    expect(
      await ada.api('POST', `/oncall/${id}/simulate`, { body: { rotation: { timezone: '+02:00' } } }),
    ).toMatchObject({ status: 400, body: { code: 'INVALID_TIMEZONE' } });
    expect((await house.api('POST', `/oncall/${id}/simulate`, { body: {} })).status).toBe(404);
  });

  it('are not needed to try an override, which is refused as one that is made', async () => {
    const ben = await house.anotherAccount('Ben');
    await ada.takeInto(teamId, ben);
    const { id, upcoming } = await makeGroup('Tried');
    const simulate = (by: HouseAccount, body: object) => by.api('POST', `/oncall/${id}/simulate`, { body });
    const next = Date.parse(upcoming[0].startsAt);
    const [startsAt, endsAt] = [at(next + hourMs), at(next + 2 * hourMs)];
    const tried = await simulate(ada, { override: { userId: ben.id, startsAt, endsAt } });
    expect(tried).toMatchObject({
      status: 200,
      body: {
        summary: { pageCount: 0 },
        schedule: {
          before: [{ person: { userId: ada.id }, startsAt: at(next), override: false }],
          after: [{ person: { userId: ben.id }, startsAt, endsAt, override: true }],
          warnings: { gaps: [], overlaps: [] },
        },
      },
    });
    expect((await ada.api('GET', `/oncall/${id}`)).body.overrides).toEqual([]);
    const of = (override: object) => ({ override: { userId: ben.id, startsAt, endsAt, ...override } });
    expect(await simulate(ada, of({ endsAt: startsAt }))).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'override.endsAt' }] },
    });
    expect(await simulate(ben, of({ userId: ada.id }))).toMatchObject({
      status: 403,
      body: { code: 'OVERRIDE_SELF_ONLY' },
    });
    await ada.api('POST', `/oncall/${id}/overrides`, { body: { userId: ada.id, startsAt, endsAt } });
    expect(await simulate(ada, of({}))).toMatchObject({ status: 409, body: { code: 'OVERRIDE_OVERLAP' } });
    const alone = await simulate(ada, { rotation: { userIds: [ben.id] } });
    const names = alone.body.schedule.after.map(({ person }: { person: { name: string } }) => person.name);
    expect(new Set(names)).toEqual(new Set(['Ada', 'Ben']));
  });
});

describe('a prompt that escalates', () => {
  const ask = (groupId: string, more: object = {}, given: object = {}) =>
    ada.api('POST', '/interactions', {
      body: {
        title: 'Deploy?',
        prompt: 'Version 7 is ready.',
        kind: 'yes_no',
        escalateTo: { groupId, afterSeconds: 60 },
        ...more,
      },
      ...given,
    });
  const answer = ({ id, actionDigest }: { id: string; actionDigest: string }) =>
    ada.session('POST', `/prompts/${id}/answer`, { body: { answer: 'yes', actionDigest } });
  const pagesOf = async (groupId: string) =>
    (await ada.api('GET', `/teams/${teamId}/pages?groupId=${groupId}`)).body.pages;

  it('becomes a page when nobody has answered, and its answer resolves that', async () => {
    house.ignorePushes();
    const { id } = await makeGroup('Deployers');
    const asked = await ask(id);
    expect(asked.status).toBe(201);
    const answered = (await ask(id, { title: 'Answered at once' })).body.interaction;
    expect((await answer(answered)).status).toBe(200);
    await house.advance(40);
    expect(await pagesOf(id)).toEqual([]);
    await house.advance(20);
    expect(await pagesOf(id)).toMatchObject([
      { title: 'Deploy?', body: 'Version 7 is ready.', status: 'triggered', notified: [{ userId: ada.id }] },
    ]);
    const { interaction } = (await ada.api('GET', `/interactions/${asked.body.interaction.id}`)).body;
    expect(interaction.status).toBe('pending');
    expect((await answer(interaction)).body.interaction.status).toBe('yes');
    await eventually(
      async () => (await pagesOf(id))[0].status === 'resolved' || undefined,
      () => 'the page is open although its prompt was answered',
    );
    expect(await pagesOf(id)).toMatchObject([{ status: 'resolved', resolvedBy: null }]);
  });

  it('needs a group of the account, the scope to page it, and a time before its end', async () => {
    expect(await ask('ocg_unknown')).toMatchObject({ status: 404, body: { code: 'ONCALL_GROUP_NOT_FOUND' } });
    const { id } = await makeGroup('Late');
    expect(await ask(id, { expiresInSeconds: 60 })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', issues: [{ path: 'escalateTo.afterSeconds' }] },
    });
    for (const afterSeconds of [29, 86_401])
      expect((await ask(id, { escalateTo: { groupId: id, afterSeconds } })).status).toBe(400);
    const { secret } = (
      await ada.session('POST', '/tokens', { body: { name: 'Asks', scopes: ['interactions:create'] } })
    ).body;
    expect(await ask(id, {}, { token: secret })).toMatchObject({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE', required: ['interactions:create', 'oncall:write'] },
    });
  });
});

describe('somebody of the team', () => {
  const joined = async (): Promise<HouseAccount> => {
    const ben = await house.anotherAccount('Ben');
    expect(await house.admin('account', 'verify', `--email=${ben.email}`)).toMatchObject({ status: 0 });
    const { code } = (await ada.api('POST', `/teams/${teamId}/invites`, { body: { email: ben.email } })).body;
    expect((await ben.session('POST', `/invites/${code}/accept`, { body: {} })).status).toBe(200);
    return ben;
  };

  it('puts only themselves on call, and is out of all of it when they leave', async () => {
    const ben = await joined();
    const { id } = await makeGroup('Shared', rotationOf(ben.id));
    const one = `/oncall/${id}`;
    const from = await now();
    const override = (userId: string, hours: number) => ({
      body: { userId, startsAt: at(from + hours * hourMs), endsAt: at(from + (hours + 1) * hourMs) },
    });
    const over = (await ada.api('POST', `${one}/overrides`, override(ada.id, 1))).body.override;
    expect(await ben.api('POST', `${one}/overrides`, override(ada.id, 3))).toMatchObject({
      status: 403,
      body: { code: 'OVERRIDE_SELF_ONLY' },
    });
    expect((await ben.api('POST', `${one}/overrides`, override(ben.id, 3))).status).toBe(201);
    for (const [method, path, body] of [
      ['POST', `/teams/${teamId}/oncall`, { name: 'Mine', rotation: rotationOf(ben.id) }],
      ['PATCH', one, { name: 'Mine' }],
      ['DELETE', one, undefined],
      ['DELETE', `${one}/overrides/${over.id}`, undefined],
    ] as const)
      expect(await ben.api(method, path, { body })).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN_ROLE' },
      });
    for (const path of ['', '/explain', '/coverage'])
      expect((await ben.api('GET', one + path)).status).toBe(200);
    expect((await ben.api('POST', `${one}/simulate`, { body: {} })).status).toBe(200);
    const { url } = (await ben.api('POST', `${one}/calendar`)).body;
    expect((await house.http('GET', new URL(url).pathname)).status).toBe(200);

    expect((await ben.api('POST', `/teams/${teamId}/leave`)).status).toBe(200);
    expect((await house.http('GET', new URL(url).pathname)).status).toBe(404);
    expect((await ben.api('GET', one)).status).toBe(404);
    expect((await ada.api('GET', one)).body).toMatchObject({
      rotation: { members: [] },
      current: null,
      upcoming: [{ override: true, overrideId: over.id }],
      overrides: [{ id: over.id }],
    });
    const emptied = `/teams/${teamId}/audit?action=oncall_group.emptied`;
    const entries = await eventually(
      async () => {
        const { body } = await ada.api('GET', emptied);
        return body.entries.length > 0 ? body.entries : undefined;
      },
      () => 'the audit log does not tell that nobody is left',
    );
    expect(entries).toHaveLength(1);
  });

  it('makes one override of twenty requests with one key, and one of twenty that overlap', async () => {
    const { id } = await makeGroup('Full');
    const path = `/oncall/${id}/overrides`;
    const from = await now();
    const body = { userId: ada.id, startsAt: at(from + hourMs), endsAt: at(from + 2 * hourMs) };
    const twenty = (given: object) =>
      Promise.all(Array.from({ length: 20 }, () => ada.api('POST', path, given)));
    const keyed = await twenty({ body, headers: { 'idempotency-key': 'twenty' } });
    expect(keyed.filter(({ status }) => status === 201)).toHaveLength(1);
    const made = keyed.filter(({ status }) => status < 300).map((each) => each.body.override.id);
    expect(new Set(made).size).toBe(1);
    for (const { status, body: said } of keyed)
      if (status >= 300) expect(['CONCURRENT_UPDATE', 'IDEMPOTENCY_IN_PROGRESS']).toContain(said.code);
    const later = { ...body, startsAt: body.endsAt, endsAt: at(from + 3 * hourMs) };
    const others = (await twenty({ body: later })).map(({ status }) => status);
    expect(others.filter((status) => status === 201)).toHaveLength(1);
    expect(others.filter((status) => status === 409)).toHaveLength(19);
    expect((await ada.api('GET', `/oncall/${id}`)).body.overrides).toHaveLength(2);
  });
});
