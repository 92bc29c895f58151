import type {
  ConnectorDuty,
  ConnectorEvent,
  ConnectorRouteFact,
  ConnectorSettings,
  ConnectorStatus,
} from '@carillon/contracts';
import { type Decider, type Instant, isBefore, Refused } from '@carillon/eventing';

/** Null before the connector was registered. */
export type ConnectorState = ConnectorFacts | FormerConnector | null;

export interface ConnectorFacts extends ConnectorSettings {
  readonly id: string;
  /** The account that registered the connector. */
  readonly accountId: string;
  /** The team that owns the connector; null when the account owns it. */
  readonly teamId: string | null;
  readonly isRemoved: false;
  readonly tunnelId: string;
  readonly hostname: string;
  readonly sealedSecret: string;
  /** Former secrets that still sign callbacks, the newest first. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly secretRotatedAt: Instant | null;
  readonly status: ConnectorStatus;
  /** The number of times the connector went offline. */
  readonly outages: number;
  /** The outages that still need a page or a resolution, the oldest first. */
  readonly untold: readonly Untold[];
  readonly agentVersion: string | null;
  /** The last heartbeat in the log; later heartbeats are in the row only. */
  readonly heardAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A connector that was removed, or whose text was lost with the key of its account or team. */
export interface FormerConnector extends Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId' | 'untold'> {
  readonly isRemoved: true;
  /** Null where its text was lost with the key. */
  readonly removedAt: Instant | null;
}

export interface FormerSecret {
  readonly sealed: string;
  readonly until: Instant;
}

/** An outage for which a group must be paged, or whose page must be resolved once the outage is over. */
export interface Untold {
  readonly outage: number;
  readonly oncall: ConnectorDuty;
  /** Null before the group was paged. */
  readonly pageId: string | null;
  readonly isOver: boolean;
}

/** Bounds the list of signatures under frequent rotations. */
const maxFormerSecrets = 3;

export const connector: Decider<ConnectorState, ConnectorEvent> = {
  category: 'connector',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'ConnectorRegistered': {
        const { connectorId: id, accountId, teamId, name, tunnelId, hostname, routes, sealedSecret } = event;
        if (name === null || tunnelId === null || hostname === null || !routes || sealedSecret === null)
          return { id, accountId, teamId, untold: [], isRemoved: true, removedAt: null };
        return {
          id,
          accountId,
          teamId,
          isRemoved: false,
          name,
          tunnelId,
          hostname,
          routes,
          enabled: event.enabled,
          oncall: event.oncall,
          sealedSecret,
          formerSecrets: [],
          secretRotatedAt: null,
          status: 'unknown',
          outages: 0,
          untold: [],
          agentVersion: null,
          heardAt: null,
          createdAt: event.registeredAt,
          updatedAt: event.registeredAt,
        };
      }
      case 'ConnectorChanged':
        return isThere(state) ? { ...state, ...event.changes, updatedAt: event.changedAt } : state;
      case 'ConnectorSecretRotated': {
        if (!isThere(state)) return state;
        const { sealedSecret, formerUntil, rotatedAt } = event;
        const former = formerUntil === null ? [] : [{ sealed: state.sealedSecret, until: formerUntil }];
        return {
          ...state,
          sealedSecret: sealedSecret ?? state.sealedSecret,
          formerSecrets:
            formerUntil === null ? [] : [...former, ...state.formerSecrets].slice(0, maxFormerSecrets),
          secretRotatedAt: rotatedAt,
          updatedAt: rotatedAt,
        };
      }
      case 'ConnectorRemoved': {
        const { connectorId: id, accountId, teamId, removedAt } = event;
        return { id, accountId, teamId, isRemoved: true, removedAt, untold: over(state?.untold ?? []) };
      }
      case 'ConnectorCameOnline':
        return isThere(state)
          ? {
              ...state,
              status: 'online',
              agentVersion: event.agentVersion ?? state.agentVersion,
              heardAt: event.cameOnlineAt,
              untold: over(state.untold),
            }
          : state;
      case 'ConnectorAgentChanged':
        return isThere(state)
          ? { ...state, agentVersion: event.agentVersion, heardAt: event.changedAt }
          : state;
      case 'ConnectorWentOffline': {
        if (!isThere(state)) return state;
        const { outage, oncall, lastSeenAt } = event;
        const untold: readonly Untold[] = oncall ? [{ outage, oncall, pageId: null, isOver: false }] : [];
        return {
          ...state,
          status: 'offline',
          outages: outage,
          heardAt: lastSeenAt,
          untold: [...state.untold, ...untold],
        };
      }
      case 'ConnectorPaged': {
        const { outage, pageId } = event;
        // Without a page there is nothing to resolve.
        return (
          state && {
            ...state,
            untold: state.untold.flatMap((each) =>
              each.outage !== outage ? [each] : pageId === null ? [] : [{ ...each, pageId }],
            ),
          }
        );
      }
      case 'ConnectorPageResolved':
        return state && { ...state, untold: state.untold.filter(({ outage }) => outage !== event.outage) };
    }
  },
  // The secrets are sealed with the installation's keys already; with the account's key gone they are lost for good.
  personal: {
    ConnectorRegistered: ['name', 'tunnelId', 'hostname', 'routes', 'sealedSecret'],
    ConnectorChanged: ['changes', 'former'],
    ConnectorSecretRotated: ['sealedSecret'],
    ConnectorRemoved: ['name'],
    ConnectorCameOnline: [],
    ConnectorAgentChanged: [],
    ConnectorWentOffline: [],
    ConnectorPaged: [],
    ConnectorPageResolved: [],
  },
};

const over = (untold: readonly Untold[]): readonly Untold[] =>
  untold.map((each) => ({ ...each, isOver: true }));

export const isThere = (state: ConnectorState): state is ConnectorFacts => state?.isRemoved === false;

/** Which connector an event is about. */
export const ofConnector = ({
  id,
  accountId,
  teamId,
}: Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId'>) => ({
  connectorId: id,
  accountId,
  teamId,
});

/** The sealed secrets that sign callbacks now, the newest first. */
export const secretsAt = (of: ConnectorFacts, at: Instant): readonly string[] => [
  of.sealedSecret,
  ...of.formerSecrets.filter(({ until }) => isBefore(at, until)).map(({ sealed }) => sealed),
];

/** The route of this name. Refused `route_name.not_found` when there is none. */
export function routeOf({ routes }: Pick<ConnectorFacts, 'routes'>, name: string): ConnectorRouteFact {
  const route = routes.find((each) => each.name === name);
  if (!route) throw new Refused('route_name.not_found');
  return route;
}

/** Refused `connector.disabled` unless the connector, and the route if given, is enabled. */
export function insistOnEnabled(
  { enabled }: Pick<ConnectorFacts, 'enabled'>,
  route: Pick<ConnectorRouteFact, 'enabled'> = { enabled: true },
): void {
  if (!enabled || !route.enabled) throw new Refused('connector.disabled');
}

/** What was just made or changed. */
export function existing(state: ConnectorState): ConnectorFacts {
  if (!isThere(state)) throw new Error('A connector was changed without a trace');
  return state;
}
