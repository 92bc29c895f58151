import { coded, htmlDocument } from '../html/document';
import { request, sessionApi } from '../join/document';

/** Explains how to open a web app to a person who followed its URL. */
export function openAppDocument(appId: string, baseUrl: string): string {
  const session = sessionApi(baseUrl);
  return htmlDocument('Open this app in Carillon', [
    'It opens for people who may use it, from their own Carillon: open the Carillon app, sign in, and choose it in the list of web apps. If it is not in your list, ask its owner to share it with you.',
    `A program of a person who is signed in does the same with that session: ${request(`${session}/apps/${encodeURIComponent(appId)}/passes`)}, with ${coded('connectorId')} and ${coded('route')}. The ${coded('url')} of the answer opens the app once, within a minute.`,
  ]);
}
