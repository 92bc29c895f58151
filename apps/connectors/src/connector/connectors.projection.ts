import type { Streams } from '@carillon/contracts';
import { type EventsOf, ignoring, type On, Projection } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'connector'>;
const ignored = ignoring('ConnectorPaged', 'ConnectorPageResolved');

/** The connectors that there are, without their secrets. */
@Injectable()
export class ConnectorsProjection extends Projection<Followed> {
  readonly name = 'connectors';
  readonly tables = ['connectors'];
  readonly on: On<Followed> = {
    connector: {
      ...ignored,
      ConnectorRegistered: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO connectors (connector_id, account_id, team_id, name, tunnel_id, hostname, routes, enabled,
             oncall_group_id, status, created_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, 'unknown', $10, $10)`,
          [
            event.connectorId,
            event.accountId,
            event.teamId,
            event.name,
            event.tunnelId,
            event.hostname,
            JSON.stringify(event.routes),
            event.enabled,
            event.oncall?.groupId ?? null,
            event.registeredAt,
          ],
        );
      },
      ConnectorChanged: async (sql, { event }) => {
        const { name, routes, oncall, enabled } = event.changes ?? {};
        await sql.query(
          `UPDATE connectors SET updated_at = $2,
             name = coalesce($3, name),
             routes = coalesce($4::jsonb, routes),
             enabled = coalesce($5, enabled),
             oncall_group_id = CASE WHEN $6 THEN $7 ELSE oncall_group_id END
           WHERE connector_id = $1`,
          [
            event.connectorId,
            event.changedAt,
            name,
            routes && JSON.stringify(routes),
            enabled,
            oncall !== undefined,
            oncall?.groupId ?? null,
          ],
        );
      },
      ConnectorSecretRotated: async (sql, { event }) => {
        await sql.query(
          `UPDATE connectors SET updated_at = $2, secret_rotated_at = $2 WHERE connector_id = $1`,
          [event.connectorId, event.rotatedAt],
        );
      },
      ConnectorCameOnline: async (sql, { event }) => {
        await sql.query(
          `UPDATE connectors SET status = 'online', agent_version = coalesce($2, agent_version), heard_at = $3
           WHERE connector_id = $1`,
          [event.connectorId, event.agentVersion, event.cameOnlineAt],
        );
      },
      ConnectorAgentChanged: async (sql, { event }) => {
        await sql.query(`UPDATE connectors SET agent_version = $2, heard_at = $3 WHERE connector_id = $1`, [
          event.connectorId,
          event.agentVersion,
          event.changedAt,
        ]);
      },
      ConnectorWentOffline: async (sql, { event }) => {
        await sql.query(`UPDATE connectors SET status = 'offline', heard_at = $2 WHERE connector_id = $1`, [
          event.connectorId,
          event.lastSeenAt,
        ]);
      },
      ConnectorRemoved: async (sql, { event }) => {
        await sql.query(`DELETE FROM connectors WHERE connector_id = $1`, [event.connectorId]);
      },
    },
  };

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.teamId ?? event.accountId;
  }
}
