import { randomBytes } from 'node:crypto';
import type { AppEvent, TeamEvent } from '@carillon/contracts';
import { Database, Feed, inMemoryEventStore, Keys, Log, Projections } from '@carillon/event-store';
import type { Decider, DomainEvent } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { startPostgres, streamMetadata, workplaceTeam } from '@carillon/testkit';
import { webAppViewTables } from './tables';
import { WebAppViews } from './web-app-views';
import { WebAppViewsProjection } from './web-app-views.projection';

const at = '2026-11-20T09:00:00.000Z';
const appId = 'app_1';
const teamId = 'team_1';
const ofApp = { appId, accountId: 'usr_owner' };

let stop: (() => Promise<void>)[] = [];
let log: Log;
let projections: Projections;
let apps: WebAppViews;
beforeAll(async () => {
  const postgres = await startPostgres();
  stop = [() => postgres.stop()];
  const store = inMemoryEventStore();
  const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
  log = new Log(store, Keys.fromRing(ring, store));
  const feed = Feed.of(log);
  const database = await Database.open({
    url: postgres.url,
    schema: 'shown',
    migrations: [{ name: 'Shown1795564800001', phase: 'expand', statements: webAppViewTables }],
    poolSize: 4,
  });
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  projections = new Projections(database, log, feed, [new WebAppViewsProjection()], silent);
  apps = new WebAppViews(database, projections);
  stop = [() => projections.stop(), () => feed.close(), () => database.close(), ...stop];
  await projections.start();
}, 60_000);
afterAll(async () => {
  for (const each of stop) await each();
}, 60_000);

const asIs = (category: string): Decider<null, DomainEvent> => ({
  category,
  initial: null,
  evolve: () => null,
  personal: {},
});

let newest = 0n;
async function happened(...events: readonly (AppEvent | TeamEvent)[]): Promise<void> {
  for (const event of events) {
    const accountId = 'usr_owner';
    const decider = asIs('appId' in event ? 'app' : 'team');
    const metadata = streamMetadata(accountId, { accountId });
    newest = (await log.appendTo(decider, '1', [event], 'any', metadata)).position;
  }
}
const moved = (into: string | null): AppEvent => ({
  type: 'AppMoved',
  ...ofApp,
  formerTeamId: into === null ? teamId : null,
  teamId: into,
  membership: into === null ? '-' : '1',
  by: 'usr_owner',
  notify: false,
  movedAt: at,
});
const nameFor = async (accountId: string): Promise<string | undefined> => {
  const appOf = await apps.seenBy(accountId, [null, appId, 'app_unheard_of'], String(newest));
  expect([appOf(null), appOf('app_unheard_of')]).toEqual([null, null]);
  return appOf(appId)?.name;
};

describe('the web app of an item', () => {
  it('is visible only to the account that added it', async () => {
    await happened(...workplaceTeam, {
      type: 'AppAdded',
      ...ofApp,
      name: 'Dashboard',
      url: 'https://dash.test/home',
      origin: 'https://dash.test',
      iconUrl: null,
      projectId: null,
      projectName: null,
      addedAt: at,
    });
    const appOf = await apps.seenBy('usr_owner', [appId], String(newest));
    expect(appOf(appId)).toEqual({
      id: appId,
      name: 'Dashboard',
      origin: 'https://dash.test',
      iconUrl: null,
    });
    expect(await nameFor('usr_member')).toBeUndefined();
  });

  it('has its current name', async () => {
    const changed = { type: 'AppChanged', ...ofApp, teamId: null, former: null, changedAt: at } as const;
    const iconUrl = 'https://dash.test/icon.png';
    await happened({ ...changed, name: 'Board' }, { ...changed, iconUrl });
    const shown = async () => (await apps.seenBy('usr_owner', [appId], String(newest)))(appId);
    expect(await shown()).toMatchObject({ name: 'Board', iconUrl, origin: 'https://dash.test' });
    await happened({ ...changed, iconUrl: null, url: 'https://board.test/', origin: 'https://board.test' });
    expect(await shown()).toMatchObject({ name: 'Board', iconUrl: null, origin: 'https://board.test' });
  });

  it('is visible to the members of its team while they are members', async () => {
    await happened(moved(teamId));
    expect(await nameFor('usr_member')).toBe('Board');
    expect(await nameFor('usr_stranger')).toBeUndefined();
    await happened({ type: 'MemberLeft', teamId, accountId: 'usr_member', leftAt: at });
    expect(await nameFor('usr_member')).toBeUndefined();
    expect(await nameFor('usr_admin')).toBe('Board');
  });

  it('is visible only to the account that added it once that account has left the team', async () => {
    await happened({ type: 'MemberLeft', teamId, accountId: 'usr_owner', leftAt: at });
    expect(await nameFor('usr_admin')).toBeUndefined();
    expect(await nameFor('usr_owner')).toBe('Board');
    await happened(moved(null));
    expect(await nameFor('usr_owner')).toBe('Board');
  });

  it('is visible to no account once removed', async () => {
    await happened({ type: 'AppRemoved', ...ofApp, teamId: null, former: null, removedAt: at });
    expect(await nameFor('usr_owner')).toBeUndefined();
  });
});
