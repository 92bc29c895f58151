import { count, flag, id, instant, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type { ConnectorEvent, ConnectorHostnameClaimed } from './connectors.events';

const ofConnector = { connectorId: id, accountId: id, teamId: nullable(id) };

export const connectorPublications: Publications<ConnectorEvent | ConnectorHostnameClaimed> = {
  ConnectorRegistered: {
    name: 'connectors.connector.registered',
    id: 'connectorId',
    time: 'registeredAt',
    summary: 'A connector was registered.',
    data: { ...ofConnector, enabled: flag, registeredAt: instant },
  },
  ConnectorChanged: {
    name: 'connectors.connector.changed',
    id: 'connectorId',
    time: 'changedAt',
    summary: 'A connector was changed by a person, or has lost its on-call group.',
    data: {
      ...ofConnector,
      reason: oneOf('person', 'group_deleted', 'team_left'),
      changedAt: instant,
    },
  },
  ConnectorSecretRotated: {
    name: 'connectors.connector.rotated',
    id: 'connectorId',
    time: 'rotatedAt',
    summary: 'The callbacks of a connector are signed with another secret.',
    data: { ...ofConnector, formerUntil: nullable(instant), rotatedAt: instant },
  },
  ConnectorRemoved: {
    name: 'connectors.connector.removed',
    id: 'connectorId',
    time: 'removedAt',
    summary: 'A connector was removed: by a person, with its team, or because it never came to be.',
    data: {
      ...ofConnector,
      reason: oneOf('person', 'team_deleted', 'never_made'),
      removedAt: instant,
    },
  },
  ConnectorCameOnline: {
    name: 'connectors.connector.online',
    id: 'connectorId',
    time: 'cameOnlineAt',
    summary: 'A connector has sent its first heartbeat, or the first after it was offline.',
    data: { ...ofConnector, cameOnlineAt: instant },
  },
  ConnectorAgentChanged: unpublished,
  ConnectorWentOffline: {
    name: 'connectors.connector.offline',
    id: 'connectorId',
    time: 'wentOfflineAt',
    summary: 'No heartbeat of a connector came for 90 seconds.',
    data: { ...ofConnector, outage: count, lastSeenAt: instant, wentOfflineAt: instant },
  },
  ConnectorPaged: unpublished,
  ConnectorPageResolved: unpublished,
  ConnectorHostnameClaimed: unpublished,
};
