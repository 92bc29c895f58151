import { createHash } from 'node:crypto';
import { ApiError } from '../errors/api-error';
import type { EdgeRequest } from '../request/row';

/** The browser that a client has sent here holds these, so that nobody can agree for another browser. */
export const consentCookie = '_interaction';

const page = '; path=/console/oauth/';
const route = '; path=/api/session/oauth/interaction/';

/** The authorization server sets its cookie for the page of the consent, which asks a route of the Session API. */
export const forConsentRoute = (setCookie: string): string => setCookie.replace(page, route);

/** 404 for a consent that another browser has begun: its person would agree to what somebody else started. */
export function refuseOtherBrowser({ http }: EdgeRequest): void {
  if (http.cookies[consentCookie] === http.params['uid']) return;
  throw new ApiError(404, 'NOT_FOUND', 'There is no such request in this browser, or it has expired.');
}

/** Tells the clients of one address apart in a key of a limit; empty for a request that names none. */
export function ofClient(body: Buffer | null | undefined): string {
  const client = new URLSearchParams(body?.toString('utf8')).get('client_id');
  return client === null ? '' : createHash('sha256').update(client).digest('hex').slice(0, 16);
}
