import type { ConnectorEvent } from '@carillon/contracts';
import { type Decision, type Instant, isAfter, isBefore, millis, plus } from '@carillon/eventing';
import { type ConnectorRequest, managed } from './access';
import { type ConnectorState, isThere, ofConnector } from './connector';

/** A connector is offline after this time without a heartbeat. */
export const silenceMs = 90_000;

export interface Beat extends ConnectorRequest {
  readonly agentVersion: string | null;
}

/** Records a heartbeat. Only changes of status or agent version are events; the time of the heartbeat is in its row. */
export const beat: Decision<ConnectorState, ConnectorEvent, Beat> =
  ({ agentVersion, ...asked }) =>
  (state) => {
    const found = managed(state, asked);
    if (found.status !== 'online')
      return [{ type: 'ConnectorCameOnline', ...ofConnector(found), agentVersion, cameOnlineAt: asked.at }];
    if (agentVersion === null || agentVersion === found.agentVersion) return [];
    return [{ type: 'ConnectorAgentChanged', ...ofConnector(found), agentVersion, changedAt: asked.at }];
  };

/** Brings a connector back online whose heartbeat came just as it went offline. */
export const hearAgain: Decision<ConnectorState, ConnectorEvent, { readonly seenAt: Instant }> =
  ({ seenAt }) =>
  (state) =>
    isThere(state) && state.status === 'offline' && state.heardAt !== null && isBefore(state.heardAt, seenAt)
      ? [
          {
            type: 'ConnectorCameOnline',
            ...ofConnector(state),
            agentVersion: state.agentVersion,
            cameOnlineAt: seenAt,
          },
        ]
      : [];

/** When a connector last seen at that time goes offline, given the start of gapless listening. */
export const offlineAt = (lastSeenAt: Instant, listeningSince: Instant): Instant =>
  plus(millis(lastSeenAt) > millis(listeningSince) ? lastSeenAt : listeningSince, silenceMs);

/** Marks a silent connector as offline. A repeat does nothing. */
export const goOffline: Decision<
  ConnectorState,
  ConnectorEvent,
  { readonly lastSeenAt: Instant; readonly at: Instant }
> =
  ({ lastSeenAt, at }) =>
  (state) =>
    // A newer heartbeat in the log prevents it.
    isThere(state) && state.status === 'online' && !isAfter(state.heardAt ?? lastSeenAt, lastSeenAt)
      ? [
          {
            type: 'ConnectorWentOffline',
            ...ofConnector(state),
            outage: state.outages + 1,
            oncall: state.oncall,
            lastSeenAt,
            wentOfflineAt: at,
          },
        ]
      : [];
