import { faultOfRedirect, isLoopback } from './redirect';

/** What this server reads of a client's metadata (RFC 7591); the rest is for others. */
const kept = ['client_id', 'client_name', 'client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'redirect_uris'];
const ofKeyClients = ['jwks', 'jwks_uri', 'token_endpoint_auth_signing_alg'];

/** Why metadata is refused, with the error code of RFC 7591. */
export class MetadataFault extends Error {
  constructor(
    readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata',
    message: string,
  ) {
    super(message);
  }
}

/**
 * The metadata of a client as this server takes it: a public client, or one that signs its requests where `keys` says
 * that it may. It always has the code flow and refresh tokens. Throws `MetadataFault`.
 */
export function clientMetadata(given: unknown, { keys }: { keys: boolean }): Record<string, unknown> {
  if (!isRecord(given))
    throw new MetadataFault('invalid_client_metadata', 'The metadata is not a JSON object.');
  const { redirect_uris: uris, token_endpoint_auth_method: method = 'none', client_name: name } = given;
  if (!isTexts(uris) || uris.length === 0 || uris.length > 20)
    throw new MetadataFault('invalid_redirect_uri', 'redirect_uris must be a list of 1 to 20 URIs.');
  for (const uri of uris) {
    const fault = faultOfRedirect(uri);
    if (fault !== undefined) throw new MetadataFault('invalid_redirect_uri', fault);
  }
  if (name !== undefined && (typeof name !== 'string' || name.length > 200))
    throw new MetadataFault('invalid_client_metadata', 'client_name must be text of at most 200 characters.');
  if (keys && 'client_secret' in given)
    throw new MetadataFault('invalid_client_metadata', 'A public document must not have a client_secret.');
  const bySignature = keys && method === 'private_key_jwt';
  if (method !== 'none' && !bySignature)
    throw new MetadataFault('invalid_client_metadata', 'token_endpoint_auth_method must be none.');
  const fields = bySignature ? [...kept, ...ofKeyClients] : kept;
  return {
    ...Object.fromEntries(fields.flatMap((field) => (field in given ? [[field, given[field]]] : []))),
    // A native client may answer at any loopback port (RFC 8252).
    application_type: uris.some((uri) => !uri.startsWith('https:') || isLoopback(uri)) ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
  };
}

/** The body of a registration as this server takes it, in base64. What is not JSON stays for the server to refuse. */
export function registered(body: string): string {
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(body, 'base64').toString('utf8'));
  } catch {
    return body;
  }
  const { client_id: _, ...metadata } = clientMetadata(given, { keys: false });
  return Buffer.from(JSON.stringify(metadata)).toString('base64');
}

const isRecord = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

const isTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((each) => typeof each === 'string');
