/** Forbids scripts, foreign resources and framing. */
export const documentHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // The URL contains the code.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** Leads the holder of a link to the console. It is the same for every code, so that it tells nothing about one. */
export function joinDocument(code: string, baseUrl: string): string {
  const session = sessionApi(baseUrl);
  const url = `${baseUrl.replace(/\/+$/, '')}/console/join/${encodeURIComponent(code)}`;
  return htmlDocument('An invite to Carillon', [
    `<a href="${escaped(url)}">Accept it in the console</a>, where you sign in or make an account first. Opening this page accepts nothing: you join there, if you want to.`,
    `A program of a person who is signed in does the same with that session: ${coded(`GET ${session}/invites/…`)} shows the invite, and ${request(`${session}/invites/…/accept`)} accepts it, with the code at the end of this address.`,
  ]);
}

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

export const sessionApi = (baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}/api/session`;
export const coded = (text: string): string => `<code>${escaped(text)}</code>`;
export const request = (url: string): string => coded(`POST ${url}`);

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
