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

/** Which connector this is. */
interface OfConnector {
  readonly connectorId: string;
  /** Who has registered it. */
  readonly accountId: string;
  /** The team that it belongs to; null for one of the account's own. */
  readonly teamId: string | null;
}

/** A public address on the hostname, and what stands behind it. */
export interface ConnectorRouteFact {
  readonly name: string;
  readonly target: string;
  readonly url: string;
  readonly appId: string | null;
  readonly enabled: boolean;
  /** At and below which callbacks are taken; absent where nowhere. */
  readonly callbackPaths?: readonly string[];
}

/** Whom its going offline pages. */
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

/** What may be changed of a connector. */
export interface ConnectorSettings {
  readonly name: string;
  readonly routes: readonly ConnectorRouteFact[];
  readonly oncall: ConnectorDuty | null;
  readonly enabled: boolean;
}

export interface ConnectorChanged extends OfConnector {
  readonly type: 'ConnectorChanged';
  /** What is absent stayed as it was. */
  readonly changes: Partial<ConnectorSettings> | null;
  /** The same fields as they were. */
  readonly former: Partial<ConnectorSettings> | null;
  /** A group that is gone is let go of by itself, or one of a team that the account has left. */
  readonly reason: 'person' | 'group_deleted' | 'team_left';
  readonly changedAt: Instant;
}

export interface ConnectorSecretRotated extends OfConnector {
  readonly type: 'ConnectorSecretRotated';
  readonly sealedSecret: string | null;
  /** Until when the former secret is good too; null when it was ended at once. */
  readonly formerUntil: Instant | null;
  readonly rotatedAt: Instant;
}

export interface ConnectorRemoved extends OfConnector {
  readonly type: 'ConnectorRemoved';
  readonly name: string | null;
  readonly reason: 'person' | 'team_deleted' | 'never_made';
  readonly removedAt: Instant;
}

/** A heartbeat came, the first one or the first after it was offline. */
export interface ConnectorCameOnline extends OfConnector {
  readonly type: 'ConnectorCameOnline';
  readonly agentVersion: string | null;
  readonly cameOnlineAt: Instant;
}

/** The program at its end is another version. */
export interface ConnectorAgentChanged extends OfConnector {
  readonly type: 'ConnectorAgentChanged';
  readonly agentVersion: string;
  readonly changedAt: Instant;
}

/** No heartbeat came for 90 seconds in which one would have been heard. */
export interface ConnectorWentOffline extends OfConnector {
  readonly type: 'ConnectorWentOffline';
  /** 1 for the first time that it is offline. */
  readonly outage: number;
  /** Whom it pages. */
  readonly oncall: ConnectorDuty | null;
  readonly lastSeenAt: Instant;
  readonly wentOfflineAt: Instant;
}

/** The on-call group was paged that it is offline. */
export interface ConnectorPaged extends OfConnector {
  readonly type: 'ConnectorPaged';
  readonly outage: number;
  /** Null when the group was gone by then. */
  readonly pageId: string | null;
  readonly pagedAt: Instant;
}

/** The page of an outage that is over was resolved. */
export interface ConnectorPageResolved extends OfConnector {
  readonly type: 'ConnectorPageResolved';
  readonly outage: number;
  readonly pageId: string;
  readonly resolvedAt: Instant;
}

/** Stream `connector_hostname-<hash of the hostname>`: who has it, or had it last. */
export interface ConnectorHostnameClaimed {
  readonly type: 'ConnectorHostnameClaimed';
  readonly connectorId: string;
  readonly accountId: string;
  readonly teamId: string | null;
  readonly claimedAt: Instant;
}
