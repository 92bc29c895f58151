import type { Instant } from '@carillon/eventing';

/** Stream `connector-<tail of the id>`; sealed with the key of its account, or of its team. */
export type ConnectorEvent =
  | ConnectorRegistered
  | ConnectorChanged
  | ConnectorSecretRotated
  | ConnectorRemoved
  | ConnectorCameOnline
  | ConnectorAgentChanged
  | ConnectorWentOffline
  | ConnectorPaged
  | ConnectorPageResolved;

/** Identifies the connector. */
interface OfConnector {
  readonly connectorId: string;
  /** The account that registered the connector. */
  readonly accountId: string;
  /** The team of the connector; null for the account's own. */
  readonly teamId: string | null;
}

/** A public address on the hostname, and its target. */
export interface ConnectorRouteFact {
  readonly name: string;
  readonly target: string;
  readonly url: string;
  readonly appId: string | null;
  readonly enabled: boolean;
  /** Paths at and below which callbacks are accepted; absent if none. */
  readonly callbackPaths?: readonly string[];
}

/** The on-call group that is paged when the connector goes offline. */
export interface ConnectorDuty {
  readonly groupId: string;
  readonly teamId: string;
}

export interface ConnectorRegistered extends OfConnector {
  readonly type: 'ConnectorRegistered';
  readonly name: string | null;
  readonly tunnelId: string | null;
  readonly hostname: string | null;
  readonly routes: readonly ConnectorRouteFact[] | null;
  readonly enabled: boolean;
  readonly oncall: ConnectorDuty | null;
  /** Sealed with the installation's keys. */
  readonly sealedSecret: string | null;
  readonly registeredAt: Instant;
}

/** The settings of a connector that can be changed. */
export interface ConnectorSettings {
  readonly name: string;
  readonly routes: readonly ConnectorRouteFact[];
  readonly oncall: ConnectorDuty | null;
  readonly enabled: boolean;
}

export interface ConnectorChanged extends OfConnector {
  readonly type: 'ConnectorChanged';
  /** The changed fields only. */
  readonly changes: Partial<ConnectorSettings> | null;
  /** The former values of the same fields. */
  readonly former: Partial<ConnectorSettings> | null;
  /** Other than `person`: the on-call group was unset because it was deleted, or because the account left its team. */
  readonly reason: 'person' | 'group_deleted' | 'team_left';
  readonly changedAt: Instant;
}

export interface ConnectorSecretRotated extends OfConnector {
  readonly type: 'ConnectorSecretRotated';
  readonly sealedSecret: string | null;
  /** The time until which the former secret stays valid; null if it ended at once. */
  readonly formerUntil: Instant | null;
  readonly rotatedAt: Instant;
}

export interface ConnectorRemoved extends OfConnector {
  readonly type: 'ConnectorRemoved';
  readonly name: string | null;
  readonly reason: 'person' | 'team_deleted' | 'never_made';
  readonly removedAt: Instant;
}

/** The first heartbeat ever, or the first after the connector was offline, was received. */
export interface ConnectorCameOnline extends OfConnector {
  readonly type: 'ConnectorCameOnline';
  readonly agentVersion: string | null;
  readonly cameOnlineAt: Instant;
}

/** The version of the connector's program changed. */
export interface ConnectorAgentChanged extends OfConnector {
  readonly type: 'ConnectorAgentChanged';
  readonly agentVersion: string;
  readonly changedAt: Instant;
}

/** No heartbeat came for 90 seconds, in which the service was able to receive one. */
export interface ConnectorWentOffline extends OfConnector {
  readonly type: 'ConnectorWentOffline';
  /** The number of the outage, beginning with 1. */
  readonly outage: number;
  /** The on-call group to page. */
  readonly oncall: ConnectorDuty | null;
  readonly lastSeenAt: Instant;
  readonly wentOfflineAt: Instant;
}

/** The on-call group was paged because of the outage. */
export interface ConnectorPaged extends OfConnector {
  readonly type: 'ConnectorPaged';
  readonly outage: number;
  /** Null if the group was deleted by then. */
  readonly pageId: string | null;
  readonly pagedAt: Instant;
}

/** The page of an ended outage was resolved. */
export interface ConnectorPageResolved extends OfConnector {
  readonly type: 'ConnectorPageResolved';
  readonly outage: number;
  readonly pageId: string;
  readonly resolvedAt: Instant;
}

/** Stream `connector_hostname-<hash of the hostname>`: the connector that has the hostname, or had it last. */
export interface ConnectorHostnameClaimed {
  readonly type: 'ConnectorHostnameClaimed';
  readonly connectorId: string;
  readonly accountId: string;
  readonly teamId: string | null;
  readonly claimedAt: Instant;
}
