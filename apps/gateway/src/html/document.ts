/** Forbids scripts, foreign resources and framing. */
export const documentHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // The URL may contain a secret.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

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

export const coded = (text: string): string => `<code>${escaped(text)}</code>`;

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
