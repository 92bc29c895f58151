import { randomBytes } from 'node:crypto';
import type { EdgeRequest } from '../request/row';

/** The `__Host-` prefix makes browsers insist on Secure, on path `/` and on no domain. */
export const sessionCookie = '__Host-carillon_session';

const attributes = { secure: true, httpOnly: true, sameSite: 'lax', path: '/' } as const;

const thirtyDays = 30 * 24 * 60 * 60;

/** Tells browsers apart, so that a sign-in from one not seen before is told by mail. It lets nobody in. */
const browserCookie = '__Host-carillon_browser';

/** Browsers keep no cookie for longer. */
const fourHundredDays = 400 * 24 * 60 * 60;

/** The mark of the browser of a sign-in; a new one for a browser without. */
export function browserOf(cookies: Readonly<Record<string, string | undefined>>): string {
  const shown = cookies[browserCookie];
  return shown !== undefined && /^[\w-]{22}$/.test(shown) ? shown : randomBytes(16).toString('base64url');
}

export const setSessionCookie = ({ reply, browser }: EdgeRequest, secret: string): void => {
  void reply.setCookie(sessionCookie, secret, { ...attributes, maxAge: thirtyDays });
  if (browser !== undefined)
    void reply.setCookie(browserCookie, browser, { ...attributes, maxAge: fourHundredDays });
};

export const clearSessionCookie = ({ reply, byCookie }: Pick<EdgeRequest, 'reply' | 'byCookie'>): void => {
  if (byCookie) void reply.clearCookie(sessionCookie, attributes);
};
