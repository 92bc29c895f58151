import {
  Accounts,
  Activities,
  ActivityFeed,
  AgentService,
  ApiToken,
  Bench,
  type Contract,
  Device,
  Events,
  Inbox,
  InboxInteraction,
  Interactions,
  LiveActivity,
  Notifications,
  Push,
  ReplyWebhook,
  type Scope,
  ServiceEventSummary,
  Services,
  TokenStatus,
  type TokenById,
  Webhooks,
} from '@carillon/contracts';
import { isSet } from '@carillon/runtime';
import type { Schema } from '@carillon/schema';
import { Billing, billing } from '../billing/billing';
import type { EdgeRequest } from '../request/edge-request';
import { listed, type Method, type Row, type RowOptions } from '../request/row';

function row<Input, Output>(
  method: Method,
  path: string,
  scopes: readonly Scope[],
  contract: Contract<Input, Output>,
  options?: RowOptions,
): Row;
function row<Body>(
  method: Method,
  path: string,
  scopes: readonly Scope[],
  local: (request: EdgeRequest) => Body,
  options: RowOptions & { readonly body: Schema<Body> },
): Row;
function row(
  method: Method,
  path: string,
  scopes: readonly Scope[],
  target: Contract<unknown, unknown> | ((request: EdgeRequest) => unknown),
  options: RowOptions = {},
): Row {
  return {
    method,
    path: `/api/agent${path}`,
    access: 'token',
    scopes,
    ...options,
    ...(typeof target === 'function' ? { local: target } : { contract: target }),
  };
}

const tokenStatus = ({ token }: EdgeRequest): TokenStatus => {
  if (!token) throw new Error('A token route was served without a token');
  const { tokenId, name, prefix, scopes, createdAt, lastUsedAt, expiresAt } = token;
  return {
    authenticated: true,
    token: { id: tokenId, name, prefix, scopes, createdAt, lastUsedAt, expiresAt },
  };
};

/** The Agent API: every route that exists, and nothing else does. */
// prettier-ignore
export const agentTable: readonly Row[] = [
  row('GET',  '/auth/status',                        [],                      tokenStatus, { body: TokenStatus }),
  row('POST', '/auth/revoke',                        [],                      Accounts.revokeOwnToken,
    { ends: ({ token }) => token?.tokenId }),
  row('GET',  '/tokens',                             ['tokens:manage'],       Accounts.listTokens,
    listed('tokens', ApiToken)),
  row('DELETE', '/tokens/:id',                       ['tokens:manage'],       Accounts.revokeToken,
    { ends: (_request, { id }: TokenById) => id }),
  row('GET',  '/devices',                            ['devices:read'],        Push.listDevices,
    listed('devices', Device)),
  row('DELETE', '/devices/:id',                      ['devices:write'],       Push.removeDevice),
  row('GET',  '/billing',                            ['billing:read'],        billing, { body: Billing }),
  row('GET',  '/services',                           ['services:read'],       Services.list,
    listed('services', AgentService)),
  row('POST', '/services',                           ['services:write'],      Services.create, { status: 201 }),
  row('GET',  '/services/:id',                       ['services:read'],       Services.get),
  row('PATCH', '/services/:id',                      ['services:write'],      Services.change),
  row('DELETE', '/services/:id',                     ['services:write'],      Services.remove),
  row('POST', '/services/:id/share',                 ['services:write'],      Services.share),
  row('POST', '/services/:id/rotate',                ['services:write'],      Services.rotate),
  row('GET',  '/webhooks',                           ['services:read'],       Webhooks.list,
    listed('webhooks', ReplyWebhook)),
  row('POST', '/webhooks',                           ['services:write'],      Webhooks.create, { status: 201 }),
  row('GET',  '/webhooks/:id',                       ['services:read'],       Webhooks.get),
  row('PATCH', '/webhooks/:id',                      ['services:write'],      Webhooks.change),
  row('DELETE', '/webhooks/:id',                     ['services:write'],      Webhooks.remove),
  row('POST', '/webhooks/:id/test',                  ['services:write'],      Webhooks.test,
    { timeoutMs: 25_000 }),
  row('POST', '/webhooks/:id/rotate-secret',         ['services:write'],      Webhooks.rotate),
  row('GET',  '/events',                             ['events:read'],         Events.list,
    listed('events', ServiceEventSummary)),
  row('GET',  '/activity-feed',                      ['events:read'],         ActivityFeed.read),
  row('POST', '/notifications',                      ['notifications:send'],  Notifications.send,
    { status: 201, idempotent: true, rate: 'send', timeoutMs: 20_000, alsoNeeds: { oncall: ['oncall:write'] } }),
  row('POST', '/notifications/:id/withdraw',         ['notifications:send'],  Notifications.withdraw,
    { timeoutMs: 20_000 }),
  row('GET',  '/interactions',                       ['interactions:read'],   Interactions.pending,
    listed('interactions', InboxInteraction)),
  row('POST', '/interactions',                       ['interactions:create'], Interactions.ask,
    { status: 201, idempotent: true, rate: 'send', timeoutMs: 20_000 }),
  row('GET',  '/interactions/:id',                   ['interactions:read'],   Interactions.get),
  row('POST', '/interactions/:id/cancel',            ['interactions:create'], Interactions.cancel),
  row('GET',  '/activities',                         ['activities:read'],     Activities.list,
    listed('activities', LiveActivity)),
  row('POST', '/activities',                         ['activities:write'],    Activities.start,
    { status: 201, idempotent: true, rate: 'send' }),
  row('GET',  '/activities/:identifier',             ['activities:read'],     Activities.get),
  row('PATCH', '/activities/:identifier',            ['activities:write'],    Activities.update,
    { idempotent: true, rate: 'send' }),
  row('POST', '/activities/:identifier/end',         ['activities:write'],    Activities.end,
    { idempotent: true, rate: 'send' }),
  row('GET',  '/inbox/projects',                     ['inbox:read'],          Inbox.projects),
  row('GET',  '/inbox/notifications',                ['inbox:read'],          Inbox.list),
  row('POST', '/inbox/notifications/read-all',       ['inbox:write'],         Inbox.readAll),
  row('GET',  '/inbox/notifications/:id',            ['inbox:read'],          Inbox.get),
  row('POST', '/inbox/notifications/:id/read',       ['inbox:write'],         Inbox.read),
  row('POST', '/inbox/notifications/:id/unread',     ['inbox:write'],         Inbox.unread),
  ...(isSet('CARILLON_BENCH') ? [row('POST', '/bench/echo', ['notifications:send'], Bench.echo, { rate: 'send', undescribed: true })] : []),
];
