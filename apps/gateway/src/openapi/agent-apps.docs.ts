import type { RouteDocs } from './document';

/** The routes of web apps. */
export const agentAppDocs: Readonly<Record<string, RouteDocs>> = {
  'GET /apps': {
    operationId: 'listApps',
    tag: 'Apps',
    summary: 'List web apps',
    description: 'Those that the account can open, its own and those of its teams, by name.',
    success: 'A page of web apps.',
  },
  'POST /apps': {
    operationId: 'addApp',
    tag: 'Apps',
    summary: 'Add a web app',
    description:
      'One of the account itself. Where it has one with this URL already, that gets the name, the icon and the project, and the answer is 200; what is absent stays as it is.',
    success: 'The app was added.',
  },
  'GET /apps/:id': {
    operationId: 'getApp',
    tag: 'Apps',
    summary: 'Describe a web app',
    description:
      'Of the account, or of a team that it is in. What is told of consent and of opening is that of the account that asks.',
    success: 'The app.',
  },
  'PATCH /apps/:id': {
    operationId: 'changeApp',
    tag: 'Apps',
    summary: 'Change a web app',
    description:
      'Absent fields stay. An app of a team can be changed by the member who added it and by admins. Another origin ends all consents and signs everybody out of the app; a URL of the same origin does not. Consent and disclosure cannot be changed here.',
    success: 'The app as it is now.',
  },
  'DELETE /apps/:id': {
    operationId: 'removeApp',
    tag: 'Apps',
    summary: 'Remove a web app',
    description:
      'An app of a team can be removed by the member who added it and by admins. All consents and sessions end.',
    success: 'It is removed.',
  },
  'POST /apps/:id/revoke': {
    operationId: 'revokeAppConsent',
    tag: 'Apps',
    summary: 'Take back the consent of the account',
    description:
      'Of the account that asks alone, also where it has given none. The person is asked again when they open the app; no route of this API agrees for them.',
    success: 'The app, without consent.',
  },
  'POST /apps/:id/share': {
    operationId: 'shareApp',
    tag: 'Apps',
    summary: 'Move a web app into a team',
    description:
      'Or back to the own apps of the account, with `teamId: null`. Only the account that added it can move it, and its consent stays; everybody else approves for themselves. The app returns when the team is deleted, or when that account leaves. Other members of the team are told unless `notify` is false.',
    success: 'The app where it is now.',
  },
};
