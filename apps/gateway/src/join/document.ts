import type { InviteNotice } from '@carillon/contracts';

/** Forbids scripts, foreign resources and framing. */
export const documentHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // The URL contains the code.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** Explains an invite and how to accept it. */
export function inviteDocument(notice: InviteNotice, code: string, baseUrl: string): string {
  const { team, role, form, domain, expiresAt } = notice;
  const session = sessionApi(baseUrl);
  const what = team.kind === 'family' ? 'family' : 'team';
  return htmlDocument(`Join ${team.name}`, [
    `You are invited into the ${what} ${strong(team.name)} on Carillon${role === 'admin' ? ', as an admin' : ''}.`,
    ...(form === 'email' ? ['The invite is for the account with the address that it was made for.'] : []),
    ...(domain === null ? [] : [`The invite is for accounts with a verified address in ${strong(domain)}.`]),
    `It can be accepted until ${strong(expiresAt.slice(0, 16).replace('T', ' '))} UTC, by a person who is signed in. Opening this page accepts nothing.`,
    `<a href="${escaped(consoleOf(baseUrl))}join/${code}">Accept it in the console</a>, where you sign in or make an account first. The same by requests:`,
    `Without an account, make one first if this installation takes new people: ${request(`${session}/signup`)}, with ${coded('inviteCode')}: ${coded(code)}. With one, sign in: ${request(`${session}/login/password`)}.`,
    `Then accept the invite with that session: ${request(`${session}/invites/${code}/accept`)}, with the body ${coded('{}')}.`,
  ]);
}

/** Explains why the invite cannot be accepted. */
export const deadInviteDocument = (sentence: string): string =>
  htmlDocument('No invite to accept', [
    escaped(sentence),
    'Ask the sender of the link for another one if you need it.',
  ]);

/** An HTML document of paragraphs that are HTML already. */
export const htmlDocument = (title: string, paragraphs: readonly string[]): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(title)}</title>`,
    `<h1>${escaped(title)}</h1>`,
    ...paragraphs.map((paragraph) => `<p>${paragraph}</p>`),
    '</html>',
    '',
  ].join('\n');

const consoleOf = (baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}/console/`;
export const sessionApi = (baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}/api/session`;
const strong = (text: string): string => `<strong>${escaped(text)}</strong>`;
export const coded = (text: string): string => `<code>${escaped(text)}</code>`;
export const request = (url: string): string => coded(`POST ${url}`);

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
