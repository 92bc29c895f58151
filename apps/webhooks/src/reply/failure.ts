import type { AttemptError } from '@carillon/contracts';

/** How far a request was when it failed. */
export type Stage = 'connecting' | 'handshake' | 'open';

/** What is written down of a request that ended with an error of the network, by the error's code. */
export function failureOf(code: string | undefined, stage: Stage): AttemptError {
  if (code === 'ETIMEDOUT') return 'timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return 'response_too_large';
  // Receivers that ask for a certificate of ours say so only after the handshake.
  if (stage === 'handshake' || code?.startsWith('ERR_SSL_')) return 'tls_error';
  return 'connect_error';
}
