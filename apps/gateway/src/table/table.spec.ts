import { scopes } from '@carillon/contracts';
import { fromRefusal } from '../errors/refusals';
import { Refused } from '@carillon/eventing';
import { rateHeaders } from '../rate/policy';
import { agentTable } from './agent.table';
import { decodable, methodsAt } from './paths';
import { rowName } from '../request/row';
import { sessionTable } from './session.table';

describe('the tables', () => {
  const all = [...agentTable, ...sessionTable];

  it('name each route once', () => expect(new Set(all.map(rowName)).size).toBe(all.length));

  it('let nobody into the Agent API without a token', () =>
    expect(agentTable.filter((row) => row.access !== 'token')).toEqual([]));

  it('know only scopes that exist', () =>
    expect(agentTable.flatMap((row) => row.scopes).filter((scope) => !scopes.includes(scope))).toEqual([]));

  it('have a public route in the Session API only where a person has none yet', () =>
    expect(sessionTable.filter((row) => row.access === 'public').map(rowName)).toEqual([
      'POST /api/session/bootstrap',
      'POST /api/session/signup',
      'POST /api/session/login/password',
      'POST /api/session/login/recovery',
      'POST /api/session/login/passkey/options',
      'POST /api/session/login/passkey',
      'GET /api/session/login/email',
      'POST /api/session/login/email',
      'POST /api/session/login/email/confirm',
      'GET /api/session/login/oidc',
      'POST /api/session/refresh',
      'POST /api/session/email/verify',
    ]));

  it('have the audit log follow what changes teams, ends tokens or switches endpoints off', () => {
    const audited = all.filter((row) => row.audited).map(rowName);
    const changes = all.filter(
      ({ method, path }) => method !== 'GET' && /\/(teams|invites)(\/|$)/.test(path),
    );
    expect(changes.map(rowName).filter((name) => !audited.includes(name))).toEqual([]);
    expect(audited).toEqual(
      expect.arrayContaining([
        'POST /api/agent/teams',
        'POST /api/agent/auth/revoke',
        'DELETE /api/agent/tokens/:id',
        'DELETE /api/session/tokens/:id',
        'PATCH /api/agent/webhooks/:id',
        'PATCH /api/session/webhooks/:id',
      ]),
    );
    expect(audited).not.toContain('POST /api/agent/notifications');
  });

  it('tell which methods a path has', () => {
    const methods = methodsAt(all);
    expect(methods('/api/agent/devices')).toEqual(['GET']);
    expect(methods('/api/session/tokens')).toEqual(['GET', 'POST']);
    expect(methods('/api/agent/inbox/notifications/notification:anot_1/read')).toEqual(['POST']);
    expect(methods('/api/agent/oncall/me')).toEqual(['GET']);
    expect(methods('/api/agent/oncall/ocg_1')).toEqual(['DELETE', 'GET', 'PATCH']);
    expect(methods('/api/agent/inbox/notifications/read-all')).toEqual(['POST']);
    expect(methods('/api/agent/devices/')).toEqual([]);
    expect(methods('/api/agent/nothing')).toEqual([]);
  });

  it('tell that of all paths below one', () => {
    const methods = methodsAt([{ method: 'GET', path: '/console/*', access: 'public', scopes: [] }]);
    expect(methods('/console/')).toEqual(['GET']);
    expect(methods('/console/a/b')).toEqual(['GET']);
    expect(methods('/console')).toEqual([]);
  });
});

describe('a URL', () => {
  it.each([
    ['/api/agent/devices/dev_1?x=%zz', '/api/agent/devices/dev_1?x=%zz'],
    ['/api/agent/devices/a%20b', '/api/agent/devices/a%20b'],
    ['/api/agent/devices/%zz?x=1', '/api/agent/devices/%25zz?x=1'],
    ['/api/agent/devices/%ff', '/api/agent/devices/%25ff'],
    ['/api/agent/devices/100%', '/api/agent/devices/100%25'],
  ])('%s is routed as %s', (url, routed) => expect(decodable(url)).toBe(routed));
});

describe('a refusal', () => {
  it('becomes a status and a code', () =>
    expect(fromRefusal(new Refused('idempotency.key_reused'))).toMatchObject({
      status: 422,
      code: 'IDEMPOTENCY_KEY_REUSED',
    }));
  it('shows only the details that its entry names', () =>
    expect(
      fromRefusal(new Refused('resource.limit_reached', { limit: 100, owner: 'usr_1' })).members,
    ).toEqual({ limit: 100 }));
  it('without an entry says nothing about itself', () =>
    expect(fromRefusal(new Refused('noun.surprise', { secret: 'x' }))).toMatchObject({
      status: 500,
      code: 'INTERNAL',
      members: {},
    }));
  it.each(['projection.behind', 'event.unknown'])(
    'tells when to try again, in the header and in the body, and nothing else: %s',
    (reason) => {
      const { status, code, members, headers } = fromRefusal(new Refused(reason, { type: 'AccountMerged' }));
      expect({ status, code, members, headers }).toEqual({
        status: 503,
        code: 'UNAVAILABLE',
        members: { retryAfter: 1 },
        headers: { 'retry-after': '1' },
      });
    },
  );
});

describe('the rate headers', () => {
  const limit = { key: 'k', windowSeconds: 60, granted: true, resetSeconds: 41 };
  it('name every policy and tell of the one nearest to its end', () =>
    expect(
      rateHeaders([
        { ...limit, name: 'account', limit: 300, remaining: 30 },
        { ...limit, name: 'token', limit: 600, remaining: 500 },
      ]),
    ).toEqual({
      'ratelimit-policy': '"account";q=300;w=60, "token";q=600;w=60',
      ratelimit: '"account";r=30;t=41',
    }));
});
