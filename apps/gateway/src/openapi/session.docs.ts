import { agentDocs } from './agent.docs';
import { isMirrored } from '../table/mirrored';
import type { RouteDocs } from './document';
import { operatorDocs } from './operator.docs';
import { deviceDocs } from './session-devices.docs';

export const sessionDescription = `\
What only a person may do, in a browser or in the phone's app. A browser has a cookie, the app a bearer token; a token \
of the Agent API is refused (403 \`HUMAN_SESSION_REQUIRED\`).

Bodies, texts, times, lists and errors are as in the Agent API. A request that changes something with a cookie must \
come from the same site. Some acts need a sign-in within the last 15 minutes (401 \`REAUTH_REQUIRED\`).`;

export const sessionTags: Readonly<Record<string, string>> = {
  Account: 'The person, and the way in.',
  Sessions: 'Where the person is signed in.',
  Tokens: 'What agents act with.',
  Devices: 'The phones with the app, and the browsers with a push subscription.',
  Prompts: 'What agents ask the person.',
  Services: 'Senders outside that reach the person through a URL of their own.',
  'Reply webhooks': 'Addresses outside that hear how prompts end.',
  Events: 'What came in through those URLs, and everything that happened.',
  Activities: 'Progress that the phones show as long as it lasts.',
  Teams: 'Families and workplace teams.',
  Apps: 'Web apps that a person opens from Carillon.',
  Connectors: 'What exposes private HTTP services under public hostnames.',
  Inbox: 'All that has reached the person.',
  'On call': 'The people on call, the handoffs, and pages.',
  Operator: 'The installation as a whole, for its operators. To others these routes do not exist.',
  Stream: 'What changes, as it changes.',
};

/** What the Agent API has too is told in its words. */
const asForAgents: Record<string, RouteDocs> = Object.fromEntries(
  Object.entries(agentDocs).filter(([route]) => isMirrored(route)),
);

const answered =
  'A browser gets its session as a cookie; with `client: "app"` the tokens are in the body instead.';

export const sessionDocs: Readonly<Record<string, RouteDocs>> = {
  ...asForAgents,
  'POST /bootstrap': {
    operationId: 'bootstrap',
    tag: 'Account',
    summary: 'Make the first account',
    description: `Succeeds once, with the secret that the installation has printed; the account is an operator. ${answered}`,
  },
  'POST /signup': {
    operationId: 'signUp',
    tag: 'Account',
    summary: 'Make an account',
    description: `Where the installation takes new ones, or takes those with an invite. ${answered}`,
  },
  'POST /login/password': {
    operationId: 'signIn',
    tag: 'Account',
    summary: 'Sign in with a password',
    description: answered,
    success: 'Signed in.',
  },
  'POST /login/recovery': {
    operationId: 'signInWithRecoveryCode',
    tag: 'Account',
    summary: 'Sign in with a recovery code',
    description: `For somebody whose authenticator app or passkey is lost. The code is good once; the password is needed where the account has one. ${answered}`,
    success: 'Signed in.',
  },
  'POST /login/passkey/options': {
    operationId: 'prepareSignInWithPasskey',
    tag: 'Account',
    summary: 'Ask for a challenge to sign in with a passkey',
    description:
      'For `PublicKeyCredential.parseRequestOptionsFromJSON()`. 422 `PASSKEYS_UNAVAILABLE` where the installation is known by an address in digits.',
    success: 'A challenge, good for 5 minutes and once.',
  },
  'POST /login/passkey': {
    operationId: 'signInWithPasskey',
    tag: 'Account',
    summary: 'Sign in with a passkey',
    description: `Whatever is wrong with the response is 401 \`LOGIN_FAILED\`. A counter that did not go up also disables the passkey, and the account gets a notification. ${answered}`,
    success: 'Signed in.',
  },
  'GET /login/email': {
    operationId: 'describeSignInLinks',
    tag: 'Account',
    summary: 'Say whether links to sign in can be sent by mail',
    description: 'For a page that somebody sees who is not signed in; later `GET /me` says it too.',
    success: 'Whether mail is configured.',
  },
  'POST /login/email': {
    operationId: 'requestSignInLink',
    tag: 'Account',
    summary: 'Get a link to sign in by mail',
    description:
      'The answer is the same whether the address is known or not. The link is good once, for 30 minutes. Only where mail is configured (`mail` of `GET /me`), else 404. Five for an address and 30 for a network in 15 minutes.',
    success: 'Accepted; if an account has the address, it gets a mail.',
  },
  'POST /login/email/confirm': {
    operationId: 'signInWithLink',
    tag: 'Account',
    summary: 'Sign in with a link from a mail',
    description: `Where the account has an authenticator app, a code is needed too; the link stays good until it has come. The address counts as verified. ${answered}`,
    success: 'Signed in.',
  },
  'POST /email/verification': {
    operationId: 'requestVerificationLink',
    tag: 'Account',
    summary: 'Get a link to verify the address by mail',
    description: 'As `POST /login/email`. Nothing is sent where the address is verified already.',
    success: 'Accepted.',
  },
  'POST /email/verify': {
    operationId: 'verifyAddress',
    tag: 'Account',
    summary: 'Verify an address with a link from a mail',
    description: 'Needs no session. A link is good as long as the account has the address.',
    success: 'Verified.',
  },
  'POST /refresh': {
    operationId: 'refreshSession',
    tag: 'Sessions',
    summary: 'Get a new pair of tokens',
    description:
      'A refresh token works once. Within 30 seconds it gives the same pair again, in case the answer was lost; later, or when the next one was used, it ends the whole session.',
    success: 'The new pair.',
  },
  'POST /logout': {
    operationId: 'signOut',
    tag: 'Sessions',
    summary: 'Sign out',
    description: 'Ends the session that asks.',
  },
  'GET /sessions': {
    operationId: 'listSessions',
    tag: 'Sessions',
    summary: 'List the sessions of the account',
    description: 'All that have not ended.',
    success: 'The sessions.',
  },
  'DELETE /sessions/:id': {
    operationId: 'endSession',
    tag: 'Sessions',
    summary: 'End a session',
    description: 'Wherever it is.',
  },
  'GET /me': {
    operationId: 'getAccount',
    tag: 'Account',
    summary: 'Describe the account',
    description: 'Also whether mails are sent, and whether the account has an authenticator app.',
    success: 'The account.',
  },
  'PUT /password': {
    operationId: 'changePassword',
    tag: 'Account',
    summary: 'Change the password',
    description:
      'Needs a sign-in within the last 15 minutes and the current password where there is one. All other sessions of the account end; its tokens stay.',
  },
  'DELETE /password': {
    operationId: 'removePassword',
    tag: 'Account',
    summary: 'Remove the password',
    description:
      'Needs a sign-in within the last 15 minutes and another way to sign in. All other sessions of the account end; its tokens stay.',
  },
  'GET /login/oidc': {
    operationId: 'listSignInProviders',
    tag: 'Account',
    summary: 'List the OpenID Connect providers that sign people in',
    description:
      'For a sign-in a browser goes to `/api/session/login/oidc/{id}`, and comes back with its cookie. A sign-in that fails leads to `/console/?signInError=` and a code.',
  },
  'GET /identities': {
    operationId: 'listIdentities',
    tag: 'Account',
    summary: 'List the identities of other providers that sign in to the account',
    description: 'The oldest first.',
  },
  'POST /identities/:provider': {
    operationId: 'linkIdentity',
    tag: 'Account',
    summary: 'Link an identity of a provider to the account',
    description:
      'Needs a sign-in within the last 15 minutes. The browser that asks goes to `redirectTo`, and is sent to `/console/account` in the end. An identity of another account is `IDENTITY_TAKEN`, as `signInError`; a second one of the same provider is 409 `PROVIDER_LINKED`.',
    success: 'Where the browser goes next.',
  },
  'DELETE /identities/:provider': {
    operationId: 'unlinkIdentity',
    tag: 'Account',
    summary: 'Unlink the identity of a provider',
    description: 'Needs a sign-in of the last 15 minutes. The last way in stays: 409 `LAST_SIGN_IN_METHOD`.',
  },
  'POST /passkeys/options': {
    operationId: 'prepareNewPasskey',
    tag: 'Account',
    summary: 'Ask for a challenge for a new passkey',
    description:
      'For `PublicKeyCredential.parseCreationOptionsFromJSON()`. Needs a sign-in within the last 15 minutes.',
    success: 'A challenge, good for 5 minutes and once.',
  },
  'POST /passkeys': {
    operationId: 'addPasskey',
    tag: 'Account',
    summary: 'Add a passkey',
    description:
      'Needs a sign-in within the last 15 minutes. Takes what `PublicKeyCredential.toJSON()` gives; 422 `PASSKEY_REFUSED` for whatever is wrong with it. At most 20 for an account.',
    success: 'The passkey, and ten recovery codes where the account had none.',
  },
  'GET /passkeys': {
    operationId: 'listPasskeys',
    tag: 'Account',
    summary: 'List the passkeys of the account',
    description: 'Oldest first, also those that are disabled.',
  },
  'DELETE /passkeys/:id': {
    operationId: 'removePasskey',
    tag: 'Account',
    summary: 'Remove a passkey',
    description:
      'Needs a sign-in within the last 15 minutes. The last way to sign in cannot be removed. Recovery codes stay.',
  },
  'POST /totp': {
    operationId: 'prepareTotp',
    tag: 'Account',
    summary: 'Make a key for an authenticator app',
    description:
      'Needs a sign-in within the last 15 minutes. The key is in use once `POST /totp/confirm` has got a code of it; one that is in use stays so until then.',
    success: 'The key, shown this once.',
  },
  'POST /totp/confirm': {
    operationId: 'confirmTotp',
    tag: 'Account',
    summary: 'Take the key of an authenticator app into use',
    description:
      'From now on `POST /login/password` asks for a code: SHA-1, 6 digits, 30 seconds, one step early or late, each code once. Earlier recovery codes end. Ten wrong codes in 15 minutes are 429.',
    success: 'Ten recovery codes, shown this once.',
  },
  'DELETE /totp': {
    operationId: 'removeTotp',
    tag: 'Account',
    summary: 'Remove the authenticator app',
    description: 'Needs a sign-in within the last 15 minutes and a code. Recovery codes stay.',
  },
  'POST /recovery-codes': {
    operationId: 'replaceRecoveryCodes',
    tag: 'Account',
    summary: 'Make new recovery codes',
    description: 'Needs a sign-in within the last 15 minutes. The earlier codes end.',
    success: 'Ten recovery codes, shown this once.',
  },
  'PATCH /me': {
    operationId: 'changeAccount',
    tag: 'Account',
    summary: 'Change the account',
    description: 'Another e-mail address needs a recent sign-in.',
    success: 'The account as it is now.',
  },
  'GET /tokens': {
    operationId: 'listTokens',
    tag: 'Tokens',
    summary: 'List the tokens of the account',
    description: 'The newest first.',
    success: 'A page of tokens.',
  },
  'POST /tokens': {
    operationId: 'createToken',
    tag: 'Tokens',
    summary: 'Make a token for an agent',
    description: 'Needs a recent sign-in. The secret is shown this once.',
    success: 'The token and its secret.',
  },
  'DELETE /tokens/:id': {
    operationId: 'revokeToken',
    tag: 'Tokens',
    summary: 'Revoke a token',
    description: 'For good.',
  },
  'GET /oauth/interaction/:uid': {
    operationId: 'showInteraction',
    tag: 'Tokens',
    summary: 'Look at what an OAuth client asks for',
    description:
      'For the browser that the client has sent to `/oauth/authorize`, for ten minutes. Scopes that change something are not preselected, but for the basic ones.',
    success: 'The client, and what it asks for.',
  },
  'POST /oauth/interaction/:uid': {
    operationId: 'decideInteraction',
    tag: 'Tokens',
    summary: 'Grant access to an OAuth client, or refuse it',
    description:
      'The client gets these scopes, and keeps those that it was granted before. A scope that changes something needs a sign-in within the last 15 minutes. The first decision counts.',
    success: 'Where the browser goes next.',
  },
  'GET /cli/:userCode': {
    operationId: 'showCommandLine',
    tag: 'Tokens',
    summary: 'Look at the command line that shows a code',
    description:
      'For ten minutes, until somebody has decided. Ten wrong codes of an account or a network in 15 minutes are 429.',
    success: 'The command line, and what it asks for.',
  },
  'POST /cli/:userCode': {
    operationId: 'decideCommandLine',
    tag: 'Tokens',
    summary: 'Give a command line a token, or refuse it',
    description:
      'The command line gets an API token with these scopes. A scope that changes something needs a sign-in within the last 15 minutes. The first decision counts.',
  },
  'GET /grants': {
    operationId: 'listGrants',
    tag: 'Tokens',
    summary: 'List the OAuth clients that have access',
    description: 'The newest first. Each has at most one grant for a resource.',
    success: 'The grants.',
  },
  'DELETE /grants/:id': {
    operationId: 'endGrant',
    tag: 'Tokens',
    summary: 'End the access of an OAuth client',
    description: 'Its access and refresh tokens are refused within five seconds.',
  },
  ...deviceDocs,
  'POST /webhooks/:id/deliveries/:deliveryId/resend': {
    operationId: 'resendDelivery',
    tag: 'Reply webhooks',
    summary: 'Send a delivery once more',
    description:
      'Whatever has become of it: its attempts start again, with the same `webhook-id`, so that a receiver that has it ' +
      'knows it again.',
    success: 'The delivery, which is about to be sent.',
  },
  'POST /webhooks/:id/recover': {
    operationId: 'recoverDeliveries',
    tag: 'Reply webhooks',
    summary: 'Send once more what did not arrive',
    description:
      'All deliveries since then that failed or were given up, the oldest first, each with its own `webhook-id`. At most ' +
      'a thousand at once: `more` says whether to ask again.',
    success: 'How many are about to be sent.',
  },
  'GET /prompts': {
    operationId: 'listPrompts',
    tag: 'Prompts',
    summary: 'List what agents have asked',
    description: 'Of the last 30 days, the newest first.',
    success: 'A page of prompts.',
  },
  'GET /prompts/:id': {
    operationId: 'getPrompt',
    tag: 'Prompts',
    summary: 'Look at a prompt',
    description: 'Whichever agent of the account has asked it.',
    success: 'The prompt.',
  },
  'GET /prompts/:id/deliveries': {
    operationId: 'listPromptDeliveries',
    tag: 'Prompts',
    summary: 'See whom the end of a prompt was told',
    description:
      'Its delivery to each reply webhook of the account that has asked, with all attempts and their answers, for 30 days. ' +
      'Empty while the prompt is pending, where no reply webhook hears of it, and for the others who were asked.',
    success: 'The deliveries.',
  },
  'POST /prompts/:id/answer': {
    operationId: 'answerPrompt',
    tag: 'Prompts',
    summary: 'Answer a prompt',
    description: 'The first answer counts, and only until the prompt expires.',
    success: 'The prompt, answered.',
  },
  'POST /prompts/:id/cancel': {
    operationId: 'cancelPrompt',
    tag: 'Prompts',
    summary: 'Take a prompt back',
    description: 'While it is pending. Taking it back again changes nothing.',
    success: 'The prompt, canceled.',
  },
  'POST /apps/:id/consent': {
    operationId: 'giveConsent',
    tag: 'Apps',
    summary: 'Agree to be signed in to a web app',
    description:
      'For the signed-in person alone, as long as the app keeps its origin and the person stays in its team. A repeated consent changes what the app is told.',
    success: 'The app.',
  },
  'PATCH /apps/:id/disclosure': {
    operationId: 'changeDisclosure',
    tag: 'Apps',
    summary: 'Change what a web app is told of the person',
    description: 'From the next request on. What is absent stays as it is.',
    success: 'The app.',
  },
  'POST /apps/:id/passes': {
    operationId: 'issuePass',
    tag: 'Apps',
    summary: 'Open a web app behind a connector',
    description:
      'A pass for one use within a minute, through a route that leads to this app. The person must have agreed to be signed in.',
    success: 'The pass, and the address to open.',
  },
  'GET /activities': {
    operationId: 'listActivities',
    tag: 'Activities',
    summary: 'List the live activities of the account',
    description: 'Those of all tokens in the last 30 days, the newest first.',
    success: 'A page of activities.',
  },
  'GET /oncall/:groupId/shifts': {
    operationId: 'listOncallShifts',
    tag: 'On call',
    summary: 'List the shifts of a group in a window',
    description:
      'Who is on call from `from` up to `to`, for a calendar. What is past is told as it was held: each part by the ' +
      'rotation and the overrides of then. What is to come follows the present ones.',
    success: 'The shifts.',
  },
  'POST /pages/:id/acknowledge': {
    operationId: 'acknowledgePage',
    tag: 'On call',
    summary: 'Acknowledge a page',
    description:
      'Takes it over: it goes no further, and leaves the phones of everybody else. The first acknowledgement is kept; later ones are answered alike.',
    success: 'The page.',
  },
  'POST /pages/:id/escalate': {
    operationId: 'escalatePage',
    tag: 'On call',
    summary: 'Escalate a page',
    description:
      'The next step of its escalation runs now. Two people who press in the same moment mean the same step: it runs once.',
    success: 'The page.',
  },
  'GET /invites/:code': {
    operationId: 'previewInvite',
    tag: 'Teams',
    summary: 'Look at an invite',
    description:
      'Which team it is for, before it is accepted. `addressFits` is false where the account needs another address, or has to verify its own first.',
    success: 'The invite.',
  },
  'POST /invites/:code/accept': {
    operationId: 'acceptInvite',
    tag: 'Teams',
    summary: 'Accept an invite',
    description:
      'Makes the account a member. An invite for an address is for the account that has verified it, and good once; one for a domain is for all accounts with a verified address in it, as long as it is the verified domain of the team. An account is in one family at most.',
    success: 'The team that the account is in now.',
  },
  ...operatorDocs,
  'GET /stream': {
    operationId: 'openStream',
    tag: 'Stream',
    summary: 'Hear what changes',
    description:
      'Server-sent events: `inbox.changed`, `devices.changed`, `prompts.changed` and `activities.changed` tell ids and ' +
      'times, `reset` that everything has to be read again. `Last-Event-ID` goes on where a stream has ended.',
    success: 'The stream.',
  },
};
