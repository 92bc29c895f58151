import { type House, type HouseAccount, type NameServer, startHouse, startNames } from '@carillon/testkit';

let names: NameServer;
let house: House;
beforeAll(async () => {
  names = await startNames();
  house = await startHouse({ limits: 'off', env: { CARILLON_DOMAIN_DNS: names.address } });
}, 120_000);
afterAll(async () => {
  await house?.close().finally(() => names?.stop());
}, 90_000);

/** A workplace team of a new owner, with functions for its domain. */
async function newTeam() {
  const owner = await house.anotherAccount();
  const path = `/teams/${await house.workplaceTeam(owner)}`;
  return {
    owner,
    path,
    set: (domain: string) => owner.api('POST', `${path}/domain`, { body: { domain } }),
    verify: (by: HouseAccount = owner) => by.api('POST', `${path}/domain/verify`),
    clear: () => owner.api('DELETE', `${path}/domain`),
  };
}

/** Publishes a record at the host of a challenge, in these chunks. */
const publish = ({ host, value }: { host: string; value: string }, ...others: string[]): void =>
  names.says(host, { texts: [...others.map((text) => [text]), [value.slice(0, 20), value.slice(20)]] });

describe('the domain of a team', () => {
  it('is named, proved by a record in two chunks, and cleared', async () => {
    const { owner, path, set, verify, clear } = await newTeam();
    expect(await verify()).toMatchObject({ status: 409, body: { code: 'DOMAIN_NOT_PENDING' } });
    const pending = await set(' Bücher.Example. ');
    const { domainVerification } = pending.body.team;
    expect(pending).toMatchObject({
      status: 200,
      body: { team: { pendingDomain: 'xn--bcher-kva.example', verifiedDomain: null } },
    });
    expect(domainVerification).toEqual({
      host: '_carillon-verification.xn--bcher-kva.example',
      value: expect.stringMatching(/^carillon-verify=[0-9a-hjkmnp-tv-z]{26}$/),
    });
    expect((await set('bücher.example')).body.team.domainVerification).toEqual(domainVerification);

    publish(domainVerification, 'v=spf1 -all');
    expect(await verify()).toMatchObject({
      status: 200,
      body: {
        team: { verifiedDomain: 'xn--bcher-kva.example', pendingDomain: null, domainVerification: null },
      },
    });
    const auto = await owner.api('PATCH', path, { body: { autoJoinVerifiedDomain: true } });
    expect(auto.body.team.autoJoinVerifiedDomain).toBe(true);
    expect(await clear()).toMatchObject({ status: 200, body: { ok: true } });
    expect((await owner.api('GET', path)).body.team).toMatchObject({
      verifiedDomain: null,
      pendingDomain: null,
      autoJoinVerifiedDomain: false,
    });
  });

  it('is looked up again each time, and answered with the reason why it is not proved', async () => {
    const { set, verify } = await newTeam();
    const { host, value } = (await set('mismatch.example')).body.team.domainVerification;
    const mismatch = (found: string[]) => ({
      status: 422,
      body: { code: 'DOMAIN_TXT_MISMATCH', issues: { host, expected: value, found } },
    });
    expect(await verify()).toMatchObject(mismatch([]));
    names.says(host, { texts: [] });
    expect(await verify()).toMatchObject(mismatch([]));
    names.says(host, { texts: [[value.toUpperCase()], ['other']] });
    expect(await verify()).toMatchObject(mismatch([value.toUpperCase(), 'other']));
    names.says(host, { texts: Array.from({ length: 12 }, (_, index) => [`${index}`]) });
    expect((await verify()).body.issues.found).toHaveLength(10);
    publish({ host, value });
    expect((await verify()).status).toBe(200);
  });

  it.each(['failure', 'silence'] as const)(
    'is not proved by a name server’s %s, which is believed for 30 seconds',
    async (trouble) => {
      const { set, verify } = await newTeam();
      const challenge = (await set(`${trouble}.example`)).body.team.domainVerification;
      names.says(challenge.host, trouble);
      expect(await verify()).toMatchObject({ status: 503, body: { code: 'DOMAIN_RESOLVER_ERROR' } });
      publish(challenge);
      const asked = names.asked.length;
      const again = await verify();
      expect(again).toMatchObject({ status: 503, body: { code: 'DOMAIN_RESOLVER_ERROR' } });
      expect(Number(again.headers.get('retry-after'))).toBeLessThanOrEqual(30);
      expect(names.asked).toHaveLength(asked);
      await house.advance(30);
      expect((await verify()).status).toBe(200);
    },
    30_000,
  );

  it('is proved by one of two teams that try at once, and by the other when it is given up', async () => {
    const teams = [await newTeam(), await newTeam()];
    const challenges = [];
    for (const { set } of teams)
      challenges.push((await set('contested.example')).body.team.domainVerification);
    names.says(challenges[0].host, { texts: challenges.map(({ value }) => [value]) });
    const answers = await Promise.all(teams.map(({ verify }) => verify()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('DOMAIN_TAKEN');
    const [winner, loser] = answers[0]?.status === 200 ? teams : [...teams].reverse();
    expect((await winner!.clear()).status).toBe(200);
    expect((await loser!.verify()).status).toBe(200);
  });

  it('is looked for ten times in ten minutes', async () => {
    const { set, verify } = await newTeam();
    const { host } = (await set('often.example')).body.team.domainVerification;
    await house.beginWindow(600);
    for (let time = 0; time < 10; time += 1) expect((await verify()).status).toBe(422);
    const asked = names.asked.length;
    expect(await verify()).toMatchObject({
      status: 429,
      body: { code: 'DOMAIN_VERIFY_RATE_LIMITED', limit: 10, retryAfter: expect.any(Number) },
    });
    expect(names.asked).toHaveLength(asked);
    expect(host).toContain('often.example');
  });

  it('is refused for a mailbox provider’s domain, and for anybody but the owner', async () => {
    const { path, set, verify } = await newTeam();
    expect(await set('gmail.com')).toMatchObject({ status: 422, body: { code: 'PUBLIC_MAILBOX_DOMAIN' } });
    expect(await set('co.uk')).toMatchObject({ status: 400, body: { issues: [{ path: 'domain' }] } });
    const stranger = await house.anotherAccount();
    expect((await verify(stranger)).status).toBe(404);
    for (const domain of ['acme.com', 'gmail.com'])
      expect((await stranger.api('POST', `${path}/domain`, { body: { domain } })).status).toBe(404);
  });
});
