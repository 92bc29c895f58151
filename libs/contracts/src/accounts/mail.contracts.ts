import { bool, Email, object, OneOf, Opaque, Optional, Text } from '@carillon/schema';
import { answers, Nothing, Ok } from '../contract';
import type { SignedIn } from './accounts.contracts';

export class SignInMail {
  @Email() email!: string;
}

export class LinkToken {
  /** The last part of the link's address. */
  @Opaque(1, 100) token!: string;
}

export class ConfirmSignInLink extends LinkToken {
  /** The code of an authenticator app, where the account has one. */
  @Optional() @Text(1, 16) totp?: string;
  /** In place of `totp`. */
  @Optional() @Text(1, 32) recoveryCode?: string;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

const isOn = bool('Whether the installation sends mails.');

/** Links by mail. All but `show` are refused `mail.off` where no mail server is configured. */
export const Mail = {
  show: answers(object({ mail: isOn }))('accounts.mail.show', Nothing, [], 'always'),
  /** Answers the same, and after the same time, whether the address is known or not. */
  requestSignIn: answers(Ok)('accounts.mail.request-sign-in', SignInMail, ['mail.off', 'mail.too_many']),
  /** The link is good once, and also proves the address. */
  confirmSignIn: answers<SignedIn>()('accounts.mail.confirm-sign-in', ConfirmSignInLink, [
    'mail.off',
    'mail.link_invalid',
    'session.second_factor_required',
    'session.login_failed',
    'password.too_many_failures',
    'account.suspended',
  ]),
  /** Sends nothing when the address is verified already. */
  requestVerification: answers(Ok)('accounts.mail.request-verification', Nothing, [
    'mail.off',
    'mail.too_many',
    'account.not_found',
  ]),
  verify: answers(Ok)('accounts.mail.verify', LinkToken, ['mail.off', 'mail.link_invalid']),
};
