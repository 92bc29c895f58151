import type { ConnectorEvent } from '@carillon/contracts';
import { type Decision, type Instant, isAfter, isBefore, millis, plus } from '@carillon/eventing';
import { type ConnectorRequest, managed } from './access';
import { type ConnectorState, isThere, ofConnector } from './connector';

/** Without a heartbeat for so long a connector is offline. */
export const silenceMs = 90_000;

export interface Beat extends ConnectorRequest {
  readonly agentVersion: string | null;
}

/** A heartbeat. The log hears of what changes with it; that it came is in its row. */
export const beat: Decision<ConnectorState, ConnectorEvent, Beat> =
  ({ agentVersion, ...asked }) =>
  (state) => {
    const found = managed(state, asked);
    if (found.status !== 'online')
      return [{ type: 'ConnectorCameOnline', ...ofConnector(found), agentVersion, cameOnlineAt: asked.at }];
    if (agentVersion === null || agentVersion === found.agentVersion) return [];
    return [{ type: 'ConnectorAgentChanged', ...ofConnector(found), agentVersion, changedAt: asked.at }];
  };

/** It was heard of after all, just as it was taken for offline. */
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

/** When what was last seen then is offline, if we have listened since then without a gap. */
export const offlineAt = (lastSeenAt: Instant, listeningSince: Instant): Instant =>
  plus(millis(lastSeenAt) > millis(listeningSince) ? lastSeenAt : listeningSince, silenceMs);

/** Nothing came for so long. Asked once more it is offline already. */
export const goOffline: Decision<
  ConnectorState,
  ConnectorEvent,
  { readonly lastSeenAt: Instant; readonly at: Instant }
> =
  ({ lastSeenAt, at }) =>
  (state) =>
    // What the log has heard since then counts.
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
