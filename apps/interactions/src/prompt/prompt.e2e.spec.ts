import { eventually, type House, type HouseAccount, type HouseAnswer, startHouse } from '@carillon/testkit';
import { createHash } from 'node:crypto';

let house: House;
let person: HouseAccount;
let other: HouseAccount;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
  person = await house.anotherAccount();
  other = await house.anotherAccount();
}, 120_000);
afterAll(() => house?.close(), 90_000);

const deploy = { title: 'Deploy', prompt: 'Ship 1.2 to production?', kind: 'approval' };
const reply = { title: 'Release notes', prompt: 'What shall they say?', kind: 'reply' };
const ask = (body: object = deploy, headers: Record<string, string> = {}, by = person) =>
  by.api('POST', '/interactions', { body, headers });
const asked = async (body: object = {}, by = person) => {
  const answer = await ask({ ...deploy, ...body }, {}, by);
  expect(answer.status).toBe(201);
  return answer.body.interaction as { id: string; actionDigest: string; expiresAt: string };
};
const respond = (
  { id, actionDigest }: { id: string; actionDigest: string },
  answer: string,
  more: object = {},
  by = person,
) => by.session('POST', `/prompts/${id}/answer`, { body: { answer, actionDigest, ...more } });
const read = async (id: string, by = person) => (await by.api('GET', `/interactions/${id}`)).body.interaction;
const cancel = (id: string, by = person) => by.api('POST', `/interactions/${id}/cancel`);
const tokenOf = async (by: HouseAccount, scopes: string[]): Promise<string> =>
  (await by.session('POST', '/tokens', { body: { name: 'Another', scopes } })).body.secret;
const nobody = '00000000000000000000000000';
const problem = (status: number, code: string, more: object = {}) => ({ status, body: { code, ...more } });

const noNames = { respondingUserName: null, respondingDeviceName: null };

describe('a prompt', () => {
  it('is asked, returned to the asking token, and pending', async () => {
    const { status, body } = await ask({
      ...deploy,
      url: 'https://ci.test/1',
      imageUrl: 'https://ci.test/1.png',
      primaryLabel: 'Ship',
      secondaryLabel: 'Wait',
      expiresInSeconds: 60,
      projectId: 'web',
      projectName: 'Web shop',
    });
    expect(status).toBe(201);
    const { interaction, ...rest } = body;
    expect(rest).toEqual({
      accepted: 0,
      message: 'No active device. The prompt can be answered in the app or the console.',
    });
    expect(interaction).toEqual({
      ...deploy,
      id: expect.stringMatching(/^int_[0-9a-z]{26}$/),
      presentation: 'notification',
      status: 'pending',
      choices: ['approve', 'deny'],
      response: null,
      url: 'https://ci.test/1',
      imageUrl: 'https://ci.test/1.png',
      primaryLabel: 'Ship',
      secondaryLabel: 'Wait',
      actionDigest: `sha256:${createHash('sha256')
        .update(
          '{"choices":["approve","deny"],"imageUrl":"https://ci.test/1.png","kind":"approval","primaryLabel":"Ship",' +
            '"prompt":"Ship 1.2 to production?","secondaryLabel":"Wait","title":"Deploy","url":"https://ci.test/1"}',
        )
        .digest('hex')}`,
      accepted: 0,
      respondingDeviceId: null,
      respondingUserId: null,
      expiresAt: new Date(Date.parse(interaction.createdAt) + 60_000).toISOString(),
      createdAt: expect.any(String),
      respondedAt: null,
      canceledAt: null,
    });
    expect(await read(interaction.id)).toEqual(interaction);
    expect((await person.session('GET', `/prompts/${interaction.id}`)).body.interaction).toEqual({
      ...interaction,
      ...noNames,
      sourceName: 'Tests',
      sourceImageUrl: null,
      projectId: 'web',
    });
  });

  it('is asked in the name of a service', async () => {
    const imageUrl = 'https://ci.test/logo.png';
    const { service } = (await person.api('POST', '/services', { body: { title: 'CI', imageUrl } })).body;
    const { id } = await asked({ serviceId: service.id });
    expect((await person.session('GET', `/prompts/${id}`)).body.interaction).toMatchObject({
      sourceName: 'CI',
      sourceImageUrl: imageUrl,
      projectId: null,
    });
  });

  it('expires after an hour by default, or at the requested time', async () => {
    const one = await read((await asked()).id);
    expect(Date.parse(one.expiresAt) - Date.parse(one.createdAt)).toBe(3_600_000);
    const at = new Date(Date.parse(one.createdAt) + 7_200_000).toISOString();
    expect((await asked({ expiresAt: at.replace('Z', '+00:00') })).expiresAt).toBe(at);
  });

  it.each([
    ['SERVICE_NOT_FOUND', { serviceId: `svc_${nobody}` }],
    ['SERVICE_NOT_FOUND', { serviceId: 'nonsense' }],
    ['WEBHOOK_NOT_FOUND', { webhookId: `whk_${nobody}` }],
    ['DEVICE_NOT_FOUND', { deviceIds: [`dev_${nobody}`] }],
    ['DEVICE_GROUP_NOT_FOUND', { deviceGroupId: `dgr_${nobody}` }],
  ])('is not asked for what is not there: %s', async (code, more) => {
    const before = (await person.api('GET', '/interactions')).body;
    expect(await ask({ ...deploy, ...more })).toMatchObject(problem(404, code));
    expect((await person.api('GET', '/interactions')).body).toEqual(before);
  });

  it("is not asked for what is another account's", async () => {
    const { service } = (await other.api('POST', '/services', { body: { title: 'Theirs' } })).body;
    expect(await ask({ ...deploy, serviceId: service.id })).toMatchObject(problem(404, 'SERVICE_NOT_FOUND'));
    const theirs = house.phones.ios.deviceId;
    expect(await ask({ ...deploy, deviceIds: [theirs] })).toMatchObject(problem(404, 'DEVICE_NOT_FOUND'));
    // The same with the account that has them is another matter.
    const mine = await house.api('POST', '/interactions', { body: { ...deploy, deviceIds: [theirs] } });
    expect(mine).toMatchObject({ status: 201, body: { accepted: 1 } });
    expect(await read(mine.body.interaction.id, house.owner)).toMatchObject({ accepted: 1 });
    await cancel(mine.body.interaction.id, house.owner);
    await house.expectPushes(house.phones.ios, 2);
  });
});

describe('the input of a prompt', () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const wide = '🔔';
  it.each<[string, object]>([
    ['the shortest title', { title: 'x' }],
    ['the longest title', { title: wide.repeat(120) }],
    ['the shortest question', { prompt: 'x' }],
    ['the longest question, in lines', { prompt: `${'\n\t'}${wide.repeat(3990)}\nend` }],
    ['yes or no', { kind: 'yes_no' }],
    ['a reply', { kind: 'reply' }],
    ['a reply without choices', { kind: 'reply', choices: [] }],
    ['a reply with six choices', { kind: 'reply', choices: ['a', 'b', 'c', 'd', 'e', wide.repeat(60)] }],
    ['the longest labels', { primaryLabel: wide.repeat(24), secondaryLabel: wide.repeat(24) }],
    ['one label', { secondaryLabel: 'x' }],
    ['no picture and no link', { imageUrl: null, url: null, projectId: null }],
    ['a link into an app', { url: 'myapp://open/1' }],
    ['the longest link', { url: `https://a.test/${'x'.repeat(2033)}` }],
    ['the shortest time', { expiresInSeconds: 30 }],
    ['the longest time', { expiresInSeconds: 604_800 }],
    ['a moment', { expiresAt: inMinutes(30) }],
    ['a project', { projectId: 'x'.repeat(64), projectName: wide.repeat(80) }],
  ])('%s', async (_, more) => {
    const answer = await ask({ ...deploy, ...more });
    expect(answer.status).toBe(201);
    for (const [name, value] of Object.entries(more))
      if (['title', 'kind', 'choices', 'primaryLabel', 'secondaryLabel', 'imageUrl', 'url'].includes(name))
        expect(answer.body.interaction[name]).toEqual(value);
  });

  it.each<[string, object, string?]>([
    ['title', { title: '' }],
    ['title', { title: '   ' }],
    ['title', { title: wide.repeat(121) }],
    ['title', { title: 'two\nlines' }],
    ['title', { title: 1 }],
    ['title', { title: null }],
    ['title', { title: undefined }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: 'x'.repeat(4001) }],
    ['prompt', { prompt: 'a\u0007b' }],
    ['prompt', { prompt: null }],
    ['prompt', { prompt: ['x'] }],
    ['kind', { kind: 'maybe' }],
    ['kind', { kind: null }],
    ['kind', { kind: undefined }],
    ['presentation', { presentation: 'popup' }],
    ['presentation', { presentation: null }],
    ['choices', { choices: ['a'] }],
    ['choices', { kind: 'yes_no', choices: [] }],
    ['choices', { kind: 'reply', choices: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }],
    ['choices.1', { kind: 'reply', choices: ['a', ''] }],
    ['choices.0', { kind: 'reply', choices: ['x'.repeat(61)] }],
    ['choices.1', { kind: 'reply', choices: ['a', 'a'] }],
    ['choices.1', { kind: 'reply', choices: ['a', ' a '] }],
    ['choices.0', { kind: 'reply', choices: [1] }],
    ['choices', { kind: 'reply', choices: 'a' }],
    ['choices', { kind: 'reply', choices: null }],
    ['primaryLabel', { primaryLabel: '' }],
    ['primaryLabel', { primaryLabel: wide.repeat(25) }],
    ['primaryLabel', { primaryLabel: null }],
    ['primaryLabel', { kind: 'reply', primaryLabel: 'Send' }],
    ['secondaryLabel', { secondaryLabel: wide.repeat(25) }],
    ['secondaryLabel', { secondaryLabel: false }],
    ['secondaryLabel', { kind: 'reply', secondaryLabel: 'No' }],
    ['imageUrl', { imageUrl: 'http://a.test/i.png' }],
    ['imageUrl', { imageUrl: 1 }],
    ['url', { url: 'javascript:alert(1)' }],
    ['url', { url: `https://a.test/${'x'.repeat(2034)}` }],
    ['expiresInSeconds', { expiresInSeconds: 29 }],
    ['expiresInSeconds', { expiresInSeconds: 604_801 }],
    ['expiresInSeconds', { expiresInSeconds: 30.5 }],
    ['expiresInSeconds', { expiresInSeconds: '60' }],
    ['expiresInSeconds', { expiresInSeconds: null }],
    ['expiresInSeconds', { presentation: 'live_activity', expiresInSeconds: 28_801 }],
    ['expiresAt', { expiresAt: inMinutes(0.2) }],
    ['expiresAt', { expiresAt: inMinutes(-60) }],
    ['expiresAt', { expiresAt: inMinutes(7 * 24 * 60 + 30) }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['expiresAt', { expiresAt: null }],
    ['expiresAt', { expiresAt: inMinutes(5), expiresInSeconds: 300 }],
    ['serviceId', { serviceId: 'a b' }],
    ['serviceId', { serviceId: null }],
    ['webhookId', { webhookId: 7 }],
    ['projectId', { projectId: '-x' }],
    ['projectId', { projectId: 'x'.repeat(65) }],
    ['projectName', { projectName: '' }],
    ['projectName', { projectName: 'x'.repeat(81) }],
    ['deviceIds', { deviceIds: [] }],
    ['deviceIds', { deviceIds: Array.from({ length: 21 }, (_, n) => `dev_${n}`) }],
    ['deviceIds.1', { deviceIds: ['dev_1', 'dev_1'] }],
    ['deviceGroupId', { deviceIds: ['dev_1'], deviceGroupId: 'dgr_1' }],
    ['answer', { answer: 'approved' }],
    ['status', { status: 'approved' }],
    ['id', { id: 'int_1' }],
  ])('not with this %s: %j', async (path, more) => {
    const answer = await ask({ ...deploy, ...more });
    expect(answer).toMatchObject(problem(400, 'VALIDATION_FAILED'));
    expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });

  it('not with a prototype', async () => {
    const body = JSON.stringify(deploy).replace('{', '{"__proto__":{"kind":"reply"},');
    const answer = await person.api('POST', '/interactions', { body });
    expect(answer).toMatchObject(problem(400, 'VALIDATION_FAILED'));
    expect(answer.body.issues).toMatchObject([{ path: '__proto__' }]);
  });

  it.each([
    ['no object', '[]', 400, 'INVALID_JSON'],
    ['no JSON', '{"title":', 400, 'INVALID_JSON'],
    ['too much', JSON.stringify({ ...deploy, prompt: 'x'.repeat(65_536) }), 413, 'PAYLOAD_TOO_LARGE'],
  ])('not with %s', async (_, body, status, code) =>
    expect(await person.api('POST', '/interactions', { body })).toMatchObject(problem(status, code)),
  );
});

describe('access', () => {
  const calls = (id: string): [string, string, string, object?][] => [
    ['interactions:read', 'GET', '/interactions'],
    ['interactions:create', 'POST', '/interactions', deploy],
    ['interactions:read', 'GET', `/interactions/${id}`],
    ['interactions:read', 'GET', `/interactions/${id}/wait`],
    ['interactions:create', 'POST', `/interactions/${id}/cancel`],
  ];

  it('without the scope is refused, before any other check', async () => {
    const { id } = await asked();
    const token = await tokenOf(person, ['notifications:send', 'inbox:read', 'activities:write']);
    for (const [scope, method, path, body] of calls(id)) {
      const answer = await person.api(method, path, { token, ...(body && { body }) });
      expect(answer).toMatchObject(problem(403, 'INSUFFICIENT_SCOPE', { required: [scope] }));
    }
    expect(await person.api('POST', '/interactions', { token, body: 'no JSON' })).toMatchObject(
      problem(403, 'INSUFFICIENT_SCOPE'),
    );
  });

  it('without a token is refused', async () => {
    for (const [, method, path, body] of calls('int_1'))
      expect(await person.api(method, path, { token: null, ...(body && { body }) })).toMatchObject(
        problem(401, 'UNAUTHENTICATED'),
      );
  });

  it('to a prompt is for its asking token and the person; for no other token or account', async () => {
    const { id, actionDigest } = await asked();
    const token = await tokenOf(person, ['interactions:read', 'interactions:create']);
    for (const [, method, path] of calls(id).slice(2)) {
      expect(await person.api(method, path, { token })).toMatchObject(problem(404, 'NOT_FOUND'));
      expect(await other.api(method, path)).toMatchObject(problem(404, 'NOT_FOUND'));
    }
    expect(await other.session('GET', `/prompts/${id}`)).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(await other.session('POST', `/prompts/${id}/cancel`)).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(await respond({ id, actionDigest }, 'approved', {}, other)).toMatchObject(
      problem(404, 'NOT_FOUND'),
    );
    expect((await other.session('GET', '/prompts')).body).toEqual({ interactions: [], nextCursor: null });
    expect(await read(id)).toMatchObject({ status: 'pending' });
    // The list has the prompts of every source.
    const list = (await person.api('GET', '/interactions', { token })).body.interactions;
    expect(list[0]).toMatchObject({ id, sourceName: 'Tests' });
    expect((await person.session('GET', `/prompts/${id}`)).status).toBe(200);
  });

  it('to answer is for a person, and for no token', async () => {
    const prompt = await asked();
    const answer = await house.http('POST', `/api/session/prompts/${prompt.id}/answer`, {
      token: person.apiToken,
      body: { answer: 'approved', actionDigest: prompt.actionDigest },
    });
    expect(answer).toMatchObject(problem(403, 'HUMAN_SESSION_REQUIRED'));
    expect(
      await person.session('POST', `/prompts/${prompt.id}/answer`, { token: null, body: {} }),
    ).toMatchObject(problem(401, 'UNAUTHENTICATED'));
  });

  it('to answer is for a browser, unless another site caused the request', async () => {
    const prompt = await asked();
    const { email, password } = person;
    const signedIn = await house.http('POST', '/api/session/login/password', { body: { email, password } });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const answerFrom = (site: string) =>
      house.http('POST', `/api/session/prompts/${prompt.id}/answer`, {
        body: { answer: 'approved', actionDigest: prompt.actionDigest },
        headers: { cookie, 'sec-fetch-site': site },
      });
    const cancelFrom = (site: string) =>
      house.http('POST', `/api/session/prompts/${prompt.id}/cancel`, {
        headers: { cookie, 'sec-fetch-site': site },
      });
    expect(await answerFrom('cross-site')).toMatchObject(problem(403, 'CSRF_REJECTED'));
    expect(await cancelFrom('cross-site')).toMatchObject(problem(403, 'CSRF_REJECTED'));
    expect(await answerFrom('same-origin')).toMatchObject({
      status: 200,
      body: { interaction: { status: 'approved' } },
    });
  });

  it.each(['%00', 'a b', '..%2f..', 'é', 'x'.repeat(201)])('by the id %s is refused', async (id) => {
    for (const [, method, path] of calls(id).slice(2))
      expect(await person.api(method, path)).toMatchObject(problem(400, 'INVALID_ID'));
    expect(await person.session('GET', `/prompts/${id}`)).toMatchObject(problem(400, 'INVALID_ID'));
  });
  it.each([`int_${nobody}`, 'int_x', `anot_${nobody}`, 'x'])('by %s finds nothing', async (id) => {
    for (const [, method, path] of calls(id).slice(2))
      expect(await person.api(method, path)).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(await respond({ id, actionDigest: 'x' }, 'yes')).toMatchObject(problem(404, 'NOT_FOUND'));
  });
});

describe('an answer', () => {
  it.each([
    ['approval', 'approved', 'approved'],
    ['approval', 'denied', 'denied'],
    ['yes_no', 'yes', 'yes'],
    ['yes_no', 'no', 'no'],
    ['reply', 'First line\nSecond 🔔', 'replied'],
    ['reply', 'x'.repeat(4000), 'replied'],
  ])('to a prompt of the kind %s is taken: %.10s', async (kind, answer, status) => {
    const prompt = await asked({ kind });
    const answered = await respond(prompt, answer);
    expect(answered).toMatchObject({
      status: 200,
      body: {
        interaction: {
          id: prompt.id,
          status,
          response: answer,
          respondingUserId: person.id,
          respondingDeviceId: null,
          respondedAt: expect.any(String),
          canceledAt: null,
        },
      },
    });
    expect(answered.body.interaction).toEqual({
      ...(await read(prompt.id)),
      respondingUserName: expect.any(String),
      respondingDeviceName: null,
    });
    expect((await person.api('GET', '/interactions')).body.interactions).not.toContainEqual(
      expect.objectContaining({ id: prompt.id }),
    );
  });

  it('to a reply may be a choice verbatim, or any other text', async () => {
    const choices = ['Not now', 'Nächste Woche'];
    for (const text of [choices[1]!, 'something else']) {
      const prompt = await asked({ ...reply, choices });
      expect((await respond(prompt, text)).body.interaction).toMatchObject({
        status: 'replied',
        response: text,
      });
    }
  });

  it.each([
    ['approval', 'yes'],
    ['approval', 'approve'],
    ['approval', 'Approved'],
    ['yes_no', 'approved'],
    ['yes_no', 'maybe'],
  ])('to a prompt of the kind %s is not %s', async (kind, answer) => {
    const prompt = await asked({ kind });
    expect(await respond(prompt, answer)).toMatchObject(problem(422, 'ANSWER_NOT_ALLOWED'));
    expect(await read(prompt.id)).toMatchObject({ status: 'pending' });
  });

  it('to different content than the prompt’s is refused', async () => {
    const [prompt, another] = [await asked(), await asked({ title: 'Deploy!' })];
    expect(await respond({ ...prompt, actionDigest: another.actionDigest }, 'approved')).toMatchObject(
      problem(409, 'DIGEST_MISMATCH'),
    );
    expect(await respond({ ...prompt, actionDigest: 'x' }, 'approved')).toMatchObject(
      problem(409, 'DIGEST_MISMATCH'),
    );
    expect(await read(prompt.id)).toMatchObject({ status: 'pending' });
  });

  it.each<[string, object]>([
    ['answer', { answer: '' }],
    ['answer', { answer: 'x'.repeat(4001) }],
    ['answer', { answer: 'a\u0000' }],
    ['answer', { answer: null }],
    ['answer', { answer: ['approved'] }],
    ['answer', { answer: undefined }],
    ['actionDigest', { actionDigest: undefined }],
    ['actionDigest', { actionDigest: null }],
    ['actionDigest', { actionDigest: 'x'.repeat(201) }],
    ['deviceId', { deviceId: null }],
    ['deviceId', { deviceId: 'a b' }],
    ['assertion', { assertion: 7 }],
    ['status', { status: 'approved' }],
  ])('is not taken with this %s: %j', async (path, more) => {
    const prompt = await asked();
    const answer = await respond(prompt, 'approved', more);
    expect(answer).toMatchObject(problem(400, 'VALIDATION_FAILED'));
    expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
    expect(await read(prompt.id)).toMatchObject({ status: 'pending' });
  });

  it('names a device of the account, or none', async () => {
    const mine = await person.addPhone('ios');
    const prompt = await asked();
    await house.expectPushes(mine, 1);
    for (const deviceId of [house.phones.ios.deviceId, `dev_${nobody}`, 'x'])
      expect(await respond(prompt, 'approved', { deviceId })).toMatchObject(problem(404, 'DEVICE_NOT_FOUND'));
    expect((await respond(prompt, 'approved', { deviceId: mine.deviceId })).body.interaction).toMatchObject({
      respondingDeviceId: mine.deviceId,
      accepted: 1,
    });
    await house.expectPushes(mine, 1);
    await person.api('DELETE', `/devices/${mine.deviceId}`);
    expect(await respond(await asked(), 'denied', { deviceId: mine.deviceId })).toMatchObject(
      problem(404, 'DEVICE_NOT_FOUND'),
    );
  });

  it('may carry an assertion', async () =>
    expect((await respond(await asked(), 'denied', { assertion: 'by-fingerprint' })).status).toBe(200));
});

describe('an end', () => {
  const ends: [string, (prompt: { id: string; actionDigest: string }) => Promise<unknown>][] = [
    ['approved', (prompt) => respond(prompt, 'approved')],
    ['canceled', (prompt) => cancel(prompt.id)],
    ['expired', () => house.advance(31)],
  ];
  it.each(ends)('is final: %s', async (status, end) => {
    const prompt = await asked({ expiresInSeconds: 30 });
    await end(prompt);
    const ended = await read(prompt.id);
    expect(ended.status).toBe(status);

    const refused = problem(409, 'INTERACTION_NOT_PENDING', { status });
    expect(await respond(prompt, 'denied')).toMatchObject(refused);
    expect(await respond(prompt, 'approved')).toMatchObject(refused);
    const again = [await cancel(prompt.id), await person.session('POST', `/prompts/${prompt.id}/cancel`)];
    for (const answer of again)
      expect(answer).toMatchObject(status === 'canceled' ? { status: 200 } : refused);
    if (status === 'canceled')
      expect(again.map(({ body }) => body.interaction)).toEqual([ended, { ...ended, ...noNames }]);
    await house.advance(31);
    expect(await read(prompt.id)).toEqual(ended);
  });

  it('by the owner of the account is visible to the asking token', async () => {
    const { id } = await asked();
    const answer = await person.session('POST', `/prompts/${id}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { interaction: { status: 'canceled' } } });
    expect(answer.body.interaction).toEqual({ ...(await read(id)), ...noNames });
  });

  it('comes even when the token that asked is revoked', async () => {
    const token = await tokenOf(person, ['interactions:create']);
    const { body } = await person.api('POST', '/interactions', { token, body: deploy });
    expect((await person.api('POST', '/auth/revoke', { token })).status).toBe(200);
    expect((await respond(body.interaction, 'approved')).body.interaction.status).toBe('approved');
  });

  it('by expiry is visible everywhere exactly at the expiry time', async () => {
    const someone = await house.anotherAccount();
    const { id } = await asked({ expiresInSeconds: 600 }, someone);
    const pending = async () => (await someone.api('GET', '/interactions')).body.interactions.length;
    expect(await pending()).toBe(1);
    await house.advance(601);
    expect(await read(id, someone)).toMatchObject({ status: 'expired', respondedAt: null, canceledAt: null });
    expect(await pending()).toBe(0);
    expect((await someone.session('GET', '/prompts')).body.interactions).toMatchObject([
      { id, status: 'expired' },
    ]);
    // It ends once, however often the clock moves.
    await house.advance(3_600);
    await eventually(
      async () => (await someone.api('GET', '/activity-feed?kind=response')).body.total === 1 || undefined,
      () => 'its end is not in the feed once',
    );
    expect((await someone.api('GET', '/activity-feed?kind=response')).body.items).toMatchObject([
      { result: 'expired' },
    ]);
  });
});

describe('a list of prompts', () => {
  let lister: HouseAccount;
  const ids: string[] = [];
  const page = (query: string, by = lister) => by.api('GET', `/interactions?${query}`);
  const idsOf = ({ body }: HouseAnswer): string[] => body.interactions.map(({ id }: { id: string }) => id);
  beforeAll(async () => {
    lister = await house.anotherAccount();
    expect((await page('')).body).toEqual({ interactions: [], nextCursor: null });
    for (let n = 0; n < 5; n += 1) {
      const kind = n % 2 ? 'reply' : 'approval';
      const { id } = await asked({ kind, title: `n${n}`, ...(n < 2 && { projectId: 'web' }) }, lister);
      ids.unshift(id);
    }
  });

  it('is the newest first, page by page', async () => {
    expect(idsOf(await page(''))).toEqual(ids);
    expect((await page('limit=5')).body.nextCursor).toBeNull();
    const first = await page('limit=2');
    const second = await page(`limit=2&cursor=${first.body.nextCursor}`);
    const third = await page(`limit=2&cursor=${second.body.nextCursor}`);
    expect([first, second, third].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(third.body.nextCursor).toBeNull();
  });

  it('can be of one kind or one project', async () => {
    expect(idsOf(await page('kind=reply'))).toEqual([ids[1], ids[3]]);
    expect(idsOf(await page('projectId=web'))).toEqual(ids.slice(3));
    expect(idsOf(await page('projectId=web&kind=approval'))).toEqual([ids[4]]);
    expect(idsOf(await page('projectId=none'))).toEqual([]);
  });

  it('takes no cursor of another list, and no nonsense', async () => {
    const { nextCursor } = (await page('limit=2')).body;
    for (const query of [
      `kind=reply&cursor=${nextCursor}`,
      `cursor=${nextCursor.slice(0, -2)}xx`,
      'cursor=x',
    ])
      expect(await page(query)).toMatchObject(problem(400, 'INVALID_CURSOR'));
    expect(await page(`cursor=${nextCursor}`, other)).toMatchObject(problem(400, 'INVALID_CURSOR'));
    expect(await lister.session('GET', `/prompts?cursor=${nextCursor}`)).toMatchObject(
      problem(400, 'INVALID_CURSOR'),
    );
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'kind=maybe', 'projectId=-'])
      expect(await page(query)).toMatchObject(problem(400, 'VALIDATION_FAILED'));
  });

  it('for a person includes recently ended prompts', async () => {
    await cancel(ids[0]!, lister);
    expect(idsOf(await page(''))).toEqual(ids.slice(1));
    const prompts = (query: string) => lister.session('GET', `/prompts${query}`);
    expect(idsOf(await prompts(''))).toEqual(ids);
    expect(idsOf(await prompts('?pending=true'))).toEqual(ids.slice(1));
    expect(idsOf(await prompts('?pending=false'))).toEqual(ids.slice(0, 1));
    const first = await prompts('?limit=3');
    expect(idsOf(first)).toEqual(ids.slice(0, 3));
    expect(idsOf(await prompts(`?limit=3&cursor=${first.body.nextCursor}`))).toEqual(ids.slice(3));
  });
});

describe('an idempotency key', () => {
  const key = (name: string) => ({ 'idempotency-key': name });

  it('asks once, and gives the stored answer again', async () => {
    const first = await ask(deploy, key('ask-1'));
    const second = await ask(deploy, key('"ask-1"'));
    expect(first.status).toBe(201);
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual({ ...first.body, idempotent: true });
  });

  it('repeats the first answer, with the present state of the prompt', async () => {
    const phone = await other.addPhone('android');
    const first = await ask(deploy, key('ask-2'), other);
    expect(first.body.accepted).toBe(1);
    await respond(first.body.interaction, 'approved', {}, other);
    const again = await ask(deploy, key('ask-2'), other);
    expect(again).toMatchObject({
      status: 200,
      body: {
        accepted: 1,
        idempotent: true,
        interaction: { id: first.body.interaction.id, status: 'approved', accepted: 1 },
      },
    });
    await house.expectPushes(phone, 2);
    await other.api('DELETE', `/devices/${phone.deviceId}`);
  });

  it('with another request is refused', async () => {
    await ask(deploy, key('ask-3'));
    expect(await ask({ ...deploy, title: 'Deploy!' }, key('ask-3'))).toMatchObject(
      problem(422, 'IDEMPOTENCY_KEY_REUSED'),
    );
  });

  it('is each token’s own', async () => {
    const token = await tokenOf(person, ['interactions:create']);
    const first = await ask(deploy, key('ask-4'));
    const second = await person.api('POST', '/interactions', { token, body: deploy, headers: key('ask-4') });
    expect(second.status).toBe(201);
    expect(second.body.interaction.id).not.toBe(first.body.interaction.id);
  });

  it('in two concurrent copies of a request asks once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([1, 2, 3].map(() => ask(deploy, key(`twice-${round}`))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.interaction.id)).size).toBe(1);
    }
  });

  it('in two different concurrent requests asks one of them', async () => {
    const answers = await Promise.all(['a', 'b'].map((title) => ask({ ...deploy, title }, key('different'))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  it('repeats what could not be asked any more', async () => {
    const { service } = (await person.api('POST', '/services', { body: { title: 'Gone soon' } })).body;
    const now = await house.advance(0);
    const body = {
      ...deploy,
      serviceId: service.id,
      expiresAt: new Date(Date.parse(now) + 60_000).toISOString(),
    };
    const first = await ask(body, key('late'));
    expect(first.status).toBe(201);
    await person.api('DELETE', `/services/${service.id}`);
    await house.advance(61);
    const again = await ask(body, key('late'));
    expect(again).toMatchObject({
      status: 200,
      body: { idempotent: true, interaction: { id: first.body.interaction.id, status: 'expired' } },
    });
    expect(await ask(body, key('later'))).toMatchObject(problem(400, 'VALIDATION_FAILED'));
  });

  it('whose request was refused is free', async () => {
    expect(await ask({ ...deploy, serviceId: `svc_${nobody}` }, key('free'))).toMatchObject({ status: 404 });
    expect((await ask(deploy, key('free'))).status).toBe(201);
  });

  it('identifies a new request a day later', async () => {
    const first = await ask(deploy, key('day'));
    await house.advance(24 * 3_600);
    const second = await ask(deploy, key('day'));
    expect(second.status).toBe(201);
    expect(second.body.interaction.id).not.toBe(first.body.interaction.id);
    expect((await ask(deploy, key('day'))).body.interaction.id).toBe(second.body.interaction.id);
  });
});
