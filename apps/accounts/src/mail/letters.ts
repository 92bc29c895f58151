import type { Instant } from '@carillon/eventing';
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

/** Tells a person of a sign-in. It says nothing of where from, which nobody stores. */
export function noticeOf(at: Instant, baseUrl: string): Letter {
  const base = baseUrl.replace(/\/+$/, '');
  const { host } = new URL(baseUrl);
  const time = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  const text = [
    `Somebody signed in to your account at ${host} at ${time}, in a browser or an app that was not used for it before.`,
    'If it was you, do nothing.',
    `If not, change your password at ${base}/console/account: that ends all other sessions.`,
  ];
  return { subject: `New sign-in to Carillon at ${host}`, text: `${text.join('\n\n')}\n` };
}
