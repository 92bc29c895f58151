import type { AppEvent } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { app } from '../app/app';
import { changeDisclosure, giveConsent } from './consent';

const at = '2026-11-20T09:00:00.000Z';
const before = '2026-11-20T08:00:00.000Z';
const added: AppEvent = {
  type: 'AppAdded',
  appId: 'app_1',
  accountId: 'usr_adder',
  name: 'Wiki',
  url: 'https://wiki.example.test/',
  origin: 'https://wiki.example.test',
  iconUrl: null,
  projectId: null,
  projectName: null,
  addedAt: before,
};
const who = { appId: 'app_1', accountId: 'usr_adder', userId: 'usr_1' };
const agreed: AppEvent = {
  type: 'ConsentGiven',
  ...who,
  shareName: true,
  shareEmail: false,
  membership: '2',
  givenAt: before,
};
const asked = { id: 'app_1', moves: 0, at };
const viewer = { accountId: 'usr_1', membership: '2' };
const give = giveConsent({ ...asked, viewer, shareName: true, shareEmail: false });

describe('agreeing to be signed in', () => {
  it('says as whom, and what the app is told', () =>
    given(app, added)
      .when(give)
      .then({ ...agreed, givenAt: at }));
  it('does nothing the second time', () => given(app, added, agreed).when(give).thenNothing());
  it('changes what is disclosed when it is not the first time', () =>
    given(app, added, agreed)
      .when(giveConsent({ ...asked, viewer, shareName: false, shareEmail: true }))
      .then({ type: 'DisclosureChanged', ...who, shareName: false, shareEmail: true, changedAt: at }));
  it('starts again after leaving and rejoining the team', () =>
    given(app, added, agreed)
      .when(
        giveConsent({
          ...asked,
          viewer: { ...viewer, membership: '3' },
          shareName: true,
          shareEmail: false,
        }),
      )
      .then({ ...agreed, membership: '3', givenAt: at }));
  it('is refused when the app was moved meanwhile', () =>
    given(app, added)
      .when(giveConsent({ ...asked, moves: 1, viewer, shareName: true, shareEmail: true }))
      .thenRefused('stream.concurrent_update'));
  it('is refused when the app was removed meanwhile', () =>
    given(app, added, {
      type: 'AppRemoved',
      appId: 'app_1',
      accountId: 'usr_adder',
      teamId: null,
      former: null,
      removedAt: at,
    })
      .when(give)
      .thenRefused('app.unknown'));
});

describe('changing what an app is told', () => {
  const change = (disclosure: { shareName?: boolean; shareEmail?: boolean }, membership = '2') =>
    changeDisclosure({ ...asked, viewer: { ...viewer, membership }, ...disclosure });

  it('leaves what is not named as it was', () =>
    given(app, added, agreed)
      .when(change({ shareEmail: true }))
      .then({ type: 'DisclosureChanged', ...who, shareName: true, shareEmail: true, changedAt: at }));
  it('does nothing the second time', () =>
    given(app, added, agreed)
      .when(change({ shareName: true, shareEmail: false }))
      .thenNothing());
  it('is refused without a consent', () =>
    given(app, added)
      .when(change({ shareName: true }))
      .thenRefused('consent.required'));
  it('is refused when the consent was given in a former membership', () =>
    given(app, added, agreed)
      .when(change({ shareName: false }, '3'))
      .thenRefused('consent.required'));
});
