import type { AppEvent, Person } from '@carillon/contracts';
import { fold, Refused } from '@carillon/eventing';
import { asViewer, type ViewedApp } from '../app/access';
import { app } from '../app/app';
import type { AppTeam } from '../app/app-team';
import { admission, type Facts } from './admission';

const at = '2026-11-20T09:00:00.000Z';
const adder = 'usr_adder';
const member = 'usr_member';
const added: AppEvent = {
  type: 'AppAdded',
  appId: 'app_1',
  accountId: adder,
  name: 'Wiki',
  url: 'https://wiki.example.test/',
  origin: 'https://wiki.example.test',
  iconUrl: null,
  projectId: null,
  projectName: null,
  addedAt: at,
};
const moved = (teamId: string | null, membership: string): AppEvent => ({
  type: 'AppMoved',
  appId: 'app_1',
  accountId: adder,
  formerTeamId: null,
  teamId,
  membership,
  by: adder,
  notify: true,
  movedAt: at,
});
const agreed = (
  userId: string,
  membership: string,
  share: { shareName: boolean; shareEmail: boolean } = {
    shareName: true,
    shareEmail: true,
  },
): AppEvent => ({
  type: 'ConsentGiven',
  appId: 'app_1',
  accountId: adder,
  userId,
  ...share,
  membership,
  givenAt: at,
});
const changed = (url: string): AppEvent => ({
  type: 'AppChanged',
  appId: 'app_1',
  accountId: adder,
  teamId: null,
  former: null,
  url,
  origin: new URL(url).origin,
  changedAt: at,
});
const revoked: AppEvent = {
  type: 'ConsentRevoked',
  appId: 'app_1',
  accountId: adder,
  userId: adder,
  revokedAt: at,
};
const removed: AppEvent = {
  type: 'AppRemoved',
  appId: 'app_1',
  accountId: adder,
  teamId: null,
  former: null,
  removedAt: at,
};
const team = (joins: Record<string, number>): AppTeam => ({
  id: 'team_1',
  name: 'Ops',
  role: null,
  joins,
});
const asSeenBy = (
  accountId: string,
  events: readonly AppEvent[],
  of?: Record<string, number>,
): ViewedApp | undefined => {
  const inTeam = of && {
    ...team(of),
    role: accountId in of ? ('member' as const) : null,
  };
  try {
    return asViewer(fold(app, events), inTeam, { id: 'app_1', accountId });
  } catch (error) {
    if (error instanceof Refused && error.reason === 'app.unknown') return undefined;
    throw error;
  }
};
const person = (id: string): Person => ({
  id,
  name: 'Ada',
  email: 'ada@example.test',
  emailVerified: true,
});
const own: Facts = {
  connector: { id: 'con_1', accountId: adder, teamId: null, hostname: 'wiki.example.test' },
  route: { name: 'wiki', appId: 'app_1' },
  found: asSeenBy(adder, [added, agreed(adder, '-')]),
  person: person(adder),
};
const ofTeam: Facts = {
  connector: { id: 'con_2', accountId: 'usr_admin', teamId: 'team_1', hostname: 'wiki.example.test' },
  route: { name: 'wiki', appId: 'app_1' },
  found: asSeenBy(member, [added, moved('team_1', '1'), agreed(member, '2')], {
    [adder]: 1,
    [member]: 2,
  }),
  person: person(member),
};
const seen = (events: readonly AppEvent[], joins?: Record<string, number>): Facts =>
  joins ? { ...ofTeam, found: asSeenBy(member, events, joins) } : { ...own, found: asSeenBy(adder, events) };

describe('visitors that a connector admits', () => {
  it('is the account that added a personal app, through its own connector', () =>
    expect(admission(own)?.bound).toEqual({
      connectorId: 'con_1',
      route: 'wiki',
      appId: 'app_1',
      userId: adder,
      consentedAt: at,
    }));

  it('is a member of the team of the app, through a connector of that team', () =>
    expect(admission(ofTeam)?.bound).toMatchObject({
      connectorId: 'con_2',
      userId: member,
    }));

  const joined = { [adder]: 1, [member]: 2 };
  const shared = [added, moved('team_1', '1')];
  it.each<[string, Facts]>([
    ['who has not agreed', seen([added])],
    ['who has agreed no more', seen([added, agreed(adder, '-'), revoked])],
    [
      'after the app has moved to another origin',
      seen([added, agreed(adder, '-'), changed('https://other.example.test/')]),
    ],
    ['when the app was removed', seen([added, agreed(adder, '-'), removed])],
    ['to the app of a team whom only another one knows', seen([...shared, agreed(adder, '1')], joined)],
    ['who has left the team', seen([...shared, agreed(member, '2')], { [adder]: 1 })],
    [
      'who has left and joined again without agreeing again',
      seen([...shared, agreed(member, '2')], { [adder]: 1, [member]: 3 }),
    ],
    [
      'when the account that added the app has left the team',
      seen([...shared, agreed(member, '2')], { [member]: 2 }),
    ],
    ['through a route of another app', { ...own, route: { name: 'wiki', appId: 'app_2' } }],
    ['through a route of no app', { ...own, route: { name: 'wiki', appId: null } }],
    ['through a connector of somebody else', { ...own, connector: { ...own.connector, accountId: member } }],
    ['to a personal app through a connector of a team', { ...own, connector: ofTeam.connector }],
    ['to the app of a team through a personal connector', { ...ofTeam, connector: own.connector }],
    [
      'through a connector of another team',
      { ...ofTeam, connector: { ...ofTeam.connector, teamId: 'team_2' } },
    ],
    [
      'through a connector at another hostname than that of the app',
      { ...own, connector: { ...own.connector, hostname: 'other.example.test' } },
    ],
    [
      'at another port than that of the app',
      seen([
        { ...added, url: 'https://wiki.example.test:8443/', origin: 'https://wiki.example.test:8443' },
        agreed(adder, '-'),
      ]),
    ],
    [
      'after the app has moved away from the connector, though they have agreed again',
      seen([added, changed('https://other.example.test/'), agreed(adder, '-')]),
    ],
    ['whose account is gone or suspended', { ...own, person: undefined }],
    ['as somebody else', { ...own, person: person(member) }],
  ])('is nobody: %s', (_, facts) => expect(admission(facts)).toBeUndefined());

  it('keeps coming in when the app changes without leaving its origin', () =>
    expect(admission(seen([added, agreed(adder, '-'), changed('https://wiki.example.test/start')]))).toEqual(
      admission(own),
    ));

  it('is unchanged when the mover of the app had consented', () => {
    const found = asSeenBy(adder, [added, agreed(adder, '-'), moved('team_1', '1')], { [adder]: 1 });
    expect(admission({ ...ofTeam, found, person: person(adder) })?.bound.consentedAt).toBe(at);
  });
});

describe('the data of a visitor for an app', () => {
  const told = (shareName: boolean, shareEmail: boolean) =>
    admission(seen([added, agreed(adder, '-', { shareName, shareEmail })]))?.user;

  it.each([
    [false, false, {}],
    [true, false, { name: 'Ada' }],
    [false, true, { email: 'ada@example.test', emailVerified: true }],
    [true, true, { name: 'Ada', email: 'ada@example.test', emailVerified: true }],
  ])('with the name %j and the address %j', (shareName, shareEmail, expected) =>
    expect(told(shareName, shareEmail)).toEqual({ id: adder, ...expected }),
  );

  it('follows what was disclosed last', () => {
    const less: AppEvent = {
      type: 'DisclosureChanged',
      appId: 'app_1',
      accountId: adder,
      userId: adder,
      shareName: false,
      shareEmail: true,
      changedAt: at,
    };
    const facts = seen([added, agreed(adder, '-'), less]);
    expect(admission(facts)).toEqual({
      bound: admission(own)?.bound,
      user: { id: adder, email: 'ada@example.test', emailVerified: true },
    });
  });
});
