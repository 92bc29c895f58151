import {
  type House,
  type HouseAccount,
  type HouseAnswer,
  type NameServer,
  startHouse,
  startNames,
} from '@carillon/testkit';

let names: NameServer;
let house: House;
beforeAll(async () => {
  names = await startNames();
  house = await startHouse({ limits: 'off', env: { CARILLON_DOMAIN_DNS: names.address } });
}, 120_000);
afterAll(() => house?.close().finally(() => names?.stop()), 90_000);

const verify = async (email: string): Promise<void> => {
  expect(await house.admin('account', 'verify', `--email=${email}`)).toMatchObject({ status: 0 });
};
const verified = async (): Promise<HouseAccount> => {
  const person = await house.anotherAccount();
  await verify(person.email);
  return person;
};

interface Made {
  readonly owner: HouseAccount;
  readonly path: string;
}

const ourFamily = async (): Promise<Made> => {
  const owner = await house.anotherAccount();
  const made = await owner.api('POST', '/teams', { body: { kind: 'family', name: 'Ours' } });
  return { owner, path: `/teams/${made.body.team.id}` };
};
const ourTeam = async (): Promise<Made> => {
  const owner = await house.anotherAccount();
  return { owner, path: `/teams/${await house.workplaceTeam(owner)}` };
};

const invite = ({ owner, path }: Made, body: object = {}): Promise<HouseAnswer> =>
  owner.api('POST', `${path}/invites`, { body });
const codeOf = async (made: Made, body: object = {}): Promise<string> => (await invite(made, body)).body.code;
const accept = (person: Pick<HouseAccount, 'session'>, code: string): Promise<HouseAnswer> =>
  person.session('POST', `/invites/${code}/accept`, { body: {} });
const membersOf = async ({ owner, path }: Made): Promise<string[]> =>
  (await owner.api('GET', path)).body.members.map(({ userId }: { userId: string }) => userId);
const refusal = (status: number, code: string, more: object = {}) => ({ status, body: { code, ...more } });

describe('an invite for an address', () => {
  it('is accepted once, by the person who has verified it', async () => {
    const made = await ourFamily();
    const [eve, other] = [await house.anotherAccount(), await verified()];
    const created = await invite(made, { email: eve.email.toUpperCase() });
    expect(created).toMatchObject({
      status: 201,
      body: {
        invite: { email: eve.email.toUpperCase(), domain: null, role: 'member', acceptedAt: null },
        code: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/),
      },
    });
    const { code, url, invite: shown } = created.body;
    expect(url).toBe(`${house.state.baseUrl}/join/${code}`);
    expect((await made.owner.api('GET', `${made.path}/invites`)).body).toEqual({
      invites: [shown],
      nextCursor: null,
    });
    const preview = async () => (await eve.session('GET', `/invites/${code}`)).body.invite;
    expect(await preview()).toMatchObject({
      team: { name: 'Ours', kind: 'family', memberCount: 1 },
      addressFits: false,
    });
    for (const person of [eve, other])
      expect(await accept(person, code)).toMatchObject(refusal(403, 'INVITE_OTHER_ADDRESS'));
    await verify(eve.email);
    expect(await preview()).toMatchObject({ addressFits: true });
    expect(await accept(eve, code.toUpperCase())).toMatchObject({
      status: 200,
      body: { team: { role: 'member', memberCount: 2 } },
    });
    expect((await eve.session('GET', '/teams')).body.teams).toHaveLength(1);
    expect(await accept(eve, code)).toMatchObject(refusal(410, 'INVITE_USED'));
    expect(await invite(made, { email: eve.email })).toMatchObject(refusal(409, 'ALREADY_MEMBER'));
    const remove = await made.owner.api('DELETE', `${made.path}/invites/${shown.id}`);
    expect(remove).toMatchObject(refusal(409, 'INVITE_ALREADY_ACCEPTED'));
    const listed = await made.owner.api('GET', `${made.path}/invites?state=accepted`);
    expect(listed.body.invites).toMatchObject([{ id: shown.id, acceptedAt: expect.any(String) }]);
  }, 60_000);

  it('is for people only, and a guessed code is unknown', async () => {
    const made = await ourFamily();
    const code = await codeOf(made);
    const { apiToken: token } = await house.anotherAccount();
    const byAgent = await house.http('POST', `/api/session/invites/${code}/accept`, { body: {}, token });
    expect(byAgent).toMatchObject(refusal(403, 'HUMAN_SESSION_REQUIRED'));
    const person = await house.anotherAccount();
    for (const guess of ['0'.repeat(26), 'x', code.slice(1)])
      expect(await accept(person, guess)).toMatchObject(refusal(404, 'NOT_FOUND'));
    expect(await invite(made, { email: 'a@b.test', domain: 'b.test' })).toMatchObject(
      refusal(400, 'VALIDATION_FAILED', { issues: [{ path: 'domain' }] }),
    );
    for (const domain of ['x', ' x.y '])
      expect(await invite(made, { domain })).toMatchObject(
        refusal(400, 'VALIDATION_FAILED', { issues: [{ path: 'domain', code: 'too_short' }] }),
      );
    expect(await invite(made, { role: 'owner' })).toMatchObject(refusal(400, 'VALIDATION_FAILED'));
    expect(await invite(made, { role: 'admin' })).toMatchObject(refusal(403, 'TEAM_FEATURE_UNAVAILABLE'));
    expect((await invite({ ...made, owner: person })).status).toBe(404);
    expect(await accept(person, code)).toMatchObject({ status: 200 });
    expect(await invite({ ...made, owner: person })).toMatchObject(refusal(403, 'FORBIDDEN_ROLE'));
    const list = await person.api('GET', `${made.path}/invites`);
    expect(list).toMatchObject(refusal(403, 'FORBIDDEN_ROLE'));
  }, 60_000);
});

describe('a link into a family', () => {
  it('that twenty open at once takes exactly three in, and the others stay free for a family of their own', async () => {
    const made = await ourFamily();
    const code = await codeOf(made);
    const people: HouseAccount[] = [];
    for (let n = 0; n < 20; n += 1) people.push(await house.anotherAccount());
    for (const person of people) await person.session('GET', '/me');
    const answers = await Promise.all(people.map((person) => accept(person, code)));
    const inside = people.filter((_, n) => answers[n]?.status === 200);
    expect(inside).toHaveLength(3);
    for (const answer of answers)
      if (answer.status !== 200)
        expect(answer).toMatchObject(refusal(422, 'FAMILY_CAPACITY_EXCEEDED', { limit: 4 }));
    expect(new Set(await membersOf(made))).toEqual(new Set([made.owner.id, ...inside.map(({ id }) => id)]));
    for (const person of people.filter((each) => !inside.includes(each)).slice(0, 2))
      expect((await person.api('POST', '/teams', { body: { kind: 'family', name: 'Own' } })).status).toBe(
        201,
      );
    expect(await invite(made)).toMatchObject(refusal(422, 'FAMILY_CAPACITY_EXCEEDED', { limit: 4 }));
  }, 120_000);

  it('takes the same person in once, and nobody who is in another family', async () => {
    const made = await ourFamily();
    const code = await codeOf(made);
    const person = await house.anotherAccount();
    await person.session('GET', '/me');
    const answers = await Promise.all([accept(person, code), accept(person, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await accept(person, code)).toMatchObject(refusal(409, 'ALREADY_MEMBER'));
    expect(await membersOf(made)).toHaveLength(2);
    const another = await ourFamily();
    expect(await accept(person, await codeOf(another))).toMatchObject(refusal(409, 'FAMILY_EXISTS'));
    expect(await membersOf(another)).toHaveLength(1);
    expect((await person.api('POST', `${made.path}/leave`)).status).toBe(200);
    expect((await accept(person, await codeOf(another))).status).toBe(200);
  }, 60_000);

  it('that is revoked while somebody accepts it is dead for all who come later', async () => {
    const made = await ourFamily();
    const { code, invite: shown } = (await invite(made)).body;
    const [early, late] = [await house.anotherAccount(), await house.anotherAccount()];
    await early.session('GET', '/me');
    const revoke = () => made.owner.api('DELETE', `${made.path}/invites/${shown.id}`);
    const [accepted, revoked] = await Promise.all([accept(early, code), revoke()]);
    expect(revoked).toMatchObject({ status: 200, body: { ok: true } });
    expect([200, 410]).toContain(accepted.status);
    expect(await membersOf(made)).toHaveLength(accepted.status === 200 ? 2 : 1);
    expect((await revoke()).status).toBe(200);
    for (const answer of [await accept(late, code), await late.session('GET', `/invites/${code}`)])
      expect(answer).toMatchObject(refusal(410, 'INVITE_REVOKED'));
  }, 60_000);
});

describe('the page that the link of an invite leads to', () => {
  const open = (code: string): Promise<HouseAnswer> => house.http('GET', `/join/${code}`, { token: null });

  it('leads to the console, is the same for good and bad codes, and accepts nothing', async () => {
    const made = await ourFamily();
    const { code, url, invite: shown } = (await invite(made)).body;
    expect(new URL(url).pathname).toBe(`/join/${code}`);
    const { status, headers, body } = await open(code);
    expect(status).toBe(200);
    expect(body).toContain(`href="${house.state.baseUrl}/console/join/${code}"`);
    expect(body).not.toContain('Ours');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'ratelimit-policy': expect.stringContaining('"public"'),
    });
    expect(await membersOf(made)).toEqual([made.owner.id]);
    expect((await made.owner.api('DELETE', `${made.path}/invites/${shown.id}`)).status).toBe(200);
    for (const guess of [code, '0'.repeat(26), 'x', '%3Cscript%3E', 'x'.repeat(300)]) {
      const answer = await open(guess);
      expect(answer.status).toBe(200);
      expect(answer.body.replace(guess, code)).toBe(body);
    }
  }, 60_000);
});

describe('somebody who was removed from a family', () => {
  it('does not come back by the link that they have, nor does another account of theirs', async () => {
    const made = await ourFamily();
    const { code, invite: shown } = (await invite(made)).body;
    const [mallory, second] = [await house.anotherAccount(), await house.anotherAccount()];
    expect((await accept(mallory, code)).status).toBe(200);
    expect((await made.owner.api('DELETE', `${made.path}/members/${mallory.id}`)).status).toBe(200);
    for (const person of [mallory, second])
      for (const answer of [await person.session('GET', `/invites/${code}`), await accept(person, code)])
        expect(answer).toMatchObject(refusal(410, 'INVITE_REVOKED'));
    expect(await membersOf(made)).toEqual([made.owner.id]);
    const audit = await made.owner.api('GET', `${made.path}/audit?action=invite.revoked`);
    expect(audit.body.entries).toMatchObject([{ targetId: shown.id, actorUserId: made.owner.id }]);
    expect((await accept(mallory, await codeOf(made))).status).toBe(200);
  }, 60_000);

  it('lets a person return that left voluntarily', async () => {
    const made = await ourFamily();
    const code = await codeOf(made);
    const person = await house.anotherAccount();
    expect((await accept(person, code)).status).toBe(200);
    expect((await person.api('POST', `${made.path}/leave`)).status).toBe(200);
    expect((await accept(person, code)).status).toBe(200);
  }, 60_000);
});

describe('invites of a workplace team', () => {
  it('take admins in where the owner says so, and are thirty an hour', async () => {
    await house.beginWindow(3_600);
    const made = await ourTeam();
    const boss = await house.anotherAccount();
    expect(await accept(boss, await codeOf(made, { role: 'admin' }))).toMatchObject({
      status: 200,
      body: { team: { role: 'admin' } },
    });
    const byAdmin = { owner: boss, path: made.path };
    expect(await invite(byAdmin, { role: 'admin' })).toMatchObject(refusal(403, 'FORBIDDEN_ROLE'));
    expect(await invite(byAdmin, { domain: 'acme.test' })).toMatchObject(refusal(409, 'DOMAIN_NOT_VERIFIED'));
    for (let n = 1; n < 30; n += 1) expect((await invite(byAdmin)).status).toBe(201);
    expect(await invite(byAdmin)).toMatchObject(refusal(429, 'RATE_LIMITED', { limit: 30 }));
    const page = await boss.api('GET', `${made.path}/invites?limit=20`);
    expect(page.body.invites).toHaveLength(20);
    const rest = `${made.path}/invites?cursor=${page.body.nextCursor}`;
    expect((await boss.session('GET', rest)).body).toMatchObject({
      invites: { length: 10 },
      nextCursor: null,
    });
    expect(await made.owner.api('GET', rest)).toMatchObject(refusal(400, 'INVALID_CURSOR'));
  }, 60_000);

  it('expire after seven days, and die with their team', async () => {
    const made = await ourFamily();
    const [expired, person] = [await codeOf(made), await house.anotherAccount()];
    await house.advance(7 * 24 * 3_600);
    expect(await accept(person, expired)).toMatchObject(refusal(410, 'INVITE_EXPIRED'));
    const ofExpired = await made.owner.api('GET', `${made.path}/invites?state=expired`);
    expect(ofExpired.body.invites).toHaveLength(1);
    const code = await codeOf(made);
    await made.owner.api('DELETE', made.path);
    expect(await accept(person, code)).toMatchObject(refusal(410, 'INVITE_REVOKED'));
  }, 60_000);
});

describe('the verified domain of a team', () => {
  const verifyDomain = async ({ owner, path }: Made, domain: string): Promise<void> => {
    const pending = await owner.api('POST', `${path}/domain`, { body: { domain } });
    const { host, value } = pending.body.team.domainVerification;
    names.says(host, { texts: [[value]] });
    expect((await owner.api('POST', `${path}/domain/verify`)).status).toBe(200);
  };
  const teamsOf = async (person: HouseAccount): Promise<object[]> => {
    await house.advance(1);
    return (await person.api('GET', '/teams')).body.teams;
  };

  it('lets people with a verified address in it accept one invite, and join by signing in', async () => {
    const made = await ourTeam();
    const [invited, joining, unproved] = [await verified(), await verified(), await house.anotherAccount()];
    await verifyDomain(made, 'example.test');
    const code = await codeOf(made, { domain: 'Example.Test' });
    expect(await accept(unproved, code)).toMatchObject(refusal(403, 'INVITE_OTHER_ADDRESS'));
    expect((await accept(invited, code)).status).toBe(200);

    await joining.signIn();
    expect(await teamsOf(joining)).toEqual([]);
    const on = await made.owner.api('PATCH', made.path, { body: { autoJoinVerifiedDomain: true } });
    expect(on.status).toBe(200);
    for (const person of [joining, joining, unproved]) await person.signIn();
    expect(await teamsOf(joining)).toMatchObject([{ name: 'Acme', role: 'member', memberCount: 3 }]);
    expect(await teamsOf(unproved)).toEqual([]);

    expect((await made.owner.api('DELETE', `${made.path}/members/${joining.id}`)).status).toBe(200);
    await joining.signIn();
    expect(await teamsOf(joining)).toEqual([]);
    expect(await accept(joining, code)).toMatchObject(refusal(410, 'INVITE_REVOKED'));
    const another = await codeOf(made, { domain: 'example.test' });
    expect((await accept(joining, another)).status).toBe(200);
  }, 60_000);
});

describe('an installation that takes people by invite', () => {
  it('lets those make an account whom an open invite is for', async () => {
    const made = await ourFamily();
    const email = `new.${Date.now()}@example.test`;
    const [forNew, forOther] = [await codeOf(made, { email }), await codeOf(made, { email: 'other@x.test' })];
    const { code: revoked, invite: shown } = (await invite(made)).body;
    await made.owner.api('DELETE', `${made.path}/invites/${shown.id}`);
    await house.restart({ SIGNUP_MODE: 'invite' });
    const signUp = (inviteCode?: string) =>
      house.http('POST', '/api/session/signup', {
        body: { email, name: 'New', password: 'correct horse battery', inviteCode, client: 'app' },
      });
    for (const code of [undefined, 'x', revoked, forOther])
      expect(await signUp(code)).toMatchObject(refusal(403, 'INVITE_INVALID'));
    const signedUp = await signUp(forNew);
    expect(signedUp).toMatchObject({ status: 201, body: { account: { email, emailVerified: false } } });
    expect((await made.owner.api('GET', `${made.path}`)).body.members).toHaveLength(1);
    await verify(email);
    const token = signedUp.body.accessToken;
    const joined = await house.http('POST', `/api/session/invites/${forNew}/accept`, { body: {}, token });
    expect(joined).toMatchObject({ status: 200, body: { team: { memberCount: 2 } } });
  }, 120_000);
});
