import type { Connector as Shown, ConnectorRouteFact } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import type { Connector } from './connector';

export const shownRoutes = (routes: readonly ConnectorRouteFact[]): Shown['routes'] =>
  routes.map(({ name, target, url, appId, enabled, callbackPaths }) => ({
    name,
    target,
    url,
    ...(appId !== null && { appId }),
    enabled,
    ...(callbackPaths && { callbackPaths: [...callbackPaths] }),
  }));

/** The connector as the API shows it. */
export const shown = (found: Connector, lastSeenAt: Instant | null): Shown => ({
  id: found.id,
  enabled: found.enabled,
  name: found.name,
  tunnelId: found.tunnelId,
  hostname: found.hostname,
  routes: shownRoutes(found.routes),
  status: found.status,
  lastSeenAt,
  teamId: found.teamId,
  oncallGroupId: found.oncall?.groupId ?? null,
  createdAt: found.createdAt,
  updatedAt: found.updatedAt,
  createdBy: found.accountId,
  agentVersion: found.agentVersion,
  secretRotatedAt: found.secretRotatedAt,
});
