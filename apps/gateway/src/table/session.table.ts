import {
  Accounts,
  type ChangeProfile,
  type Contract,
  type Device,
  Inbox,
  Push,
  type SessionSecrets,
  type SignedIn,
  type TokenById,
} from '@carillon/contracts';
import type { EdgeRequest } from '../request/edge-request';
import { clearSessionCookie, setSessionCookie } from '../session/cookie';
import { devicePage, tokenPage } from './pages';
import type { Access, Method, Row, RowOptions } from './row';

const row = <Input, Output>(
  method: Method,
  path: string,
  access: Access,
  contract: Contract<Input, Output>,
  options: RowOptions = {},
): Row => ({
  method,
  path: `/api/session${path}`,
  access,
  scopes: [],
  contract: contract as Contract<unknown, unknown>,
  ...options,
});

/** An app gets its tokens in the body, a browser its cookie. */
const signedIn = ({ account, session }: SignedIn, request: EdgeRequest): unknown => {
  if (session.refreshToken === undefined) {
    setSessionCookie(request, session.accessToken);
    return { account };
  }
  return { account, ...tokens(session) };
};

const tokens = ({ accessToken, refreshToken, expiresAt }: SessionSecrets): object => ({
  accessToken,
  refreshToken,
  expiresAt,
});

const signedOut = (value: { ok: true }, request: EdgeRequest): unknown => {
  clearSessionCookie(request);
  return value;
};

const registered = (
  { device, created }: { device: Device; created: boolean },
  request: EdgeRequest,
): unknown => {
  request.status = created ? 201 : 200;
  return { device };
};

/** The Session API: what only a person may do, in a browser or in the phone's app. */
// prettier-ignore
export const sessionTable: readonly Row[] = [
  row('POST',   '/bootstrap',            'public',  Accounts.bootstrap,      { status: 201, view: signedIn }),
  row('POST',   '/signup',               'public',  Accounts.signUp,         { status: 201, view: signedIn }),
  row('POST',   '/login/password',       'public',  Accounts.signIn,         { view: signedIn }),
  row('POST',   '/refresh',              'public',  Accounts.refresh,        { view: tokens }),
  row('POST',   '/logout',               'session', Accounts.signOut,        { view: signedOut }),
  row('GET',    '/sessions',             'session', Accounts.listSessions),
  row('DELETE', '/sessions/:id',         'session', Accounts.endSession),
  row('GET',    '/me',                   'session', Accounts.me),
  row('PATCH',  '/me',                   'session', Accounts.changeProfile,
    { recent: (input: ChangeProfile) => input.email !== undefined }),
  row('GET',    '/tokens',               'session', Accounts.listTokens,     { view: tokenPage }),
  row('POST',   '/tokens',               'session', Accounts.createToken,    { status: 201, recent: true }),
  row('DELETE', '/tokens/:id',           'session', Accounts.revokeToken,
    { ends: (_request, { id }: TokenById) => id }),
  row('POST',   '/devices',              'app',     Push.registerDevice,     { view: registered }),
  row('PUT',    '/devices/:id/tokens',   'app',     Push.changeTokens),
  row('POST',   '/devices/:id/receipts', 'app',     Push.reportReceipts),

  // The same as the Agent API's routes, for the person who owns the account.
  row('GET',    '/devices',              'session', Push.listDevices,       { view: devicePage }),
  row('DELETE', '/devices/:id',          'session', Push.removeDevice),
  row('GET',    '/inbox/projects',       'session', Inbox.projects),
  row('GET',    '/inbox/notifications',  'session', Inbox.list),
  row('POST',   '/inbox/notifications/read-all',   'session', Inbox.readAll),
  row('GET',    '/inbox/notifications/:id',        'session', Inbox.get),
  row('POST',   '/inbox/notifications/:id/read',   'session', Inbox.read),
  row('POST',   '/inbox/notifications/:id/unread', 'session', Inbox.unread),
];
