import { type House, type HouseAccount, type HousePhone, onCall, startHouse } from '@carillon/testkit';

const daySeconds = 24 * 60 * 60;
const deploy = { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' };

let house: House;
let ann: HouseAccount;
let ben: HouseAccount;
let phone: HousePhone;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  [ann, ben] = [await house.anotherAccount('Ann'), await house.anotherAccount('Ben')];
  phone = await ann.addPhone('ios');
  house.ignorePushes(phone);
}, 120_000);
afterAll(() => house?.close(), 90_000);

const made = async (by: HouseAccount, path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await by.api('POST', path, { body, headers });
  expect([path, answer.status]).toEqual([path, 201]);
  return answer.body;
};
const ask = async (by: HouseAccount, headers?: Record<string, string>) =>
  (await made(by, '/interactions', deploy, headers)).interaction as { id: string; actionDigest: string };
const start = async (by: HouseAccount, key: string): Promise<string> =>
  (await made(by, '/activities', { key, props: { title: 'Build' } })).activity.id;
const statusOf = async (by: HouseAccount, method: string, path: string, body?: object) => {
  const { status, body: said } = await by.api(method, path, body === undefined ? {} : { body });
  return status === 200 ? 200 : `${status} ${said.code}`;
};
const idsOf = async (by: HouseAccount, path: string, of: string): Promise<string[]> =>
  (await by.api('GET', path)).body[of].map(({ id }: { id: string }) => id);
const missing = '404 NOT_FOUND';
const keyed = (key: string) => ({ 'idempotency-key': key });

it('what ended 90 days ago is gone from every list and read as missing, before and after its log is deleted', async () => {
  const { groupId, teamId } = await onCall(house, [ann]);
  const page = async (title: string, more: object = {}): Promise<string> =>
    (await made(ann, `/oncall/${groupId}/pages`, { title, ...more })).page.id;
  const prompt = await ask(ann, keyed('deploy-1'));
  await ask(ann, keyed('deploy-2'));
  const sent = { title: 'Hello', body: 'World' };
  const { id: notification } = (await made(ann, '/notifications', sent, keyed('hello'))).notification;
  const toPhone = [
    ['/notifications', { ...sent, deviceIds: [phone.deviceId] }],
    ['/interactions', { ...deploy, deviceIds: [phone.deviceId] }],
  ] as const;
  for (const [path, body] of toPhone) await made(ann, path, body, keyed('to-the-phone'));
  const activity = await start(ann, 'build');
  expect(await statusOf(ann, 'POST', '/activities/build/end', {})).toBe(200);
  const open = await page('Nobody resolves this');
  const resolved = [await page('First'), await page('Second', { dedupKey: 'db' })];
  for (const id of resolved) expect(await statusOf(ann, 'POST', `/pages/${id}/resolve`, {})).toBe(200);
  const { nextCursor } = (await ann.api('GET', `/teams/${teamId}/pages?limit=1`)).body;

  await house.advance(60 * daySeconds);
  const later = { prompt: await ask(ann), activity: await start(ann, 'deploy'), page: await page('Later') };
  const others = await ask(ben);
  expect(await statusOf(ann, 'POST', `/pages/${later.page}/resolve`, {})).toBe(200);
  expect(await statusOf(ann, 'GET', `/interactions/${prompt.id}`)).toBe(200);
  expect(await statusOf(ann, 'GET', '/activities/build')).toBe(200);

  const told = async (): Promise<void> => {
    for (const [method, path, body] of [
      ['GET', `/interactions/${prompt.id}`],
      ['GET', `/interactions/${prompt.id}/wait?timeoutSeconds=1`],
      ['POST', `/interactions/${prompt.id}/cancel`],
      ['GET', `/activities/${activity}`],
      ['GET', '/activities/build'],
      ['PATCH', `/activities/${activity}`, { props: { title: 'Again' } }],
      ['PATCH', '/activities/build', { props: { title: 'Again' } }],
      ['POST', `/activities/${activity}/end`, {}],
      ['POST', `/notifications/${notification}/withdraw`, {}],
      ...resolved.flatMap((id) => [
        ['GET', `/pages/${id}`] as const,
        ['POST', `/pages/${id}/resolve`, {}] as const,
      ]),
    ] as const)
      expect([path, await statusOf(ann, method, path, body)]).toEqual([path, missing]);
    for (const [method, path, body] of [
      ['GET', `/prompts/${prompt.id}`],
      ['POST', `/prompts/${prompt.id}/cancel`],
      ['POST', `/prompts/${prompt.id}/answer`, { answer: 'approved', actionDigest: prompt.actionDigest }],
      ['POST', `/pages/${resolved[0]}/acknowledge`],
      ['POST', `/pages/${resolved[0]}/escalate`],
    ] as const) {
      const { status, body: said } = await ann.session(method, path, body && { body });
      expect([path, status, said.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    // A list that was begun before ends at what is kept.
    const rest = await ann.api('GET', `/teams/${teamId}/pages?limit=1&cursor=${nextCursor}`);
    expect(rest.body).toMatchObject({ pages: [{ id: open }], nextCursor: null });
    expect(await idsOf(ann, `/teams/${teamId}/pages`, 'pages')).toEqual([later.page, open]);
    for (const path of [
      `/pages/${open}`,
      `/pages/${later.page}`,
      `/interactions/${later.prompt.id}`,
      `/activities/${later.activity}`,
      '/activities/deploy',
    ])
      expect([path, await statusOf(ann, 'GET', path)]).toEqual([path, 200]);
    expect(await statusOf(ben, 'GET', `/interactions/${others.id}`)).toBe(200);
    expect(await statusOf(ben, 'GET', `/interactions/${prompt.id}`)).toBe(missing);
  };
  /** A key of long ago means a new request, and its repetition the same one. */
  const isNew = async (path: string, body: object, key: string): Promise<void> => {
    const first = await made(ann, path, body, keyed(key));
    expect(first.idempotent).toBeUndefined();
    const again = await ann.api('POST', path, { body, headers: keyed(key) });
    expect(again).toMatchObject({ status: 200, body: { idempotent: true } });
  };

  await house.advance(30 * daySeconds);
  await told();
  await isNew('/interactions', deploy, 'deploy-1');

  // A day later its streams are deleted.
  await house.advance(2 * daySeconds);
  await told();
  await isNew('/interactions', deploy, 'deploy-2');
  await isNew('/notifications', sent, 'hello');
  for (const [path, body] of toPhone) await made(ann, path, body, keyed('to-the-phone'));
  expect(await statusOf(ann, 'DELETE', `/devices/${phone.deviceId}`)).toBe(200);
  // The request cannot be made any more, and is a repetition of the last one all the same.
  for (const [path, body] of toPhone) {
    const repeated = await ann.api('POST', path, { body, headers: keyed('to-the-phone') });
    expect(repeated).toMatchObject({ status: 200, body: { idempotent: true } });
  }
  const again = await page('Down again', { dedupKey: 'db' });
  expect(await idsOf(ann, `/teams/${teamId}/pages`, 'pages')).toEqual([again, later.page, open]);
  for (const id of [open, again]) expect(await statusOf(ann, 'POST', `/pages/${id}/resolve`, {})).toBe(200);
}, 120_000);
