import { auditRows } from '../audit/audit.controller';
import { streamRow } from '../stream/stream.controller';
import { positionForm, versionForm } from '../request/input';
import { requestIdForm } from '../request/request-id';
import { operatorRows } from '../operator/operator.controller';
import { agentTable } from '../table/agent.table';
import { sessionTable } from '../table/session.table';
import { messagesRow } from '../wait/messages.controller';
import { waitRow } from '../wait/wait.controller';
import { agentDescription, agentTags, agentDocs } from './agent.docs';
import type { Api } from './document';
import { sessionDescription, sessionTags, sessionDocs } from './session.docs';

const requestHeaders = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: `Taken over when it matches \`${requestIdForm.source}\`; else the request gets a new one.`,
    schema: { type: 'string' },
  },
  ApiVersion: {
    name: 'Agent-Api-Version',
    in: 'header',
    required: false,
    description: 'The version that the caller speaks. Only 1 is spoken here.',
    schema: { type: 'string', pattern: versionForm.source },
  },
  Position: {
    name: 'Carillon-Position',
    in: 'header',
    required: false,
    description: 'As an earlier answer gave it: this one will not be older than that.',
    schema: { type: 'string', pattern: positionForm.source },
  },
};

export const agentApi: Api = {
  title: 'Scoped agent API',
  description: agentDescription,
  base: '/api/agent',
  rows: [...agentTable, messagesRow, waitRow, auditRows.agent],
  docs: agentDocs,
  tags: agentTags,
  headers: requestHeaders,
  security: { token: ['bearerAuth'] },
  securitySchemes: {
    bearerAuth: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API token, which begins with `carillon_pat_`. A person makes it and gives it scopes; ' +
        'each operation lists the scopes that it needs.',
    },
  },
};

export const sessionApi: Api = {
  title: 'Session API',
  description: sessionDescription,
  base: '/api/session',
  rows: [...sessionTable, ...Object.values(operatorRows), streamRow, auditRows.session],
  docs: sessionDocs,
  tags: sessionTags,
  headers: requestHeaders,
  security: { session: ['cookieAuth', 'appAuth'], app: ['appAuth'] },
  securitySchemes: {
    cookieAuth: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-carillon_session',
      description: 'A browser that has signed in.',
    },
    appAuth: {
      type: 'http',
      scheme: 'bearer',
      description: 'The access token of the phone app, which begins with `carillon_ses_`.',
    },
  },
};
