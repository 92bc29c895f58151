import {
  HostName,
  About,
  bool,
  Bool,
  id,
  Id,
  int,
  Link,
  list,
  ListOf,
  ListOfShapes,
  nullable,
  Nullable,
  object,
  oneOf,
  OneOf,
  Opaque,
  optional,
  Optional,
  resource,
  RouteName,
  type Static,
  text,
  Text,
  TunnelId,
  uri,
  when,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';

export const connectorStatuses = ['online', 'offline', 'unknown'] as const;
/** `unknown` before the first heartbeat, `offline` after 90 seconds without a heartbeat. */
export type ConnectorStatus = (typeof connectorStatuses)[number];

/** The interval at which the connector's program sends heartbeats. */
export const heartbeatIntervalSeconds = 30;

export const ConnectorRoute = resource('ConnectorRoute', {
  name: text('Unique in its connector.'),
  target: uri('The private address behind it, which Carillon never calls.'),
  url: uri('The public address: on the hostname of the connector, or below it.'),
  appId: optional(id('app')),
  enabled: optional(bool('Whether anybody is let in.')),
  callbackPaths: optional(
    list(text(), 'Public paths at and below which reply webhooks may deliver; absent where nowhere.'),
  ),
});
export type ConnectorRoute = Static<typeof ConnectorRoute>;

export const Connector = resource(
  'Connector',
  {
    id: id('con'),
    enabled: bool('While it is false nobody is let in; heartbeats are taken all the same.'),
    name: text(),
    tunnelId: text('What the provider of the tunnel calls it.'),
    hostname: text('Unique among the connectors that there are.'),
    routes: list(ConnectorRoute),
    status: oneOf(connectorStatuses, '`offline` when no heartbeat came for 90 seconds.'),
    lastSeenAt: nullable(when('When the last heartbeat came.')),
    teamId: nullable(id('team')),
    oncallGroupId: nullable(id('ocg')),
    createdAt: when(),
    updatedAt: when(),
    createdBy: nullable(id('usr')),
    agentVersion: nullable(text('As the last heartbeat that named one has it.')),
    secretRotatedAt: nullable(when()),
  },
  'What exposes a private HTTP service under a public hostname.',
);
export type Connector = Static<typeof Connector>;

export class NewConnectorRoute {
  @About('Unique in its connector.') @RouteName() name!: string;
  @About('The private address behind it. It is never called by Carillon.') @Link('web') target!: string;
  @About('On the hostname of the connector, or below it.') @Link('https') url!: string;
  @About('The web app that it serves.') @Optional() @Id('app') appId?: string;
  @About('True unless said.') @Optional() @Bool() enabled?: boolean;
  @About(
    'Public paths, at or below that of `url`, at and below which reply webhooks may deliver without a session. None unless said.',
  )
  @Optional()
  @ListOf(Opaque.rule(1, 500), { min: 0, max: 10, unique: true })
  callbackPaths?: string[];
}

const routeLimits = { min: 0, max: 50 };

export class RegisterConnector {
  @Text(1, 80) name!: string;
  @About('What the provider of the tunnel calls it.') @TunnelId() tunnelId!: string;
  @About('A name, without scheme, port or wildcard.') @HostName() hostname!: string;
  @Optional() @ListOfShapes(NewConnectorRoute, routeLimits) routes?: NewConnectorRoute[];
  @About('True unless said.') @Optional() @Bool() enabled?: boolean;
  @About('The team that it is to belong to; its admins only. It stays what it is.')
  @Optional()
  @Nullable()
  @Id('team')
  teamId?: string | null;
  @About('The on-call group to page when it goes offline.')
  @Optional()
  @Nullable()
  @Id('ocg')
  oncallGroupId?: string | null;
}

export class ListConnectors extends ListQuery {
  @About('Of this team only.') @Optional() @Id('team') teamId?: string;
  @Optional() @OneOf(connectorStatuses) status?: ConnectorStatus;
}

export class ConnectorById {
  @Id('con') id!: string;
}

export class ChangeConnector extends ConnectorById {
  @Optional() @Text(1, 80) name?: string;
  @About('Replace all existing routes.')
  @Optional()
  @ListOfShapes(NewConnectorRoute, routeLimits)
  routes?: NewConnectorRoute[];
  @Optional() @Nullable() @Id('ocg') oncallGroupId?: string | null;
  @Optional() @Bool() enabled?: boolean;
}

export class RotateConnectorSecret extends ConnectorById {
  @About('Ends the former secret at once; else it is good for another 24 hours.')
  @Optional()
  @Bool()
  revokeOld?: boolean;
}

export class RouteHealth {
  @RouteName() name!: string;
  @Bool() healthy!: boolean;
}

export class Heartbeat extends ConnectorById {
  @Optional() @Text(1, 40) agentVersion?: string;
  @About('Which of its routes answer.')
  @Optional()
  @ListOfShapes(RouteHealth, routeLimits)
  routes?: RouteHealth[];
}

const OneConnector = object({ connector: Connector });

const ConnectorWithSecret = object({
  connector: Connector,
  callbackSecret: text('What its callbacks are signed with: `whsec_` and base64. Shown at no other time.'),
});
export type ConnectorWithSecret = Static<typeof ConnectorWithSecret>;

const Beaten = object({
  connector: Connector,
  heartbeatIntervalSeconds: int('How often a heartbeat is to come.'),
});
export type Beaten = Static<typeof Beaten>;

const access = ['connector.unknown', 'team.forbidden_role'] as const;
const named = ['input.invalid', 'oncall_group.not_found', 'app.not_found'] as const;

export const Connectors = {
  list: answers<ListPage<Connector>>()(
    'connectors.connector.list',
    ListConnectors,
    ['list.invalid_cursor'],
    'always',
  ),
  register: answers(ConnectorWithSecret)('connectors.connector.register', RegisterConnector, [
    ...named,
    'team.not_found',
    'team.forbidden_role',
    'team.feature_unavailable',
    'hostname.taken',
    'resource.limit_reached',
  ]),
  get: answers(OneConnector)('connectors.connector.get', ConnectorById, access, 'always'),
  change: answers(OneConnector)('connectors.connector.change', ChangeConnector, [...access, ...named]),
  remove: answers(Ok)('connectors.connector.remove', ConnectorById, access),
  rotate: answers(ConnectorWithSecret)('connectors.connector.rotate', RotateConnectorSecret, access),
  heartbeat: answers(Beaten)('connectors.connector.heartbeat', Heartbeat, access, 'always'),
};
