import type { Scope } from '@carillon/contracts';
import { list, object, text, uri } from '@carillon/schema';
import { setting } from '@carillon/runtime';
import type { Row } from '../request/row';

/** Scopes of an agent that tells and asks its person, and nothing else. */
export const basicScopes: readonly Scope[] = [
  'notifications:send',
  'interactions:create',
  'interactions:read',
  'activities:read',
  'activities:write',
];

/** Metadata of a protected resource (RFC 9728). There is no authorization server yet, so it names none. */
const ProtectedResource = object({
  resource: uri(),
  scopes_supported: list(text()),
  bearer_methods_supported: list(text()),
  resource_name: text(),
});

const agentApi = '/api/agent';
export const mcpPath = '/mcp';
const document = '/.well-known/oauth-protected-resource';

const urlOf = (path: string): string => setting('CARILLON_BASE_URL').replace(/\/$/, '') + path;

const row = (path: string, resource: string): Row => ({
  method: 'GET',
  path,
  access: 'public',
  scopes: [],
  rate: 'public',
  body: ProtectedResource,
  local: () => ({
    resource: urlOf(resource),
    scopes_supported: [...basicScopes],
    bearer_methods_supported: ['header'],
    resource_name: 'Carillon',
  }),
});

export const protectedResourceRows: readonly Row[] = [
  row(document, mcpPath),
  row(document + mcpPath, mcpPath),
  row(document + agentApi, agentApi),
];

/** The address of the metadata of a token route. */
export const metadataOf = (path: string): string => urlOf(document + (path === mcpPath ? mcpPath : agentApi));
