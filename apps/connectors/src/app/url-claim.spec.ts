import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { app } from './app';
import { appUrlClaim, claim, relationTo } from './url-claim';
import { urlKeyOf } from './url';

const at = '2026-11-20T09:00:00.000Z';
const justBefore = '2026-11-20T09:00:59.999Z';
const muchLater = '2026-11-20T09:01:00.000Z';
const url = 'https://photos.example.com/';
const urlKey = urlKeyOf('usr_ann', url);

const claimed = {
  type: 'AppUrlClaimed',
  urlKey,
  accountId: 'usr_ann',
  appId: 'app_1',
  claimedAt: at,
} as const;

const added = {
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
} as const;

describe('a claim of a urlKey', () => {
  const asked = { urlKey, accountId: 'usr_ann', appId: 'app_1', at };

  it('succeeds for the first claimant', () =>
    given(appUrlClaim)
      .when(claim({ ...asked, seen: 0 }))
      .then(claimed));
  it('fails when another claim followed the read', () =>
    given(appUrlClaim, claimed)
      .when(claim({ ...asked, appId: 'app_2', seen: 0 }))
      .thenNothing());
  it('is repeated by the holder, so that a competing claim sees that the urlKey is needed', () =>
    given(appUrlClaim, claimed)
      .when(claim({ ...asked, seen: 1 }))
      .then(claimed));
});

describe('the app that has claimed a urlKey', () => {
  const relation = (now: string, ...events: Parameters<typeof app.evolve>[1][]) =>
    relationTo(urlKey, { at }, fold(app, events), now);

  it('counts as about to be added for a minute', () => {
    expect(relation(justBefore)).toBe('to be added');
    expect(relation(muchLater)).toBe('none');
  });

  it('holds the urlKey while it has the URL', () => {
    expect(relation(muchLater, added)).toBe('there');
    const elsewhere = {
      type: 'AppChanged',
      appId: 'app_1',
      accountId: 'usr_ann',
      teamId: null,
      former: null,
      changedAt: at,
    } as const;
    expect(relation(at, added, { ...elsewhere, url: 'https://b.example.com/' })).toBe('none');
  });

  it('does not hold the urlKey after it was removed or moved', () => {
    const removed = {
      type: 'AppRemoved',
      appId: 'app_1',
      accountId: 'usr_ann',
      teamId: null,
      former: null,
      removedAt: at,
    } as const;
    expect(relation(at, added, removed)).toBe('none');
    const moved = {
      type: 'AppMoved',
      appId: 'app_1',
      accountId: 'usr_ann',
      formerTeamId: null,
      teamId: 'team_1',
      membership: '1',
      by: 'usr_ann',
      notify: true,
      movedAt: at,
    } as const;
    expect(relation(at, added, moved)).toBe('none');
  });

  it('counts as coming for a minute after it requested the urlKey', () => {
    const elsewhere = { ...added, url: 'https://b.example.com/' };
    const sought = {
      type: 'AppUrlClaimRequested',
      appId: 'app_1',
      accountId: 'usr_ann',
      urlKey,
      requestedAt: at,
    } as const;
    expect(relation(justBefore, elsewhere, sought)).toBe('coming');
    expect(relation(muchLater, elsewhere, sought)).toBe('none');
    expect(relation(at, elsewhere, { ...sought, urlKey: urlKeyOf('team_1', url) })).toBe('none');
  });
});
