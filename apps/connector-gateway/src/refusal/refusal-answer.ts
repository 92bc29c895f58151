import type { AnsweredRefusal } from './refusal';

export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A refusal as a plain HTML document for a browser, and as JSON for all others. */
export function refusalAnswer(refusal: AnsweredRefusal, accept: string | undefined): RefusalAnswer {
  const { status, code, text, open, leave, retryAfterSeconds, forget } = refusal;
  const asHtml = /\btext\/html\b/i.test(accept ?? '');
  const headers: Record<string, string> = {
    'content-type': asHtml ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action ${leave === undefined ? "'none'" : "'self'"}`,
  };
  if (status === 401) headers['www-authenticate'] = 'Carillon';
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (forget) Object.assign(headers, { 'set-cookie': forget.cookie, 'clear-site-data': '"cache"' });
  const body = asHtml
    ? html(refusal)
    : JSON.stringify({ error: text, code, ...(open && { open }), ...(leave && { leave }) });
  return { status, headers, body };
}

const html = ({ title, text, open, leave }: AnsweredRefusal): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(title)}</title>`,
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(text)}</p>`,
    ...(leave === undefined
      ? []
      : [`<form method="post" action="${escaped(leave)}"><button>Sign out here</button></form>`]),
    ...(open === undefined
      ? []
      : [`<p><a href="${escaped(open)}" rel="noreferrer">Open it in Carillon</a></p>`]),
    '</html>',
    '',
  ].join('\n');

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
