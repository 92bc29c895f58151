import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { app } from './app';
import { appPlace, claim, relationTo } from './place';
import { placeOf } from './url';

const at = '2026-11-20T09:00:00.000Z';
const justBefore = '2026-11-20T09:00:59.999Z';
const muchLater = '2026-11-20T09:01:00.000Z';
const url = 'https://photos.example.com/';
const place = placeOf('usr_ann', url);

const claimed = {
  type: 'AppPlaceClaimed',
  place,
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

describe('a claim of a place', () => {
  const asked = { place, accountId: 'usr_ann', appId: 'app_1', at };

  it('is made by the first who looked', () =>
    given(appPlace)
      .when(claim({ ...asked, seen: 0 }))
      .then(claimed));
  it('is not made by who looked before another claimed it', () =>
    given(appPlace, claimed)
      .when(claim({ ...asked, appId: 'app_2', seen: 0 }))
      .thenNothing());
  it('is made anew by who has it, so that who is about to take it sees that it is needed', () =>
    given(appPlace, claimed)
      .when(claim({ ...asked, seen: 1 }))
      .then(claimed));
});

describe('the app that has claimed a place', () => {
  const relation = (now: string, ...events: Parameters<typeof app.evolve>[1][]) =>
    relationTo(place, { at }, fold(app, events), now);

  it('is about to be added there, for a minute', () => {
    expect(relation(justBefore)).toBe('to be added');
    expect(relation(muchLater)).toBe('none');
  });

  it('is there for as long as it has the URL', () => {
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

  it('has it no more when it was removed or moved', () => {
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

  it('is about to come there when it seeks it, for a minute', () => {
    const elsewhere = { ...added, url: 'https://b.example.com/' };
    const sought = {
      type: 'AppPlaceSought',
      appId: 'app_1',
      accountId: 'usr_ann',
      place,
      soughtAt: at,
    } as const;
    expect(relation(justBefore, elsewhere, sought)).toBe('coming');
    expect(relation(muchLater, elsewhere, sought)).toBe('none');
    expect(relation(at, elsewhere, { ...sought, place: placeOf('team_1', url) })).toBe('none');
  });
});
