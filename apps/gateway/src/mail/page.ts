import { documentHeaders, htmlDocument } from '../html/document';

/** As other documents, with a form of its own. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...documentHeaders,
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};

export type Purpose = 'sign-in' | 'verify';

const asks = {
  'sign-in': ['Sign in to Carillon', 'Sign in'],
  verify: ['Confirm your address', 'Confirm'],
} as const;

/** A page with one button. Nothing happens before it is pressed: programs that look at mails open links, too. */
export const askingPage = (purpose: Purpose): string => {
  const [title, press] = asks[purpose];
  return htmlDocument(title, [form(`<button>${press}</button>`)]);
};

/** Asks for the code of the authenticator app; the link is still good. */
export const codePage = (sentence: string): string =>
  htmlDocument('Sign in to Carillon', [
    sentence,
    form(
      '<label>Code of your authenticator app: <input name="totp" inputmode="numeric" autocomplete="one-time-code" maxlength="16" required></label> <button>Sign in</button>',
    ),
  ]);

export const verifiedPage = (): string =>
  htmlDocument('Confirmed', ['The address is confirmed as yours. You can close this page.']);

export const refusedPage = (sentence: string): string =>
  htmlDocument('This did not work', [sentence, 'Ask for another link if you need it.']);

const form = (fields: string): string => `<form method="post">${fields}</form>`;
