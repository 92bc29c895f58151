import { Apps } from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { newId } from '@carillon/signing';
import { streamMetadata, newAccount, outcomeOf } from '@carillon/testkit';
import { at, newUrl, Testbed } from '../testbed';
import { appUrlClaim, claim } from './url-claim';
import { urlKeyOf } from './url';

let bed: Testbed;
beforeAll(async () => {
  bed = await Testbed.open();
}, 60_000);
afterAll(() => bed?.close(), 60_000);

describe('a web app that is added', () => {
  it('is one for all who add its URL at once, and each hears of the same', async () => {
    const account = newAccount();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        bed.add(account, `https://SAME-${account.slice(-6)}.example.com:443/#${index}`, `Name ${index}`),
      ),
    );
    expect(new Set(all.map(({ app }) => app.id)).size).toBe(1);
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    const id = all[0]?.app.id ?? '';
    expect((await bed.eventsOf(id)).filter((type) => type === 'AppAdded')).toHaveLength(1);
    expect(await bed.list(account)).toHaveLength(1);
  });

  it('is updated when its URL is added again, and what is absent stays', async () => {
    const account = newAccount();
    const url = newUrl();
    const input = { name: 'Photos', url, iconUrl: 'https://icons.example.com/p.png', projectId: 'home' };
    const first = await bed.ask(account, Apps.add, { ...input, projectName: 'At home' });
    expect(first.created).toBe(true);
    const again = await bed.ask(account, Apps.add, { name: 'Pictures', url: url.slice(0, -1) });
    expect(again).toMatchObject({ created: false, app: { id: first.app.id, name: 'Pictures', url } });
    expect(again.app).toMatchObject({ iconUrl: input.iconUrl, projectId: 'home', projectName: 'At home' });
    const events = await bed.eventsOf(first.app.id);
    await bed.ask(account, Apps.add, { name: 'Pictures', url });
    expect(await bed.eventsOf(first.app.id)).toEqual(events);
  });

  it('is another one for another account, and after it was removed', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const url = newUrl();
    const first = await bed.added(ann, url);
    expect((await bed.added(bob, url)).id).not.toBe(first.id);
    await bed.ask(ann, Apps.remove, { id: first.id });
    expect(await outcomeOf(bed.ask(ann, Apps.remove, { id: first.id }))).toBe('app.unknown');
    const again = await bed.add(ann, url);
    expect(again.created).toBe(true);
    expect(again.app.id).not.toBe(first.id);
  });

  it('is completed under the same id when the process adding it died', async () => {
    const account = newAccount();
    const url = newUrl();
    const appId = newId('app', Date.now());
    const urlKey = urlKeyOf(account, url);
    const claimedAt = new Date().toISOString();
    await bed.log.transact(
      appUrlClaim,
      urlKey,
      claim({ urlKey, accountId: account, appId, seen: 0, at: claimedAt }),
      streamMetadata(account),
    );
    expect(await bed.add(account, url)).toMatchObject({ created: true, app: { id: appId } });
  });

  it('is the last when an account has 200, which can be updated and removed still', async () => {
    const account = newAccount();
    const urls = Array.from({ length: 200 }, newUrl);
    for (let from = 0; from < urls.length; from += 20)
      await Promise.all(urls.slice(from, from + 20).map((url) => bed.add(account, url)));
    const [first = ''] = urls;
    const more = newUrl();
    expect(await outcomeOf(bed.add(account, more))).toBe('resource.limit_reached');
    const updated = await bed.add(account, first, 'Renamed');
    expect(updated).toMatchObject({ created: false, app: { name: 'Renamed' } });
    // What was refused keeps its URL from nobody.
    const changed = await bed.ask(account, Apps.change, { id: updated.app.id, url: more });
    expect(changed.app.url).toBe(more);
    await bed.ask(account, Apps.remove, { id: updated.app.id });
    expect((await bed.add(account, first)).created).toBe(true);
  }, 120_000);
});

describe('the URL of a web app', () => {
  it('goes to one of two apps that want it at once', async () => {
    const account = newAccount();
    const [one, other] = [await bed.added(account), await bed.added(account)];
    const url = newUrl();
    const outcomes = await Promise.all(
      [one.id, other.id].map((id) => outcomeOf(bed.ask(account, Apps.change, { id, url }))),
    );
    expect(outcomes.sort()).toEqual(['app.url_taken', 'done']);
    expect((await bed.list(account)).filter((each) => each.url === url)).toHaveLength(1);
  });

  it('is free for others at once when its app has another', async () => {
    const account = newAccount();
    const url = newUrl();
    const { id } = await bed.added(account, url);
    await bed.ask(account, Apps.change, { id, url: newUrl() });
    const other = await bed.add(account, url);
    expect(other.created).toBe(true);
    expect(await outcomeOf(bed.ask(account, Apps.change, { id, url }))).toBe('app.url_taken');
  });

  it('is held for an app that is about to have it, for a minute when that died over it', async () => {
    const account = newAccount();
    const [dead, other] = [await bed.added(account), await bed.added(account)];
    const url = newUrl();
    const urlKey = urlKeyOf(account, url);
    const requestedAt = bed.clock.now();
    const sought = { appId: dead.id, accountId: account, urlKey, requestedAt };
    await bed.append(dead.id, account, { type: 'AppUrlClaimRequested', ...sought });
    const died = { urlKey, accountId: account, appId: dead.id, seen: 0, at: requestedAt };
    await bed.log.transact(appUrlClaim, urlKey, claim(died), streamMetadata(account));
    expect(await outcomeOf(bed.ask(account, Apps.change, { id: other.id, url }))).toBe('app.url_taken');
    expect(await outcomeOf(bed.add(account, url))).toBe('stream.concurrent_update');
    await bed.clock.advance(60_000);
    expect((await bed.ask(account, Apps.change, { id: other.id, url })).app.url).toBe(url);
    expect(await outcomeOf(bed.ask(account, Apps.change, { id: dead.id, url }))).toBe('app.url_taken');
    expect((await bed.get(account, dead.id)).url).toBe(dead.url);
  });

  it('is one of each team', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const url = newUrl();
    const [first, second] = [await bed.added(ann, url), await bed.added(bob, url)];
    const outcomes = await Promise.all([
      outcomeOf(bed.move(ann, first.id, teamId)),
      outcomeOf(bed.move(bob, second.id, teamId)),
    ]);
    expect(outcomes.sort()).toEqual(['app.url_taken', 'done']);
  });

  it('of another origin ends every consent, of the same origin none', async () => {
    const account = newAccount();
    const { id, url, storageScope } = await bed.added(account);
    await bed.consent(id, account, account, '-');
    const same = await bed.ask(account, Apps.change, { id, url: `${url}albums` });
    expect(same.app).toMatchObject({ consentedAt: at, shareName: true, storageScope });
    const other = await bed.ask(account, Apps.change, { id, url: newUrl() });
    expect(other.app).toMatchObject({ consentedAt: null, shareName: false });
    expect(other.app.storageScope).not.toBe(storageScope);
    expect(await bed.get(account, id)).toEqual(other.app);
    expect(await bed.list(account)).toEqual([other.app]);
  });
});

const collate = (a: string, b: string): number => a.localeCompare(b, 'und');

describe('a list of web apps', () => {
  it('goes by name, page by page, and takes no cursor of another list', async () => {
    const account = newAccount();
    const names = ['Zebra', 'apple', 'Äpfel', '\u{1F40E}'.repeat(80), 'Banana', 'banana', 'banana'];
    for (const name of names) await bed.added(account, newUrl(), name);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await bed.ask(
        account,
        Apps.list,
        { limit: 2, ...(cursor && { cursor }) },
        await bed.log.store.head(),
      );
      seen.push(...page.items.map(({ name }) => name));
      if (page.nextCursor === null) break;
      expect(page.nextCursor.length).toBeLessThanOrEqual(512);
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(
      ['\u{1F40E}'.repeat(80), 'Äpfel', 'apple', 'banana', 'banana', 'Banana', 'Zebra'].sort(collate),
    );
    for (const wrong of [{ cursor, projectId: 'home' }, { cursor: `${cursor}A` }])
      expect(await outcomeOf(bed.ask(account, Apps.list, wrong as { cursor: string }))).toBe(
        'list.invalid_cursor',
      );
    expect(await outcomeOf(bed.ask(newAccount(), Apps.list, { cursor: cursor ?? '' }))).toBe(
      'list.invalid_cursor',
    );
  });

  it('has those of a team, of none, and of a project', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const [own, shared, project] = [await bed.added(ann), await bed.added(ann), await bed.added(bob)];
    await bed.move(ann, shared.id, teamId);
    await bed.ask(bob, Apps.change, { id: project.id, projectId: 'home' });
    const ids = async (accountId: string, more: object) =>
      (await bed.list(accountId, more)).map(({ id }) => id).sort();
    expect(await ids(ann, {})).toEqual([own.id, shared.id].sort());
    expect(await ids(ann, { teamId })).toEqual([shared.id]);
    expect(await ids(ann, { teamId: 'none' })).toEqual([own.id]);
    expect(await ids(bob, {})).toEqual([shared.id, project.id].sort());
    expect(await ids(bob, { projectId: 'home' })).toEqual([project.id]);
    expect(await ids(newAccount(), { teamId })).toEqual([]);
    const ofTeam = await bed.ask(bob, Apps.ofTeam, { id: teamId }, await bed.log.store.head());
    expect(ofTeam.items).toEqual([await bed.get(bob, shared.id)]);
    expect(await outcomeOf(bed.ask(newAccount(), Apps.ofTeam, { id: teamId }))).toBe('team.unknown');
  });
});

describe('a web app of a team', () => {
  it('is opened by the team, changed by its creator and admins, and moved by its creator alone', async () => {
    const [owner, ann, bob, eve] = [newAccount(), newAccount(), newAccount(), newAccount()];
    const teamId = await bed.teamOf(owner, ann, bob);
    const { id } = await bed.added(ann);
    for (const account of [owner, bob, eve]) {
      expect(await outcomeOf(bed.get(account, id))).toBe('app.unknown');
      expect(await outcomeOf(bed.ask(account, Apps.visible, { id }))).toBe('app.not_found');
      expect(await outcomeOf(bed.ask(account, Apps.remove, { id }))).toBe('app.unknown');
    }
    expect(await outcomeOf(bed.move(ann, id, await bed.teamOf(eve)))).toBe('team.not_found');
    expect(await outcomeOf(bed.move(ann, id, newId('team', Date.now())))).toBe('team.not_found');
    expect(await bed.move(ann, id, teamId)).toMatchObject({
      team: { id: teamId, name: 'Acme' },
      addedBy: ann,
    });
    for (const account of [owner, bob]) expect((await bed.get(account, id)).id).toBe(id);
    expect(await outcomeOf(bed.get(eve, id))).toBe('app.unknown');
    expect(await outcomeOf(bed.ask(bob, Apps.change, { id, name: 'Mine' }))).toBe('team.forbidden_role');
    expect(await outcomeOf(bed.ask(bob, Apps.remove, { id }))).toBe('team.forbidden_role');
    expect(await outcomeOf(bed.move(owner, id, null))).toBe('app.not_added_by_caller');
    expect(await outcomeOf(bed.move(owner, id, newId('team', Date.now())))).toBe('team.not_found');
    expect((await bed.ask(owner, Apps.change, { id, name: 'Ours' })).app.name).toBe('Ours');
    expect((await bed.ask(ann, Apps.change, { id, name: 'Mine' })).app.name).toBe('Mine');
    await bed.ask(owner, Apps.remove, { id });
    for (const account of [owner, ann, bob])
      expect(await outcomeOf(bed.get(account, id))).toBe('app.unknown');
  });

  it('keeps the consent of the mover, and asks the others again', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const { id, storageScope } = await bed.added(ann);
    await bed.consent(id, ann, ann, '-');
    const moved = await bed.move(ann, id, teamId);
    expect(moved).toMatchObject({ consentedAt: at });
    expect(moved.storageScope).not.toBe(storageScope);
    await bed.consent(id, ann, bob, '2');
    expect(await bed.get(bob, id)).toMatchObject({ consentedAt: at });
    expect((await bed.list(bob))[0]).toMatchObject({ consentedAt: at });
    const other = await bed.teamOf(ann, bob);
    expect(await bed.move(ann, id, other)).toMatchObject({ consentedAt: at, team: { id: other } });
    expect(await bed.eventsOf(id)).toEqual([
      'AppAdded',
      'ConsentGiven',
      'AppUrlClaimRequested',
      'AppMoved',
      'ConsentGiven',
      'AppUrlClaimRequested',
      'AppMoved',
      'AppMoved',
    ]);
    expect(await bed.get(bob, id)).toMatchObject({ consentedAt: null });
    expect((await bed.list(bob))[0]).toMatchObject({ consentedAt: null });
    // Again to where it is: nothing happens.
    const before = await bed.eventsOf(id);
    await bed.move(ann, id, other);
    expect(await bed.eventsOf(id)).toEqual(before);
  });

  it('ends the sessions of a person who revokes their consent, and no others', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const { id } = await bed.added(ann);
    await bed.move(ann, id, teamId);
    await bed.consent(id, ann, bob, '2');
    expect((await bed.ask(ann, Apps.revoke, { id })).app.consentedAt).toBeNull();
    expect((await bed.get(bob, id)).consentedAt).toBe(at);
    expect((await bed.ask(bob, Apps.revoke, { id })).app).toMatchObject({
      consentedAt: null,
      shareName: false,
    });
    expect(await bed.get(bob, id)).toMatchObject({ consentedAt: null });
    expect(await outcomeOf(bed.ask(newAccount(), Apps.revoke, { id }))).toBe('app.unknown');
  });

  it('forgets the consent of a former member, also after a return', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const { id } = await bed.added(ann);
    await bed.move(ann, id, teamId);
    await bed.consent(id, ann, bob, '2');
    const { storageScope } = await bed.get(bob, id);
    await bed.leave(teamId, bob);
    expect(await outcomeOf(bed.get(bob, id))).toBe('app.unknown');
    expect(await bed.list(bob)).toEqual([]);
    await bed.join(teamId, bob);
    const again = await bed.get(bob, id);
    expect(again.consentedAt).toBeNull();
    expect(again.storageScope).not.toBe(storageScope);
    expect(await bed.list(bob)).toEqual([again]);
    expect((await bed.get(ann, id)).team).toMatchObject({ id: teamId });
  });
});

describe('the rows of web apps', () => {
  it('are the same after a rebuild, which sends no notice again', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const [shared, removed, own] = [await bed.added(ann), await bed.added(ann), await bed.added(bob)];
    await bed.move(ann, shared.id, teamId, true);
    await bed.consent(shared.id, ann, bob, '2');
    await bed.ask(ann, Apps.remove, { id: removed.id });
    await bed.ask(bob, Apps.change, { id: own.id, projectId: 'home', name: 'Mine' });
    await bed.noOrders();
    const rows = async () => ({
      apps: await bed.database.query(`SELECT * FROM apps ORDER BY app_id`),
      consents: await bed.database.query(`SELECT * FROM app_consents ORDER BY app_id, account_id`),
      teams: await bed.database.query(`SELECT * FROM app_teams ORDER BY team_id`),
      members: await bed.database.query(`SELECT * FROM app_members ORDER BY team_id, account_id`),
    });
    const [before, told] = [await rows(), bed.sent.length];
    await bed.service.get(Projections).rebuild('apps');
    await bed.noOrders();
    expect(await rows()).toEqual(before);
    expect(bed.sent).toHaveLength(told);
    expect((await bed.list(bob)).map(({ name }) => name).sort()).toEqual(['Mine', 'Photos']);
  });
});
