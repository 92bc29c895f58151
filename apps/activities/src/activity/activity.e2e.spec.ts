import { type House, type HouseAccount, type HouseAnswer, listen, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
  // How phones show activities is tested elsewhere.
  house.ignorePushes();
}, 120_000);
afterAll(() => house?.close(), 90_000);

const build = { props: { title: 'Build' } };
interface Who {
  readonly person: HouseAccount;
  readonly deviceIds: readonly [string, string];
}
/** An account with an iPhone and an Android phone that can show live activities. */
const someone = async (): Promise<Who> => {
  const person = await house.anotherAccount();
  const ios = await person.addPhone('ios', { liveActivities: true });
  const android = await person.addPhone('android');
  return { person, deviceIds: [ios.deviceId, android.deviceId] };
};
const start = (person: HouseAccount, more: object = {}, headers: Record<string, string> = {}) =>
  person.api('POST', '/activities', { body: { ...build, ...more }, headers });
const patch = (
  person: HouseAccount,
  identifier: string,
  body: object = { props: { progress: 0.5 } },
  headers: Record<string, string> = {},
) => person.api('PATCH', `/activities/${identifier}`, { body, headers });
const finish = (
  person: HouseAccount,
  identifier: string,
  body: object = {},
  headers: Record<string, string> = {},
) => person.api('POST', `/activities/${identifier}/end`, { body, headers });
const read = (person: HouseAccount, identifier: string) => person.api('GET', `/activities/${identifier}`);
const list = async (person: HouseAccount, query = '') =>
  (await person.api('GET', `/activities${query}`)).body as {
    activities: { id: string; status: string }[];
    nextCursor: string | null;
  };
const says = (answer: HouseAnswer, status: number, code: string, more: object = {}) =>
  expect(answer).toMatchObject({ status, body: { code, ...more } });
const key = (text: string) => ({ 'idempotency-key': text });
const missing = 'act_0123456789abcdefghjkmnpqrs';
const tokenOf = async (person: HouseAccount, scopes: readonly string[]): Promise<string> =>
  (await person.session('POST', '/tokens', { body: { name: 'other', scopes } })).body.secret;

describe('an activity', () => {
  it('is started with a key, changed twenty times and ended', async () => {
    const { person } = await someone();
    const started = await start(person, {
      key: 'build',
      props: { title: ' Build ', status: 'Queued', layout: 'ring', progress: 0, accentColor: '#1f883D' },
      expiresInSeconds: 3_600,
    });
    expect(started.status).toBe(201);
    const { activity, ...counts } = started.body;
    expect(counts).toMatchObject({ failed: 0, apnsPriority: 10, priorityReason: 'start' });
    expect(counts.accepted + counts.queued).toBe(2);
    expect(counts).not.toHaveProperty('idempotent');
    expect(counts).not.toHaveProperty('message');
    expect(started.headers.get('ratelimit-policy')).toContain('"account"');
    expect(activity).toMatchObject({
      id: expect.stringMatching(/^act_[0-9a-z]{26}$/),
      key: 'build',
      sequence: 1,
      endedAt: null,
      updatedAt: activity.createdAt,
    });
    expect(activity.props).toEqual({
      title: 'Build',
      subtitle: null,
      status: 'Queued',
      detail: null,
      progress: 0,
      layout: 'ring',
      state: 'running',
      icon: null,
      accentColor: '#1f883D',
      steps: null,
      lines: null,
      startedAt: null,
      endsAt: null,
      imageUrl: null,
      url: null,
    });
    expect(Date.parse(activity.expiresAt) - Date.parse(activity.createdAt)).toBe(3_600_000);

    for (let step = 1; step <= 20; step += 1) {
      const changed = await patch(person, step % 2 ? 'build' : activity.id, {
        props: { progress: step / 20 },
      });
      expect(changed).toMatchObject({
        status: 200,
        body: {
          activity: { id: activity.id, sequence: step + 1, props: { progress: step / 20, status: 'Queued' } },
          apnsPriority: 5,
          priorityReason: 'routine',
        },
      });
    }
    expect((await read(person, 'build')).body.activity).toMatchObject({
      sequence: 21,
      props: { progress: 1 },
    });

    const ended = await finish(person, 'build', { props: { status: 'Done', state: 'success' } });
    expect(ended.headers.get('ratelimit-policy')).toContain('"account"');
    expect(ended).toMatchObject({
      status: 200,
      body: {
        activity: { status: 'ended', sequence: 22, props: { status: 'Done', state: 'success', progress: 1 } },
        apnsPriority: 10,
        priorityReason: 'end',
      },
    });
    expect(ended.body.activity.endedAt).toBe(ended.body.activity.updatedAt);
    expect(await finish(person, 'build', { dismissAfterSeconds: 0 })).toMatchObject({
      status: 200,
      body: {
        idempotent: true,
        accepted: 0,
        failed: 0,
        queued: 0,
        activity: { status: 'ended', sequence: 22 },
      },
    });
    says(await patch(person, 'build'), 409, 'ACTIVITY_NOT_RUNNING', { status: 'ended' });
    says(await patch(person, activity.id), 409, 'ACTIVITY_NOT_RUNNING', { status: 'ended' });
  });

  it('is refused on a phone that shows five, with the code and the limit; an ended activity frees capacity', async () => {
    const { person, deviceIds } = await someone();
    const [ios, android] = deviceIds;
    const five = [];
    for (let count = 0; count < 5; count += 1)
      five.push((await start(person, { deviceIds: [ios] })).body.activity.id as string);
    const before = (await list(person)).activities.length;
    says(await start(person), 422, 'ACTIVITY_CAPACITY_EXCEEDED', { limit: 5, deviceIds: [ios] });
    says(await start(person, { deviceIds: [ios, android] }), 422, 'ACTIVITY_CAPACITY_EXCEEDED', {
      deviceIds: [ios],
    });
    expect((await list(person)).activities).toHaveLength(before);
    expect((await start(person, { deviceIds: [android] })).status).toBe(201);
    await finish(person, five[2]!);
    expect((await start(person)).status).toBe(201);
    says(await start(person, { deviceIds: [ios] }), 422, 'ACTIVITY_CAPACITY_EXCEEDED');
  });

  it('shares the capacity of a phone with prompts shown as activities', async () => {
    const { person, deviceIds } = await someone();
    for (let count = 0; count < 4; count += 1) await start(person, { deviceIds: [deviceIds[0]] });
    const ask = () =>
      person.api('POST', '/interactions', {
        body: { kind: 'approval', title: 'Deploy?', prompt: 'Now?', presentation: 'live_activity' },
      });
    const asked = await ask();
    expect(asked).toMatchObject({ status: 201, body: { accepted: 0, queued: 2 } });
    const { liveActivityId, interaction } = asked.body;
    says(await start(person), 422, 'ACTIVITY_CAPACITY_EXCEEDED', { deviceIds: [deviceIds[0]] });
    says(await ask(), 422, 'ACTIVITY_CAPACITY_EXCEEDED', { limit: 5 });
    const shown = await eventuallyRead(person, liveActivityId, 200);
    expect(shown.body.activity).toMatchObject({
      key: null,
      expiresAt: interaction.expiresAt,
      props: { title: 'Deploy?', detail: 'Now?', interaction: { id: interaction.id, kind: 'approval' } },
    });
    expect(await patch(person, liveActivityId, { props: { status: 'Waiting' } })).toMatchObject({
      status: 200,
      body: { apnsPriority: 10, priorityReason: 'interaction' },
    });
    await person.api('POST', `/interactions/${interaction.id}/cancel`);
    await eventuallyIs(person, liveActivityId, 'ended');
    await eventuallyStarts(person);
  });

  it('is replaced under its key, which conflicts until then', async () => {
    const { person } = await someone();
    const first = (await start(person, { key: 'build' })).body.activity.id;
    says(await start(person, { key: 'build' }), 409, 'ACTIVITY_KEY_CONFLICT', { activityId: first });
    expect((await start(person, { key: 'deploy' })).status).toBe(201);
    const second = await start(person, { key: 'build', replace: true });
    expect(second).toMatchObject({
      status: 201,
      body: { replaced: 2, activity: { key: 'build', sequence: 1 } },
    });
    expect((await read(person, first)).body.activity.status).toBe('ended');
    expect((await read(person, 'build')).body.activity.id).toBe(second.body.activity.id);
    const third = await start(person, { key: 'other', replace: true });
    expect(third.status).toBe(201);
    expect(third.body).not.toHaveProperty('replaced');
    says(await start(person, { replace: true }), 400, 'VALIDATION_FAILED', {
      issues: [{ path: 'replace', message: 'needs a key', code: 'invalid_value' }],
    });
  });

  it('expires at its deadline, whatever is requested then', async () => {
    const { person } = await someone();
    const { id, expiresAt } = (await start(person, { key: 'build', expiresInSeconds: 60 })).body.activity;
    await house.advance(61);
    expect((await read(person, 'build')).body.activity).toMatchObject({ id, status: 'expired', expiresAt });
    says(await patch(person, 'build'), 409, 'ACTIVITY_NOT_RUNNING', { status: 'expired' });
    expect(await finish(person, id)).toMatchObject({
      status: 200,
      body: { idempotent: true, activity: { status: 'expired' } },
    });
    const { activities } = await list(person, '?status=expired');
    expect(activities.map((activity) => activity.id)).toEqual([id]);
    expect((await start(person, { key: 'build' })).status).toBe(201);
  });

  it('has four granted milestones a minute', async () => {
    const { person } = await someone();
    const { id } = (await start(person)).body.activity;
    const high = { props: { progress: 0.1 }, priority: 'high' };
    const reasons = [];
    for (let count = 0; count < 6; count += 1) reasons.push((await patch(person, id, high)).body);
    expect(reasons.map(({ apnsPriority, priorityReason }) => [apnsPriority, priorityReason])).toEqual([
      ...Array(4).fill([10, 'milestone']),
      ...Array(2).fill([5, 'budget_exhausted']),
    ]);
    await house.advance(60);
    expect((await patch(person, id, high)).body).toMatchObject({ priorityReason: 'milestone' });
  });

  it('reports which of its texts phones may cut', async () => {
    const { person } = await someone();
    const started = await start(person, { props: { title: 'x'.repeat(33), status: 'Deploying' } });
    expect(started.body.message).toBe(
      'Phones may cut some text: title expanded (33 characters, space for about 32), ' +
        'status in the compact view (9 characters, space for about 8).',
    );
    const { id } = started.body.activity;
    expect((await patch(person, id, { props: { title: 'Short', progress: 0.5 } })).body).not.toHaveProperty(
      'message',
    );
  });
});

/** The process that follows prompts does so with a short delay. */
async function eventually<Result>(look: () => Promise<Result | undefined>, what: string): Promise<Result> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come`);
}
const eventuallyRead = (person: HouseAccount, id: string, status: number) =>
  eventually(async () => {
    const answer = await read(person, id);
    return answer.status === status ? answer : undefined;
  }, `${id} with ${status}`);
const eventuallyIs = (person: HouseAccount, id: string, status: string) =>
  eventually(
    async () => ((await read(person, id)).body.activity?.status === status ? true : undefined),
    `${id} ${status}`,
  );
const eventuallyStarts = (person: HouseAccount) =>
  eventually(async () => ((await start(person)).status === 201 ? true : undefined), 'capacity');

describe('an idempotency key', () => {
  it('starts once, and gives the first answer again', async () => {
    const { person } = await someone();
    const first = await start(person, { key: 'build' }, key('k1'));
    expect(first.status).toBe(201);
    const again = await start(person, { key: 'build' }, key('k1'));
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toMatchObject({ ...counts(first), idempotent: true });
    expect(again.body.activity.id).toBe(first.body.activity.id);
    says(await start(person, { key: 'other' }, key('k1')), 422, 'IDEMPOTENCY_KEY_REUSED');
    expect((await start(person, { key: 'other' }, key('k2'))).status).toBe(201);
    expect((await list(person)).activities).toHaveLength(2);
    await finish(person, 'build');
    expect(await start(person, { key: 'build' }, key('k1'))).toMatchObject({
      status: 200,
      body: { idempotent: true, activity: { status: 'ended' } },
    });
  });

  it('is free after a refusal, and again a day later', async () => {
    const { person } = await someone();
    const first = (await start(person, { key: 'build' })).body.activity.id;
    says(await start(person, { key: 'build' }, key('k')), 409, 'ACTIVITY_KEY_CONFLICT');
    await finish(person, first);
    const second = await start(person, { key: 'build' }, key('k'));
    expect(second.status).toBe(201);
    await house.advance(24 * 60 * 60 + 1);
    const third = await start(person, { key: 'build' }, key('k'));
    expect(third.status).toBe(201);
    expect(third.body.activity.id).not.toBe(second.body.activity.id);
  });

  it('changes and ends once, even for many concurrent requests', async () => {
    const { person } = await someone();
    const { id } = (await start(person, { key: 'build' })).body.activity;
    const change = { props: { progress: 0.7 }, priority: 'high' };
    const all = await Promise.all(Array.from({ length: 6 }, () => patch(person, 'build', change, key('k'))));
    for (const { status } of all) expect([200, 409]).toContain(status);
    const first = all.find(({ status, body }) => status === 200 && !body.idempotent)!;
    expect(first.body).toMatchObject({ priorityReason: 'milestone' });
    await patch(person, 'build');
    const again = await patch(person, 'build', change, key('k'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toMatchObject({ ...counts(first), idempotent: true, activity: { sequence: 3 } });
    says(await patch(person, 'build', { props: { progress: 0.8 } }, key('k')), 422, 'IDEMPOTENCY_KEY_REUSED');
    says(await patch(person, id, change, key('k')), 422, 'IDEMPOTENCY_KEY_REUSED');

    const ended = await finish(person, 'build', {}, key('k'));
    expect(ended).toMatchObject({ status: 200, body: { priorityReason: 'end', activity: { sequence: 4 } } });
    expect((await finish(person, 'build', {}, key('k'))).body).toMatchObject({
      ...counts(ended),
      idempotent: true,
    });
    says(await finish(person, 'build', { dismissAfterSeconds: 1 }, key('k')), 422, 'IDEMPOTENCY_KEY_REUSED');
    says(await patch(person, 'build', change, key('two words')), 400, 'INVALID_IDEMPOTENCY_KEY');
  });
});

const counts = ({ body }: HouseAnswer) => {
  const { accepted, failed, queued, superseded, apnsPriority, priorityReason } = body;
  return { accepted, failed, queued, apnsPriority, priorityReason, ...(superseded && { superseded }) };
};

describe('an unauthorized caller', () => {
  it('sees no activities of other accounts or tokens', async () => {
    const { person } = await someone();
    const { id } = (await start(person, { key: 'build' })).body.activity;
    const { person: other } = await someone();
    const secret = await tokenOf(person, ['activities:read', 'activities:write']);
    for (const ask of [
      (path: string, method: string, body?: object) => other.api(method, path, { body }),
      (path: string, method: string, body?: object) => person.api(method, path, { body, token: secret }),
    ]) {
      for (const identifier of [id, 'build', missing]) {
        says(await ask(`/activities/${identifier}`, 'GET'), 404, 'NOT_FOUND');
        says(await ask(`/activities/${identifier}`, 'PATCH', { props: { progress: 1 } }), 404, 'NOT_FOUND');
        says(await ask(`/activities/${identifier}/end`, 'POST', {}), 404, 'NOT_FOUND');
      }
      expect((await ask('/activities', 'GET')).body).toEqual({ activities: [], nextCursor: null });
      // Keys belong to their token.
      expect((await ask('/activities', 'POST', { ...build, key: 'build' })).status).toBe(201);
      expect((await ask('/activities/build', 'GET')).body.activity.id).not.toBe(id);
    }
    expect((await read(person, 'build')).body.activity).toMatchObject({ id, status: expect.any(String) });
    says(await start(other, { deviceIds: [(await someone()).deviceIds[0]] }), 404, 'DEVICE_NOT_FOUND');
  });

  it('is told nothing else without the scope', async () => {
    const { person } = await someone();
    const reading = await tokenOf(person, ['activities:read']);
    const writing = await tokenOf(person, ['activities:write']);
    const ask = (token: string, method: string, path: string, body?: object) =>
      person.api(method, path, { token, body });
    for (const [method, path] of [
      ['POST', '/activities'],
      ['PATCH', `/activities/${missing}`],
      ['POST', `/activities/${missing}/end`],
    ] as const)
      says(await ask(reading, method, path, { nonsense: 1 }), 403, 'INSUFFICIENT_SCOPE', {
        required: ['activities:write'],
      });
    for (const path of ['/activities', `/activities/${missing}`])
      says(await ask(writing, 'GET', path), 403, 'INSUFFICIENT_SCOPE', { required: ['activities:read'] });
    expect((await ask(writing, 'POST', '/activities', build)).status).toBe(201);
    expect((await ask(reading, 'GET', '/activities')).status).toBe(200);
  });
});

describe('a device', () => {
  it('must be able to show activities', async () => {
    const person = await house.anotherAccount();
    says(await start(person), 422, 'NO_ELIGIBLE_DEVICES');
    const old = await person.addPhone('ios', { liveActivities: false });
    says(await start(person), 422, 'NO_ELIGIBLE_DEVICES');
    says(await start(person, { deviceIds: [old.deviceId] }), 422, 'NO_ELIGIBLE_DEVICES');
    expect((await list(person)).activities).toEqual([]);
    const android = await person.addPhone('android');
    const started = await start(person, { deviceIds: [old.deviceId, android.deviceId] });
    expect(started.body.accepted + started.body.queued).toBe(1);
    says(await start(person, { deviceIds: ['dev_0123456789abcdefghjkmnpqrs'] }), 404, 'DEVICE_NOT_FOUND');
    says(await start(person, { deviceGroupId: 'dgr_1' }), 404, 'DEVICE_GROUP_NOT_FOUND');
  });
});

describe('a list', () => {
  it('has the token’s activities, newest first, by status and key, in pages', async () => {
    const { person } = await someone();
    expect(await list(person)).toEqual({ activities: [], nextCursor: null });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.unshift((await start(person, { key: `n${index}` })).body.activity.id);
      await house.advance(1);
    }
    await finish(person, 'n1');
    const idsOf = async (query: string) => (await list(person, query)).activities.map(({ id }) => id);
    expect(await idsOf('')).toEqual(ids);
    expect(await idsOf('?status=ended')).toEqual([ids[3]]);
    expect(await idsOf('?status=ended&status=expired&status=failed')).toEqual([ids[3]]);
    expect((await idsOf('?status=starting&status=active&status=partial')).length).toBe(4);
    expect(await idsOf('?key=n4')).toEqual([ids[0]]);
    expect(await idsOf('?key=none')).toEqual([]);
    expect((await list(person, '?limit=5')).nextCursor).toBeNull();
    const page = await list(person, '?limit=4');
    expect(page.activities.map(({ id }) => id)).toEqual(ids.slice(0, 4));
    expect(await list(person, `?limit=4&cursor=${page.nextCursor}`)).toMatchObject({
      activities: [{ id: ids[4] }],
      nextCursor: null,
    });
    says(await person.api('GET', `/activities?cursor=${page.nextCursor}&key=n1`), 400, 'INVALID_CURSOR');
    const { person: other } = await someone();
    says(await other.api('GET', `/activities?cursor=${page.nextCursor}`), 400, 'INVALID_CURSOR');
    for (const query of ['status=running', 'limit=0', 'limit=101', 'key=-', 'cursor=x'])
      expect((await person.api('GET', `/activities?${query}`)).status).toBe(400);
    await house.advance(31 * 24 * 60 * 60);
    expect(await idsOf('')).toEqual([]);
    expect((await read(person, ids[3]!)).body.activity.status).toBe('ended');
  });
});

const longest = 'x'.repeat(2_048 - 'https://a.test/'.length);

describe('the props of an activity', () => {
  const good: [string, object][] = [
    ['the longest texts', { title: 'x'.repeat(100), subtitle: 'x'.repeat(100), status: 'x'.repeat(40) }],
    ['the longest detail, with lines', { title: 'a', detail: `a\nb\t${'x'.repeat(236)}` }],
    ['progress from end to end', { title: 'a', progress: 1 }],
    ['a symbol', { title: 'a', icon: 'bell.fill' }],
    ['an emoji', { title: 'a', icon: '👨‍👩‍👧' }],
    [
      'twelve steps',
      {
        title: 'a',
        layout: 'steps',
        steps: Array(12).fill({ label: 'x'.repeat(32), state: 'pending' }),
      },
    ],
    ['six lines', { title: 'a', layout: 'terminal', lines: [...Array(5).fill('x'.repeat(80)), ''] }],
    ['times', { title: 'a', startedAt: '2026-01-01T00:00:00+02:00', endsAt: '2026-01-01T00:00:00Z' }],
    ['an app address', { title: 'a', url: 'slack://channel' }],
    ['the longest link', { title: 'a', imageUrl: `https://a.test/${longest}` }],
    [
      'nothing but nulls',
      {
        title: 'a',
        subtitle: null,
        status: null,
        detail: null,
        progress: null,
        state: null,
        icon: null,
        accentColor: null,
        steps: null,
        lines: null,
        startedAt: null,
        endsAt: null,
        imageUrl: null,
        url: null,
      },
    ],
  ];
  it.each(good)('may be %s', async (_, props) => {
    const { person } = await someone();
    const started = await start(person, { props });
    expect(started.body).toHaveProperty('activity.id');
    const stored = started.body.activity.props;
    // Stored props can be sent again unchanged.
    expect((await patch(person, started.body.activity.id, { props: stored })).body.activity.props).toEqual(
      stored,
    );
  });
});

describe('bad input', () => {
  const bad: [string, unknown, string][] = [
    ['no title', {}, 'props.title'],
    ['an empty title', { title: ' ' }, 'props.title'],
    ['a title that is too long', { title: 'x'.repeat(101) }, 'props.title'],
    ['a title of two lines', { title: 'a\nb' }, 'props.title'],
    ['a title that is null', { title: null }, 'props.title'],
    ['a subtitle that is too long', { title: 'a', subtitle: 'x'.repeat(101) }, 'props.subtitle'],
    ['a status that is too long', { title: 'a', status: 'x'.repeat(41) }, 'props.status'],
    ['a detail that is too long', { title: 'a', detail: 'x'.repeat(241) }, 'props.detail'],
    ['a detail that steers', { title: 'a', detail: 'a\u001b[31m' }, 'props.detail'],
    ['percent', { title: 'a', progress: 50 }, 'props.progress'],
    ['negative progress', { title: 'a', progress: -0.01 }, 'props.progress'],
    ['progress as text', { title: 'a', progress: '0.5' }, 'props.progress'],
    ['an unknown layout', { title: 'a', layout: 'banner' }, 'props.layout'],
    ['a layout that is null', { title: 'a', layout: null }, 'props.layout'],
    ['an unknown state', { title: 'a', state: 'done' }, 'props.state'],
    ['two emoji', { title: 'a', icon: '🔔🔔' }, 'props.icon'],
    ['an icon in capitals', { title: 'a', icon: 'Bell' }, 'props.icon'],
    ['an icon that is too long', { title: 'a', icon: 'x'.repeat(65) }, 'props.icon'],
    ['a colour by name', { title: 'a', accentColor: 'red' }, 'props.accentColor'],
    ['a short colour', { title: 'a', accentColor: '#fff' }, 'props.accentColor'],
    ['steps without their layout', { title: 'a', steps: [{ label: 'a', state: 'done' }] }, 'props.steps'],
    [
      'thirteen steps',
      { title: 'a', layout: 'steps', steps: Array(13).fill({ label: 'a', state: 'done' }) },
      'props.steps',
    ],
    [
      'a step without a label',
      { title: 'a', layout: 'steps', steps: [{ state: 'done' }] },
      'props.steps.0.label',
    ],
    [
      'a step with more',
      { title: 'a', layout: 'steps', steps: [{ label: 'a', state: 'done', x: 1 }] },
      'props.steps.0.x',
    ],
    ['lines without a terminal', { title: 'a', lines: ['a'] }, 'props.lines'],
    ['seven lines', { title: 'a', layout: 'terminal', lines: Array(7).fill('a') }, 'props.lines'],
    ['a line that is too long', { title: 'a', layout: 'terminal', lines: ['x'.repeat(81)] }, 'props.lines.0'],
    ['a line that steers', { title: 'a', layout: 'terminal', lines: ['\u009b31m'] }, 'props.lines.0'],
    ['a date of no calendar', { title: 'a', startedAt: '2026-02-30T00:00:00Z' }, 'props.startedAt'],
    [
      'an end before the beginning',
      { title: 'a', startedAt: '2026-01-02T00:00:00Z', endsAt: '2026-01-01T00:00:00Z' },
      'props.endsAt',
    ],
    ['a picture over http', { title: 'a', imageUrl: 'http://a.test/b.png' }, 'props.imageUrl'],
    ['a script as a link', { title: 'a', url: 'javascript:alert(1)' }, 'props.url'],
    ['a link that is too long', { title: 'a', url: `https://a.test/${longest}x` }, 'props.url'],
    ['a prompt of its own', { title: 'a', interaction: { id: 'int_1' } }, 'props.interaction'],
    ['its prototype', JSON.parse('{"title":"a","__proto__":{"x":1}}'), 'props.__proto__'],
    ['a list of props', [], 'props'],
    ['no props', null, 'props'],
  ];
  it('is refused with its path, and nothing is stored', async () => {
    const { person } = await someone();
    const refused: [object, string][] = [
      ...bad.map(([, props, path]): [object, string] => [{ props }, path]),
      [{ key: '' }, 'key'],
      [{ key: 'x'.repeat(65) }, 'key'],
      [{ key: '.build' }, 'key'],
      [{ key: null }, 'key'],
      [{ replace: 'true', key: 'a' }, 'replace'],
      [{ expiresInSeconds: 59 }, 'expiresInSeconds'],
      [{ expiresInSeconds: 28_801 }, 'expiresInSeconds'],
      [{ expiresInSeconds: 60.5 }, 'expiresInSeconds'],
      [{ deviceIds: [] }, 'deviceIds'],
      [{ deviceIds: Array.from({ length: 21 }, (_, index) => `dev_${index}`) }, 'deviceIds'],
      [{ deviceIds: ['dev_1', 'dev_1'] }, 'deviceIds.1'],
      [{ deviceIds: ['dev_1'], deviceGroupId: 'dgr_1' }, 'deviceGroupId'],
      [{ priority: 'high' }, 'priority'],
    ];
    for (const [body, path] of refused) {
      const answer = await start(person, body);
      says(answer, 400, 'VALIDATION_FAILED');
      expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    }
    expect((await list(person)).activities).toEqual([]);
  });

  it('is refused in changes and ends as well', async () => {
    const { person } = await someone();
    const { id } = (await start(person, { key: 'build' })).body.activity;
    for (const props of [
      ...bad
        .filter(([name]) => name !== 'no title' && name !== 'a layout that is null')
        .map(([, each]) => each),
    ]) {
      says(await patch(person, id, { props }), 400, 'VALIDATION_FAILED');
      says(await finish(person, id, { props }), 400, 'VALIDATION_FAILED');
    }
    for (const body of [{}, { props: {} }, { priority: 'high' }, { priority: 'high', props: {} }])
      says(await patch(person, id, body), 400, 'EMPTY_UPDATE');
    says(await patch(person, id, { props: { progress: 1 }, priority: 'low' }), 400, 'VALIDATION_FAILED');
    says(await patch(person, id, { props: { progress: 1 }, key: 'x' }), 400, 'VALIDATION_FAILED');
    says(await patch(person, id, { props: { progress: 1 }, identifier: 'x' }), 400, 'VALIDATION_FAILED');
    for (const dismissAfterSeconds of [-1, 14_401, 1.5, '0', null])
      says(await finish(person, id, { dismissAfterSeconds }), 400, 'VALIDATION_FAILED');
    for (const path of ['%20', 'a%2Fb', 'x'.repeat(201)]) says(await read(person, path), 400, 'INVALID_ID');
    expect((await read(person, id)).body.activity).toMatchObject({ sequence: 1 });
    expect(await finish(person, id, { dismissAfterSeconds: 14_400 })).toMatchObject({ status: 200 });
  });

  it('is refused when the props together are too large', async () => {
    const { person } = await someone();
    const half = `https://a.test/${'x'.repeat(1_500)}`;
    says(await start(person, { props: { title: 'a', url: half, imageUrl: half } }), 422, 'PROPS_TOO_LARGE', {
      limit: 3072,
    });
    const { id } = (await start(person, { props: { title: 'a', url: half } })).body.activity;
    says(await patch(person, id, { props: { imageUrl: half } }), 422, 'PROPS_TOO_LARGE');
    says(await finish(person, id, { props: { imageUrl: half } }), 422, 'PROPS_TOO_LARGE');
    expect((await read(person, id)).body.activity).toMatchObject({ sequence: 1, endedAt: null });
  });
});

it('an activity appears on a person’s stream, in the feed, and in the list of the whole account', async () => {
  const { person } = await someone();
  const stream = await listen(`${house.state.baseUrl}/api/session/stream`, {
    authorization: `Bearer ${await person.signIn()}`,
  });
  await eventually(async () => stream.lastId || undefined, 'the stream');
  const { id } = (await start(person, { key: 'build' })).body.activity;
  const secret = await tokenOf(person, ['activities:write']);
  const other = (await person.api('POST', '/activities', { body: build, token: secret })).body.activity.id;
  await patch(person, 'build');
  await finish(person, 'build', { props: { title: 'Built' } });
  const kinds = () =>
    stream.told
      .filter(({ event, data }) => event === 'activities.changed' && data.activityId === id)
      .map(({ data }) => data.kind as string);
  await eventually(async () => (kinds().includes('ended') ? true : undefined), 'the end on the stream');
  expect(kinds()[0]).toBe('started');
  expect(kinds().slice(1, -1)).toEqual(
    kinds()
      .slice(1, -1)
      .map(() => 'updated'),
  );
  await stream.leave();

  const { activities } = (await person.session('GET', '/activities')).body;
  expect(activities.map((activity: { id: string }) => activity.id)).toEqual([other, id]);
  expect((await person.session('GET', '/activities?status=ended')).body.activities).toMatchObject([{ id }]);
  const feed = (await person.api('GET', '/activity-feed?kind=live_activity')).body;
  expect(feed).toMatchObject({
    total: 3,
    items: [
      { kind: 'live_activity', title: 'Built', result: 'ended' },
      { title: 'Build', result: 'started', sourceName: 'other' },
      { title: 'Build', result: 'started' },
    ],
  });
});
