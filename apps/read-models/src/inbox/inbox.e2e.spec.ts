import { type House, type HouseAccount, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const send = async (agent: HouseAccount, body: object) =>
  `notification:${(await agent.api('POST', '/notifications', { body: { body: 'text', ...body } })).body.notification.id}`;
const titles = (answer: { body: { items: { title: string }[] } }) =>
  answer.body.items.map(({ title }) => title);

describe('the inbox', () => {
  it('of a new account is empty', async () => {
    const agent = await house.anotherAccount();
    expect((await agent.api('GET', '/inbox/notifications')).body).toEqual({
      items: [],
      nextCursor: null,
      readThroughToken: expect.any(String),
    });
    expect((await agent.api('GET', '/inbox/projects')).body).toEqual({
      projects: [],
      totalUnread: 0,
      nextCursor: null,
    });
  });

  it('shows its own writes at once, newest first, page by page', async () => {
    const agent = await house.anotherAccount();
    for (const n of [1, 2, 3, 4, 5]) {
      await send(agent, { title: `Note ${n}` });
      expect(titles(await agent.api('GET', '/inbox/notifications?limit=1'))).toEqual([`Note ${n}`]);
    }
    const first = await agent.api('GET', '/inbox/notifications?limit=2');
    const second = await agent.api('GET', `/inbox/notifications?limit=2&cursor=${first.body.nextCursor}`);
    const third = await agent.api('GET', `/inbox/notifications?limit=2&cursor=${second.body.nextCursor}`);
    expect([first, second, third].flatMap(titles)).toEqual([
      'Note 5',
      'Note 4',
      'Note 3',
      'Note 2',
      'Note 1',
    ]);
    expect(third.body.nextCursor).toBeNull();
    expect((await agent.api('GET', '/inbox/notifications?limit=5')).body.nextCursor).toBeNull();
  });

  it('refuses a cursor that was altered, or belongs to another list or account', async () => {
    const agent = await house.anotherAccount();
    const other = await house.anotherAccount();
    for (const title of ['a', 'b']) await send(agent, { title });
    const { nextCursor } = (await agent.api('GET', '/inbox/notifications?limit=1')).body;
    const flipped = (nextCursor.startsWith('e') ? 'f' : 'e') + nextCursor.slice(1);
    for (const path of [`cursor=${flipped}`, `cursor=${nextCursor}&unread=true`, `cursor=x`])
      expect(await agent.api('GET', `/inbox/notifications?${path}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_CURSOR' },
      });
    expect(await other.api('GET', `/inbox/notifications?cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_CURSOR' },
    });
  });

  it('finds text anywhere, whatever its case, and takes signs as they are', async () => {
    const agent = await house.anotherAccount();
    await send(agent, { title: 'Deploy at 100% done', body: 'Straße' });
    await send(agent, { title: 'Nothing', body: 'to see' });
    expect(titles(await agent.api('GET', '/inbox/notifications?q=DEPLOY'))).toEqual(['Deploy at 100% done']);
    expect(titles(await agent.api('GET', '/inbox/notifications?q=100%25'))).toEqual(['Deploy at 100% done']);
    expect(titles(await agent.api('GET', '/inbox/notifications?q=_'))).toEqual([]);
    expect(titles(await agent.api('GET', '/inbox/notifications?q=STRA%C3%9Fe'))).toEqual([
      'Deploy at 100% done',
    ]);
  });

  it('groups by project and counts what is unread', async () => {
    const agent = await house.anotherAccount();
    await send(agent, { title: 'a', projectId: 'web', projectName: 'Web shop' });
    await send(agent, { title: 'b', projectId: 'web', summary: 'short' });
    await send(agent, { title: 'c' });
    const { projects, totalUnread } = (await agent.api('GET', '/inbox/projects')).body;
    expect(totalUnread).toBe(3);
    expect(projects).toEqual([
      expect.objectContaining({
        projectId: null,
        name: 'General',
        unreadCount: 1,
        totalCount: 1,
        latestTitle: 'c',
      }),
      expect.objectContaining({
        projectId: 'web',
        name: 'Web shop',
        unreadCount: 2,
        totalCount: 2,
        latestTitle: 'b',
        latestPreview: 'short',
      }),
    ]);
    expect(titles(await agent.api('GET', '/inbox/notifications?projectId=web'))).toEqual(['b', 'a']);
    expect(titles(await agent.api('GET', '/inbox/notifications?projectId=none'))).toEqual(['c']);
  });

  it('previews Markdown as plain text', async () => {
    const agent = await house.anotherAccount();
    const id = await send(agent, {
      title: 'a',
      body: '# Done\n\nSee **[the log](https://x.test)**',
      bodyFormat: 'markdown',
    });
    const item = (await agent.api('GET', `/inbox/notifications/${id}`)).body;
    expect(item).toMatchObject({
      bodyFormat: 'markdown',
      body: '# Done\n\nSee **[the log](https://x.test)**',
    });
    expect(item.preview).not.toMatch(/[#*[\]]/);
  });
});

describe('marking', () => {
  it('read is remembered, and the second time says so', async () => {
    const agent = await house.anotherAccount();
    const id = await send(agent, { title: 'a' });
    expect((await agent.api('GET', `/inbox/notifications/${id}`)).body.readAt).toBeNull();
    const first = await agent.api('POST', `/inbox/notifications/${id}/read`);
    expect(first.body).toEqual({ ok: true, readAt: expect.any(String) });
    const second = await agent.api('POST', `/inbox/notifications/${id}/read`);
    expect(second.body).toEqual({ ...first.body, idempotent: true });
    expect((await agent.api('GET', '/inbox/notifications?unread=true')).body.items).toEqual([]);
    expect((await agent.api('GET', '/inbox/projects')).body.totalUnread).toBe(0);
  });

  it('unread undoes it', async () => {
    const agent = await house.anotherAccount();
    const id = await send(agent, { title: 'a' });
    expect((await agent.api('POST', `/inbox/notifications/${id}/unread`)).body).toEqual({
      ok: true,
      readAt: null,
      idempotent: true,
    });
    await agent.api('POST', `/inbox/notifications/${id}/read`);
    expect((await agent.api('POST', `/inbox/notifications/${id}/unread`)).body).toEqual({
      ok: true,
      readAt: null,
    });
    expect((await agent.api('GET', '/inbox/projects')).body.totalUnread).toBe(1);
  });

  it('many items at once counts each of them once', async () => {
    const agent = await house.anotherAccount();
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => send(agent, { title: `n${n}` })));
    const marks = await Promise.all(
      [...ids, ...ids].map((id) => agent.api('POST', `/inbox/notifications/${id}/read`)),
    );
    for (const mark of marks) if (mark.status !== 200) expect(mark.body.code).toBe('CONCURRENT_UPDATE');
    for (const id of ids)
      expect((await agent.api('POST', `/inbox/notifications/${id}/read`)).status).toBe(200);
    expect((await agent.api('GET', '/inbox/projects')).body.totalUnread).toBe(0);
  });

  it('all read leaves what came after the list unread', async () => {
    const agent = await house.anotherAccount();
    for (const title of ['a', 'b']) await send(agent, { title });
    const { readThroughToken } = (await agent.api('GET', '/inbox/notifications')).body;
    await send(agent, { title: 'later' });
    const readAll = () => agent.api('POST', '/inbox/notifications/read-all', { body: { readThroughToken } });
    expect((await readAll()).body).toEqual({ ok: true, readAt: expect.any(String), updated: 2 });
    expect((await readAll()).body).toMatchObject({ ok: true, updated: 0 });
    expect(titles(await agent.api('GET', '/inbox/notifications?unread=true'))).toEqual(['later']);
  });

  it('all read keeps to the project of its list', async () => {
    const agent = await house.anotherAccount();
    await send(agent, { title: 'a', projectId: 'web' });
    await send(agent, { title: 'b' });
    const { readThroughToken } = (await agent.api('GET', '/inbox/notifications?projectId=none')).body;
    const answer = await agent.api('POST', '/inbox/notifications/read-all', { body: { readThroughToken } });
    expect(answer.body.updated).toBe(1);
    expect(titles(await agent.api('GET', '/inbox/notifications?unread=true'))).toEqual(['a']);
  });

  it('refuses a read token of another account, or an altered one', async () => {
    const agent = await house.anotherAccount();
    const other = await house.anotherAccount();
    const { readThroughToken } = (await agent.api('GET', '/inbox/notifications')).body;
    for (const token of [readThroughToken, `${readThroughToken.slice(0, -2)}AA`, 'x'])
      expect(
        await other.api('POST', '/inbox/notifications/read-all', { body: { readThroughToken: token } }),
      ).toMatchObject({ status: 400, body: { code: 'INVALID_READ_TOKEN' } });
  });

  it('an item of another account is not there', async () => {
    const agent = await house.anotherAccount();
    const other = await house.anotherAccount();
    const id = await send(agent, { title: 'secret' });
    for (const [method, path] of [
      ['GET', `/inbox/notifications/${id}`],
      ['POST', `/inbox/notifications/${id}/read`],
      ['POST', `/inbox/notifications/${id}/unread`],
    ] as const)
      expect(await other.api(method, path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await agent.api('GET', `/inbox/notifications/${id}`)).body.readAt).toBeNull();
  });
});

it('what was sent more than 90 days ago is in no list or count, and missing by its id', async () => {
  const agent = await house.anotherAccount();
  const day = 24 * 3_600;
  const old = await send(agent, { title: 'old', projectId: 'web' });
  await send(agent, { title: 'older than the page' });
  await house.advance(46 * day);
  const kept = await send(agent, { title: 'kept', projectId: 'web' });
  const { nextCursor, readThroughToken } = (await agent.api('GET', '/inbox/notifications?limit=1')).body;
  expect((await agent.api('GET', '/inbox/projects')).body.totalUnread).toBe(3);
  await house.advance(45 * day);

  for (const query of ['', '?unread=true', '?projectId=web', '?q=e'])
    expect(titles(await agent.api('GET', `/inbox/notifications${query}`))).toEqual(['kept']);
  expect((await agent.api('GET', `/inbox/notifications?limit=1&cursor=${nextCursor}`)).body.items).toEqual(
    [],
  );
  for (const [method, path] of [
    ['GET', old],
    ['POST', `${old}/read`],
    ['POST', `${old}/unread`],
  ] as const)
    expect(await agent.api(method, `/inbox/notifications/${path}`)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  const { projects, totalUnread } = (await agent.api('GET', '/inbox/projects')).body;
  expect([projects, totalUnread]).toEqual([
    [expect.objectContaining({ projectId: 'web', unreadCount: 1, totalCount: 1, latestTitle: 'kept' })],
    1,
  ]);
  const all = { body: { readThroughToken } };
  expect((await agent.api('POST', '/inbox/notifications/read-all', all)).body.updated).toBe(1);
  expect((await agent.api('GET', `/inbox/notifications/${kept}`)).body.readAt).not.toBeNull();
  expect((await agent.api('GET', '/inbox/projects')).body.totalUnread).toBe(0);
});
