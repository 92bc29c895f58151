import { newAccount, outcomeOf } from '@carillon/testkit';
import { createHash, createHmac } from 'node:crypto';
import { type BegunCallback, Callbacks, Connectors, type ConnectorWithSecret } from '@carillon/contracts';
import { newId } from '@carillon/signing';
import { ask, begin, clock, end, log, registration, teamOf, teams } from '../connector/testbed';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

const body = '{"type":"interaction.answered","data":{"text":"Zoë\u2028"}}';
const seconds = () => Math.floor(Date.now() / 1000);
/** A connector with one route, which takes callbacks at and below `/hooks`. */
const register = (accountId: string, more: object = {}): Promise<ConnectorWithSecret> => {
  const given = registration(more);
  const url = `https://${given.hostname}`;
  const routes = [{ name: 'app', target: 'http://10.0.0.1', url, callbackPaths: ['/hooks'] }];
  return ask(accountId, Connectors.register, { routes, ...given });
};

/** An attempt of a reply webhook of this account. */
const attempt = async (accountId: string, url: string, more: object = {}): Promise<BegunCallback | null> => {
  const begun = await ask(accountId, Callbacks.begin, {
    deliveryId: newId('whd', Date.now()),
    url,
    timestamp: seconds(),
    body: Buffer.from(body).toString('base64'),
    ...more,
  });
  if (begun && 'isRemoved' in begun) throw new Error('The connector was removed');
  return begun;
};
const lastSegmentOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/** A connector, an attempt through it, and what its program shows of that. */
async function arrived(path = '/hooks/x?y=1', more: object = {}) {
  const owner = newAccount();
  const { connector, callbackSecret } = await register(owner);
  const timestamp = seconds();
  const begun = await attempt(owner, `https://${connector.hostname}${path}`, { timestamp, ...more });
  if (!begun) throw new Error('The host was not known for a connector’s');
  const shown = {
    id: connector.id,
    deliveryId: lastSegmentOf(begun.url),
    timestamp,
    signature: begun.signature,
    bodySha256: createHash('sha256').update(body).digest('hex'),
  };
  return { owner, connector, callbackSecret, begun, shown };
}

describe('an attempt', () => {
  it('goes to the url of the connector, signed with its secret over exactly this body', async () => {
    const { connector, callbackSecret, begun, shown } = await arrived();
    expect(begun.connectorId).toBe(connector.id);
    expect(begun.url).toMatch(
      new RegExp(`^https://${connector.hostname}/\\.well-known/carillon-callback/cbd_[0-9a-z]{26}$`),
    );
    const key = Buffer.from(callbackSecret.slice('whsec_'.length), 'base64');
    const signed = `${shown.deliveryId}.${shown.timestamp}.${body}`;
    expect(begun.signature).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  });

  it('goes through a connector of a team for its admins, for no plain member, and past it for others', async () => {
    const [owner, admin, member, stranger] = [newAccount(), newAccount(), newAccount(), newAccount()];
    const { teamId } = await teamOf({ [owner]: 'owner', [admin]: 'admin', [member]: 'member' });
    const shared = await register(owner, { teamId });
    const own = await register(owner);
    const to = async (accountId: string, { connector }: ConnectorWithSecret) =>
      (await attempt(accountId, `https://${connector.hostname}/hooks`))?.connectorId ?? null;
    expect(await to(owner, shared)).toBe(shared.connector.id);
    expect(await to(admin, shared)).toBe(shared.connector.id);
    expect(await outcomeOf(to(member, shared))).toBe('destination.not_allowed');
    expect(await to(stranger, shared)).toBeNull();
    expect(await to(owner, own)).toBe(own.connector.id);
    expect(await to(member, own)).toBeNull();
    teams.get(teamId)?.roles.set(admin, 'member');
    expect(await outcomeOf(to(admin, shared))).toBe('destination.not_allowed');
    teams.get(teamId)?.roles.delete(admin);
    expect(await to(admin, shared)).toBeNull();
    await ask(owner, Connectors.remove, { id: own.connector.id });
    expect(await to(owner, own)).toBeNull();
  });

  it('goes only where a route has opened the path, however the path is written', async () => {
    const owner = newAccount();
    const { connector } = await register(owner);
    const { id, hostname } = connector;
    const app = { name: 'app', target: 'http://10.0.0.1', url: `https://${hostname}/` };
    const admin = { name: 'admin', target: 'http://10.0.0.1', url: `https://${hostname}/hooks/admin` };
    const to = (path: string) => outcomeOf(attempt(owner, `https://${hostname}${path}`));
    const routes = [{ ...app, callbackPaths: ['/hooks'] }, admin];
    await ask(owner, Connectors.change, { id, routes });
    expect(await to('/hooks/answers?x=1')).toBe('done');
    for (const path of ['/', '/other', '/hooks/admin', '/hooks/%61dmin', '/hooks/%252e%252e/x', '/hooks%2fx'])
      expect([path, await to(path)]).toEqual([path, 'destination.not_allowed']);
    await ask(owner, Connectors.change, { id, routes: [app] });
    expect(await to('/hooks/answers')).toBe('destination.not_allowed');
    await ask(owner, Connectors.change, { id, routes: [] });
    expect(await to('/hooks/answers')).toBe('destination.not_allowed');
  });

  it('is looked at in the same way when its address is saved, but for what is switched off', async () => {
    const [owner, member] = [newAccount(), newAccount()];
    const { teamId } = await teamOf({ [owner]: 'owner', [member]: 'member' });
    const { hostname } = (await register(owner, { teamId, enabled: false })).connector;
    const check = (accountId: string, url: string) =>
      outcomeOf(ask(accountId, Callbacks.check, { url: `https://${url}` }));
    expect(await check(owner, `${hostname}/hooks/x`)).toBe('done');
    expect(await check(owner, `${hostname}/other`)).toBe('destination.not_allowed');
    expect(await check(owner, `${hostname}:8443/hooks/x`)).toBe('destination.not_allowed');
    expect(await check(member, `${hostname}/hooks/x`)).toBe('destination.not_allowed');
    expect(await check(newAccount(), `${hostname}:8443/other`)).toBe('done');
    expect(await check(owner, 'nobody.example.com:8443/x')).toBe('done');
  });

  it('is none of what waited for a connector that was removed, whose hostname is an address again for what comes after', async () => {
    const [owner, member, stranger] = [newAccount(), newAccount(), newAccount()];
    const { teamId } = await teamOf({ [owner]: 'owner', [member]: 'member' });
    const { connector } = await register(owner, { teamId });
    const to = (accountId: string, waitsSince?: string) =>
      ask(accountId, Callbacks.begin, {
        deliveryId: newId('whd', Date.now()),
        url: `https://${connector.hostname}/hooks`,
        timestamp: seconds(),
        body: Buffer.from(body).toString('base64'),
        ...(waitsSince !== undefined && { waitsSince }),
      });
    const before = clock.now();
    expect(await to(owner, before)).toMatchObject({
      connectorId: connector.id,
      signature: expect.any(String),
    });
    await clock.advance(1_000);
    await ask(owner, Connectors.remove, { id: connector.id });
    const lost = { connectorId: connector.id, isRemoved: true };
    expect(await to(owner, before)).toEqual(lost);
    expect(await to(member, before)).toEqual(lost);
    expect(await to(stranger, before)).toBeNull();
    expect(await to(owner)).toBeNull();
    await clock.advance(1_000);
    expect(await to(owner, clock.now())).toBeNull();
  });

  it('is refused while the connector is off, and for a port', async () => {
    const owner = newAccount();
    const { connector } = await register(owner, { enabled: false });
    const to = (host: string) => outcomeOf(attempt(owner, `https://${host}/hooks`));
    expect(await to(connector.hostname)).toBe('connector.disabled');
    expect(await to(`${connector.hostname}:8443`)).toBe('destination.not_allowed');
    await ask(owner, Connectors.change, { id: connector.id, enabled: true });
    expect(await to(`${connector.hostname.toUpperCase()}:443`)).toBe('done');
    expect(await to('nobody.example.com:8443')).toBe('done');
  });

  it('keeps neither path nor body where anybody could read them', async () => {
    const { shown } = await arrived('/hooks/secret-path');
    const raw = await log.store.read(`callback-${shown.deliveryId.slice(-16)}`);
    expect(raw).toHaveLength(1);
    expect(JSON.stringify(raw.map(({ data }) => data))).not.toMatch(/secret-path|interaction\.answered/);
  });
});

describe('taking a callback over', () => {
  it('says where it goes, once', async () => {
    const { owner, shown } = await arrived();
    expect(await ask(owner, Callbacks.allow, shown)).toEqual({
      allowed: true,
      deliveryId: shown.deliveryId,
      route: 'app',
      path: '/hooks/x?y=1',
      method: 'POST',
    });
    expect(await outcomeOf(ask(owner, Callbacks.allow, shown))).toBe('callback.invalid');
  });

  it('is granted to one of twenty that ask at once', async () => {
    const { owner, shown } = await arrived();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(ask(owner, Callbacks.allow, shown))),
    );
    expect(outcomes.filter((each) => each === 'done')).toHaveLength(1);
    expect(outcomes.filter((each) => each === 'callback.invalid')).toHaveLength(19);
  });

  it('is granted once more for the next attempt, and no more for the one before', async () => {
    const deliveryId = newId('whd', Date.now());
    const first = await arrived('/hooks', { deliveryId });
    const { owner, connector } = first;
    const timestamp = first.shown.timestamp + 1;
    const next = await attempt(owner, `https://${connector.hostname}/hooks`, { deliveryId, timestamp });
    expect(next?.url).toBe(first.begun.url);
    expect(await outcomeOf(ask(owner, Callbacks.allow, first.shown))).toBe('callback.invalid');
    const shown = { ...first.shown, timestamp, signature: next?.signature ?? '' };
    expect(await outcomeOf(ask(owner, Callbacks.allow, shown))).toBe('done');
  });

  it('is refused with one reason for whatever is wrong, and uses nothing up', async () => {
    const { owner, shown } = await arrived();
    const another = await register(owner);
    const wrong = [
      { deliveryId: newId('cbd', Date.now()) },
      { deliveryId: `cbd_7${shown.deliveryId.slice(5)}` },
      { id: another.connector.id },
      { timestamp: shown.timestamp + 1 },
      { signature: shown.signature.replace(/.$/, 'A') },
      { signature: 'v1,AAAA' },
      { bodySha256: '0'.repeat(64) },
    ];
    for (const each of wrong)
      expect([each, await outcomeOf(ask(owner, Callbacks.allow, { ...shown, ...each }))]).toEqual([
        each,
        'callback.invalid',
      ]);
    expect(await outcomeOf(ask(newAccount(), Callbacks.allow, shown))).toBe('connector.unknown');
    expect(await outcomeOf(ask(owner, Callbacks.allow, shown))).toBe('done');
  });

  it('is refused six minutes later by the wall clock', async () => {
    const timestamp = seconds() - 360;
    const { owner, shown } = await arrived('/hooks', { timestamp });
    expect(await outcomeOf(ask(owner, Callbacks.allow, { ...shown, timestamp }))).toBe('callback.invalid');
  });

  it('is refused once the secret that signed it was ended, and granted while it is good', async () => {
    const kept = await arrived();
    await ask(kept.owner, Connectors.rotate, { id: kept.connector.id });
    expect(await outcomeOf(ask(kept.owner, Callbacks.allow, kept.shown))).toBe('done');
    const ended = await arrived();
    await ask(ended.owner, Connectors.rotate, { id: ended.connector.id, revokeOld: true });
    expect(await outcomeOf(ask(ended.owner, Callbacks.allow, ended.shown))).toBe('callback.invalid');
  });

  it('is refused while the connector or its route is off or closed, which uses nothing up, and after its removal', async () => {
    const { owner, connector, shown } = await arrived('/hooks/x');
    const { id, hostname } = connector;
    const change = (news: object) => ask(owner, Connectors.change, { id, ...news });
    const route = {
      name: 'wiki',
      target: 'http://10.0.0.1',
      url: `https://${hostname}/hooks`,
      callbackPaths: ['/hooks'],
    };
    const outcome = () => outcomeOf(ask(owner, Callbacks.allow, shown));
    await change({ enabled: false, routes: [{ ...route, enabled: false }] });
    expect(await outcome()).toBe('connector.disabled');
    await change({ enabled: true });
    expect(await outcome()).toBe('connector.disabled');
    await change({ routes: [{ ...route, callbackPaths: ['/hooks/other'] }] });
    expect(await outcome()).toBe('callback.invalid');
    await change({ routes: [] });
    expect(await outcome()).toBe('callback.invalid');
    await change({ routes: [route] });
    expect(await ask(owner, Callbacks.allow, shown)).toMatchObject({ route: 'wiki', path: '/hooks/x' });
    await ask(owner, Connectors.remove, { id });
    expect(await outcome()).toBe('connector.unknown');
  });

  it('is refused while a route is off whose path is written in another way', async () => {
    const { owner, connector, shown } = await arrived('/hooks/%61dmin');
    const { id, hostname } = connector;
    const admin = {
      name: 'admin',
      target: 'http://10.0.0.1',
      url: `https://${hostname}/hooks/admin`,
      callbackPaths: ['/hooks/admin'],
      enabled: false,
    };
    await ask(owner, Connectors.change, { id, routes: [...connector.routes, admin] });
    expect(await outcomeOf(ask(owner, Callbacks.allow, shown))).toBe('connector.disabled');
  });
});
