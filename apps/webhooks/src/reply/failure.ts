import type { AttemptError } from '@carillon/contracts';

/** The stage at which a request failed. */
export type Stage = 'connecting' | 'handshake' | 'open';

/** The recorded error of a request that failed with a network error, by the error's code. */
export function failureOf(code: string | undefined, stage: Stage): AttemptError {
  if (code === 'ETIMEDOUT') return 'timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return 'response_too_large';
  // Receivers that require a client certificate fail only after the handshake.
  if (stage === 'handshake' || code?.startsWith('ERR_SSL_')) return 'tls_error';
  return 'connect_error';
}
