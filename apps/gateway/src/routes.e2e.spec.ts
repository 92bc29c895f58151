import { isDeepStrictEqual } from 'node:util';
import { eventually, type House, type HouseAccount, type HouseAnswer, startHouse } from '@carillon/testkit';

/** One route as the document of the Agent API tells it. */
interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly string[];
  readonly takesBody: boolean;
}

let house: House;
let operations: readonly Operation[];
let scopes: readonly string[];
beforeAll(async () => {
  house = await startHouse({ limits: 'off', env: { CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
  house.ignorePushes();
  const { body: document } = await house.http('GET', '/openapi/agent.json');
  operations = operationsOf(document);
  scopes = document.components.schemas.Scope.enum;
}, 120_000);
afterAll(() => house?.close(), 90_000);

function operationsOf(document: { paths: Record<string, Record<string, any>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      scopes: operation['x-required-scopes'],
      takesBody: method !== 'get',
    })),
  );
}

/** All of it, a few at a time. */
async function each<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += 16)
    results.push(...(await Promise.all(items.slice(from, from + 16).map(work))));
  return results;
}

const named = (path: string, idOf: (upTo: string, name: string) => string): string =>
  path.replace(/\{(\w+)\}/g, (part, name: string, at: number) => idOf(path.slice(0, at + part.length), name));

/** Well-formed ids of nothing. */
const ofNothing = (path: string): string =>
  named(path, (upTo) => (/^\/notifications\/\{id\}$/.test(upTo) ? 'anot_foo' : 'foo'));

const said = ({ status, body }: HouseAnswer): string => `${status} ${body.code ?? ''}`.trim();
const answersOf = async (
  asked: readonly Operation[],
  ask: (operation: Operation) => Promise<HouseAnswer>,
): Promise<Record<string, string>> =>
  Object.fromEntries(await each(asked, async (operation) => [operation.name, said(await ask(operation))]));

const tokenWith = async (
  who: HouseAccount,
  given: readonly string[],
): Promise<{ id: string; secret: string }> => {
  const made = await who.session('POST', '/tokens', { body: { name: 'narrow', scopes: given } });
  expect(made.status).toBe(201);
  return { id: made.body.token.id, secret: made.body.secret };
};

describe('every route of the Agent API', () => {
  it('needs a token, and names a document that says so', async () => {
    const path = '/.well-known/oauth-protected-resource/api/agent';
    const metadata = house.state.baseUrl + path;
    expect(await house.http('GET', path)).toMatchObject({
      status: 200,
      body: { resource: `${house.state.baseUrl}/api/agent`, bearer_methods_supported: ['header'] },
    });
    const answers = await answersOf(operations, async ({ method, path, takesBody }) => {
      const answer = await house.api(method, ofNothing(path), {
        token: null,
        ...(takesBody && { body: {} }),
      });
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer realm="agent", error="invalid_token", resource_metadata="${metadata}"`,
      );
      return answer;
    });
    expect(Object.keys(answers)).toHaveLength(operations.length);
    expect(new Set(Object.values(answers))).toEqual(new Set(['401 UNAUTHENTICATED']));
  });

  it('is open to a token with its scopes, and to none that lacks one', async () => {
    expect(scopes).toHaveLength(22);
    const person = await house.anotherAccount();
    const several = new Set(
      operations.map((each) => each.scopes.join(' ')).filter((each) => each.includes(' ')),
    );
    const wrong: string[] = [];
    for (const given of [...scopes, ...several].map((each) => each.split(' '))) {
      const { secret } = await tokenWith(person, given);
      await each(operations, async ({ name, method, path, takesBody, scopes: needed }) => {
        // A body that every route refuses: nothing changes, whatever the caller may do.
        const body = takesBody ? { nonsense: 1 } : undefined;
        const answer = await person.api(method, ofNothing(path), { token: secret, body });
        const challenge = answer.headers.get('www-authenticate');
        const { code, required } = answer.body;
        const asExpected = needed.every((scope) => given.includes(scope))
          ? answer.status !== 401 && code !== 'INSUFFICIENT_SCOPE'
          : said(answer) === '403 INSUFFICIENT_SCOPE' &&
            isDeepStrictEqual(required, needed) &&
            challenge === `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`;
        if (!asExpected)
          wrong.push(`${name} with ${given.join(' ')}: ${said(answer)}, ${required}, ${challenge}`);
      });
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});

/** What somebody has, one of each kind: by the path up to the id. */
async function possessionsOf(owner: HouseAccount): Promise<Readonly<Record<string, string>>> {
  const post = async (path: string, body: object) => {
    const answer = await owner.api('POST', path, { body });
    if (answer.status !== 201) throw new Error(`${path} was answered ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { service, webhookUrl } = await post('/services', { title: 'CI' });
  const received = await house.http('POST', new URL(webhookUrl).pathname, { body: { text: 'built' } });
  const { notification } = await post('/notifications', { title: 'a', body: 'b' });
  const teamId = await house.workplaceTeam(owner);
  const rotation = { userIds: [owner.id], period: 'daily', handoffAt: '09:00', timezone: 'UTC' };
  const { id: groupId } = await post(`/teams/${teamId}/oncall`, { name: 'Backend', rotation });
  const team = `/teams/{id}`;
  return {
    '/tokens/{id}': (await tokenWith(owner, ['inbox:read'])).id,
    '/devices/{id}': house.phones.ios.deviceId,
    '/services/{id}': service.id,
    '/webhooks/{id}': (
      await post('/webhooks', { name: 'Bot', url: 'https://127.0.0.1/', events: ['interaction.expired'] })
    ).webhook.id,
    '/notifications/{id}': notification.id,
    '/interactions/{id}': (await post('/interactions', { title: 'a', prompt: 'b', kind: 'reply' }))
      .interaction.id,
    '/activities/{identifier}': (await post('/activities', { props: { title: 'a' } })).activity.id,
    '/apps/{id}': (await post('/apps', { name: 'Dash', url: 'https://dash.test/' })).app.id,
    '/connectors/{id}': (await post('/connectors', { name: 'NAS', tunnelId: 't-1', hostname: 'nas.test' }))
      .connector.id,
    [team]: teamId,
    [`${team}/members/{userId}`]: owner.id,
    [`${team}/invites/{inviteId}`]: (await post(`/teams/${teamId}/invites`, {})).invite.id,
    [`${team}/groups/{groupId}`]: (await post(`/teams/${teamId}/groups`, { name: 'All' })).group.id,
    '/oncall/{groupId}': groupId,
    '/oncall/{groupId}/overrides/{overrideId}': (
      await post(`/oncall/${groupId}/overrides`, override(owner.id))
    ).override.id,
    '/pages/{id}': (await post(`/oncall/${groupId}/pages`, { title: 'a' })).page.id,
    '/inbox/notifications/{id}': `event:${received.body.eventId}`,
  };
}

// The house's clock is ahead of ours by what was advanced: a beginning that is past is now.
const override = (userId: string) => ({
  userId,
  startsAt: new Date(Date.now()).toISOString(),
  endsAt: new Date(Date.now() + 20 * 86_400_000).toISOString(),
});
const nobody = 'usr_01jd3q5w00f8zb8k4t2m6x9yrc';

/** What a route is called with, where it would not get as far as the id without. */
const bodies: Readonly<Record<string, object>> = {
  'PATCH /services/{id}': { title: 'a' },
  'POST /services/{id}/share': { familyId: null },
  'PATCH /webhooks/{id}': { name: 'a' },
  'PATCH /activities/{identifier}': { props: { title: 'a' } },
  'PATCH /apps/{id}': { name: 'a' },
  'POST /apps/{id}/share': { teamId: null },
  'PATCH /teams/{id}': { name: 'a' },
  'PATCH /teams/{id}/members/{userId}': { role: 'member' },
  'POST /teams/{id}/domain': { domain: 'acme.com' },
  'POST /teams/{id}/groups': { name: 'a' },
  'PATCH /teams/{id}/groups/{groupId}': { name: 'a' },
  'POST /teams/{id}/oncall': {
    name: 'a',
    rotation: { userIds: [nobody], period: 'daily', handoffAt: '09:00', timezone: 'UTC' },
  },
  'PATCH /oncall/{groupId}': { name: 'a' },
  'POST /oncall/{groupId}/overrides': override(nobody),
  'POST /oncall/{groupId}/pages': { title: 'a' },
  'PATCH /connectors/{id}': { name: 'a' },
  'POST /connectors/{id}/access': { pass: 'carillon_pass_nonsense', route: 'web' },
  'POST /connectors/{id}/access/revalidate': {
    sessions: [{ session: 'carillon_gws_nonsense', route: 'web' }],
  },
  'POST /connectors/{id}/callback-access': {
    deliveryId: 'cbd_foo',
    timestamp: 1,
    signature: 'v1,nonsense',
    bodySha256: '0'.repeat(64),
  },
};

describe('what an account has', () => {
  let owner: HouseAccount;
  let others: HouseAccount;
  let ids: Readonly<Record<string, string>>;
  let withId: readonly Operation[];
  beforeAll(async () => {
    owner = house.owner;
    others = await house.anotherAccount();
    ids = await possessionsOf(owner);
    withId = operations.filter(({ path }) => path.includes('{'));
    // Both phones show it by then: nothing more becomes of it.
    await eventually(
      async () => {
        const { body } = await owner.api('GET', '/activities');
        return body.activities[0].readiness.ready === 2 ? true : undefined;
      },
      () => 'the activity was not ready on both phones',
    );
  }, 60_000);

  /** Fails for a kind of thing that this walk does not have one of. */
  const ofOwner = (path: string): string =>
    named(path, (upTo) => {
      const id = ids[upTo];
      if (id === undefined) throw new Error(`nothing is known that ${upTo} could name`);
      return id;
    });
  const call = (who: HouseAccount, { name, method }: Operation, path: string) =>
    who.api(method, path, { ...(bodies[name] && { body: bodies[name] }) });
  /** All that it can read, apart from when, and from when a token was used. */
  const sees = async (who: HouseAccount): Promise<Record<string, string>> => {
    const reads = operations.filter(({ method, path }) => method === 'GET' && !path.endsWith('/wait'));
    const read = await each(reads, async (operation) => {
      const { status, body } = await call(who, operation, ofOwner(operation.path));
      const text = JSON.stringify(body).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');
      return [operation.name, `${status} ${text.replaceAll('"lastUsedAt":null', '"lastUsedAt":"then"')}`];
    });
    return Object.fromEntries(read);
  };

  it('is nothing to another account: no route tells it from what there is not, shows or changes it', async () => {
    const before = await sees(owner);
    const answers: Record<string, unknown> = {};
    for (const operation of withId) {
      const ofTheirs = await call(others, operation, ofOwner(operation.path));
      const none = await call(others, operation, ofNothing(operation.path));
      expect([operation.name, ofTheirs.body]).toEqual([operation.name, none.body]);
      answers[operation.name] = said(ofTheirs);
    }
    expect(answers).toEqual(Object.fromEntries(withId.map(({ name }) => [name, '404 NOT_FOUND'])));

    const shown = JSON.stringify(await sees(others));
    expect(Object.values(ids).filter((id) => shown.includes(id))).toEqual([]);
    expect(await sees(owner)).toEqual(before);
    // What each path was filled with is there.
    expect(Object.entries(before).filter(([, read]) => !read.startsWith('200'))).toEqual([]);
  }, 60_000);
});
