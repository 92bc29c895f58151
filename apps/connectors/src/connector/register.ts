import type { ConnectorEvent, ConnectorSettings } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { type ConnectorFacts, type ConnectorState, isThere } from './connector';

export interface Registration
  extends ConnectorSettings, Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId' | 'tunnelId' | 'hostname'> {
  readonly sealedSecret: string;
  readonly at: Instant;
}

/** Refused `hostname.taken` when the claim expired and another connector took the hostname. */
export const register: Decision<ConnectorState, ConnectorEvent, Registration> =
  ({ id, accountId, teamId, name, tunnelId, hostname, routes, enabled, oncall, sealedSecret, at }) =>
  (state) => {
    if (isThere(state)) return [];
    if (state) throw new Refused('hostname.taken');
    return [
      {
        type: 'ConnectorRegistered',
        connectorId: id,
        accountId,
        teamId,
        name,
        tunnelId,
        hostname,
        routes,
        enabled,
        oncall,
        sealedSecret,
        registeredAt: at,
      },
    ];
  };

interface Unmade extends Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId'> {
  readonly at: Instant;
}

/** Gives up a connector that has claimed its hostname but never registered. It cannot register afterwards. */
export const giveUp: Decision<ConnectorState, ConnectorEvent, Unmade> =
  ({ id, accountId, teamId, at }) =>
  (state) =>
    state
      ? []
      : [
          {
            type: 'ConnectorRemoved',
            connectorId: id,
            accountId,
            teamId,
            name: null,
            reason: 'never_made',
            removedAt: at,
          },
        ];
