import {
  Accounts,
  ActivityFeed,
  type AgentService,
  Bench,
  type Contract,
  type Device,
  Events,
  Inbox,
  Notifications,
  type Page,
  Push,
  type Scope,
  type ServiceEventSummary,
  Services,
} from '@carillon/contracts';
import { isSet } from '@carillon/service';
import type { EdgeRequest } from '../request/edge-request';
import type { Method, Row, RowOptions } from './row';

const row = <Input, Output>(
  method: Method,
  path: string,
  scopes: readonly Scope[],
  target: Contract<Input, Output> | ((request: EdgeRequest) => unknown),
  options: RowOptions = {},
): Row => ({
  method,
  path: `/api/agent${path}`,
  access: 'token',
  scopes,
  ...options,
  ...(typeof target === 'function' ? { local: target } : { contract: target as Contract<unknown, unknown> }),
});

const tokenStatus = ({ token }: EdgeRequest): unknown => {
  if (!token) throw new Error('A token route was served without a token');
  const { tokenId, name, prefix, scopes, createdAt, lastUsedAt, expiresAt } = token;
  return {
    authenticated: true,
    token: { id: tokenId, name, prefix, scopes, createdAt, lastUsedAt, expiresAt },
  };
};

const devices = { view: ({ items, nextCursor }: Page<Device>) => ({ devices: items, nextCursor }) };

const services = { view: ({ items, nextCursor }: Page<AgentService>) => ({ services: items, nextCursor }) };
const events = {
  view: ({ items, nextCursor }: Page<ServiceEventSummary>) => ({ events: items, nextCursor }),
};

/** The Agent API: every route that exists, and nothing else does. */
// prettier-ignore
export const agentTable: readonly Row[] = [
  row('GET',  '/auth/status',                        [],                      tokenStatus),
  row('POST', '/auth/revoke',                        [],                      Accounts.revokeOwnToken,
    { ends: ({ token }) => token?.tokenId }),
  row('GET',  '/devices',                            ['devices:read'],        Push.listDevices, devices),
  row('GET',  '/services',                           ['services:read'],       Services.list, services),
  row('POST', '/services',                           ['services:write'],      Services.create, { status: 201 }),
  row('GET',  '/services/:id',                       ['services:read'],       Services.get),
  row('PATCH', '/services/:id',                      ['services:write'],      Services.change),
  row('DELETE', '/services/:id',                     ['services:write'],      Services.remove),
  row('POST', '/services/:id/share',                 ['services:write'],      Services.share),
  row('POST', '/services/:id/rotate',                ['services:write'],      Services.rotate),
  row('GET',  '/events',                             ['events:read'],         Events.list, events),
  row('GET',  '/activity-feed',                      ['events:read'],         ActivityFeed.read),
  row('POST', '/notifications',                      ['notifications:send'],  Notifications.send,
    { status: 201, idempotent: true, rate: 'send', patienceMs: 20_000 }),
  row('POST', '/notifications/:id/withdraw',         ['notifications:send'],  Notifications.withdraw,
    { patienceMs: 20_000 }),
  row('GET',  '/inbox/projects',                     ['inbox:read'],          Inbox.projects),
  row('GET',  '/inbox/notifications',                ['inbox:read'],          Inbox.list),
  row('POST', '/inbox/notifications/read-all',       ['inbox:write'],         Inbox.readAll),
  row('GET',  '/inbox/notifications/:id',            ['inbox:read'],          Inbox.get),
  row('POST', '/inbox/notifications/:id/read',       ['inbox:write'],         Inbox.read),
  row('POST', '/inbox/notifications/:id/unread',     ['inbox:write'],         Inbox.unread),
  ...(isSet('CARILLON_BENCH') ? [row('POST', '/bench/echo', ['notifications:send'], Bench.echo, { rate: 'send' })] : []),
];
