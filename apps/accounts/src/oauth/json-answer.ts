import type { OAuthResponse } from '@carillon/contracts';

export const jsonAnswer = (status: number, body: object): OAuthResponse => ({
  status,
  headers: [{ name: 'content-type', value: 'application/json; charset=utf-8' }],
  body: JSON.stringify(body),
});

/** An error in the form of RFC 6749. */
export const oauthError = (error: string, status = 400, description?: string): OAuthResponse =>
  jsonAnswer(status, { error, ...(description !== undefined && { error_description: description }) });
