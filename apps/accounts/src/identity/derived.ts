import { createHmac } from 'node:crypto';

/**
 * What a request to a provider needs besides, derived from the secret that only one browser has. So nothing of it is
 * stored, and nothing of it is good in another browser.
 */
export const derived = (secret: string, what: 'state' | 'nonce' | 'verifier'): string =>
  createHmac('sha256', secret).update(`request to a provider: ${what}`).digest('base64url');
