import {
  list,
  nullable,
  object,
  Opaque,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
} from '@carillon/schema';
import { answers, Nothing, Ok } from '../contract';
import type { SignedIn } from './accounts.contracts';

// Sign-in with other OpenID Connect providers, which the operator configures.

export class ProviderById {
  /** As the operator named it. */
  @Text(1, 32) provider!: string;
}

/** The browser that a provider sends back, with the secret of its cookie. */
export class ProviderResponse {
  @Opaque(0, 256) secret!: string;
  /** The query of the callback's URL. */
  @Opaque(0, 8_192) query!: string;
}

export class ConfirmProviderSignIn {
  @Opaque(0, 256) secret!: string;
  /** The code of an authenticator app. */
  @Text(1, 16) totp!: string;
}

/** Where the browser goes, and the secret that it must come back with. */
export interface ProviderRequest {
  redirectTo: string;
  secret: string;
}

/** Without `signedIn` the identity was linked to the account that is signed in. */
export interface ProviderOutcome {
  signedIn?: SignedIn;
}

export const LinkedIdentity = resource(
  'LinkedIdentity',
  {
    provider: text('As the operator named it.'),
    subject: text('As the provider names the person.'),
    email: nullable(text('As the provider named it when the identity was linked.')),
    linkedAt: when(),
  },
  'An identity of another provider that signs the person in.',
);
export type LinkedIdentity = Static<typeof LinkedIdentity>;

export const ProviderRedirect = object({ redirectTo: uri('Where the browser goes next.') });

const fromProvider = [
  'identity.request_invalid',
  'identity.unknown_provider',
  'identity.provider_unavailable',
  'identity.provider_refused',
  'identity.login_failed',
];

export const Identities = {
  /** The providers that sign people in here. */
  providers: answers(object({ providers: list(object({ id: text(), name: text() })) }))(
    'accounts.identity.providers',
    Nothing,
    [],
    'always',
  ),
  begin: answers<ProviderRequest>()('accounts.identity.begin', ProviderById, [
    'identity.unknown_provider',
    'identity.provider_unavailable',
  ]),
  /** Begins the linking of an identity to the account that is signed in. */
  link: answers<ProviderRequest>()('accounts.identity.link', ProviderById, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
    'identity.unknown_provider',
    'identity.provider_linked',
    'identity.provider_unavailable',
  ]),
  /** Goes on when the provider sends the browser back. A request is good once. */
  finish: answers<ProviderOutcome>()('accounts.identity.finish', ProviderResponse, [
    ...fromProvider,
    'identity.taken',
    'identity.provider_linked',
    'identity.email_unverified',
    'account.email_taken',
    'account.signup_closed',
    'account.suspended',
    'session.required',
    'session.second_factor_required',
    'password.too_many_failures',
  ]),
  /** After `session.second_factor_required`. */
  confirm: answers<SignedIn>()('accounts.identity.confirm', ConfirmProviderSignIn, [
    'identity.request_invalid',
    'session.login_failed',
    'account.suspended',
    'password.too_many_failures',
  ]),
  list: answers(object({ identities: list(LinkedIdentity) }))(
    'accounts.identity.list',
    Nothing,
    ['account.not_found'],
    'always',
  ),
  unlink: answers(Ok)('accounts.identity.unlink', ProviderById, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
    'identity.not_found',
    'sign_in.last_method',
  ]),
};
