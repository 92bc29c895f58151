import type { Link } from './link';

interface Letter {
  readonly subject: string;
  readonly text: string;
}

/** What a mail with a link says. It names nobody: the address may have been given by somebody else. */
export function letterOf(purpose: Link['purpose'], token: string, baseUrl: string): Letter {
  const base = baseUrl.replace(/\/+$/, '');
  const { host } = new URL(baseUrl);
  const end = 'It works once, for 30 minutes. If you did not ask for it, do nothing.';
  switch (purpose) {
    case 'sign_in':
      return {
        subject: `Sign in to Carillon at ${host}`,
        text: `Open this link to sign in to Carillon at ${host}:\n\n${base}/sign-in/${token}\n\n${end}\n`,
      };
    case 'verification':
      return {
        subject: `Confirm your address for Carillon at ${host}`,
        text: `Open this link to confirm that this is your address at ${host}:\n\n${base}/verify/${token}\n\n${end}\n`,
      };
  }
}
