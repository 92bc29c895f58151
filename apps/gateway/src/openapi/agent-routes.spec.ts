import { scopes, type Scope } from '@carillon/contracts';
import { documents } from './documents';

/** The 91 routes of the Agent API as they were agreed upon, with the scopes that each needs. */
const agreed: Readonly<Record<string, string>> = {
  'GET /auth/status': '',
  'POST /auth/revoke': '',
  'GET /tokens': 'tokens:manage',
  'DELETE /tokens/{id}': 'tokens:manage',
  'GET /devices': 'devices:read',
  'DELETE /devices/{id}': 'devices:write',
  'GET /billing': 'billing:read',
  'GET /services': 'services:read',
  'POST /services': 'services:write',
  'GET /services/{id}': 'services:read',
  'PATCH /services/{id}': 'services:write',
  'DELETE /services/{id}': 'services:write',
  'POST /services/{id}/share': 'services:write',
  'POST /services/{id}/rotate': 'services:write',
  'GET /webhooks': 'services:read',
  'POST /webhooks': 'services:write',
  'GET /webhooks/{id}': 'services:read',
  'PATCH /webhooks/{id}': 'services:write',
  'DELETE /webhooks/{id}': 'services:write',
  'POST /webhooks/{id}/test': 'services:write',
  'POST /webhooks/{id}/rotate-secret': 'services:write',
  'GET /events': 'events:read',
  'GET /activity-feed': 'events:read',
  'POST /notifications': 'notifications:send',
  'POST /notifications/{id}/withdraw': 'notifications:send',
  'GET /interactions': 'interactions:read',
  'POST /interactions': 'interactions:create',
  'GET /interactions/{id}': 'interactions:read',
  'GET /interactions/{id}/wait': 'interactions:read',
  'POST /interactions/{id}/cancel': 'interactions:create',
  'GET /activities': 'activities:read',
  'POST /activities': 'activities:write',
  'GET /activities/{identifier}': 'activities:read',
  'PATCH /activities/{identifier}': 'activities:write',
  'POST /activities/{identifier}/end': 'activities:write',
  'GET /apps': 'apps:read',
  'POST /apps': 'apps:write',
  'GET /apps/{id}': 'apps:read',
  'PATCH /apps/{id}': 'apps:write',
  'DELETE /apps/{id}': 'apps:write',
  'POST /apps/{id}/revoke': 'apps:write',
  'POST /apps/{id}/share': 'apps:write teams:write',
  'GET /teams': 'teams:read',
  'POST /teams': 'teams:write',
  'GET /teams/{id}': 'teams:read',
  'PATCH /teams/{id}': 'teams:write',
  'DELETE /teams/{id}': 'teams:write',
  'POST /teams/{id}/leave': 'teams:write',
  'PATCH /teams/{id}/members/{userId}': 'teams:write',
  'DELETE /teams/{id}/members/{userId}': 'teams:write',
  'GET /teams/{id}/invites': 'teams:read',
  'POST /teams/{id}/invites': 'teams:write',
  'DELETE /teams/{id}/invites/{inviteId}': 'teams:write',
  'GET /teams/{id}/apps': 'teams:read apps:read',
  'GET /teams/{id}/groups': 'teams:read',
  'POST /teams/{id}/groups': 'teams:write',
  'GET /teams/{id}/groups/{groupId}': 'teams:read',
  'PATCH /teams/{id}/groups/{groupId}': 'teams:write',
  'DELETE /teams/{id}/groups/{groupId}': 'teams:write',
  'GET /teams/{id}/devices': 'teams:read',
  'POST /teams/{id}/domain': 'teams:write',
  'DELETE /teams/{id}/domain': 'teams:write',
  'POST /teams/{id}/domain/verify': 'teams:write',
  'GET /teams/{id}/audit': 'teams:read',
  'GET /teams/{id}/oncall': 'oncall:read',
  'POST /teams/{id}/oncall': 'oncall:write',
  'GET /teams/{id}/pages': 'oncall:read',
  'GET /oncall/me': 'oncall:read',
  'GET /oncall/{groupId}': 'oncall:read',
  'PATCH /oncall/{groupId}': 'oncall:write',
  'DELETE /oncall/{groupId}': 'oncall:write',
  'POST /oncall/{groupId}/overrides': 'oncall:write',
  'DELETE /oncall/{groupId}/overrides/{overrideId}': 'oncall:write',
  'POST /oncall/{groupId}/pages': 'oncall:write',
  'GET /pages/{id}': 'oncall:read',
  'POST /pages/{id}/resolve': 'oncall:write',
  'GET /connectors': 'connectors:read',
  'POST /connectors': 'connectors:write',
  'GET /connectors/{id}': 'connectors:read',
  'PATCH /connectors/{id}': 'connectors:write',
  'DELETE /connectors/{id}': 'connectors:write',
  'POST /connectors/{id}/heartbeat': 'connectors:write',
  'POST /connectors/{id}/access': 'connectors:write',
  'POST /connectors/{id}/callback-access': 'connectors:write',
  'POST /connectors/{id}/rotate-secret': 'connectors:write',
  'GET /inbox/projects': 'inbox:read',
  'GET /inbox/notifications': 'inbox:read',
  'GET /inbox/notifications/{id}': 'inbox:read',
  'POST /inbox/notifications/read-all': 'inbox:write',
  'POST /inbox/notifications/{id}/read': 'inbox:write',
  'POST /inbox/notifications/{id}/unread': 'inbox:write',
};

/** Further routes of this implementation. */
const beyond: Readonly<Record<string, string>> = {
  'POST /oncall/me/calendar': 'oncall:write',
  'DELETE /oncall/me/calendar': 'oncall:write',
  'POST /oncall/{groupId}/calendar': 'oncall:write',
  'DELETE /oncall/{groupId}/calendar': 'oncall:write',
  'GET /oncall/{groupId}/explain': 'oncall:read',
  'GET /oncall/{groupId}/coverage': 'oncall:read',
  'POST /oncall/{groupId}/simulate': 'oncall:read',
  'GET /services/{id}/payloads': 'services:read',
  'GET /webhooks/{id}/messages': 'services:write',
  'POST /connectors/{id}/access/revalidate': 'connectors:write',
};

interface Operation {
  readonly 'x-required-scopes': readonly string[];
}

const agent = JSON.parse(documents()['agent.json'] ?? '') as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const known = Object.fromEntries(
  Object.entries(agent.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      operation['x-required-scopes'].join(' '),
    ]),
  ),
);

describe('the Agent API', () => {
  it('has the 91 routes, each with its scopes, and those that the house has beside them', () => {
    expect(Object.keys(agreed)).toHaveLength(91);
    expect(known).toEqual({ ...agreed, ...beyond });
  });

  it('has no scope that opens nothing', () => {
    const opening = new Set(Object.values(known).flatMap((each) => each.split(' ')));
    const closed = scopes.filter((scope: Scope) => !opening.has(scope));
    expect(closed).toEqual([]);
  });
});
