import type { EdgeRequest } from '../request/row';

/** The `__Host-` prefix makes browsers insist on Secure, on path `/` and on no domain. */
export const sessionCookie = '__Host-carillon_session';

const attributes = { secure: true, httpOnly: true, sameSite: 'lax', path: '/' } as const;

const thirtyDays = 30 * 24 * 60 * 60;

export const setSessionCookie = ({ reply }: EdgeRequest, secret: string): void =>
  void reply.setCookie(sessionCookie, secret, { ...attributes, maxAge: thirtyDays });

export const clearSessionCookie = ({ reply, byCookie }: Pick<EdgeRequest, 'reply' | 'byCookie'>): void => {
  if (byCookie) void reply.clearCookie(sessionCookie, attributes);
};
