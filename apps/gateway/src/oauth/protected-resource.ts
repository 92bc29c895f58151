import { basicScopes } from '@carillon/contracts';
import { list, object, text, uri } from '@carillon/schema';
import { setting } from '@carillon/runtime';
import type { Row } from '../request/row';

/** Metadata of a protected resource (RFC 9728). */
const ProtectedResource = object({
  resource: uri(),
  authorization_servers: list(uri()),
  scopes_supported: list(text()),
  bearer_methods_supported: list(text()),
  resource_name: text(),
  resource_documentation: uri(),
});

const agentApi = '/api/agent';
export const mcpPath = '/mcp';
const document = '/.well-known/oauth-protected-resource';

export const baseUrl = (): string => setting('CARILLON_BASE_URL').replace(/\/+$/, '');
export const urlOf = (path: string): string => baseUrl() + path;

const row = (path: string, resource: string): Row => ({
  method: 'GET',
  path,
  access: 'public',
  scopes: [],
  rate: 'public',
  body: ProtectedResource,
  local: () => ({
    resource: urlOf(resource),
    authorization_servers: [baseUrl()],
    scopes_supported: [...basicScopes],
    bearer_methods_supported: ['header'],
    resource_name: 'Carillon',
    resource_documentation: urlOf(resource === mcpPath ? '/docs/mcp' : '/docs/'),
  }),
});

export const protectedResourceRows: readonly Row[] = [
  row(document, mcpPath),
  row(document + mcpPath, mcpPath),
  row(document + agentApi, agentApi),
];

/** The URL that an access token for a route must name. */
export const resourceOf = (path: string): string => urlOf(path === mcpPath ? mcpPath : agentApi);

/** The address of the metadata of a token route. */
export const metadataOf = (path: string): string => urlOf(document + (path === mcpPath ? mcpPath : agentApi));
