import { coded, escaped, htmlDocument } from '../html/document';

/** Leads the holder of a link to the console. It is the same for every code, so that it tells nothing about one. */
export function joinDocument(code: string, baseUrl: string): string {
  const session = sessionApi(baseUrl);
  const url = `${baseUrl.replace(/\/+$/, '')}/console/join/${encodeURIComponent(code)}`;
  return htmlDocument('An invite to Carillon', [
    `<a href="${escaped(url)}">Accept it in the console</a>, where you sign in or make an account first. Opening this page accepts nothing: you join there, if you want to.`,
    `A program of a person who is signed in does the same with that session: ${coded(`GET ${session}/invites/…`)} shows the invite, and ${request(`${session}/invites/…/accept`)} accepts it, with the code at the end of this address.`,
  ]);
}

export const sessionApi = (baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}/api/session`;
export const request = (url: string): string => coded(`POST ${url}`);
