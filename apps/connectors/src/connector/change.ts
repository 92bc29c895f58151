import type { ConnectorEvent, ConnectorSettings } from '@carillon/contracts';
import { type Decision, type Instant, plus } from '@carillon/eventing';
import { type ConnectorRequest, managed } from './access';
import { type ConnectorFacts, type ConnectorState, isThere, ofConnector } from './connector';

/** How long a rotated secret still signs callbacks. */
const formerSecretMs = 24 * 60 * 60 * 1000;

export interface ConnectorChange extends ConnectorRequest {
  readonly changes: Partial<ConnectorSettings>;
}

export const change: Decision<ConnectorState, ConnectorEvent, ConnectorChange> =
  ({ changes, ...asked }) =>
  (state) =>
    changed(managed(state, asked), changes, 'person', asked.at);

/** Unlinks an on-call group that was deleted, or whose team the owner has left. */
export const release: Decision<
  ConnectorState,
  ConnectorEvent,
  { readonly groupId: string; readonly reason: 'group_deleted' | 'team_left'; readonly at: Instant }
> =
  ({ groupId, reason, at }) =>
  (state) =>
    isThere(state) && state.oncall?.groupId === groupId ? changed(state, { oncall: null }, reason, at) : [];

function changed(
  found: ConnectorFacts,
  { name, routes, oncall, enabled }: Partial<ConnectorSettings>,
  reason: 'person' | 'group_deleted' | 'team_left',
  at: Instant,
): readonly ConnectorEvent[] {
  const { name: oldName, routes: oldRoutes, oncall: oldOncall, enabled: oldEnabled } = found;
  const renames = name !== undefined && name !== oldName;
  const reroutes = routes !== undefined && JSON.stringify(routes) !== JSON.stringify(oldRoutes);
  const pages = oncall !== undefined && oncall?.groupId !== oldOncall?.groupId;
  const switches = enabled !== undefined && enabled !== oldEnabled;
  if (!renames && !reroutes && !pages && !switches) return [];
  return [
    {
      type: 'ConnectorChanged',
      ...ofConnector(found),
      changes: {
        ...(renames && { name }),
        ...(reroutes && { routes }),
        ...(pages && { oncall }),
        ...(switches && { enabled }),
      },
      former: {
        ...(renames && { name: oldName }),
        ...(reroutes && { routes: oldRoutes }),
        ...(pages && { oncall: oldOncall }),
        ...(switches && { enabled: oldEnabled }),
      },
      reason,
      changedAt: at,
    },
  ];
}

export interface ConnectorSecretRotation extends ConnectorRequest {
  readonly sealedSecret: string;
  readonly revokeOld: boolean;
}

/** Replaces the secret. A repeat with the same secret does nothing. */
export const rotate: Decision<ConnectorState, ConnectorEvent, ConnectorSecretRotation> =
  ({ sealedSecret, revokeOld, ...asked }) =>
  (state) => {
    const found = managed(state, asked);
    if (found.sealedSecret === sealedSecret) return [];
    return [
      {
        type: 'ConnectorSecretRotated',
        ...ofConnector(found),
        sealedSecret,
        formerUntil: revokeOld ? null : plus(asked.at, formerSecretMs),
        rotatedAt: asked.at,
      },
    ];
  };

/** A second removal is refused, as there is nothing to remove. */
export const remove: Decision<ConnectorState, ConnectorEvent, ConnectorRequest> = (asked) => (state) => [
  removed(managed(state, asked), 'person', asked.at),
];

/** Removes a connector whose team was deleted. */
export const removeWithTeam: Decision<ConnectorState, ConnectorEvent, { readonly at: Instant }> =
  ({ at }) =>
  (state) =>
    isThere(state) && state.teamId !== null ? [removed(state, 'team_deleted', at)] : [];

const removed = (found: ConnectorFacts, reason: 'person' | 'team_deleted', at: Instant): ConnectorEvent => ({
  type: 'ConnectorRemoved',
  ...ofConnector(found),
  name: found.name,
  reason,
  removedAt: at,
});
