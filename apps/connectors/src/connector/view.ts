import type { Connector as Shown, ConnectorRouteFact, ConnectorStatus } from '@carillon/contracts';
import { type Instant, millis } from '@carillon/eventing';
import type { ConnectorFacts } from './connector';
import { silenceMs } from './heartbeat';

export const routeViews = (routes: readonly ConnectorRouteFact[]): Shown['routes'] =>
  routes.map(({ name, target, url, appId, enabled, callbackPaths }) => ({
    name,
    target,
    url,
    ...(appId !== null && { appId }),
    enabled,
    ...(callbackPaths && { callbackPaths: [...callbackPaths] }),
  }));

/**
 * The current status of a connector: offline after 90 seconds without a heartbeat, even while there is no event and no
 * page yet because heartbeats could not be received.
 */
export const statusAt = (
  status: ConnectorStatus,
  lastSeenAt: Instant | null,
  at: Instant,
): ConnectorStatus =>
  status === 'online' && lastSeenAt !== null && millis(at) - millis(lastSeenAt) >= silenceMs
    ? 'offline'
    : status;

/** The connector as the API shows it. */
export const connectorView = (found: ConnectorFacts, lastSeenAt: Instant | null, at: Instant): Shown => ({
  id: found.id,
  enabled: found.enabled,
  name: found.name,
  tunnelId: found.tunnelId,
  hostname: found.hostname,
  routes: routeViews(found.routes),
  status: statusAt(found.status, lastSeenAt, at),
  lastSeenAt,
  teamId: found.teamId,
  oncallGroupId: found.oncall?.groupId ?? null,
  createdAt: found.createdAt,
  updatedAt: found.updatedAt,
  createdBy: found.accountId,
  agentVersion: found.agentVersion,
  secretRotatedAt: found.secretRotatedAt,
});
