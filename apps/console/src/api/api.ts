import { ApiError, createSessionClient } from '@carillon/client';
import { takeEarly, timeoutSeconds } from '../early/early';

const listeners = new Set<() => void>();

/** Calls the listener when the server no longer knows the session of this browser. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The server does not know the session any more. */
export function signedOut(): void {
  for (const listener of listeners) listener();
}

/** The Session API by the cookie of this browser. */
export const api = createSessionClient({
  url: '',
  retries: 2,
  longestWaitSeconds: 2,
  timeoutSeconds,
  fetch: async (request) => {
    const response = await (takeEarly(request) ?? fetch(request));
    if (response.status === 401 && !/\/(login|bootstrap)/.test(request.url)) await tell(response.clone());
    return response;
  },
});

async function tell(response: Response): Promise<void> {
  const { code } = (await response.json().catch(() => ({}))) as { code?: string };
  if (code !== 'REAUTH_REQUIRED') signedOut();
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.code : undefined;
