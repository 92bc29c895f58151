/** The page for an authorization request that cannot be answered by a redirect. It names the OAuth error. */
export const errorPage = (error: string, description: string | undefined): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<title>The client cannot be connected</title>',
    '<h1>The client cannot be connected</h1>',
    `<p>The program that sent you here made a request that Carillon refuses: <code>${escaped(error)}</code>.</p>`,
    ...(description === undefined ? [] : [`<p>${escaped(description)}</p>`]),
    '<p>Nothing was granted. Start again in the program, or tell the people who make it.</p>',
    '</html>',
    '',
  ].join('\n');

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
