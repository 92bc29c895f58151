import type {
  ConnectorCameOnline,
  ConnectorChanged,
  ConnectorEvent,
  ConnectorPaged,
  ConnectorRegistered,
  ConnectorRemoved,
  ConnectorSecretRotated,
  ConnectorWentOffline,
} from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { change, release, remove, removeWithTeam, rotate } from './change';
import { connector, existing, insistOnEnabled, routeOf, secretsAt } from './connector';
import { beat, goOffline, hearAgain, offlineAt } from './heartbeat';
import { giveUp, register, type Registration } from './register';
import { nextStep, notePage, noteResolved } from './telling';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';
const tomorrow = '2026-11-21T10:00:00.000Z';
const web = { name: 'web', target: 'http://10.0.0.2', url: 'https://a.test', appId: null, enabled: true };
const duty = { groupId: 'ocg_1', teamId: 'team_1' };

const registration: Registration = {
  id: 'con_1',
  accountId: 'usr_1',
  teamId: null,
  name: 'Home',
  tunnelId: 'tunnel-1',
  hostname: 'a.test',
  routes: [web],
  enabled: true,
  oncall: duty,
  sealedSecret: 'sealed 1',
  at,
};
const of = { connectorId: 'con_1', accountId: 'usr_1', teamId: null };
const registered: ConnectorRegistered = {
  type: 'ConnectorRegistered',
  ...of,
  name: 'Home',
  tunnelId: 'tunnel-1',
  hostname: 'a.test',
  routes: [web],
  enabled: true,
  oncall: duty,
  sealedSecret: 'sealed 1',
  registeredAt: at,
};
const ofTeam: ConnectorRegistered = { ...registered, teamId: 'team_1' };
const mine = { id: 'con_1', accountId: 'usr_1', role: null, at: later };
const changed = (
  changes: ConnectorChanged['changes'],
  former: ConnectorChanged['former'],
  reason: ConnectorChanged['reason'] = 'person',
): ConnectorChanged => ({ type: 'ConnectorChanged', ...of, changes, former, reason, changedAt: later });
const rotated = (n: number, formerUntil: string | null = tomorrow): ConnectorSecretRotated => ({
  type: 'ConnectorSecretRotated',
  ...of,
  sealedSecret: `sealed ${n}`,
  formerUntil,
  rotatedAt: later,
});
const removed = (reason: ConnectorRemoved['reason'] = 'person', name: string | null = 'Home') => ({
  type: 'ConnectorRemoved' as const,
  ...of,
  name,
  reason,
  removedAt: later,
});
const online = (cameOnlineAt = at, agentVersion: string | null = null): ConnectorCameOnline => ({
  type: 'ConnectorCameOnline',
  ...of,
  agentVersion,
  cameOnlineAt,
});
const offline = (outage = 1, oncall: ConnectorWentOffline['oncall'] = duty): ConnectorWentOffline => ({
  type: 'ConnectorWentOffline',
  ...of,
  outage,
  oncall,
  lastSeenAt: at,
  wentOfflineAt: later,
});
const paged = (outage = 1, pageId: string | null = `page_${outage}`): ConnectorPaged => ({
  type: 'ConnectorPaged',
  ...of,
  outage,
  pageId,
  pagedAt: later,
});
const resolved = (outage = 1): ConnectorEvent => ({
  type: 'ConnectorPageResolved',
  ...of,
  outage,
  pageId: `page_${outage}`,
  resolvedAt: later,
});
const after = (...events: ConnectorEvent[]) => fold(connector, events);

describe('registering a connector', () => {
  it('records it', () => given(connector).when(register(registration)).then(registered));
  it('does nothing the second time', () =>
    given(connector, registered).when(register(registration)).thenNothing());
  it('is refused once another connector has taken the hostname', () =>
    given(connector, removed('never_made', null)).when(register(registration)).thenRefused('hostname.taken'));
  it('is given up after a claim of a hostname without a registration', () => {
    const unmade = { id: 'con_1', accountId: 'usr_1', teamId: null, at: later };
    given(connector).when(giveUp(unmade)).then(removed('never_made', null));
    given(connector, registered).when(giveUp(unmade)).thenNothing();
    given(connector, removed('never_made', null)).when(giveUp(unmade)).thenNothing();
  });
  it('treats a connector with no readable text as gone', () =>
    expect(after({ ...registered, name: null, hostname: null })).toMatchObject({ isRemoved: true }));
});

describe('the right to change a connector', () => {
  const rename = (asked: object) => change({ ...mine, ...asked, changes: { name: 'Lab' } });
  it('its owner', () =>
    given(connector, registered)
      .when(rename({}))
      .then(changed({ name: 'Lab' }, { name: 'Home' })));
  it('nobody else', () =>
    given(connector, registered)
      .when(rename({ accountId: 'usr_2', role: 'owner' }))
      .thenRefused('connector.unknown'));
  it('an admin of its team, whichever member registered it', () =>
    given(connector, ofTeam)
      .when(rename({ accountId: 'usr_2', role: 'admin' }))
      .then({ ...changed({ name: 'Lab' }, { name: 'Home' }), teamId: 'team_1' }));
  it('no plain member of its team, not even the one who registered it', () =>
    given(connector, ofTeam)
      .when(rename({ role: 'member' }))
      .thenRefused('team.forbidden_role'));
  it('nobody who has left its team', () =>
    given(connector, ofTeam).when(rename({})).thenRefused('connector.unknown'));
  it('nobody once it is removed', () =>
    given(connector, registered, removed()).when(rename({})).thenRefused('connector.unknown'));
  it('nobody by an id that only ends like its own', () =>
    given(connector, registered)
      .when(rename({ id: 'con_other' }))
      .thenRefused('connector.unknown'));
});

describe('changing a connector', () => {
  it('says what changed and how it was', () =>
    given(connector, registered)
      .when(change({ ...mine, changes: { name: 'Home', routes: [], oncall: null, enabled: false } }))
      .then(
        changed({ routes: [], oncall: null, enabled: false }, { routes: [web], oncall: duty, enabled: true }),
      ));
  it('does nothing the second time', () =>
    given(connector, registered, changed({ enabled: false, routes: [] }, {}))
      .when(change({ ...mine, changes: { enabled: false, routes: [] } }))
      .thenNothing());
  it('shows in what it is', () =>
    expect(after(registered, changed({ name: 'Lab', oncall: null }, {}))).toMatchObject({
      name: 'Lab',
      oncall: null,
      enabled: true,
      updatedAt: later,
    }));
  it('releases a deleted group once, and no other', () => {
    const gone = { groupId: 'ocg_1', reason: 'group_deleted' as const, at: later };
    const without = changed({ oncall: null }, { oncall: duty }, 'group_deleted');
    given(connector, registered).when(release(gone)).then(without);
    given(connector, registered, without).when(release(gone)).thenNothing();
    given(connector, registered)
      .when(release({ ...gone, groupId: 'ocg_2' }))
      .thenNothing();
    given(connector, registered, removed()).when(release(gone)).thenNothing();
  });
});

describe('the secret of a connector', () => {
  const to = (n: number, revokeOld = false) => rotate({ ...mine, sealedSecret: `sealed ${n}`, revokeOld });
  it('is another one after a rotation, and the former is good for 24 hours', () => {
    given(connector, registered).when(to(2)).then(rotated(2));
    const found = existing(after(registered, rotated(2)));
    expect(secretsAt(found, '2026-11-21T09:59:59.999Z')).toEqual(['sealed 2', 'sealed 1']);
    expect(secretsAt(found, tomorrow)).toEqual(['sealed 2']);
    expect(found.secretRotatedAt).toBe(later);
  });
  it('is rotated once by one request', () =>
    given(connector, registered, rotated(2)).when(to(2)).thenNothing());
  it('ends its former at once where that is wanted', () => {
    given(connector, registered).when(to(2, true)).then(rotated(2, null));
    expect(secretsAt(existing(after(registered, rotated(2), rotated(3, null))), later)).toEqual(['sealed 3']);
  });
  it('has a few formers at most', () =>
    expect(secretsAt(existing(after(registered, ...[2, 3, 4, 5, 6].map((n) => rotated(n)))), later)).toEqual([
      'sealed 6',
      'sealed 5',
      'sealed 4',
      'sealed 3',
    ]));
});

describe('removing a connector', () => {
  it('records it', () => given(connector, registered).when(remove(mine)).then(removed()));
  it('is refused the second time', () =>
    given(connector, registered, removed()).when(remove(mine)).thenRefused('connector.unknown'));
  it('happens once with its team, and to no own one', () => {
    given(connector, ofTeam)
      .when(removeWithTeam({ at: later }))
      .then({ ...removed('team_deleted'), teamId: 'team_1' });
    given(connector, ofTeam, { ...removed('team_deleted'), teamId: 'team_1' })
      .when(removeWithTeam({ at: later }))
      .thenNothing();
    given(connector, registered)
      .when(removeWithTeam({ at: later }))
      .thenNothing();
  });
});

describe('the visitors of a connector', () => {
  it('finds a route by its name', () => {
    expect(routeOf({ routes: [web] }, 'web')).toBe(web);
    expect(() => routeOf({ routes: [web] }, 'api')).toThrow('route_name.not_found');
  });
  it('is nobody while it or the route is off', () => {
    expect(() => insistOnEnabled({ enabled: true }, { enabled: true })).not.toThrow();
    expect(() => insistOnEnabled({ enabled: true })).not.toThrow();
    expect(() => insistOnEnabled({ enabled: false }, { enabled: true })).toThrow('connector.disabled');
    expect(() => insistOnEnabled({ enabled: true }, { enabled: false })).toThrow('connector.disabled');
  });
});

describe('a heartbeat', () => {
  const beats = (agentVersion: string | null = null) => beat({ ...mine, agentVersion });
  it('brings it online the first time, and when it was offline', () => {
    given(connector, registered).when(beats('1.0')).then(online(later, '1.0'));
    given(connector, registered, online(), offline()).when(beats()).then(online(later));
  });
  it('is nothing for the log while it is online', () =>
    given(connector, registered, online()).when(beats()).thenNothing());
  it('tells the log of another version once, and keeps it when none is named', () => {
    const news = { type: 'ConnectorAgentChanged' as const, ...of, agentVersion: '1.1', changedAt: later };
    given(connector, registered, online(at, '1.0')).when(beats('1.1')).then(news);
    given(connector, registered, online(at, '1.0'), news).when(beats('1.1')).thenNothing();
    given(connector, registered, online(at, '1.0'), news).when(beats()).thenNothing();
    expect(after(registered, online(at, '1.0'), offline(), online(later))).toMatchObject({
      agentVersion: '1.0',
    });
  });
  it('is taken while the connector is switched off', () =>
    given(connector, registered, changed({ enabled: false }, {}))
      .when(beats())
      .then(online(later)));
  it('is taken from nobody else', () =>
    given(connector, registered)
      .when(beat({ ...mine, accountId: 'usr_2', agentVersion: null }))
      .thenRefused('connector.unknown'));
});

describe('going offline', () => {
  const gone = goOffline({ lastSeenAt: at, at: later });
  it('happens once to an online connector', () => {
    given(connector, registered, online()).when(gone).then(offline());
    given(connector, registered, online(), offline()).when(gone).thenNothing();
  });
  it('is counted', () =>
    given(connector, registered, online(), offline(), online()).when(gone).then(offline(2)));
  it('does not happen without a first heartbeat, after a newer heartbeat, or after removal', () => {
    given(connector, registered).when(gone).thenNothing();
    given(connector, registered, online('2026-11-20T09:30:00.000Z')).when(gone).thenNothing();
    given(connector, registered, online(), removed()).when(gone).thenNothing();
  });
  it('is taken back by a heartbeat that came at the same moment', () => {
    const heard = hearAgain({ seenAt: later });
    given(connector, registered, online(), offline()).when(heard).then(online(later));
    given(connector, registered, online(), offline(), online(later)).when(heard).thenNothing();
    given(connector, registered, online(), offline())
      .when(hearAgain({ seenAt: at }))
      .thenNothing();
  });
  it('comes 90 seconds after the last heartbeat, but not before 90 seconds of listening', () => {
    expect(offlineAt('2026-11-20T09:00:00.000Z', '2026-11-20T08:00:00.000Z')).toBe(
      '2026-11-20T09:01:30.000Z',
    );
    expect(offlineAt('2026-11-20T09:00:00.000Z', '2026-11-20T09:30:00.000Z')).toBe(
      '2026-11-20T09:31:30.000Z',
    );
  });
});

describe('telling an on-call group of an outage', () => {
  const step = (...events: ConnectorEvent[]) => nextStep(after(registered, online(), ...events));
  it('pages it', () => {
    expect(step()).toBeUndefined();
    expect(step(offline())).toEqual({ what: 'page', outage: 1, ...duty });
  });
  it('is over until the connector is back, and resolves the page then', () => {
    expect(step(offline(), paged())).toBeUndefined();
    expect(step(offline(), paged(), online())).toEqual({
      what: 'resolve',
      outage: 1,
      pageId: 'page_1',
      teamId: 'team_1',
    });
    expect(step(offline(), paged(), online(), resolved())).toBeUndefined();
  });
  it('handles one outage after the other, however late', () => {
    const all = [offline(), online(), offline(2)];
    expect(step(...all)).toMatchObject({ what: 'page', outage: 1 });
    expect(step(...all, paged())).toMatchObject({ what: 'resolve', outage: 1 });
    expect(step(...all, paged(), resolved())).toMatchObject({ what: 'page', outage: 2 });
    expect(step(...all, paged(), resolved(), paged(2))).toBeUndefined();
  });
  it('resolves the page also when the connector is removed', () =>
    expect(step(offline(), paged(), removed())).toMatchObject({ what: 'resolve', outage: 1 }));
  it('pages the group that the connector had when it went offline', () =>
    expect(step(offline(), changed({ oncall: null }, {}))).toMatchObject({ groupId: 'ocg_1' }));
  it('does nothing without a group, or when the group was gone', () => {
    expect(step(offline(1, null))).toBeUndefined();
    expect(step(offline(), paged(1, null), online())).toBeUndefined();
  });
  it('is noted once', () => {
    const page = notePage({ outage: 1, pageId: 'page_1', at: later });
    given(connector, registered, online(), offline()).when(page).then(paged());
    given(connector, registered, online(), offline(), paged()).when(page).thenNothing();
    const resolve = noteResolved({ outage: 1, at: later });
    given(connector, registered, online(), offline(), paged(), online()).when(resolve).then(resolved());
    given(connector, registered, online(), offline(), paged(), online(), resolved())
      .when(resolve)
      .thenNothing();
    given(connector, registered, online(), offline()).when(resolve).thenNothing();
  });
});
