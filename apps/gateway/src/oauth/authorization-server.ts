import { grantableScopes } from '@carillon/contracts';
import { bool, list, object, text, uri } from '@carillon/schema';
import type { Row } from '../request/row';
import { baseUrl, urlOf } from './protected-resource';

/** Metadata of the authorization server (RFC 8414). */
const AuthorizationServer = object({
  issuer: uri(),
  authorization_endpoint: uri(),
  token_endpoint: uri(),
  registration_endpoint: uri(),
  revocation_endpoint: uri(),
  device_authorization_endpoint: uri(),
  scopes_supported: list(text()),
  response_types_supported: list(text()),
  response_modes_supported: list(text()),
  grant_types_supported: list(text()),
  code_challenge_methods_supported: list(text()),
  token_endpoint_auth_methods_supported: list(text()),
  token_endpoint_auth_signing_alg_values_supported: list(text()),
  revocation_endpoint_auth_methods_supported: list(text()),
  revocation_endpoint_auth_signing_alg_values_supported: list(text()),
  client_id_metadata_document_supported: bool(),
  authorization_response_iss_parameter_supported: bool(),
});

const authMethods = ['none', 'private_key_jwt'];
const signingAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'];

const row = (path: string): Row => ({
  method: 'GET',
  path,
  access: 'public',
  scopes: [],
  rate: 'public',
  body: AuthorizationServer,
  local: () => ({
    issuer: baseUrl(),
    authorization_endpoint: urlOf('/oauth/authorize'),
    token_endpoint: urlOf('/oauth/token'),
    registration_endpoint: urlOf('/oauth/register'),
    revocation_endpoint: urlOf('/oauth/revoke'),
    device_authorization_endpoint: urlOf('/oauth/device_authorization'),
    scopes_supported: [...grantableScopes, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: signingAlgs,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: signingAlgs,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }),
});

export const authorizationServerRows: readonly Row[] = [
  row('/.well-known/oauth-authorization-server'),
  row('/.well-known/openid-configuration'),
];
