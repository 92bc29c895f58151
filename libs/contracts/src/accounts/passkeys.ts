import {
  About,
  bool,
  Bool,
  exactly,
  Id,
  id,
  int,
  list,
  ListOf,
  Nested,
  Nullable,
  nullable,
  object,
  OneOf,
  Opaque,
  Optional,
  optional,
  resource,
  type Static,
  text,
  Text,
  when,
  Int,
} from '@carillon/schema';
import { answers, Nothing, Ok } from '../contract';

// Passkeys as browsers give and take them: the JSON forms of WebAuthn Level 3.

const attachments = ['platform', 'cross-platform'] as const;

export class CredentialProperties {
  @Optional() @Bool() rk?: boolean;
}

/** Extensions that browsers answer without being asked. */
export class ExtensionResults {
  @Optional() @Nested(CredentialProperties) credProps?: CredentialProperties;
}

class PublicKeyCredentialResponse {
  @Opaque(1, 1400) id!: string;
  @Opaque(1, 1400) rawId!: string;
  @OneOf(['public-key']) type!: 'public-key';
  @Optional()
  @Nullable()
  @OneOf(attachments)
  @About('Ignored.')
  authenticatorAttachment?: (typeof attachments)[number] | null;
  @Optional() @Nested(ExtensionResults) @About('Ignored.') clientExtensionResults?: ExtensionResults;
}

export class AttestationResponse {
  @Opaque(1, 8192) clientDataJSON!: string;
  @Opaque(1, 32_768) attestationObject!: string;
  @Optional() @Opaque(1, 8192) @About('Ignored.') authenticatorData?: string;
  @Optional() @Nullable() @Opaque(1, 8192) @About('Ignored.') publicKey?: string | null;
  @Optional() @Int(-65_536, 65_536) @About('Ignored.') publicKeyAlgorithm?: number;
  @Optional() @ListOf(Opaque.rule(1, 40), { min: 0, max: 20 }) @About('Ignored.') transports?: string[];
}

/** What `PublicKeyCredential.toJSON()` of a new passkey gives. */
export class RegistrationResponse extends PublicKeyCredentialResponse {
  @Nested(AttestationResponse) response!: AttestationResponse;
}

export class AssertionResponse {
  @Opaque(1, 8192) clientDataJSON!: string;
  @Opaque(1, 8192) authenticatorData!: string;
  @Opaque(1, 8192) signature!: string;
  @Optional() @Nullable() @Opaque(0, 128) userHandle?: string | null;
}

/** What `PublicKeyCredential.toJSON()` of a passkey in use gives. */
export class AuthenticationResponse extends PublicKeyCredentialResponse {
  @Nested(AssertionResponse) response!: AssertionResponse;
}

export class AddPasskey {
  @Nested(RegistrationResponse) response!: RegistrationResponse;
  @Optional() @Text(1, 80) name?: string;
}

export class SignInWithPasskey {
  @Nested(AuthenticationResponse) response!: AuthenticationResponse;
  @Optional() @OneOf(['app', 'browser']) client?: 'app' | 'browser';
}

export class PasskeyById {
  @Id('pky') id!: string;
}

export const Passkey = resource('Passkey', {
  id: id('pky'),
  name: text(),
  createdAt: when(),
  lastUsedAt: nullable(when()),
  backedUp: bool('Whether its authenticator keeps a copy elsewhere.'),
  disabled: bool('Its counter did not go up: two authenticators have its key, and none is let in.'),
});
export type Passkey = Static<typeof Passkey>;

export const AddedPasskey = object({
  passkey: Passkey,
  recoveryCodes: optional(list(text('Shown this once. Good once.'), 'Where the account had none.')),
});
export type AddedPasskey = Static<typeof AddedPasskey>;

const credential = object({ id: text(), type: exactly('public-key') });

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const CreationOptions = object({
  challenge: text('Good for 5 minutes and once.'),
  rp: object({ id: text(), name: text() }),
  user: object({ id: text(), name: text(), displayName: text() }),
  pubKeyCredParams: list(object({ type: exactly('public-key'), alg: int() })),
  timeout: int('Milliseconds.'),
  excludeCredentials: list(credential),
  authenticatorSelection: object({
    residentKey: exactly('required'),
    requireResidentKey: exactly(true),
    userVerification: exactly('required'),
  }),
  attestation: exactly('none'),
});
export type CreationOptions = Static<typeof CreationOptions>;

/** For `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export const RequestOptions = object({
  challenge: text('Good for 5 minutes and once.'),
  rpId: text(),
  timeout: int('Milliseconds.'),
  userVerification: exactly('required'),
});
export type RequestOptions = Static<typeof RequestOptions>;

export const Passkeys = {
  options: answers(CreationOptions)('accounts.passkey.options', Nothing, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
    'passkey.unavailable',
  ]),
  add: answers(AddedPasskey)('accounts.passkey.add', AddPasskey, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
    'passkey.unavailable',
    'passkey.refused',
    'resource.limit_reached',
  ]),
  list: answers(object({ passkeys: list(Passkey) }))(
    'accounts.passkey.list',
    Nothing,
    ['account.not_found'],
    'always',
  ),
  remove: answers(Ok)('accounts.passkey.remove', PasskeyById, [
    'session.required',
    'account.not_found',
    'session.reauth_required',
    'passkey.not_found',
    'sign_in.last_method',
  ]),
};
