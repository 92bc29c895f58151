import { agentAppDocs } from './agent-apps.docs';
import { agentConnectorDocs } from './agent-connectors.docs';
import { agentTeamDocs } from './agent-teams.docs';
import type { RouteDocs } from './document';
import { unwrittenText } from './unwritten';

/** What the API as a whole is, before any route. */
export const agentDescription = `\
Notifications, prompts and pages for the people an agent works for. A request acts as the account of its token, within \
the scopes of that token.

**Bodies.** JSON objects in UTF-8 as \`application/json\`, at most 64 KiB, nested at most 8 levels deep. A field that a \
route does not know is refused; an unknown query parameter is ignored. Answers may gain fields at any time: ignore \
those that you do not know. A route without a body takes none, or \`{}\`.

**Text.** Brought to NFC and trimmed, then measured in Unicode code points. Control characters are refused, but for line \
breaks and tabs in fields that may hold line breaks.

${unwrittenText}

**Times.** UTC with milliseconds and \`Z\` in answers; RFC 3339 with any offset in requests.

**Ids.** Opaque, at most 200 characters. What belongs to another account answers 404, as if it were not there.

**Lists.** Newest first. \`nextCursor\` is the \`cursor\` of the next page, and null exactly when nothing follows. A page \
ends at 512 KiB, so it may hold fewer entries than \`limit\`.

**Sent twice, done once.** A route that takes \`Idempotency-Key\` does the same request with the same key once within 24 \
hours and answers it alike; another request with that key is refused.

**Limits.** \`RateLimit\` and \`RateLimit-Policy\` tell what is left; 429 says in \`Retry-After\` when to come again.

**Errors.** Every error has the body \`Error\`. \`x-error-codes\` of an operation, or else of the response, lists the \
codes of a status; more may come. A path that does not exist is 404 \`ROUTE_NOT_FOUND\`, one that lacks the method is \
405 \`METHOD_NOT_ALLOWED\` with \`Allow\`. \
\`x-required-scopes\` lists the scopes that a token needs, all of them.`;

export const agentTags: Readonly<Record<string, string>> = {
  Tokens: 'The token that asks, and the others of its account.',
  Account: 'What the account pays and may do.',
  Devices: 'The phones of the account.',
  Services: 'Senders outside that reach the person through a URL of their own.',
  'Reply webhooks': 'Addresses outside that hear how prompts end.',
  Events: 'What came in through those URLs, and everything that happened.',
  Notifications: 'What an agent tells a person.',
  Prompts: 'What an agent asks a person. No route of this API answers them.',
  Activities: 'Progress that phones show as long as it lasts.',
  Teams: 'Families and workplace teams.',
  'On call': 'The people on call now and next.',
  Apps: 'Web apps that a person opens from Carillon.',
  Connectors: 'What exposes private HTTP services under public hostnames.',
  Inbox: 'All that has reached a person, read and unread.',
};

export const agentDocs: Readonly<Record<string, RouteDocs>> = {
  'GET /auth/status': {
    operationId: 'getAuthStatus',
    tag: 'Tokens',
    summary: 'Describe the calling token',
    description: 'Tells the name, the scopes and the end of the token that asks.',
    success: 'The token.',
  },
  'POST /auth/revoke': {
    operationId: 'revokeOwnToken',
    tag: 'Tokens',
    summary: 'Revoke the calling token',
    description: 'Ends the token that asks, for good. Every later request with it is 401.',
    success: 'The token has ended.',
  },
  'GET /tokens': {
    operationId: 'listTokens',
    tag: 'Tokens',
    summary: 'List the tokens of the account',
    description: 'The newest first, never with their secrets.',
    success: 'A page of tokens.',
  },
  'DELETE /tokens/:id': {
    operationId: 'revokeToken',
    tag: 'Tokens',
    summary: 'Revoke another token',
    description: 'For good. The calling token ends itself with `POST /auth/revoke`.',
  },
  'DELETE /devices/:id': {
    operationId: 'removeDevice',
    tag: 'Devices',
    summary: 'Remove a device',
    description: 'It gets no pushes until its app opens again and registers it.',
  },
  'GET /billing': {
    operationId: 'getBilling',
    tag: 'Account',
    summary: 'Describe plan and limits',
    description: 'Individuals and families are free.',
    success: 'The plan.',
  },
  'GET /devices': {
    operationId: 'listDevices',
    tag: 'Devices',
    summary: 'List the devices of the account',
    description: 'The last seen first.',
    success: 'A page of devices.',
  },
  'GET /services': {
    operationId: 'listServices',
    tag: 'Services',
    summary: 'List the webhook services',
    description: "The account's own and those shared with its family, never with their URLs.",
    success: 'A page of services.',
  },
  'POST /services': {
    operationId: 'createService',
    tag: 'Services',
    summary: 'Make a webhook service',
    description:
      'Everybody who knows its URL can send to the person. The URL is shown this once. `preset` names the form in which ' +
      'the sender writes.',
    success: 'The service and its URL.',
  },
  'GET /services/:id': {
    operationId: 'getService',
    tag: 'Services',
    summary: 'Describe a webhook service',
    description: "One of the account's own, or one that its family shares. Without its URL.",
    success: 'The service.',
  },
  'PATCH /services/:id': {
    operationId: 'changeService',
    tag: 'Services',
    summary: 'Change a webhook service',
    description:
      'What is absent stays; null clears. The owner of the family that shares it may change `title` and nothing else.',
    success: 'The service as it is now.',
  },
  'DELETE /services/:id': {
    operationId: 'deleteService',
    tag: 'Services',
    summary: 'Delete a webhook service',
    description:
      'Its URL answers 404 from then on. What it has sent stays in the inbox. For its creator, and the owner of the  ' +
      'family that shares it.',
  },
  'GET /services/:id/payloads': {
    operationId: 'listServicePayloads',
    tag: 'Services',
    summary: 'List what came in last',
    description:
      'The last 20 payloads of 7 days, the newest first, with what was made of each, or why it was refused. For the ' +
      'creator of the service. All of them come at once.',
    success: 'The payloads.',
  },
  'POST /services/:id/share': {
    operationId: 'shareService',
    tag: 'Services',
    summary: 'Share a webhook service with the family',
    description:
      'Each member has what comes in from then on in an inbox of their own. Null takes it back; so does leaving the ' +
      'family. Only for its creator.',
    success: 'The service as it is now.',
  },
  'POST /services/:id/rotate': {
    operationId: 'rotateService',
    tag: 'Services',
    summary: 'Give a webhook service a new URL',
    description: 'The old URL ends at once. The new one is shown this once. Only for its creator.',
    success: 'The service and its new URL.',
  },
  'GET /webhooks': {
    operationId: 'listWebhooks',
    tag: 'Reply webhooks',
    summary: 'List the reply webhooks',
    description: 'The newest first, never with their signing secrets or the values of their headers.',
    success: 'A page of reply webhooks.',
  },
  'POST /webhooks': {
    operationId: 'createWebhook',
    tag: 'Reply webhooks',
    summary: 'Save a reply webhook',
    description:
      'It hears of prompts that name it, of those of services whose default it is, and with `isDefault` of all. Events ' +
      'are signed as Standard Webhooks 1.0.0 has it; the secret is shown this once. The address must be public: a host ' +
      'that resolves to any other address is refused (422 `DESTINATION_NOT_ALLOWED`); one that does not resolve yet is ' +
      'taken, and checked again at each delivery. At the hostname of a connector of the account, or of a team that it is in, ' +
      'a path is accepted only from a manager of the connector, and only where a route has opened it (`callbackPaths`).',
    success: 'The reply webhook and its signing secret.',
  },
  'GET /webhooks/:id': {
    operationId: 'getWebhook',
    tag: 'Reply webhooks',
    summary: 'Describe a reply webhook',
    description: 'And what it was sent in the last 30 days, the newest first.',
    success: 'The reply webhook and a page of its deliveries.',
  },
  'PATCH /webhooks/:id': {
    operationId: 'changeWebhook',
    tag: 'Reply webhooks',
    summary: 'Change a reply webhook',
    description:
      'What is absent stays. `headers` replaces the whole list; a header without a value, or with `********`, keeps the ' +
      'saved one. Saved values go to the origin that they were saved for: with a `url` of another origin, headers that ' +
      'are not sent again with their values are dropped, and one without a value is refused. `enabled: false` gives up what still waits. `isDefault: true` replaces any other default.',
    success: 'The reply webhook as it is now.',
  },
  'DELETE /webhooks/:id': {
    operationId: 'deleteWebhook',
    tag: 'Reply webhooks',
    summary: 'Delete a reply webhook',
    description: 'What still waits is given up. Services whose default it was have none.',
  },
  'POST /webhooks/:id/test': {
    operationId: 'testWebhook',
    tag: 'Reply webhooks',
    summary: 'Try a reply webhook',
    description:
      'Sends a signed sample once, with `"test": true`, also while the webhook is disabled. The answer says what came of ' +
      'it: `delivery.status` is `delivered` or `failed`. Ten times a minute at most.',
    success: 'What came of it.',
  },
  'GET /webhooks/:id/messages': {
    operationId: 'pullWebhookMessages',
    tag: 'Reply webhooks',
    summary: 'Read the messages of a reply webhook',
    description:
      'Of the last 24 hours, in the order of their numbers: the same body and id as the request to its URL, signed for ' +
      'this answer, whether or not that was delivered and whether or not the webhook is enabled now. Waits for the next ' +
      'one when there is none, as one of the 20 waits that a token may have open at once; then an answer without ' +
      'messages means: ask again. Headers that were saved for the URL are left out.',
    success: 'At most 25 messages; fewer when their bodies come to 256 KiB.',
  },
  'POST /webhooks/:id/rotate-secret': {
    operationId: 'rotateWebhookSecret',
    tag: 'Reply webhooks',
    summary: 'Give a reply webhook a new signing secret',
    description:
      'For 24 hours deliveries carry a signature of the old one too, unless `revokeOld` ends it at once. The new one is ' +
      'shown this once.',
    success: 'The reply webhook and its new signing secret.',
  },
  'GET /events': {
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List what services have sent',
    description: 'Of the last 90 days, the newest first.',
    success: 'A page of events.',
  },
  'GET /activity-feed': {
    operationId: 'readActivityFeed',
    tag: 'Events',
    summary: 'Read everything that happened',
    description: '20 items a page, the newest first. A page past the end is empty.',
    success: 'A page of the feed.',
  },
  'POST /notifications': {
    operationId: 'sendNotification',
    tag: 'Notifications',
    summary: 'Send a notification',
    description:
      'Pushes to the named devices, else to all active ones of the account, and puts a copy into the inbox. Answers ' +
      'when the push providers have, at the latest after 10 seconds. `accepted` counts providers that took the push, ' +
      'which is not yet a phone that showed it. Without an active device only the inbox gets it.\n\n' +
      'At most one of `deviceIds` and `deviceGroupId`. `oncall` pages the people on call, needs the scope  ' +
      '`oncall:write` as well, and goes with neither of them nor with `summary`, `bodyFormat` and `projectId`. The answer ' +
      'is the page then, and `Idempotency-Key` its `dedupKey`: 200 and `deduplicated` when an open page has absorbed it.',
    success: 'It is sent, or on its way.',
  },
  'POST /notifications/:id/withdraw': {
    operationId: 'withdrawNotification',
    tag: 'Notifications',
    summary: 'Withdraw a notification',
    description:
      'Takes the notification off the phones that had got it and marks its copy in the inbox as read. When no device ' +
      'accepts the command, nothing is changed (502). Repeating a withdrawal gives the first answer again.',
    success: 'Withdrawn from all devices that had got it, or from some.',
  },
  'GET /interactions': {
    operationId: 'listInteractions',
    tag: 'Prompts',
    summary: 'List the pending prompts of the account',
    description: 'From all senders, the newest first.',
    success: 'A page of prompts.',
  },
  'POST /interactions': {
    operationId: 'createInteraction',
    tag: 'Prompts',
    summary: 'Ask a person',
    description:
      'Asks for an approval, for yes or no, or for a text, on the phones of the account. `accepted` counts the devices ' +
      'whose push provider took it within 10 seconds; a live activity is answered at once, with its devices `queued`. ' +
      'Without an active device it can be answered in a session. With `escalateTo` it pages an on-call group when nobody ' +
      'has answered by then, which needs the scope `oncall:write` as well.',
    success: 'The prompt waits for its answer.',
  },
  'GET /interactions/:id': {
    operationId: 'getInteraction',
    tag: 'Prompts',
    summary: 'Look what became of a prompt',
    description: 'Of those that the calling token has asked.',
    success: 'The prompt.',
  },
  'GET /interactions/:id/wait': {
    operationId: 'waitForInteraction',
    tag: 'Prompts',
    summary: 'Wait until a prompt ends',
    description:
      'Answers as soon as the prompt is not pending, else with `timedOut` when the time is over: then ask again. A token ' +
      'may have 20 waits open at once.',
    success: 'The prompt as it is now.',
  },
  'POST /interactions/:id/cancel': {
    operationId: 'cancelInteraction',
    tag: 'Prompts',
    summary: 'Take a prompt back',
    description: 'While it is pending. Phones take it away. Taking it back again changes nothing.',
    success: 'The prompt, canceled.',
  },
  'GET /activities': {
    operationId: 'listActivities',
    tag: 'Activities',
    summary: 'List the activities of the calling token',
    description:
      'Those of the last 30 days, the newest first, also those of prompts that are shown as activities. `status` may ' +
      'be there several times.',
    success: 'A page of activities.',
  },
  'POST /activities': {
    operationId: 'startActivity',
    tag: 'Activities',
    summary: 'Start an activity',
    description:
      'Shows it on the named devices, else on all active ones of the account that can: Android, and iOS with live ' +
      'activities. It is stored when this answers; the device starts follow, one every 2 s on a device, and `queued` ' +
      'counts them. A device shows at most 5 activities; when one of them is full, none gets it (422).\n\n' +
      'A `key` stands for the activity as long as it runs. Another start with a key that is in use is refused (409), ' +
      'or with `replace` ends the running one and starts this one instead.\n\n' +
      'At most one of `deviceIds` and `deviceGroupId`.',
    success: 'It runs, and is on its way to the phones.',
  },
  'GET /activities/:identifier': {
    operationId: 'getActivity',
    tag: 'Activities',
    summary: 'Read one activity',
    description: 'By its id, or by the key: what runs under it, else what did last.',
    success: 'The activity.',
  },
  'PATCH /activities/:identifier': {
    operationId: 'updateActivity',
    tag: 'Activities',
    summary: 'Change what an activity shows',
    description:
      'The props that are given change, the others stay; null takes one away. A routine change that was not sent yet ' +
      'gives way to the next (`superseded`). `priority: high` is for milestones: 4 a minute and 20 an hour are ' +
      'granted, and never give way; more of them go as `budget_exhausted`.',
    success: 'It is stored, and on its way to the phones.',
  },
  'POST /activities/:identifier/end': {
    operationId: 'endActivity',
    tag: 'Activities',
    summary: 'End an activity',
    description:
      'Over at once; the phones hear of it in their turn, also those whose update token is still to come. What does ' +
      'not run any more stays as it is (`idempotent`).',
    success: 'It is over.',
  },
  ...agentTeamDocs,
  ...agentAppDocs,
  ...agentConnectorDocs,
  'GET /inbox/projects': {
    operationId: 'listInboxProjects',
    tag: 'Inbox',
    summary: 'List the projects of the inbox',
    description: 'Each with its counts and its newest item, the newest first.',
    success: 'The projects.',
  },
  'GET /inbox/notifications': {
    operationId: 'listInboxNotifications',
    tag: 'Inbox',
    summary: 'List the inbox',
    description: 'Without bodies. Reading the list marks nothing as read.',
    success: 'A page of items.',
  },
  'POST /inbox/notifications/read-all': {
    operationId: 'markInboxRead',
    tag: 'Inbox',
    summary: 'Mark a list as read',
    description:
      'Marks what the list that gave the token could show. What came later, or belongs to another project than the ' +
      'list was filtered by, stays unread.',
    success: 'All of it is read.',
  },
  'GET /inbox/notifications/:id': {
    operationId: 'getInboxNotification',
    tag: 'Inbox',
    summary: 'Read one item of the inbox',
    description: 'With its body and what the push providers have said. Does not mark it as read.',
    success: 'The item.',
  },
  'POST /inbox/notifications/:id/read': {
    operationId: 'markInboxNotificationRead',
    tag: 'Inbox',
    summary: 'Mark one item as read',
    description: 'An item that is read already keeps its first `readAt`.',
    success: 'It is read.',
  },
  'POST /inbox/notifications/:id/unread': {
    operationId: 'markInboxNotificationUnread',
    tag: 'Inbox',
    summary: 'Mark one item as unread',
    description: 'The opposite of reading it.',
    success: 'It is unread.',
  },
};
