import {
  eventually,
  type House,
  type HouseAccount,
  type HouseAnswer,
  type HousePhone,
  startHouse,
} from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
}, 120_000);
afterAll(() => house?.close(), 90_000);

interface Person extends Pick<HouseAccount, 'api' | 'session' | 'id'> {
  readonly account: HouseAccount;
  readonly phone: HousePhone;
}

async function person(): Promise<Person> {
  const account = await house.anotherAccount();
  return {
    id: account.id,
    account,
    phone: await account.addPhone('ios'),
    api: (...asked) => account.api(...asked),
    session: (...asked) => account.session(...asked),
  };
}

/** A family of its owner and others. */
const familyOf = ({ account }: Person, ...others: readonly Person[]): Promise<string> =>
  account.family(...others.map((other) => other.account));

async function sharedBy(creator: Person, familyId: string): Promise<{ id: string; webhookUrl: string }> {
  const { service, webhookUrl } = (await creator.api('POST', '/services', { body: { title: 'Door' } })).body;
  const shared = await creator.api('POST', `/services/${service.id}/share`, { body: { familyId } });
  expect(shared).toMatchObject({ status: 200, body: { service: { id: service.id, familyId } } });
  return { id: service.id, webhookUrl };
}

const ring = (url: string, text: string): Promise<HouseAnswer> =>
  house.http('POST', new URL(url).pathname, { body: { text } });
interface Item {
  readonly id: string;
  readonly preview: string;
  readonly readAt: string | null;
}
const inboxOf = async ({ api }: Person): Promise<Item[]> =>
  (await api('GET', '/inbox/notifications')).body.items;
/** The inbox, when it holds that many. */
const inboxWith = (of: Person, count: number): Promise<Item[]> =>
  eventually(
    async () => {
      const items = await inboxOf(of);
      return items.length === count ? items : undefined;
    },
    () => `the inbox never held ${count}`,
  );
const eventsOf = async ({ api }: Person, query = ''): Promise<{ id: string; serviceId: string }[]> =>
  (await api('GET', `/events${query}`)).body.events;
const servicesOf = async ({ api }: Person, query = ''): Promise<string[]> =>
  (await api('GET', `/services${query}`)).body.services.map(({ id }: { id: string }) => id);

describe('a service that a family shares', () => {
  it('rings the phones of all; each reads for themselves; a former member gets no more and keeps theirs', async () => {
    const [ann, bob] = [await person(), await person()];
    const familyId = await familyOf(ann);
    const { id, webhookUrl } = await sharedBy(ann, familyId);
    expect((await ring(webhookUrl, 'before Bob came')).body).toMatchObject({ ok: true, accepted: 1 });
    await house.expectPushes(ann.phone, 1);
    await ann.account.takeInto(familyId, bob.account);

    const rung = await ring(webhookUrl, 'somebody is at the door');
    expect(rung).toMatchObject({ status: 200, body: { ok: true, accepted: 2 } });
    for (const { phone } of [ann, bob]) await house.expectPushes(phone, 1);
    const item = `event:${rung.body.eventId}`;
    expect(await inboxWith(bob, 1)).toMatchObject([{ id: item, readAt: null }]);
    expect((await bob.api('POST', `/inbox/notifications/${item}/read`)).status).toBe(200);
    expect(await inboxOf(bob)).toMatchObject([{ id: item, readAt: expect.any(String) }]);
    expect(await inboxWith(ann, 2)).toMatchObject([{ id: item, readAt: null }, { readAt: null }]);
    expect((await ann.api('POST', `/inbox/notifications/${item}/read`)).status).toBe(200);
    expect((await bob.api('POST', `/inbox/notifications/${item}/unread`)).status).toBe(200);
    expect((await inboxOf(ann))[0]).toMatchObject({ id: item, readAt: expect.any(String) });
    expect((await inboxOf(bob))[0]).toMatchObject({ id: item, readAt: null });
    expect(await eventsOf(bob, `?serviceId=${id}`)).toMatchObject([{ id: rung.body.eventId }]);
    expect(await eventsOf(ann, `?serviceId=${id}`)).toHaveLength(2);

    expect((await bob.api('POST', `/teams/${familyId}/leave`)).status).toBe(200);
    expect((await ring(webhookUrl, 'after Bob left')).body).toMatchObject({ ok: true, accepted: 1 });
    await house.expectPushes(ann.phone, 1);
    await inboxWith(ann, 3);
    expect(await inboxOf(bob)).toMatchObject([{ id: item }]);
    expect(await eventsOf(bob)).toHaveLength(1);
    expect(await servicesOf(bob)).toEqual([]);
    expect((await bob.api('GET', `/services/${id}`)).status).toBe(404);
  });

  it('is read by all, named and deleted by the owner too, and its URL is its creator’s alone', async () => {
    const [owner, creator, member, stranger] = [
      await person(),
      await person(),
      await person(),
      await person(),
    ];
    const familyId = await familyOf(owner, creator, member);
    const { id, webhookUrl } = await sharedBy(creator, familyId);
    const own = (await member.api('POST', '/services', { body: { title: 'Own' } })).body.service.id;
    const path = `/services/${id}`;

    // The person in the app is told what their agents are.
    for (const who of [owner, member])
      for (const route of ['api', 'session'] as const) {
        expect(await who[route]('GET', path)).toMatchObject({
          status: 200,
          body: { service: { id, title: 'Door', familyId } },
        });
        const listed = await eventually(
          async () => {
            const answer = await who[route]('GET', '/services?shared=true');
            return answer.body.services.length > 0 ? answer : undefined;
          },
          () => 'the service was not listed',
        );
        expect(JSON.stringify(listed.body)).not.toContain('carillon_hook_');
      }
    expect(await servicesOf(member)).toEqual([own, id]);
    expect(await servicesOf(member, `?familyId=${familyId}`)).toEqual([id]);
    expect(await servicesOf(member, '?shared=true')).toEqual([id]);
    expect(await servicesOf(member, '?shared=false')).toEqual([own]);
    expect(await servicesOf(member, '?familyId=team_0123456789abcdefghjkmnpqrs')).toEqual([]);
    expect(await servicesOf(stranger)).toEqual([]);

    const forbidden = { status: 403, body: { code: 'FORBIDDEN_ROLE' } };
    expect(await member.api('PATCH', path, { body: { title: 'Gate' } })).toMatchObject(forbidden);
    expect(await member.api('DELETE', path)).toMatchObject(forbidden);
    expect(await owner.api('PATCH', path, { body: { title: 'Gate', url: null } })).toMatchObject(forbidden);
    const defaultReplyWebhookId = 'whk_0123456789abcdefghjkmnpqrs';
    expect(await owner.api('PATCH', path, { body: { defaultReplyWebhookId } })).toMatchObject(forbidden);
    expect(await creator.api('PATCH', path, { body: { defaultReplyWebhookId } })).toMatchObject({
      status: 404,
      body: { code: 'WEBHOOK_NOT_FOUND' },
    });
    for (const who of [owner, member]) {
      expect(await who.api('PATCH', path, { body: {} })).toMatchObject({
        status: 400,
        body: { code: 'EMPTY_UPDATE' },
      });
      for (const asked of [() => who.api('POST', `${path}/rotate`), () => share(who, null)])
        expect(await asked()).toMatchObject({ status: 403, body: { code: 'NOT_CREATOR' } });
    }
    for (const asked of [
      () => stranger.api('GET', path),
      () => stranger.api('PATCH', path, { body: { title: 'Gate' } }),
      () => stranger.api('DELETE', path),
      () => stranger.api('POST', `${path}/rotate`),
      () => share(stranger, null),
    ])
      expect(await asked()).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await creator.api('GET', path)).body.service).toMatchObject({ title: 'Door', url: null });
    expect((await ring(webhookUrl, 'hello')).body.accepted).toBe(3);
    for (const { phone } of [owner, creator, member]) await house.expectPushes(phone, 1);

    expect(await owner.api('PATCH', path, { body: { title: 'Gate' } })).toMatchObject({
      status: 200,
      body: { service: { id, title: 'Gate', familyId } },
    });
    // For each it is a project under its new name.
    for (const who of [owner, creator, member])
      await eventually(
        async () => {
          const { projects } = (await who.api('GET', '/inbox/projects')).body;
          return projects.some(({ name }: { name: string }) => name === 'Gate') || undefined;
        },
        () => 'the project kept its name',
      );
    // Members may ask under its name, others may not.
    const prompt = { kind: 'yes_no', title: 'Door', prompt: 'Open?', serviceId: id };
    expect((await member.api('POST', '/interactions', { body: prompt })).status).toBe(201);
    await house.expectPushes(member.phone, 1);
    expect(await stranger.api('POST', '/interactions', { body: prompt })).toMatchObject({
      status: 404,
      body: { code: 'SERVICE_NOT_FOUND' },
    });
    // A new owner has the rights of the former one, who has them no more.
    const transferred = await owner.api('PATCH', `/teams/${familyId}/members/${member.id}`, {
      body: { role: 'owner' },
    });
    expect(transferred.status).toBe(200);
    expect(await owner.api('PATCH', path, { body: { title: 'Mine' } })).toMatchObject(forbidden);
    expect((await member.api('PATCH', path, { body: { title: 'Bell' } })).status).toBe(200);
    expect(await member.api('DELETE', path)).toMatchObject({ status: 200, body: { ok: true } });
    expect((await ring(webhookUrl, 'hello')).status).toBe(404);
    expect((await creator.api('GET', path)).status).toBe(404);
    expect(await inboxOf(creator)).toHaveLength(1);

    function share(who: Person, to: string | null): Promise<HouseAnswer> {
      return who.api('POST', `${path}/share`, { body: { familyId: to } });
    }
  });

  it('is shared with the own family only, twice with the same answer, and taken back', async () => {
    const [ann, bob, eve] = [await person(), await person(), await person()];
    const familyId = await familyOf(ann, bob);
    const others = await familyOf(eve);
    const { id, webhookUrl } = await sharedBy(ann, familyId);
    const share = (to: string | null) => ann.api('POST', `/services/${id}/share`, { body: { familyId: to } });
    const shared = (await ann.api('GET', `/services/${id}`)).body;
    expect(await share(familyId)).toMatchObject({ status: 200, body: shared });
    expect(await share(others)).toMatchObject({ status: 404, body: { code: 'FAMILY_NOT_FOUND' } });
    expect((await share(null)).body.service.familyId).toBeNull();
    expect((await share(null)).body.service.familyId).toBeNull();
    expect((await bob.api('GET', `/services/${id}`)).status).toBe(404);
    expect((await ring(webhookUrl, 'hello')).body.accepted).toBe(1);
    await house.expectPushes(ann.phone, 1);
  });

  it('is unshared when its creator leaves, also when all dies right after that', async () => {
    const [ann, bob] = [await person(), await person()];
    const familyId = await familyOf(ann, bob);
    const { id, webhookUrl } = await sharedBy(bob, familyId);
    expect((await bob.api('POST', `/teams/${familyId}/leave`)).status).toBe(200);
    await house.kill9();
    await house.start();
    expect((await bob.api('GET', `/services/${id}`)).body.service.familyId).toBeNull();
    expect((await ann.api('GET', `/services/${id}`)).status).toBe(404);
    expect((await ring(webhookUrl, 'hello')).body.accepted).toBe(1);
    await house.expectPushes(bob.phone, 1);
    expect(await inboxOf(ann)).toEqual([]);
    expect(await servicesOf(bob, '?shared=false')).toEqual([id]);
  });
});
