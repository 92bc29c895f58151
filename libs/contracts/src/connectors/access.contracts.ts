import {
  About,
  bool,
  EitherOr,
  either,
  exactly,
  Id,
  id,
  list,
  ListOfShapes,
  nullable,
  object,
  oneOf,
  Opaque,
  Optional,
  optional,
  resource,
  RouteName,
  type Static,
  text,
  uri,
  when,
} from '@carillon/schema';
import { answers } from '../contract';

export class IssuePass {
  @Id('app') id!: string;
  @Id('con') connectorId!: string;
  @About('The name of a route of the connector that leads to the app.')
  @RouteName()
  route!: string;
}

export const IssuedPass = object({
  pass: text('Good for one use. Shown at no other time.'),
  url: uri('Where to open the app: the address of the route with the pass in it.'),
  expiresAt: when('A minute from now.'),
});
export type IssuedPass = Static<typeof IssuedPass>;

@EitherOr('pass', 'session')
export class GrantAccess {
  @Id('con') id!: string;
  @About('What the visitor came with. Spent by this. Either this or `session`.')
  @Optional()
  @Opaque(1, 256)
  pass?: string;
  @About('What an earlier pass was turned into. Either this or `pass`.')
  @Optional()
  @Opaque(1, 256)
  session?: string;
  @About('The name of the route that the visitor wants.')
  @RouteName()
  route!: string;
  @About('Of the request of the visitor. Nothing hangs on it.')
  @Optional()
  @Opaque(1, 10)
  method?: string;
  @About('Of the request of the visitor, cut to 2048 characters. Nothing hangs on it.')
  @Optional()
  @Opaque(0, 2048)
  path?: string;
}

export const AccessGranted = resource(
  'AccessGranted',
  {
    allowed: exactly(true),
    session: text('A new one for a pass, the same one for a session.'),
    sessionExpiresAt: when('At the latest; half an hour without a request ends it before.'),
    user: object({
      id: id('usr'),
      name: optional(text('Only as the person has agreed to at this moment.')),
      email: optional(
        text(
          'Only as the person has agreed to at this moment. Anybody may write any address into their profile: check `emailVerified` before you decide by it.',
        ),
      ),
      emailVerified: optional(bool('With `email`: whether it is known to be the person’s own.')),
    }),
    appId: nullable(id('app')),
    route: text(),
    target: uri('Where the request belongs.'),
  },
  'A visitor may come in, as it is at this moment.',
);
export type AccessGranted = Static<typeof AccessGranted>;

export class SessionOfRoute {
  @About('What a pass was turned into.')
  @Opaque(1, 256)
  session!: string;
  @About('The name of the route that it is for.')
  @RouteName()
  route!: string;
}

export class RevalidateAccess {
  @Id('con') id!: string;
  @About('Each is answered for itself.')
  @ListOfShapes(SessionOfRoute, { min: 1, max: 50 })
  sessions!: SessionOfRoute[];
}

/** What is told of a session that nobody may go on with. */
export const sessionRefusals = {
  'gateway_session.invalid': 'SESSION_INVALID',
  'connector.disabled': 'CONNECTOR_DISABLED',
  'route_name.not_found': 'ROUTE_NAME_NOT_FOUND',
} as const;

const AccessRefused = object({
  allowed: exactly(false),
  code: oneOf(
    Object.values(sessionRefusals),
    'What the question about this session alone would be refused with.',
  ),
});

export const Revalidated = object({
  sessions: list(either(AccessGranted, AccessRefused), 'As many as were asked about, in the same order.'),
});
export type Revalidated = Static<typeof Revalidated>;

export const Passes = {
  issue: answers(IssuedPass)(
    'connectors.pass.issue',
    IssuePass,
    ['app.unknown', 'route_name.not_found', 'connector.disabled', 'consent.required'],
    'always',
  ),
};

/** For calls with the token of the connector's operator. */
export const VisitorAccess = {
  grant: answers(AccessGranted)(
    'connectors.access.grant',
    GrantAccess,
    [
      'input.invalid',
      'connector.unknown',
      'team.forbidden_role',
      'route_name.not_found',
      'connector.disabled',
      'pass.invalid',
      'gateway_session.invalid',
    ],
    'always',
  ),
  revalidate: answers(Revalidated)(
    'connectors.access.revalidate',
    RevalidateAccess,
    ['connector.unknown', 'team.forbidden_role'],
    'always',
  ),
};
