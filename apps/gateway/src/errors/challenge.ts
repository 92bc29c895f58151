import type { Scope } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { ApiError } from './api-error';

export type Unauthenticated = 'UNAUTHENTICATED' | 'TOKEN_INVALID' | 'TOKEN_REVOKED' | 'TOKEN_EXPIRED';

const sentences: Record<Unauthenticated, string> = {
  UNAUTHENTICATED: 'The request needs a bearer token.',
  TOKEN_INVALID: 'The token is not valid.',
  TOKEN_REVOKED: 'The token has been revoked.',
  TOKEN_EXPIRED: 'The token has expired.',
};

const failures: Readonly<Record<string, Exclude<Unauthenticated, 'UNAUTHENTICATED'>>> = {
  'token.unknown': 'TOKEN_INVALID',
  'token.revoked': 'TOKEN_REVOKED',
  'token.expired': 'TOKEN_EXPIRED',
  'session.unknown': 'TOKEN_INVALID',
  'session.ended': 'TOKEN_REVOKED',
  'session.expired': 'TOKEN_EXPIRED',
};

/** Why accounts refused a credential; undefined when the error is about something else. */
export const failureOf = (error: unknown): Exclude<Unauthenticated, 'UNAUTHENTICATED'> | undefined =>
  error instanceof Refused ? failures[error.reason] : undefined;

const metadataIn = (url: string | undefined): string =>
  url === undefined ? '' : `, resource_metadata="${url}"`;

/** 401 with the challenge of RFC 6750; for a token route it names the route's metadata document (RFC 9728). */
export const unauthenticated = (code: Unauthenticated, resourceMetadata?: string): ApiError =>
  new ApiError(
    401,
    code,
    sentences[code],
    {},
    {
      'www-authenticate': `Bearer realm="agent", error="invalid_token"${metadataIn(resourceMetadata)}`,
    },
  );

/** 403 that names all scopes of the route at once (RFC 6750 §3.1). */
export const insufficientScope = (required: readonly Scope[], resourceMetadata?: string): ApiError =>
  new ApiError(
    403,
    'INSUFFICIENT_SCOPE',
    'The token lacks a scope that this route needs.',
    { required },
    {
      'www-authenticate': `Bearer error="insufficient_scope", scope="${required.join(' ')}"${metadataIn(resourceMetadata)}`,
    },
  );
