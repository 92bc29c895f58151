import {
  Accounts,
  Bench,
  type Contract,
  Inbox,
  Notifications,
  Push,
  type Scope,
  type TokenById,
} from '@carillon/contracts';
import { isSet } from '@carillon/service';
import { billing } from '../billing/billing';
import type { EdgeRequest } from '../request/edge-request';
import { devicePage, tokenPage } from './pages';
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

/** The Agent API: every route that exists, and nothing else does. */
// prettier-ignore
export const agentTable: readonly Row[] = [
  row('GET',  '/auth/status',                        [],                      tokenStatus),
  row('POST', '/auth/revoke',                        [],                      Accounts.revokeOwnToken,
    { ends: ({ token }) => token?.tokenId }),
  row('GET',  '/tokens',                             ['tokens:manage'],       Accounts.listTokens, { view: tokenPage }),
  row('DELETE', '/tokens/:id',                       ['tokens:manage'],       Accounts.revokeToken,
    { ends: (_request, { id }: TokenById) => id }),
  row('GET',  '/devices',                            ['devices:read'],        Push.listDevices, { view: devicePage }),
  row('DELETE', '/devices/:id',                      ['devices:write'],       Push.removeDevice),
  row('GET',  '/billing',                            ['billing:read'],        billing),
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
