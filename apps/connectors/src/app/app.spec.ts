import type { AppAdded, AppEvent, AppMoved, ConsentGiven } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { asViewer, insistOnChanger } from './access';
import { addApp } from './add-app';
import { app, there } from './app';
import { changeApp, removeApp, requestUrlClaim } from './change-app';
import { comeBack, insistOnAdder, moveApp } from './move-app';
import { revokeConsent } from './revoke-consent';
import { appView, storageScope } from './view';
import { type AppTeam, asItStands, consentOf } from './app-team';
import { normalised, urlKeyOf } from './url';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T09:00:10.000Z';
const url = 'https://photos.example.com/';

const added: AppAdded = {
  type: 'AppAdded',
  appId: 'app_1',
  accountId: 'usr_ann',
  name: 'Photos',
  url,
  origin: 'https://photos.example.com',
  iconUrl: null,
  projectId: null,
  projectName: null,
  addedAt: at,
};

const movedTo = (teamId: string | null, said: Partial<AppMoved> = {}): AppMoved => ({
  type: 'AppMoved',
  appId: 'app_1',
  accountId: 'usr_ann',
  formerTeamId: null,
  teamId,
  membership: teamId === null ? '-' : '1',
  by: 'usr_ann',
  notify: true,
  movedAt: later,
  ...said,
});

const consent = (userId: string, membership: string): ConsentGiven => ({
  type: 'ConsentGiven',
  appId: 'app_1',
  accountId: 'usr_ann',
  userId,
  shareName: true,
  shareEmail: false,
  membership,
  givenAt: at,
});

/** Of the team `team_1`: the join number of each member. */
const team = (joins: Record<string, number>, role: AppTeam['role'] = 'member'): AppTeam => ({
  id: 'team_1',
  name: 'Acme',
  role,
  joins,
});
const both = team({ usr_ann: 1, usr_bob: 2 });

const folded = (...events: AppEvent[]) => {
  const found = there(fold(app, [added, ...events]));
  if (!found) throw new Error('There is no app');
  return found;
};
const asked = { id: 'app_1', moves: 0, at: later };

describe('an app that is added', () => {
  const addition = { id: 'app_1', accountId: 'usr_ann', name: 'Photos', url, claimedAt: at, at };

  it('belongs to the account that added it, with the origin of its URL', () =>
    given(app).when(addApp(addition)).then(added));
  it('is added once, however many ask', () => given(app, added).when(addApp(addition)).thenNothing());
  it('does not come back when it was removed', () =>
    given(app, added, {
      type: 'AppRemoved',
      appId: 'app_1',
      accountId: 'usr_ann',
      teamId: null,
      former: null,
      removedAt: at,
    })
      .when(addApp(addition))
      .thenNothing());
  it('is not added once the claim of its urlKey is too old', () =>
    given(app)
      .when(addApp({ ...addition, at: '2026-11-20T09:00:30.000Z' }))
      .thenRefused('stream.concurrent_update'));
});

describe('a URL', () => {
  it.each([
    ['https://PHOTOS.example.com', url],
    ['https://photos.example.com:443/', url],
    ['https://photos.example.com/#/album/3', url],
    ['https://photos.example.com/a/../', url],
  ])('is the same app however it is written: %s', (one, other) =>
    expect(normalised(one)).toBe(normalised(other)),
  );
  it.each([
    'https://photos.example.com/b',
    'https://photos.example.com:8443/',
    'https://photos.example.com/?a=1',
  ])('is another app: %s', (other) => expect(normalised(other)).not.toBe(normalised(url)));
  it('has a different urlKey for each owner, which does not reveal the URL', () => {
    expect(urlKeyOf('usr_ann', url)).not.toBe(urlKeyOf('usr_bob', url));
    expect(urlKeyOf('usr_ann', url)).toMatch(/^[0-9a-z]{16}$/);
  });
});

describe('a change of an app', () => {
  const change = (changes: Parameters<typeof changeApp>[0]['changes']) => changeApp({ ...asked, changes });
  const changed = {
    type: 'AppChanged',
    appId: 'app_1',
    accountId: 'usr_ann',
    teamId: null,
    former: {},
  } as const;

  it('says what is new, and nothing the second time', () => {
    given(app, added)
      .when(change({ name: 'Pictures', iconUrl: null }))
      .then({ ...changed, name: 'Pictures', former: { name: 'Photos' }, changedAt: later });
    given(app, added, { ...changed, name: 'Pictures', changedAt: later })
      .when(change({ name: 'Pictures' }))
      .thenNothing();
  });

  it('takes the name of a project away with the project', () => {
    const project = { ...changed, projectId: 'home', projectName: 'Home', changedAt: at };
    given(app, added, project)
      .when(change({ projectId: 'work' }))
      .then({
        ...changed,
        projectId: 'work',
        projectName: null,
        former: { projectId: 'home', projectName: 'Home' },
        changedAt: later,
      });
  });

  it('to a URL of another urlKey needs a recent request for that urlKey', () => {
    const other = 'https://pics.example.com/';
    given(app, added)
      .when(change({ url: other }))
      .thenRefused('stream.concurrent_update');
    const urlKey = urlKeyOf('usr_ann', other);
    const sought = {
      type: 'AppUrlClaimRequested',
      appId: 'app_1',
      accountId: 'usr_ann',
      urlKey,
      requestedAt: at,
    } as const;
    given(app, added)
      .when(requestUrlClaim({ ...asked, at, urlKey }))
      .then(sought);
    given(app, added, sought)
      .when(change({ url: other }))
      .then({
        ...changed,
        url: other,
        origin: 'https://pics.example.com',
        former: { url },
        changedAt: later,
      });
    given(app, added, sought)
      .when(changeApp({ ...asked, at: '2026-11-20T09:00:30.000Z', changes: { url: other } }))
      .thenRefused('stream.concurrent_update');
  });

  it('to another way of writing its URL needs nothing', () =>
    given(app, added)
      .when(change({ url: `${url}#top` }))
      .then({ ...changed, url: `${url}#top`, former: { url }, changedAt: later }));

  it('is checked again when the app was moved meanwhile', () =>
    given(app, added, movedTo('team_1'))
      .when(change({ name: 'Pictures' }))
      .thenRefused('stream.concurrent_update'));

  it('ends every consent with another origin, and none with the same', () => {
    const consents = [consent('usr_ann', '-'), consent('usr_bob', '2')];
    const same = { ...changed, url: `${url}b`, origin: added.origin, changedAt: later };
    expect(Object.keys(folded(...consents, same).consents)).toEqual(['usr_ann', 'usr_bob']);
    const other = {
      ...changed,
      url: 'https://b.example.com/',
      origin: 'https://b.example.com',
      changedAt: later,
    };
    expect(folded(...consents, other).consents).toEqual({});
  });
});

describe('an app that is removed', () => {
  it('is unknown to a second request', () => {
    const removed = {
      type: 'AppRemoved',
      appId: 'app_1',
      accountId: 'usr_ann',
      teamId: null,
      former: { name: 'Photos', url, iconUrl: null, projectId: null, projectName: null },
      removedAt: later,
    } as const;
    given(app, added).when(removeApp(asked)).then(removed);
    given(app, added, removed).when(removeApp(asked)).thenRefused('app.unknown');
  });
});

describe('an app that is moved', () => {
  const move = (teamId: string | null, membership: string) =>
    moveApp({ ...asked, teamId, membership, notify: true });

  it('needs a request for its urlKey in the team', () => {
    const urlKey = urlKeyOf('team_1', url);
    given(app, added).when(move('team_1', '1')).thenRefused('stream.concurrent_update');
    given(app, added, {
      type: 'AppUrlClaimRequested',
      appId: 'app_1',
      accountId: 'usr_ann',
      urlKey,
      requestedAt: at,
    })
      .when(move('team_1', '1'))
      .then(movedTo('team_1'));
  });

  it('is moved once to where it is', () => {
    given(app, added).when(move(null, '-')).thenNothing();
    given(app, added, movedTo('team_1'))
      .when(moveApp({ ...asked, moves: 1, teamId: 'team_1', membership: '1', notify: true }))
      .thenNothing();
  });

  it('keeps the consent of the mover, with their current membership, and no other', () => {
    const moved = folded(consent('usr_ann', '-'), movedTo('team_1'), consent('usr_bob', '2'));
    expect(consentOf(moved, { accountId: 'usr_ann', membership: '1' })?.at).toBe(at);
    expect(consentOf(moved, { accountId: 'usr_bob', membership: '2' })?.at).toBe(at);
    const back = folded(
      consent('usr_ann', '-'),
      movedTo('team_1'),
      consent('usr_bob', '2'),
      movedTo(null, { formerTeamId: 'team_1' }),
    );
    expect(Object.keys(back.consents)).toEqual(['usr_ann']);
    expect(consentOf(back, { accountId: 'usr_ann', membership: '-' })?.at).toBe(at);
  });

  it('comes back once, with no consent, and not from a later move', () => {
    const back = movedTo(null, { formerTeamId: 'team_1', by: null, notify: false });
    given(app, added, movedTo('team_1'))
      .when(comeBack({ id: 'app_1', moves: 1, at: later }))
      .then(back);
    given(app, added, movedTo('team_1'), back)
      .when(comeBack({ id: 'app_1', moves: 1, at: later }))
      .thenNothing();
    given(app, added, movedTo('team_1'), back, movedTo('team_1'))
      .when(comeBack({ id: 'app_1', moves: 1, at: later }))
      .thenNothing();
    expect(folded(consent('usr_ann', '-'), movedTo('team_1'), back).consents).toEqual({});
  });
});

describe('an app of a team', () => {
  const moved = fold(app, [added, movedTo('team_1')]);
  const seenBy = (accountId: string, of: AppTeam | undefined) => () =>
    asViewer(moved, of, { id: 'app_1', accountId });

  it('is seen by everybody in the team', () => {
    expect(seenBy('usr_bob', both)().viewer).toEqual({
      accountId: 'usr_bob',
      membership: '2',
      role: 'member',
    });
    expect(seenBy('usr_eve', team({ usr_ann: 1 }, null))).toThrow('app.unknown');
  });

  it.each([
    ['the team is gone', undefined],
    ['its creator has left', team({ usr_bob: 2 })],
    ['its creator has left and returned', team({ usr_bob: 2, usr_ann: 3 })],
  ])('returns to its creator as soon as %s', (_, of) => {
    expect(seenBy('usr_ann', of)()).toMatchObject({ app: { teamId: null, moves: 2 }, team: null });
    expect(seenBy('usr_bob', of)).toThrow('app.unknown');
  });

  it('stands then as it does when the log says so too', () => {
    const before = asItStands(folded(movedTo('team_1')), undefined);
    const after = folded(movedTo('team_1'), movedTo(null, { formerTeamId: 'team_1', by: null }));
    expect({ ...before, updatedAt: after.updatedAt }).toEqual(after);
  });

  it('is changed by its adder and by admins, and moved by its adder alone', () => {
    const as = (accountId: string, role: AppTeam['role']) => seenBy(accountId, { ...both, role })();
    expect(() => insistOnChanger(as('usr_bob', 'member'))).toThrow('team.forbidden_role');
    expect(() => insistOnChanger(as('usr_bob', 'admin'))).not.toThrow();
    expect(() => insistOnChanger(as('usr_ann', 'member'))).not.toThrow();
    expect(() => insistOnAdder(as('usr_bob', 'owner'))).toThrow('app.not_added_by_caller');
    expect(() => insistOnAdder(as('usr_ann', 'member'))).not.toThrow();
  });
});

describe('a consent', () => {
  const moved = folded(movedTo('team_1'), consent('usr_bob', '2'));

  it('counts for a person with the same membership', () => {
    expect(consentOf(moved, { accountId: 'usr_bob', membership: '2' })).toBeDefined();
    expect(consentOf(moved, { accountId: 'usr_bob', membership: '3' })).toBeUndefined();
    expect(consentOf(moved, { accountId: 'usr_bob', membership: '-' })).toBeUndefined();
  });

  it('is taken back for one person, once', () => {
    const revoke = revokeConsent({ id: 'app_1', moves: 0, at: later, userId: 'usr_bob' });
    const revoked = {
      type: 'ConsentRevoked',
      appId: 'app_1',
      accountId: 'usr_ann',
      userId: 'usr_bob',
      revokedAt: later,
    } as const;
    given(app, added, consent('usr_ann', '-'), consent('usr_bob', '2')).when(revoke).then(revoked);
    given(app, added, consent('usr_ann', '-')).when(revoke).thenNothing();
    expect(Object.keys(folded(consent('usr_ann', '-'), consent('usr_bob', '2'), revoked).consents)).toEqual([
      'usr_ann',
    ]);
  });

  it('keeps its time when what is told of the person changes', () => {
    const changed = folded(consent('usr_ann', '-'), {
      type: 'DisclosureChanged',
      appId: 'app_1',
      accountId: 'usr_ann',
      userId: 'usr_ann',
      shareName: false,
      shareEmail: true,
      changedAt: later,
    });
    expect(changed.consents['usr_ann']).toEqual({ shareName: false, shareEmail: true, membership: '-', at });
  });
});

describe('what a browser keeps of an app', () => {
  const key = Buffer.from('key');
  const scope = (found = folded(), viewer = { accountId: 'usr_ann', membership: '-' }) =>
    storageScope(key, found, viewer);

  it('belongs to 24 characters that stay as long as nothing changes', () => {
    expect(scope()).toMatch(/^[A-Za-z0-9_-]{24}$/);
    const renamed = {
      type: 'AppChanged',
      appId: 'app_1',
      accountId: 'usr_ann',
      teamId: null,
      former: {},
    } as const;
    expect(
      scope(
        folded({ ...renamed, name: 'B', iconUrl: url, url: `${url}b`, origin: added.origin, changedAt: at }),
      ),
    ).toBe(scope());
    expect(scope(folded(consent('usr_ann', '-')))).toBe(scope());
  });

  it.each([
    ['for another viewer', folded(), { accountId: 'usr_bob', membership: '-' }],
    ['for another app', { ...folded(), id: 'app_2' }, { accountId: 'usr_ann', membership: '-' }],
    [
      'of another origin',
      { ...folded(), origin: 'https://b.example.com' },
      { accountId: 'usr_ann', membership: '-' },
    ],
    ['in a team', folded(movedTo('team_1')), { accountId: 'usr_ann', membership: '1' }],
    ['back from a team', folded(movedTo('team_1'), movedTo(null)), { accountId: 'usr_ann', membership: '-' }],
  ])('is another %s', (_, found, viewer) => expect(scope(found, viewer)).not.toBe(scope()));

  it('differs after leaving and rejoining the team', () => {
    const moved = folded(movedTo('team_1'));
    expect(scope(moved, { accountId: 'usr_bob', membership: '2' })).not.toBe(
      scope(moved, { accountId: 'usr_bob', membership: '3' }),
    );
  });
});

describe('an app that is shown', () => {
  const key = Buffer.from('key');
  const shown = (...events: AppEvent[]) =>
    appView(key, asViewer(fold(app, [added, ...events]), both, { id: 'app_1', accountId: 'usr_ann' }), null);

  it('tells the consent of the viewer alone', () => {
    expect(shown(consent('usr_bob', '-'))).toMatchObject({
      shareName: false,
      shareEmail: false,
      consentedAt: null,
    });
    expect(shown(consent('usr_ann', '-'))).toMatchObject({
      shareName: true,
      shareEmail: false,
      consentedAt: at,
    });
  });

  it('calls a project without a name by its id, and names none without a project', () => {
    const changed = {
      type: 'AppChanged',
      appId: 'app_1',
      accountId: 'usr_ann',
      teamId: null,
      former: {},
      changedAt: at,
    } as const;
    expect(shown({ ...changed, projectId: 'home' })).toMatchObject({
      projectId: 'home',
      projectName: 'home',
    });
    expect(shown({ ...changed, projectName: 'Home' })).toMatchObject({ projectId: null, projectName: null });
  });

  it('names its team', () =>
    expect(shown(movedTo('team_1'))).toMatchObject({
      team: { id: 'team_1', name: 'Acme' },
      addedBy: 'usr_ann',
    }));
});
