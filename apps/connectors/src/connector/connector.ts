import type {
  ConnectorDuty,
  ConnectorEvent,
  ConnectorRouteFact,
  ConnectorSettings,
  ConnectorStatus,
} from '@carillon/contracts';
import { type Decider, type Instant, isBefore, Refused } from '@carillon/eventing';

/** Null before it was registered. */
export type ConnectorState = ConnectorFacts | FormerConnector | null;

export interface ConnectorFacts extends ConnectorSettings {
  readonly id: string;
  /** Who has registered it. */
  readonly accountId: string;
  /** The team that it belongs to; null for one of the account's own. */
  readonly teamId: string | null;
  readonly isRemoved: false;
  readonly tunnelId: string;
  readonly hostname: string;
  readonly sealedSecret: string;
  /** Secrets that callbacks still carry a signature of, the newest first. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly secretRotatedAt: Instant | null;
  readonly status: ConnectorStatus;
  /** How often it was offline. */
  readonly outages: number;
  /** The outages that on-call groups still have to hear something of, the oldest first. */
  readonly untold: readonly Untold[];
  readonly agentVersion: string | null;
  /** When the log knows it to have been heard of; a heartbeat since then is in its row alone. */
  readonly heardAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** One that was removed, or whose text is gone with the key of its account or team. */
export interface FormerConnector extends Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId' | 'untold'> {
  readonly isRemoved: true;
  /** Null where its text went with the key. */
  readonly removedAt: Instant | null;
}

export interface FormerSecret {
  readonly sealed: string;
  readonly until: Instant;
}

/** An outage of which a group is to be paged, or whose page is to be resolved once it is over. */
export interface Untold {
  readonly outage: number;
  readonly oncall: ConnectorDuty;
  /** Null before the group was paged. */
  readonly pageId: string | null;
  readonly isOver: boolean;
}

/** Who rotates often must not make the list of signatures longer and longer. */
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
        // Where nobody was paged there is nothing to resolve.
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

/** The sealed secrets that callbacks are signed with at this moment, the newest first. */
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

/** Refused `connector.disabled` unless people are let in, through this route where one is given. */
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
