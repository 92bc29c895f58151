import type { RouteDocs } from './document';

/** The routes of connectors. */
export const agentConnectorDocs: Readonly<Record<string, RouteDocs>> = {
  'GET /connectors': {
    operationId: 'listConnectors',
    tag: 'Connectors',
    summary: 'List connectors',
    description: 'Those of the account itself, and those of the teams that it is an admin of.',
    success: 'A page of connectors.',
  },
  'POST /connectors': {
    operationId: 'registerConnector',
    tag: 'Connectors',
    summary: 'Register a connector',
    description:
      'One of the account, or of a team that it is an admin of. The hostname is kept in lower case and in its A-label form, and no two connectors have the same. A connector of an account serves its own apps, one of a team those of the team; its on-call group is one of that team. The secret is shown this once.',
    success: 'The connector, and the secret that its callbacks are signed with.',
  },
  'GET /connectors/:id': {
    operationId: 'getConnector',
    tag: 'Connectors',
    summary: 'Describe a connector',
    description: 'One of a team is for its admins.',
    success: 'The connector.',
  },
  'PATCH /connectors/:id': {
    operationId: 'changeConnector',
    tag: 'Connectors',
    summary: 'Change a connector',
    description:
      'What is absent stays as it is; `routes` replaces all routes. `enabled: false` refuses all visitors, while heartbeats continue.',
    success: 'The connector.',
  },
  'DELETE /connectors/:id': {
    operationId: 'removeConnector',
    tag: 'Connectors',
    summary: 'Remove a connector',
    description: 'Sessions through it end, callbacks that wait for it are canceled, its hostname is free.',
    success: 'It is gone.',
  },
  'POST /connectors/:id/heartbeat': {
    operationId: 'sendHeartbeat',
    tag: 'Connectors',
    summary: 'Say that the program at the other end runs',
    description:
      'Brings the connector online. Without a heartbeat for 90 seconds it is offline, and its on-call group is paged; the next one resolves that page. Also while it is switched off.',
    success: 'The connector, and how often a heartbeat is to come.',
  },
  'POST /connectors/:id/access': {
    operationId: 'grantAccess',
    tag: 'Connectors',
    summary: 'Let a visitor in',
    description:
      'For the program at the other end, at every request of a visitor: it spends a pass for a session, or goes on with one. A pass is for one use within a minute, a session for 12 hours and until it was not used for half an hour; both are for this connector, the route, its app and one person. They hold while that person can see the app and agrees to be signed in: what is wrong with one is never told. A route without an app lets nobody in.',
    success: 'The visitor may come in, with what the app is to be told of them.',
  },
  'POST /connectors/:id/access/revalidate': {
    operationId: 'revalidateAccess',
    tag: 'Connectors',
    summary: 'Ask whether many sessions go on',
    description:
      'For the program at the other end, about the sessions that have something open: one question for up to 50 of them, which counts as one request. Each session is answered for itself, as `POST /connectors/{id}/access` would answer it, and counts as used.',
    success: 'Of each session, what the app is to be told, or why it is over.',
  },
  'POST /connectors/:id/callback-access': {
    operationId: 'allowCallback',
    tag: 'Connectors',
    summary: 'Take a callback over',
    description:
      'For the program at the other end, which got a delivery of a reply webhook at `/.well-known/carillon-callback/`. Carillon computes the signature over what it has recorded; each attempt is taken over once, within five minutes, and only where a route opens the path for callbacks now. Whatever is wrong with it, the code is the same.',
    success: 'Where it goes.',
  },
  'POST /connectors/:id/rotate-secret': {
    operationId: 'rotateConnectorSecret',
    tag: 'Connectors',
    summary: 'Give a connector another secret',
    description: 'The former one is good for another 24 hours, unless `revokeOld` ends it at once.',
    success: 'The connector, and the secret, shown this once.',
  },
};
