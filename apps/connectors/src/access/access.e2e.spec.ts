import { eventually, type House, type HouseAccount, onCall, reachable, startHouse } from '@carillon/testkit';

let house: House;
let ada: HouseAccount;
let grace: HouseAccount;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  ada = await house.anotherAccount('Ada');
  grace = await house.anotherAccount('Grace');
}, 120_000);
afterAll(() => house.close(), 90_000);

let made = 0;
const hostname = () => `private-${++made}.example.test`;

const minute = 60;

/** An app behind a connector, with a second route to another app. */
async function opened(owner: HouseAccount, teamId?: string) {
  const host = hostname();
  const addApp = async (name: string) => {
    const added = await owner.api('POST', '/apps', {
      body: { name: `${name} on ${host}`, url: `https://${host}/${name}` },
    });
    expect(added).toMatchObject({ status: 201 });
    const { id } = added.body.app as { id: string };
    if (teamId !== undefined)
      expect(await owner.api('POST', `/apps/${id}/share`, { body: { teamId, notify: false } })).toMatchObject(
        { status: 200 },
      );
    return id;
  };
  const appId = await addApp('wiki');
  const otherAppId = await addApp('board');
  const routes = [
    { name: 'wiki', target: 'http://10.0.0.1:8080/', url: `https://${host}/wiki`, appId },
    { name: 'board', target: 'http://10.0.0.2:8080/', url: `https://${host}/board`, appId: otherAppId },
    { name: 'bare', target: 'http://10.0.0.3:8080/', url: `https://${host}/bare` },
  ];
  const registered = await owner.api('POST', '/connectors', {
    body: { name: host, tunnelId: 't-1', hostname: host, routes, ...(teamId && { teamId }) },
  });
  expect(registered).toMatchObject({ status: 201 });
  return { host, appId, otherAppId, connectorId: registered.body.connector.id as string, routes };
}
type Opened = Awaited<ReturnType<typeof opened>>;

const consent = (who: HouseAccount, appId: string, shareName = true, shareEmail = false) =>
  who.session('POST', `/apps/${appId}/consent`, { body: { shareName, shareEmail } });
const revoke = (who: HouseAccount, appId: string) => who.api('POST', `/apps/${appId}/revoke`, { body: {} });
const pass = (who: HouseAccount, { appId, connectorId }: Opened, route = 'wiki') =>
  who.session('POST', `/apps/${appId}/passes`, { body: { connectorId, route } });
const access = (operator: HouseAccount, { connectorId }: Pick<Opened, 'connectorId'>, body: object) =>
  operator.api('POST', `/connectors/${connectorId}/access`, { body: { route: 'wiki', ...body } });
const refused = (status: number, code: string) => ({ status, body: { code } });
const passInvalid = refused(403, 'PASS_INVALID');
const sessionInvalid = refused(403, 'SESSION_INVALID');

/** A session of a person with a consent. */
async function comeIn(who: HouseAccount, operator: HouseAccount, at: Opened): Promise<string> {
  expect(await consent(who, at.appId)).toMatchObject({ status: 200 });
  const issued = await pass(who, at);
  expect(issued).toMatchObject({ status: 201 });
  const entered = await access(operator, at, { pass: issued.body.pass });
  expect(entered).toMatchObject({ status: 200 });
  return entered.body.session as string;
}

describe('an app behind a connector', () => {
  it('is opened with a pass, continues with a session, and is closed by its visitor', async () => {
    const at = await opened(ada);
    expect(await pass(ada, at)).toMatchObject(refused(409, 'CONSENT_REQUIRED'));
    expect(
      await ada.session('PATCH', `/apps/${at.appId}/disclosure`, { body: { shareName: true } }),
    ).toMatchObject(refused(409, 'CONSENT_REQUIRED'));
    const agreed = await consent(ada, at.appId);
    expect(agreed).toMatchObject({
      status: 200,
      body: { app: { id: at.appId, shareName: true, shareEmail: false, lastOpenedAt: null } },
    });
    expect(agreed.body.app.consentedAt).not.toBeNull();

    const issued = await pass(ada, at);
    expect(issued).toMatchObject({ status: 201 });
    const { pass: secret, url, expiresAt } = issued.body;
    expect(secret).toMatch(/^carillon_pass_0[0-9A-Za-z]{38}$/);
    expect(url).toBe(`https://${at.host}/wiki?carillon_pass=${secret}`);
    const shown = (await ada.api('GET', `/apps/${at.appId}`)).body.app;
    expect(Date.parse(shown.lastOpenedAt) + 60_000).toBe(Date.parse(expiresAt));

    const entered = await access(ada, at, { pass: secret, method: 'GET', path: '/wiki?a=%2e%2e/' });
    expect(entered).toMatchObject({
      status: 200,
      body: {
        allowed: true,
        user: { id: ada.id, name: 'Ada' },
        appId: at.appId,
        route: 'wiki',
        target: 'http://10.0.0.1:8080/',
      },
    });
    expect(entered.body.user).not.toHaveProperty('email');
    const { session } = entered.body;
    expect(session).toMatch(/^carillon_gws_0[0-9A-Za-z]{38}$/);
    expect(await access(ada, at, { session })).toMatchObject({ status: 200, body: entered.body });
    expect(await access(ada, at, { pass: secret })).toMatchObject(passInvalid);

    expect(
      await ada.session('PATCH', `/apps/${at.appId}/disclosure`, {
        body: { shareName: false, shareEmail: true },
      }),
    ).toMatchObject({ status: 200, body: { app: { shareName: false, shareEmail: true } } });
    expect((await access(ada, at, { session })).body.user).toEqual({
      id: ada.id,
      email: ada.email,
      emailVerified: false,
    });

    expect(await revoke(ada, at.appId)).toMatchObject({ status: 200, body: { app: { consentedAt: null } } });
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
    expect(await consent(ada, at.appId)).toMatchObject({ status: 200 });
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
  });

  it('lets nobody in with a pass of another connector, route or kind, one that is spent or 61 seconds old', async () => {
    const at = await opened(ada);
    const other = await opened(ada);
    await consent(ada, at.appId);
    await consent(ada, at.otherAppId);
    const { pass: secret } = (await pass(ada, at)).body;
    expect(await access(ada, other, { pass: secret })).toMatchObject(passInvalid);
    for (const route of ['board', 'bare'])
      expect(await access(ada, at, { pass: secret, route })).toMatchObject(passInvalid);
    expect(await access(ada, at, { session: secret })).toMatchObject(sessionInvalid);
    for (const unknown of [secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a'), 'x', 'ü'.repeat(256)])
      expect(await access(ada, at, { pass: unknown })).toMatchObject(passInvalid);
    // Nothing of that has spent it, and neither has a route that is not there.
    expect(await access(ada, at, { pass: secret, route: 'nothing' })).toMatchObject(
      refused(404, 'ROUTE_NAME_NOT_FOUND'),
    );
    expect(await access(ada, at, { pass: secret })).toMatchObject({ status: 200 });

    const { pass: late } = (await pass(ada, at)).body;
    await house.advance(61);
    expect(await access(ada, at, { pass: late })).toMatchObject(passInvalid);
  });

  it('closes after half an hour without a visit', async () => {
    const at = await opened(ada);
    const session = await comeIn(ada, ada, at);
    await house.advance(29 * minute);
    expect(await access(ada, at, { session })).toMatchObject({ status: 200 });
    await house.advance(31 * minute);
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
  });

  it('is closed while its connector or its route is switched off, and open again after', async () => {
    const at = await opened(ada);
    const session = await comeIn(ada, ada, at);
    const change = async (body: object) =>
      expect(await ada.api('PATCH', `/connectors/${at.connectorId}`, { body })).toMatchObject({
        status: 200,
      });
    const { pass: secret } = (await pass(ada, at)).body;
    const routes = at.routes.map((route) => ({ ...route, enabled: route.name !== 'wiki' }));
    for (const off of [{ enabled: false }, { enabled: true, routes }]) {
      await change(off);
      for (const shown of [{ session }, { pass: secret }])
        expect(await access(ada, at, shown)).toMatchObject(refused(403, 'CONNECTOR_DISABLED'));
      expect(await pass(ada, at)).toMatchObject(refused(403, 'CONNECTOR_DISABLED'));
    }
    await change({ routes: at.routes });
    expect(await access(ada, at, { session })).toMatchObject({ status: 200 });
    expect(await access(ada, at, { pass: secret })).toMatchObject({ status: 200 });

    await change({ routes: at.routes.map((route) => ({ ...route, appId: at.otherAppId })) });
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
    expect(await pass(ada, at)).toMatchObject(refused(404, 'ROUTE_NAME_NOT_FOUND'));
  });

  it('stays open at the same origin, and is closed at another one for good', async () => {
    const at = await opened(ada);
    const session = await comeIn(ada, ada, at);
    const move = async (url: string) =>
      expect(await ada.api('PATCH', `/apps/${at.appId}`, { body: { url } })).toMatchObject({ status: 200 });
    await move(`https://${at.host}/start`);
    expect(await access(ada, at, { session })).toMatchObject({ status: 200 });
    const { pass: secret } = (await pass(ada, at)).body;
    await move('https://elsewhere.example.test/');
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
    expect(await access(ada, at, { pass: secret })).toMatchObject(passInvalid);
    expect(await pass(ada, at)).toMatchObject(refused(404, 'ROUTE_NAME_NOT_FOUND'));
    await move(`https://${at.host}/wiki`);
    expect(await pass(ada, at)).toMatchObject(refused(409, 'CONSENT_REQUIRED'));
    await consent(ada, at.appId);
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
  });

  it('is closed when it or its connector is removed', async () => {
    const at = await opened(ada);
    const session = await comeIn(ada, ada, at);
    expect(await ada.api('DELETE', `/apps/${at.appId}`)).toMatchObject({ status: 200 });
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
    const other = await opened(ada);
    const otherSession = await comeIn(ada, ada, other);
    expect(await ada.api('DELETE', `/connectors/${other.connectorId}`)).toMatchObject({ status: 200 });
    expect(await access(ada, other, { session: otherSession })).toMatchObject(refused(404, 'NOT_FOUND'));
    expect(await pass(ada, other)).toMatchObject(refused(404, 'ROUTE_NAME_NOT_FOUND'));
  });

  it('is nothing to strangers, and no agent agrees for a person', async () => {
    const at = await opened(ada);
    const session = await comeIn(ada, ada, at);
    for (const answer of [
      await consent(grace, at.appId),
      await grace.session('PATCH', `/apps/${at.appId}/disclosure`, { body: { shareName: true } }),
      await pass(grace, at),
      await access(grace, at, { session }),
    ])
      expect(answer).toMatchObject(refused(404, 'NOT_FOUND'));
    for (const [method, path, body] of [
      ['POST', 'consent', { shareName: true, shareEmail: true }],
      ['PATCH', 'disclosure', { shareName: true }],
      ['POST', 'passes', { connectorId: at.connectorId, route: 'wiki' }],
    ] as const)
      expect(
        await ada.session(method, `/apps/${at.appId}/${path}`, { body, token: ada.apiToken }),
      ).toMatchObject(refused(403, 'HUMAN_SESSION_REQUIRED'));
  });

  it('takes no request that is not one', async () => {
    const at = await opened(ada);
    for (const body of [
      {},
      { pass: 'a', session: 'b' },
      { pass: '' },
      { pass: null },
      { session: 1 },
      { pass: 'a'.repeat(257) },
      { pass: 'a', route: 'No Route' },
      { pass: 'a', method: '' },
      { pass: 'a', method: 'm'.repeat(11) },
      { pass: 'a', path: `/${'p'.repeat(2048)}` },
      { pass: 'a', more: true },
    ])
      expect([body, (await access(ada, at, body)).body.code]).toEqual([body, 'VALIDATION_FAILED']);
    expect(
      await ada.api('POST', `/connectors/${at.connectorId}/access`, { body: { pass: 'a' } }),
    ).toMatchObject(refused(400, 'VALIDATION_FAILED'));
    for (const body of [{}, { shareName: true }, { shareName: 'yes', shareEmail: true }])
      expect(await ada.session('POST', `/apps/${at.appId}/consent`, { body })).toMatchObject(
        refused(400, 'VALIDATION_FAILED'),
      );
    expect(await ada.session('PATCH', `/apps/${at.appId}/disclosure`, { body: {} })).toMatchObject(
      refused(400, 'EMPTY_UPDATE'),
    );
  });
});

describe('an app of a team behind a connector of the team', () => {
  it('is open to its members, each by their own consent, and closed to former members', async () => {
    const teamId = await house.workplaceTeam(ada);
    await ada.takeInto(teamId, grace);
    const at = await opened(ada, teamId);
    // Ada moved the app and has not agreed herself; what Grace agrees to is hers alone.
    const session = await comeIn(grace, ada, at);
    expect(await pass(ada, at)).toMatchObject(refused(409, 'CONSENT_REQUIRED'));
    expect(await access(ada, at, { session })).toMatchObject({
      status: 200,
      body: { user: { id: grace.id, name: 'Grace' } },
    });
    expect(await access(grace, at, { session })).toMatchObject(refused(403, 'FORBIDDEN_ROLE'));
    // A personal app is nothing for a connector of the team, and the other way round.
    const own = await opened(ada);
    await consent(ada, own.appId);
    expect(await pass(ada, { ...own, connectorId: at.connectorId })).toMatchObject(
      refused(404, 'ROUTE_NAME_NOT_FOUND'),
    );

    const { pass: secret } = (await pass(grace, at)).body;
    expect(await grace.api('POST', `/teams/${teamId}/leave`, { body: {} })).toMatchObject({ status: 200 });
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
    expect(await access(ada, at, { pass: secret })).toMatchObject(passInvalid);
    expect(await pass(grace, at)).toMatchObject(refused(404, 'NOT_FOUND'));

    await ada.takeInto(teamId, grace);
    expect(await access(ada, at, { session })).toMatchObject(sessionInvalid);
    expect(await pass(grace, at)).toMatchObject(refused(409, 'CONSENT_REQUIRED'));
    const again = await comeIn(grace, ada, at);
    expect(await access(ada, at, { session: again })).toMatchObject({ status: 200 });
    expect(await ada.api('POST', `/apps/${at.appId}/share`, { body: { teamId: null } })).toMatchObject({
      status: 200,
    });
    expect(await access(ada, at, { session: again })).toMatchObject(sessionInvalid);
  });
});

describe('a connector that is not heard of any more', () => {
  it('rings the person on call once, and comes back online', async () => {
    const [ann, ben] = [await reachable(house, 'Ann'), await reachable(house, 'Ben')];
    const { teamId, groupId } = await onCall(house, [ann.account, ben.account]);
    const host = hostname();
    const registered = await ann.account.api('POST', '/connectors', {
      body: { name: 'Cellar', tunnelId: 't-1', hostname: host, teamId, oncallGroupId: groupId },
    });
    expect(registered).toMatchObject({ status: 201, body: { connector: { status: 'unknown' } } });
    const { id } = registered.body.connector;
    const beat = async () =>
      expect(
        await ann.account.api('POST', `/connectors/${id}/heartbeat`, { body: { agentVersion: '1.0.0' } }),
      ).toMatchObject({
        status: 200,
        body: { connector: { status: 'online', agentVersion: '1.0.0' }, heartbeatIntervalSeconds: 30 },
      });
    const pages = async () => (await ann.account.api('GET', `/teams/${teamId}/pages`)).body.pages;
    const statusOf = async () => (await ann.account.api('GET', `/connectors/${id}`)).body.connector.status;

    await beat();
    await house.advance(60);
    expect(await statusOf()).toBe('online');
    await house.advance(60);
    await eventually(
      async () => (await statusOf()) === 'offline' || undefined,
      () => 'it stayed online',
    );
    await house.expectPushes(ann.phone, 1);
    const paged = { source: 'connector', dedupKey: `connector:${id}:offline`, repeatCount: 0 };
    expect(await pages()).toMatchObject([{ ...paged, status: 'triggered', notified: [{ name: 'Ann' }] }]);
    await house.advance(120);
    expect(await pages()).toMatchObject([{ ...paged, status: 'triggered' }]);

    await beat();
    await eventually(
      async () => (await pages())[0].status === 'resolved' || undefined,
      () => 'the page stayed open',
    );
    expect(await pages()).toMatchObject([{ ...paged, resolvedBy: null }]);
    await house.expectPushes(ann.phone, 1);
    expect(await house.received(ben.phone)).toEqual([]);
  });

  it('keeps the replies that go through it while it is off, and loses them when it is removed', async () => {
    const host = hostname();
    const registered = await ada.api('POST', '/connectors', {
      body: {
        name: 'Cellar',
        tunnelId: 't-1',
        hostname: host,
        enabled: false,
        routes: [
          { name: 'bot', url: `https://${host}/`, target: 'http://10.0.0.1', callbackPaths: ['/hooks'] },
        ],
      },
    });
    expect(registered).toMatchObject({ status: 201 });
    expect(
      await ada.api('POST', '/webhooks', { body: { name: 'Bot', url: `https://${host}/other` } }),
    ).toMatchObject({ status: 422, body: { code: 'DESTINATION_NOT_ALLOWED' } });
    const saved = await ada.api('POST', '/webhooks', {
      body: { name: 'Bot', url: `https://${host}/hooks/bot?of=ada` },
    });
    expect(saved).toMatchObject({ status: 201 });
    const webhookId = saved.body.webhook.id;
    const delivery = async () => (await ada.api('GET', `/webhooks/${webhookId}`)).body.deliveries[0];
    const asked = await ada.api('POST', '/interactions', {
      body: { title: 'Deploy', prompt: 'Ship it?', kind: 'approval', webhookId },
    });
    const { id, actionDigest } = asked.body.interaction;
    expect(
      await ada.session('POST', `/prompts/${id}/answer`, { body: { answer: 'approved', actionDigest } }),
    ).toMatchObject({ status: 200 });
    await eventually(
      async () => ((await delivery())?.attempts ?? 0) > 0 || undefined,
      () => 'nothing was attempted',
    );
    expect(await delivery()).toMatchObject({
      status: 'retrying',
      attemptLog: expect.arrayContaining([expect.objectContaining({ error: 'connector_disabled' })]),
    });
    expect(await ada.api('DELETE', `/connectors/${registered.body.connector.id}`)).toMatchObject({
      status: 200,
    });
    await eventually(
      async () => (await delivery()).status === 'canceled' || undefined,
      () => 'the delivery still waits',
    );
  });
});

describe('the log of the house', () => {
  it('names no pass and no session', () =>
    expect(house.output()).not.toMatch(/carillon_(pass|gws)_0[0-9A-Za-z]{38}/));
});
