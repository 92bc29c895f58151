import { eventually, type House, type HouseAccount, startHouse } from '@carillon/testkit';
import { randomUUID } from 'node:crypto';

let house: House;
beforeAll(async () => {
  house = await startHouse({ env: { TEAMS_MODE: 'operator' } });
}, 120_000);
afterAll(() => house?.close(), 90_000);

describe('a family', () => {
  it('is made by its owner, who is in no other', async () => {
    const person = await house.anotherAccount();
    const made = await person.api('POST', '/teams', { body: { kind: 'family', name: 'The Smiths' } });
    expect(made).toMatchObject({
      status: 201,
      body: { team: { kind: 'family', name: 'The Smiths', role: 'owner', seats: { used: 1, available: 3 } } },
    });
    const { team } = made.body;
    expect((await person.api('GET', `/teams/${team.id}`)).body).toMatchObject({
      team,
      members: [{ email: person.email, role: 'owner' }],
    });
    expect((await person.api('GET', '/teams')).body).toEqual({ teams: [team], nextCursor: null });
    expect(await person.api('POST', '/teams', { body: { kind: 'family', name: 'Another' } })).toMatchObject({
      status: 409,
      body: { code: 'FAMILY_EXISTS' },
    });
  });

  it('is renamed by its owner, who is told what an update may not be', async () => {
    const owner = await house.anotherAccount();
    const { team } = (await owner.api('POST', '/teams', { body: { kind: 'family', name: 'Ours' } })).body;
    const change = (body: object) => owner.api('PATCH', `/teams/${team.id}`, { body });
    expect(await change({ name: 'Theirs', retentionDays: 7 })).toMatchObject({
      status: 200,
      body: { team: { ...team, name: 'Theirs', retentionDays: 7 } },
    });
    expect((await change({ retentionDays: null })).body.team).toEqual({ ...team, name: 'Theirs' });
    expect(await change({})).toMatchObject({ status: 400, body: { code: 'EMPTY_UPDATE' } });
    for (const retentionDays of [6, 3651, 7.5, '30'])
      expect(await change({ name: 'Nothing of this', retentionDays })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', issues: [{ path: 'retentionDays' }] },
      });
    expect(await change({ autoJoinVerifiedDomain: true })).toMatchObject({
      status: 403,
      body: { code: 'TEAM_FEATURE_UNAVAILABLE' },
    });
    expect((await owner.api('GET', `/teams/${team.id}`)).body.team.name).toBe('Theirs');
  });

  it('that is deleted is none, and its owner may make another at once', async () => {
    const owner = await house.anotherAccount();
    const make = () => owner.api('POST', '/teams', { body: { kind: 'family', name: 'Ours' } });
    const { team } = (await make()).body;
    expect(await owner.api('POST', `/teams/${team.id}/leave`)).toMatchObject({
      status: 409,
      body: { code: 'OWNER_MUST_TRANSFER' },
    });
    expect(await owner.api('DELETE', `/teams/${team.id}/members/${owner.id}`)).toMatchObject({
      status: 409,
      body: { code: 'OWNER_MUST_TRANSFER' },
    });
    expect(await owner.api('DELETE', `/teams/${team.id}`)).toMatchObject({ status: 200, body: { ok: true } });
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/leave'],
    ] as const)
      expect((await owner.api(method, `/teams/${team.id}${path}`)).status).toBe(404);
    expect((await make()).status).toBe(201);
    expect((await owner.api('GET', '/teams')).body.teams).toHaveLength(1);
  });

  it('is the same for the person as for their agents, but for what needs a sign-in', async () => {
    const owner = await house.anotherAccount();
    const made = await owner.session('POST', '/teams', { body: { kind: 'family', name: 'Ours' } });
    expect(made.status).toBe(201);
    const { team } = made.body;
    for (const path of ['/teams', `/teams/${team.id}`])
      expect((await owner.session('GET', path)).body).toEqual((await owner.api('GET', path)).body);
    expect(
      (await owner.session('PATCH', `/teams/${team.id}`, { body: { name: 'Theirs' } })).body.team,
    ).toEqual({ ...team, name: 'Theirs' });
    const token = await owner.signIn();
    const give = (role: string) =>
      owner.session('PATCH', `/teams/${team.id}/members/${owner.id}`, { token, body: { role } });
    expect(await give('owner')).toMatchObject({
      status: 200,
      body: { member: { userId: owner.id, role: 'owner' } },
    });
    await house.advance(15 * 60 + 1);
    expect(await give('owner')).toMatchObject({ status: 401, body: { code: 'REAUTH_REQUIRED' } });
    // No other change needs a recent sign-in.
    expect(await give('member')).toMatchObject({ status: 409, body: { code: 'OWNER_MUST_TRANSFER' } });
    expect(await owner.session('POST', `/teams/${team.id}/leave`, { token })).toMatchObject({
      status: 409,
      body: { code: 'OWNER_MUST_TRANSFER' },
    });
    expect(await owner.session('DELETE', `/teams/${team.id}/members/${owner.id}`, { token })).toMatchObject({
      status: 409,
    });
    expect((await owner.session('DELETE', `/teams/${team.id}`, { token })).body).toEqual({ ok: true });
  });

  it('is unknown to accounts outside it', async () => {
    const [owner, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const made = await owner.api('POST', '/teams', { body: { kind: 'family', name: 'Ours' } });
    expect(await other.api('GET', `/teams/${made.body.team.id}`)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });
});

describe('a workplace team', () => {
  it('is created only by the operator of the installation', async () => {
    const owner = await house.anotherAccount();
    for (const body of [
      { kind: 'team', name: 'Acme' },
      { name: 'Acme' },
      { kind: 'team', name: 7, x: 1 },
      {},
    ])
      for (const call of [
        owner.api('POST', '/teams', { body }),
        owner.session('POST', '/teams', { body }),
        house.session('POST', '/teams', { body }),
      ])
        expect(await call).toMatchObject({ status: 403, body: { code: 'TEAM_SIGNUP_UNAVAILABLE' } });

    const made = await house.admin('team', 'create', '--name= Acme ', `--owner=${owner.email.toUpperCase()}`);
    expect(made).toMatchObject({ status: 0 });
    const { team } = JSON.parse(made.stdout);
    expect(team).toMatchObject({
      kind: 'team',
      name: 'Acme',
      role: 'owner',
      plan: 'team',
      seats: { used: 1, available: 499, billable: 0 },
    });
    expect((await owner.api('GET', `/teams/${team.id}`)).body).toMatchObject({
      team,
      members: [{ userId: owner.id, role: 'owner' }],
    });
    expect((await house.api('GET', `/teams/${team.id}`)).status).toBe(404);

    expect(await house.admin('team', 'create', '--name=Acme', '--owner=nobody@example.test')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('account.not_found'),
    });
    expect(await house.admin('team', 'create', '--name=', `--owner=${owner.email}`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('name must not be empty'),
    });
    expect(await house.admin('team', 'create', '--name=Acme')).toMatchObject({ status: 2, stdout: '' });
  }, 60_000);
});

describe('a workplace team where everybody makes them', () => {
  beforeAll(() => house.restart({ TEAMS_MODE: 'open' }), 120_000);

  it('belongs to its creator, who owns at most five', async () => {
    const owner = await house.anotherAccount();
    const make = (body: object) => owner.api('POST', '/teams', { body });
    const made = await make({ kind: 'team', name: 'Acme' });
    expect(made).toMatchObject({
      status: 201,
      body: { team: { kind: 'team', name: 'Acme', role: 'owner', seats: { used: 1, available: 499 } } },
    });
    const { id } = made.body.team;
    expect((await owner.api('GET', `/teams/${id}`)).body.team).toEqual(made.body.team);
    expect(await make({ kind: 'team', name: 7 })).toMatchObject({ status: 400 });
    expect(await make({ kind: 'family', name: 'Ours' })).toMatchObject({ status: 201 });
    for (const body of [{ name: 'B' }, { kind: 'team', name: 'C' }, { name: 'D' }, { name: 'E' }])
      expect(await make(body)).toMatchObject({ status: 201, body: { team: { kind: 'team' } } });
    const full = { status: 422, body: { code: 'RESOURCE_LIMIT_REACHED', limit: 5 } };
    expect(await make({ kind: 'team', name: 'F' })).toMatchObject(full);
    expect((await owner.api('DELETE', `/teams/${id}`)).status).toBe(200);
    expect((await make({ kind: 'team', name: 'F' })).status).toBe(201);
  }, 60_000);
});

describe('an address', () => {
  it('is verified for the first account, and for others by the operator of the installation', async () => {
    const isVerified = async (who: Pick<HouseAccount, 'session'>): Promise<boolean> =>
      (await who.session('GET', '/me')).body.account.emailVerified;
    expect(await isVerified(house)).toBe(true);
    const person = await house.anotherAccount();
    expect(await isVerified(person)).toBe(false);
    const said = await house.admin('account', 'verify', `--email=${person.email}`);
    expect(said).toMatchObject({ status: 0 });
    expect(JSON.parse(said.stdout)).toMatchObject({ account: { id: person.id, emailVerified: true } });
    await eventually(
      async () => (await isVerified(person)) || undefined,
      () => 'what was said by the operator is not seen',
    );
    const moved = await person.session('PATCH', '/me', { body: { email: `moved.${person.email}` } });
    expect(moved.body.account).toMatchObject({ emailVerified: false });
    expect(await isVerified(person)).toBe(false);
    expect(await house.admin('account', 'verify', `--email=${person.email}`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('account.not_found'),
    });
  }, 60_000);
});

type Role = 'owner' | 'admin' | 'member' | 'stranger';
type Kind = 'team' | 'family';

/** The requirements and the input of a call. Allowed calls change nothing that other calls need. */
interface Rule {
  readonly needs: 'owner' | 'admin' | 'member';
  /** The route is not available in families. */
  readonly forWorkplaces?: true;
  /** The route's object does not exist in families. */
  readonly ofWorkplaces?: true;
  /** Only for a person, not for agents. */
  readonly inSession?: true;
  readonly body?: (scene: Scene, by: HouseAccount) => object;
  readonly query?: () => Readonly<Record<string, string>>;
  readonly ids?: (scene: Scene) => Promise<Readonly<Record<string, string>>>;
}

interface Scene {
  readonly kind: Kind;
  readonly id: string;
  readonly people: Readonly<Partial<Record<Role, HouseAccount>>> & { readonly owner: HouseAccount };
}

const aMember = ({ people }: Scene) => Promise.resolve({ userId: people.member?.id ?? '' });
const anInvite = async ({ id, people: { owner } }: Scene) => {
  const made = await owner.api('POST', `/teams/${id}/invites`, { body: {} });
  return { inviteId: made.body.invite.id as string };
};
const aGroup = async ({ id, people: { owner } }: Scene) => {
  const made = await owner.api('POST', `/teams/${id}/groups`, { body: { name: randomUUID() } });
  return { groupId: made.body.group.id as string };
};

/** Creates an object once per scene, for all calls. */
const once = <Made>(make: (scene: Scene) => Promise<Made>) => {
  const made = new Map<string, Promise<Made>>();
  return (scene: Scene): Promise<Made> => {
    const known = made.get(scene.id) ?? make(scene);
    made.set(scene.id, known);
    return known;
  };
};
const rotation = ({ people: { owner } }: Scene) => ({
  userIds: [owner.id],
  period: 'daily',
  handoffAt: '09:00',
  timezone: 'UTC',
});
const makeOncallGroup = async (scene: Scene) => {
  const body = { name: randomUUID(), rotation: rotation(scene) };
  const made = await scene.people.owner.api('POST', `/teams/${scene.id}/oncall`, { body });
  return { groupId: made.body.id as string };
};
const anOncallGroup = once(makeOncallGroup);
const aPage = once(async (scene: Scene) => {
  const { groupId } = await anOncallGroup(scene);
  const made = await scene.people.owner.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } });
  return { id: made.body.page.id as string };
});
const hourMs = 3_600_000;
let windows = 0;
/** An hour without another override. */
const window = () => {
  windows += 2;
  const startsAt = Date.now() + windows * hourMs;
  return {
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(startsAt + hourMs).toISOString(),
  };
};
const anOverride = async (scene: Scene) => {
  const { groupId } = await anOncallGroup(scene);
  const { owner } = scene.people;
  const body = { userId: owner.id, ...window() };
  const made = await owner.api('POST', `/oncall/${groupId}/overrides`, { body });
  return { groupId, overrideId: made.body.override.id as string };
};
const ofGroup = { ofWorkplaces: true, ids: anOncallGroup } as const;

/** Every route of a team. Those that end a membership, then the team, are at the end. */
const rules: Readonly<Record<string, Rule>> = {
  'GET /teams/{id}': { needs: 'member' },
  'PATCH /teams/{id}': { needs: 'admin', body: () => ({ name: 'Ours' }) },
  'PATCH /teams/{id} retentionDays': { needs: 'owner', body: () => ({ name: 'Ours', retentionDays: 30 }) },
  'PATCH /teams/{id} autoJoinVerifiedDomain': {
    needs: 'owner',
    forWorkplaces: true,
    body: () => ({ autoJoinVerifiedDomain: false }),
  },
  'PATCH /teams/{id}/members/{userId}': { needs: 'admin', ids: aMember, body: () => ({ role: 'member' }) },
  'PATCH /teams/{id}/members/{userId} owner': {
    needs: 'owner',
    ids: ({ people: { owner } }) => Promise.resolve({ userId: owner.id }),
    body: () => ({ role: 'owner' }),
  },
  'DELETE /teams/{id}/members/{userId}': {
    needs: 'admin',
    // A conflict for callers that may remove members.
    ids: ({ people: { owner } }) => Promise.resolve({ userId: owner.id }),
  },
  'GET /teams/{id}/invites': { needs: 'admin' },
  'POST /teams/{id}/invites': { needs: 'admin', body: () => ({}) },
  'DELETE /teams/{id}/invites/{inviteId}': { needs: 'admin', ids: anInvite },
  'GET /teams/{id}/apps': { needs: 'member' },
  'GET /teams/{id}/groups': { needs: 'member' },
  'POST /teams/{id}/groups': { needs: 'admin', body: () => ({ name: randomUUID() }) },
  'GET /teams/{id}/groups/{groupId}': { needs: 'member', ids: aGroup },
  'PATCH /teams/{id}/groups/{groupId}': {
    needs: 'admin',
    ids: aGroup,
    body: () => ({ name: randomUUID() }),
  },
  'DELETE /teams/{id}/groups/{groupId}': { needs: 'admin', ids: aGroup },
  'GET /teams/{id}/devices': { needs: 'admin' },
  'POST /teams/{id}/domain': {
    needs: 'owner',
    forWorkplaces: true,
    body: () => ({ domain: 'acme-of-the-walk.test' }),
  },
  'DELETE /teams/{id}/domain': { needs: 'owner', forWorkplaces: true },
  'POST /teams/{id}/domain/verify': { needs: 'owner', forWorkplaces: true },
  'GET /teams/{id}/audit': { needs: 'admin' },
  'GET /teams/{id}/oncall': { needs: 'member' },
  'POST /teams/{id}/oncall': {
    needs: 'admin',
    forWorkplaces: true,
    body: (scene) => ({ name: randomUUID(), rotation: rotation(scene) }),
  },
  'GET /oncall/{groupId}': { ...ofGroup, needs: 'member' },
  'PATCH /oncall/{groupId}': { ...ofGroup, needs: 'admin', body: () => ({ name: randomUUID() }) },
  'DELETE /oncall/{groupId}': { ...ofGroup, needs: 'admin', ids: makeOncallGroup },
  'GET /oncall/{groupId}/explain': { ...ofGroup, needs: 'member' },
  'GET /oncall/{groupId}/coverage': { ...ofGroup, needs: 'member' },
  'GET /oncall/{groupId}/shifts': {
    ...ofGroup,
    needs: 'member',
    inSession: true,
    query: () => ({ from: window().startsAt, to: window().endsAt }),
  },
  'POST /oncall/{groupId}/simulate': { ...ofGroup, needs: 'member', body: () => ({ escalation: [] }) },
  'POST /oncall/{groupId}/calendar': { ...ofGroup, needs: 'member' },
  'DELETE /oncall/{groupId}/calendar': { ...ofGroup, needs: 'member' },
  'POST /oncall/{groupId}/overrides': {
    ...ofGroup,
    needs: 'member',
    body: (_, by) => ({ userId: by.id, ...window() }),
  },
  'DELETE /oncall/{groupId}/overrides/{overrideId}': { ...ofGroup, needs: 'admin', ids: anOverride },
  'POST /oncall/{groupId}/pages': { ...ofGroup, needs: 'member', body: () => ({ title: 'Down' }) },
  'GET /teams/{id}/pages': { needs: 'member' },
  'GET /pages/{id}': { needs: 'member', ofWorkplaces: true, ids: aPage },
  'POST /pages/{id}/acknowledge': { needs: 'member', ofWorkplaces: true, inSession: true, ids: aPage },
  'POST /pages/{id}/escalate': { needs: 'member', ofWorkplaces: true, inSession: true, ids: aPage },
  'POST /pages/{id}/resolve': { needs: 'member', ofWorkplaces: true, ids: aPage },
  'POST /teams/{id}/leave': { needs: 'member' },
  'DELETE /teams/{id}': { needs: 'owner' },
};

const rank = { member: 1, admin: 2, owner: 3 } as const;

function expectedOf({ needs, forWorkplaces }: Rule, kind: Kind, role: Role): string {
  if (role === 'stranger') return '404 NOT_FOUND';
  if (forWorkplaces && kind === 'family') return '403 TEAM_FEATURE_UNAVAILABLE';
  return rank[role] >= rank[needs] ? 'allowed' : '403 FORBIDDEN_ROLE';
}

async function aScene(kind: Kind): Promise<Scene> {
  const [owner, member, stranger] = [
    await house.anotherAccount(),
    await house.anotherAccount(),
    await house.anotherAccount(),
  ];
  const id: string =
    kind === 'team'
      ? await house.workplaceTeam(owner, 'Ours')
      : (await owner.api('POST', '/teams', { body: { kind, name: 'Ours' } })).body.team.id;
  await owner.takeInto(id, member);
  if (kind === 'family') return { kind, id, people: { owner, member, stranger } };
  const second = await house.anotherAccount();
  await owner.takeInto(id, second, 'admin');
  return { kind, id, people: { owner, admin: second, member, stranger } };
}

describe('the routes of a team', () => {
  const routeOf = (name: string): string => name.split(' ').slice(0, 2).join(' ');

  /** The team routes that an API describes, except those that only concern the caller. */
  const described = async (api: 'agent' | 'session'): Promise<string[]> => {
    const { body: document } = await house.http('GET', `/openapi/${api}.json`);
    return Object.entries(document.paths as Record<string, object>)
      .filter(([path]) => /^\/(teams|oncall|pages)\//.test(path) && !path.startsWith('/oncall/me'))
      .flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((method) => method !== 'parameters')
          .map((method) => `${method.toUpperCase()} ${path}`),
      )
      .sort();
  };

  it('are all walked here, and are those of a person as they are those of agents', async () => {
    const walked = (of: (rule: Rule) => boolean) =>
      [...new Set(Object.entries(rules).flatMap(([name, rule]) => (of(rule) ? [routeOf(name)] : [])))].sort();
    expect(await described('agent')).toEqual(walked(({ inSession }) => !inSession));
    expect(await described('session')).toEqual(walked(() => true));
  });

  it.each(['team', 'family'] as const)(
    'say of a %s to each role what it may do, and to a stranger that there is none',
    async (kind) => {
      const scene = await aScene(kind);
      const roles = (['stranger', 'member', 'admin', 'owner'] as const).filter((role) => scene.people[role]);
      const ofKind = Object.entries(rules).filter(([, rule]) => kind === 'team' || !rule.ofWorkplaces);
      const calls = ofKind.flatMap(([name, rule]) =>
        roles.map((role) => ({ name, rule, role, expected: expectedOf(rule, kind, role) })),
      );
      const answers: Record<string, string> = {};
      // Allowed calls may end something, so they come last.
      for (const { name, rule, role } of [
        ...calls.filter(({ expected }) => expected !== 'allowed'),
        ...calls.filter(({ expected }) => expected === 'allowed'),
      ]) {
        const [method, template] = routeOf(name).split(' ') as [string, string];
        const ids: Record<string, string> = { id: scene.id, ...(await rule.ids?.(scene)) };
        const query = rule.query ? `?${new URLSearchParams(rule.query()).toString()}` : '';
        const path = template.replace(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? '') + query;
        const by = scene.people[role] as HouseAccount;
        const given = rule.body && { body: rule.body(scene, by) };
        const { status, body } = rule.inSession
          ? await by.session(method, path, method === 'GET' ? {} : { body: {} })
          : await by.api(method, path, { ...given });
        const refused = status === 403 || status === 404 || status >= 500;
        answers[`${name} by ${role}`] = refused ? `${status} ${body.code}` : 'allowed';
      }
      const expected = Object.fromEntries(
        calls.map(({ name, role, expected: answer }) => [`${name} by ${role}`, answer]),
      );
      expect(answers).toEqual(expected);
    },
    240_000,
  );
});

describe('who may do what in a team', () => {
  it('changes hands with it: the owner that was leaves a family, and the new one removes the last', async () => {
    const { id, people } = await aScene('family');
    const [owner, heir] = [people.owner, people.member as HouseAccount];
    const child = await house.anotherAccount();
    await owner.takeInto(id, child);
    const path = `/teams/${id}`;
    const rolesFor = async (person: HouseAccount) =>
      Object.fromEntries(
        (await person.api('GET', path)).body.members.map((each: { userId: string; role: string }) => [
          each.userId,
          each.role,
        ]),
      );
    const given = await owner.session('PATCH', `${path}/members/${heir.id}`, { body: { role: 'owner' } });
    expect(given).toMatchObject({ status: 200, body: { member: { userId: heir.id, role: 'owner' } } });
    expect(await rolesFor(owner)).toEqual({ [owner.id]: 'member', [heir.id]: 'owner', [child.id]: 'member' });
    expect(await owner.api('DELETE', `${path}/members/${child.id}`)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ROLE' },
    });

    expect((await owner.api('POST', `${path}/leave`)).body).toEqual({ ok: true });
    for (const call of [owner.api('GET', path), owner.api('POST', `${path}/leave`)])
      expect((await call).status).toBe(404);
    expect((await owner.api('GET', '/teams')).body).toEqual({ teams: [], nextCursor: null });
    const fresh = await owner.api('POST', '/teams', { body: { kind: 'family', name: 'Mine alone' } });
    expect(fresh.status).toBe(201);

    expect((await heir.api('DELETE', `${path}/members/${child.id}`)).body).toEqual({ ok: true });
    expect(await heir.api('DELETE', `${path}/members/${child.id}`)).toMatchObject({ status: 404 });
    expect(await rolesFor(heir)).toEqual({ [heir.id]: 'owner' });
    expect((await child.api('GET', path)).status).toBe(404);
  });

  it('is the owner’s to say of admins, who say it of members', async () => {
    const { id, people } = await aScene('team');
    const [boss, second, member] = [
      people.owner,
      people.admin as HouseAccount,
      people.member as HouseAccount,
    ];
    const make = (by: HouseAccount, whom: HouseAccount, role: string) =>
      by.api('PATCH', `/teams/${id}/members/${whom.id}`, { body: { role } });
    const remove = (by: HouseAccount, whom: HouseAccount) =>
      by.api('DELETE', `/teams/${id}/members/${whom.id}`);
    expect((await make(second, member, 'admin')).body.member).toMatchObject({ role: 'admin' });
    expect(await remove(second, member)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ROLE' } });
    expect(await remove(second, boss)).toMatchObject({
      status: 409,
      body: { code: 'OWNER_CANNOT_BE_REMOVED' },
    });
    for (const role of ['admin', 'member'])
      expect(await make(second, boss, role)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ROLE' } });
    expect(await make(second, member, 'owner')).toMatchObject({ status: 403 });
    expect(await make(boss, boss, 'admin')).toMatchObject({
      status: 409,
      body: { code: 'OWNER_MUST_TRANSFER' },
    });
    // Removing oneself is leaving.
    expect((await remove(member, member)).body).toEqual({ ok: true });
    expect((await member.api('GET', `/teams/${id}`)).status).toBe(404);
    expect((await remove(boss, second)).body).toEqual({ ok: true });
    expect((await boss.api('GET', `/teams/${id}`)).body).toMatchObject({
      team: { memberCount: 1, seats: { used: 1, available: 499 } },
      members: [{ userId: boss.id, role: 'owner' }],
    });
  }, 30_000);
});
