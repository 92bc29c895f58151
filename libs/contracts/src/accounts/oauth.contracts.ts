import {
  About,
  bool,
  id,
  Id,
  list,
  ListOf,
  ListOfShapes,
  named,
  nullable,
  Nullable,
  object,
  OneOf,
  oneOf,
  Opaque,
  Optional,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
  When,
} from '@carillon/schema';
import { answers, Nothing, Ok } from '../contract';
import { grantableScopes, type Scope } from '../scopes';

export class OAuthHeader {
  @Opaque(1, 100) name!: string;
  @Opaque(0, 8_192) value!: string;
}

/** An HTTP request to the authorization server, as the gateway passes it on. */
export class OAuthRequest {
  @OneOf(['GET', 'POST']) method!: 'GET' | 'POST';
  /** Path and query. */
  @Opaque(1, 16_384) url!: string;
  @ListOfShapes(OAuthHeader, { min: 0, max: 10 }) headers!: OAuthHeader[];
  /** Base64. */
  @Opaque(0, 87_384) body!: string;
}

export interface OAuthResponse {
  status: number;
  headers: OAuthHeader[];
  body: string;
}

export class InteractionByUid {
  @Opaque(1, 200) uid!: string;
}

export class DecideInteraction extends InteractionByUid {
  @OneOf(['approve', 'deny']) decision!: 'approve' | 'deny';
  @ListOf(OneOf.rule(grantableScopes), { min: 0, max: 21, unique: true }) scopes!: Scope[];
}

export class CommandLineByCode {
  /** As it was typed. */
  @Opaque(1, 40) userCode!: string;
}

export class DecideCommandLine extends CommandLineByCode {
  @OneOf(['approve', 'deny']) decision!: 'approve' | 'deny';
  @ListOf(OneOf.rule(grantableScopes), { min: 0, max: 21, unique: true }) scopes!: Scope[];
  @Optional() @Text(1, 80) name?: string;
  @About('90 days from now unless said, 366 at most.') @Optional() @Nullable() @When() expiresAt?:
    string | null;
}

const GrantableScope = named('GrantableScope', oneOf(grantableScopes));

export class GrantById {
  @Id('tok') id!: string;
}

export const ConsentDetails = resource(
  'ConsentDetails',
  {
    client: object({
      name: text(),
      host: nullable(text('The host of its metadata document; null for a registered client.')),
      redirectHost: text('Where the answer goes, with the port.'),
      loopback: bool(
        'The answer goes to a program on the computer of the person, which anybody can claim to be.',
      ),
    }),
    resource: uri('What the tokens are good for.'),
    account: object({ name: text(), email: text() }),
    scopes: list(
      object({
        scope: GrantableScope,
        basic: bool(),
        write: bool(),
        preselected: bool(),
      }),
    ),
  },
  'A client that asks for access to the account.',
);
export type ConsentDetails = Static<typeof ConsentDetails>;

export const OAuthGrant = resource(
  'OAuthGrant',
  {
    id: id('tok'),
    clientName: text(),
    clientHost: nullable(text()),
    resource: uri(),
    scopes: list(GrantableScope),
    createdAt: when(),
    lastUsedAt: nullable(when()),
  },
  'The access of a client, which a person has granted by OAuth.',
);
export type OAuthGrant = Static<typeof OAuthGrant>;

export const CommandLineDetails = resource(
  'CommandLineDetails',
  {
    client: text(),
    host: text('The machine, as the command line names it.'),
    scopes: list(GrantableScope),
    expiresAt: when('The end of its token, unless the person says another one.'),
  },
  'A command line that asks for an API token.',
);
export type CommandLineDetails = Static<typeof CommandLineDetails>;

/** The OAuth authorization server. */
export const OAuth = {
  serve: answers<OAuthResponse>()('accounts.oauth.serve', OAuthRequest, [
    'resource.limit_reached',
    'token.expiry_out_of_range',
  ]),
  showCommandLine: answers(CommandLineDetails)('accounts.oauth.show-command-line', CommandLineByCode, [
    'oauth.unknown_code',
    'password.too_many_failures',
  ]),
  decideCommandLine: answers(Ok)('accounts.oauth.decide-command-line', DecideCommandLine, [
    'oauth.unknown_code',
    'password.too_many_failures',
    'session.required',
    'session.reauth_required',
  ]),
  showInteraction: answers(ConsentDetails)(
    'accounts.oauth.show-interaction',
    InteractionByUid,
    ['oauth.unknown_interaction'],
    'always',
  ),
  decideInteraction: answers(object({ redirectTo: uri('Where the browser goes next.') }))(
    'accounts.oauth.decide-interaction',
    DecideInteraction,
    ['oauth.unknown_interaction', 'oauth.scope_not_requested', 'session.required', 'session.reauth_required'],
  ),
  listGrants: answers(object({ grants: list(OAuthGrant) }))(
    'accounts.oauth.list-grants',
    Nothing,
    [],
    'always',
  ),
  endGrant: answers(Ok)('accounts.oauth.end-grant', GrantById, ['token.not_found']),
};
