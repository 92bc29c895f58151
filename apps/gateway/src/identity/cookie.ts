import type { EdgeRequest } from '../request/row';

/** The secret of a browser that is at a provider. Only this browser can come back. */
const providerCookie = '__Host-carillon_oidc';

const attributes = { secure: true, httpOnly: true, sameSite: 'lax', path: '/' } as const;
const tenMinutes = 10 * 60;

export const setProviderCookie = ({ reply }: EdgeRequest, secret: string): void =>
  void reply.setCookie(providerCookie, secret, { ...attributes, maxAge: tenMinutes });

export const clearProviderCookie = ({ reply }: EdgeRequest): void =>
  void reply.clearCookie(providerCookie, attributes);

export const providerSecret = ({ http }: EdgeRequest): string => http.cookies[providerCookie] ?? '';
