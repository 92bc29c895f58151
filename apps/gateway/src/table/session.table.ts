import {
  Account,
  Accounts,
  ApiToken,
  type ChangeProfile,
  Consents,
  type Contract,
  type DecideInteraction,
  Device,
  type GrantById,
  Identities,
  Interactions,
  Invites,
  isWriteScope,
  OAuth,
  Oncall,
  Mail,
  Notifications,
  Ok,
  OperatedAccount,
  OperatedAccounts,
  OperatedTeam,
  Pages,
  Passes,
  Passkeys,
  ProviderRedirect,
  type ProviderRequest,
  Push,
  QuietHoursOf,
  SessionInteraction,
  type SessionSecrets,
  type SignedIn,
  Teams,
  type TokenById,
  Webhooks,
} from '@carillon/contracts';
import { object, optional, text, when } from '@carillon/schema';
import { wrongCell } from '../errors/wrong-cell';
import { mirrored } from './mirrored';
import { refuseOtherBrowser } from '../oauth/cookies';
import { setProviderCookie } from '../identity/cookie';
import { clearSessionCookie, setSessionCookie } from '../session/cookie';
import {
  type RouteAccess,
  changesTeam,
  listed,
  type Method,
  type Row,
  type RowOptions,
  viewed,
} from '../request/row';

const row = <Input, Output>(
  method: Method,
  path: string,
  access: RouteAccess,
  contract: Contract<Input, Output>,
  options: RowOptions = {},
): Row => ({
  method,
  path: `/api/session${path}`,
  access,
  scopes: [],
  audited: changesTeam(method, path),
  contract: contract as Contract<unknown, unknown>,
  ...options,
});

/** The secrets of an app: only a cookie's session has no refresh token. */
type AppSecrets = SessionSecrets & { refreshToken: string };

const tokenFields = {
  accessToken: text(),
  refreshToken: text('Valid once; see `POST /refresh`.'),
  expiresAt: when('The end of `accessToken`.'),
};

const tokens = ({ accessToken, refreshToken, expiresAt }: AppSecrets) => ({
  accessToken,
  refreshToken,
  expiresAt,
});

const refreshed = {
  ...viewed(object(tokenFields), tokens),
  errors: [[wrongCell.status, wrongCell.code, wrongCell.sentence]],
} as const;

/** An app gets its tokens in the body, a browser its cookie. */
const signedIn = {
  rotates: true,
  ...viewed(
    object({
      account: Account,
      accessToken: optional(tokenFields.accessToken),
      refreshToken: optional(tokenFields.refreshToken),
      expiresAt: optional(tokenFields.expiresAt),
    }),
    ({ account, session }: SignedIn, request) => {
      if (session.refreshToken === undefined) {
        setSessionCookie(request, session.accessToken);
        return { account };
      }
      return { account, ...tokens({ ...session, refreshToken: session.refreshToken }) };
    },
  ),
};

const signedOut = viewed(Ok, (value: Ok, request) => {
  clearSessionCookie(request);
  return value;
});

const registered = {
  otherStatus: 201,
  ...viewed(
    object({ device: Device }),
    ({ device, created }: { device: Device; created: boolean }, request) => {
      request.status = created ? 201 : 200;
      return { device };
    },
  ),
};

/** Only the browser that asks can come back from the provider. */
const sentToProvider = viewed(ProviderRedirect, ({ redirectTo, secret }: ProviderRequest, request) => {
  setProviderCookie(request, secret);
  return { redirectTo };
});

const forOperators = { operatorsOnly: true, ...viewed(Ok, (): Ok => ({ ok: true })) };

/** What changes something of the account is granted by somebody who has just signed in. */
const approvesWriting = ({ decision, scopes }: Pick<DecideInteraction, 'decision' | 'scopes'>): boolean =>
  decision === 'approve' && scopes.some(isWriteScope);

/** The Session API: routes for a person in a browser or in the phone's app. */
// prettier-ignore
export const sessionTable: readonly Row[] = [
  row('POST',   '/bootstrap',            'public',  Accounts.bootstrap,      { status: 201, rate: 'public', ...signedIn }),
  row('POST',   '/signup',               'public',  Accounts.signUp,         { status: 201, rate: 'sign-up', ...signedIn }),
  row('POST',   '/login/password',       'public',  Accounts.signIn,         { rate: 'public', ...signedIn }),
  row('POST',   '/login/recovery',       'public',  Accounts.recover,        { rate: 'public', ...signedIn }),
  row('POST',   '/login/passkey/options', 'public', Accounts.passkeyOptions, { rate: 'public' }),
  row('POST',   '/login/passkey',        'public',  Accounts.signInWithPasskey, { rate: 'public', ...signedIn }),
  row('GET',    '/login/email',          'public',  Mail.show,               { rate: 'public' }),
  row('POST',   '/login/email',          'public',  Mail.requestSignIn,      { status: 202, rate: 'public' }),
  row('POST',   '/login/email/confirm',  'public',  Mail.confirmSignIn,      { rate: 'public', ...signedIn }),
  row('GET',    '/login/oidc',           'public',  Identities.providers,   { rate: 'public' }),
  row('POST',   '/refresh',              'public',  Accounts.refresh,        { rate: 'public', ...refreshed }),
  row('POST',   '/logout',               'session', Accounts.signOut,        signedOut),
  row('GET',    '/sessions',             'session', Accounts.listSessions),
  row('DELETE', '/sessions/:id',         'session', Accounts.endSession),
  row('GET',    '/me',                   'session', Accounts.me),
  row('PATCH',  '/me',                   'session', Accounts.changeProfile,
    { recent: (input: ChangeProfile) => input.email !== undefined }),
  row('POST',   '/email/verification',   'session', Mail.requestVerification, { status: 202 }),
  row('POST',   '/email/verify',         'public',  Mail.verify,             { rate: 'public' }),
  row('PUT',    '/password',             'session', Accounts.changePassword, { recent: true }),
  row('DELETE', '/password',             'session', Accounts.removePassword, { recent: true }),
  row('POST',   '/passkeys/options',     'session', Passkeys.options, { recent: true }),
  row('POST',   '/passkeys',             'session', Passkeys.add,     { status: 201, recent: true }),
  row('GET',    '/passkeys',             'session', Passkeys.list),
  row('DELETE', '/passkeys/:id',         'session', Passkeys.remove,  { recent: true }),
  row('GET',    '/identities',           'session', Identities.list),
  row('POST',   '/identities/:provider', 'session', Identities.link,   { recent: true, ...sentToProvider }),
  row('DELETE', '/identities/:provider', 'session', Identities.unlink, { recent: true }),
  row('POST',   '/totp',                 'session', Accounts.prepareTotp,    { recent: true }),
  row('POST',   '/totp/confirm',         'session', Accounts.confirmTotp,    { recent: true }),
  row('DELETE', '/totp',                 'session', Accounts.removeTotp,     { recent: true }),
  row('POST',   '/recovery-codes',       'session', Accounts.replaceRecoveryCodes, { recent: true }),
  row('GET',    '/tokens',               'session', Accounts.listTokens,     listed('tokens', ApiToken)),
  row('POST',   '/tokens',               'session', Accounts.createToken,    { status: 201, recent: true }),
  row('DELETE', '/tokens/:id',           'session', Accounts.revokeToken,
    { audited: true, revokes: (_request, { id }: TokenById) => id }),
  row('GET',    '/oauth/interaction/:uid', 'session', OAuth.showInteraction, { refuse: refuseOtherBrowser }),
  row('POST',   '/oauth/interaction/:uid', 'session', OAuth.decideInteraction,
    { refuse: refuseOtherBrowser, recent: approvesWriting }),
  row('GET',    '/cli/:userCode',        'session', OAuth.showCommandLine),
  row('POST',   '/cli/:userCode',        'session', OAuth.decideCommandLine, { recent: approvesWriting }),
  row('GET',    '/grants',               'session', OAuth.listGrants),
  row('DELETE', '/grants/:id',           'session', OAuth.endGrant,
    { audited: true, revokes: (_request, { id }: GrantById) => id }),
  row('GET',    '/push/key',             'session', Push.webPushKey),
  row('POST',   '/devices',              'session', Push.registerDevice,
    { ...registered, onlyInApp: ({ platform }) => platform !== 'web' }),
  row('PUT',    '/devices/:id/tokens',   'app',     Push.changeTokens),
  row('POST',   '/devices/:deviceId/activities/:activityId/token', 'app', Push.registerActivityToken),
  row('POST',   '/devices/:id/receipts', 'app',     Push.reportReceipts),
  row('POST',   '/devices/:id/test',     'session', Notifications.test,
    { status: 201, rate: 'send', timeoutMs: 20_000 }),
  row('GET',    '/quiet-hours',          'session', QuietHoursOf.read),
  row('PUT',    '/quiet-hours',          'session', QuietHoursOf.set),
  row('POST',   '/webhooks/:id/deliveries/:deliveryId/resend', 'session', Webhooks.resend),
  row('POST',   '/webhooks/:id/recover', 'session', Webhooks.recover,       { timeoutMs: 25_000 }),
  row('GET',    '/prompts',              'session', Interactions.list,      listed('interactions', SessionInteraction)),
  row('GET',    '/prompts/:id',          'session', Interactions.show),
  row('GET',    '/prompts/:id/deliveries', 'session', Webhooks.ofPrompt),
  row('POST',   '/prompts/:id/answer',   'session', Interactions.answer),
  row('POST',   '/prompts/:id/cancel',   'session', Interactions.cancel),
  row('GET',    '/oncall/:groupId/shifts', 'session', Oncall.shifts),
  row('POST',   '/pages/:id/acknowledge', 'session', Pages.acknowledge),
  row('POST',   '/pages/:id/escalate',   'session', Pages.escalate),
  row('POST',   '/apps/:id/consent',     'session', Consents.give),
  row('PATCH',  '/apps/:id/disclosure',  'session', Consents.change),
  row('POST',   '/apps/:id/passes',      'session', Passes.issue,           { status: 201 }),
  row('GET',    '/invites/:code',        'session', Invites.preview),
  row('POST',   '/invites/:code/accept', 'session', Invites.accept),
  row('GET',    '/operator/accounts',    'session', OperatedAccounts.search,
    { operatorsOnly: true, ...listed('accounts', OperatedAccount) }),
  row('POST',   '/operator/accounts/:accountId/suspend', 'session', Accounts.suspend, forOperators),
  row('POST',   '/operator/accounts/:accountId/resume', 'session', Accounts.resume, forOperators),
  row('GET',    '/operator/teams',       'session', Teams.listAll,
    { operatorsOnly: true, ...listed('teams', OperatedTeam) }),
  ...mirrored,
];
