import type { RouteDocs } from './document';

/** The routes for operators of the installation. */
export const operatorDocs: Readonly<Record<string, RouteDocs>> = {
  'GET /operator/accounts': {
    operationId: 'listInstallationAccounts',
    tag: 'Operator',
    summary: 'List the accounts of the installation',
    description:
      'All that are not deleted, the newest first; with `query`, those with that text in name or address. The listing is recorded.',
    success: 'A page of accounts.',
  },
  'POST /operator/accounts/:accountId/suspend': {
    operationId: 'suspendAccount',
    tag: 'Operator',
    summary: 'Suspend an account',
    description: 'All its credentials are refused within 5 seconds, until it is resumed. Nothing is deleted.',
  },
  'POST /operator/accounts/:accountId/resume': {
    operationId: 'resumeAccount',
    tag: 'Operator',
    summary: 'Resume an account',
    description: 'Its credentials are accepted again.',
  },
  'GET /operator/teams': {
    operationId: 'listInstallationTeams',
    tag: 'Operator',
    summary: 'List the teams of the installation',
    description: 'Families too, the newest first. The listing is recorded.',
    success: 'A page of teams.',
  },
  'GET /operator/health': {
    operationId: 'getInstallationHealth',
    tag: 'Operator',
    summary: 'See how the installation is',
    description:
      'Replicas answer for themselves; accepted and refused attempts are those that they counted since their start.',
    success: 'The services, how far projections are behind the log, and what became of pushes.',
  },
  'GET /operator/dead-letters': {
    operationId: 'listDeadLetters',
    tag: 'Operator',
    summary: 'List work that was given up',
    description: 'The newest first, at most a thousand of each queue.',
    success: 'A page of dead letters.',
  },
  'POST /operator/dead-letters/:id/retry': {
    operationId: 'retryDeadLetter',
    tag: 'Operator',
    summary: 'Try work again that was given up',
    description: 'What fails again stays.',
  },
  'POST /operator/dead-letters/:id/drop': {
    operationId: 'dropDeadLetter',
    tag: 'Operator',
    summary: 'Drop work that was given up',
    description: 'For good.',
  },
};
