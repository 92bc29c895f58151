import type { RouteHealth } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { type Instant, millis } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import type { ConnectorFacts } from './connector';

/** The last heartbeat of each connector, as a row: the log records changes only. */
@Injectable()
export class Heartbeats {
  constructor(@Inject(Database) private readonly database: Database) {}

  /**
   * Notes a heartbeat; returns the time of the newest. The health of routes is kept until a heartbeat reports it again.
   */
  async note(connectorId: string, at: Instant, routes: readonly RouteHealth[] | undefined): Promise<Instant> {
    const health = routes && Object.fromEntries(routes.map(({ name, healthy }) => [name, healthy]));
    const [row] = await this.database.query<{ seen_at: Date }>(
      `INSERT INTO connector_seen AS s (connector_id, seen_at, health) VALUES ($1, $2, coalesce($3::jsonb, '{}'))
       ON CONFLICT (connector_id) DO UPDATE
         SET seen_at = greatest(s.seen_at, excluded.seen_at), health = coalesce($3::jsonb, s.health)
       RETURNING seen_at`,
      [connectorId, at, health && JSON.stringify(health)],
    );
    return row?.seen_at.toISOString() ?? at;
  }

  /** The time of the last heartbeat, from the row or the log; null for never. */
  async lastSeenAt({ id, heardAt }: Pick<ConnectorFacts, 'id' | 'heardAt'>): Promise<Instant | null> {
    const [row] = await this.database.query<{ seen_at: Date }>(
      `SELECT seen_at FROM connector_seen WHERE connector_id = $1`,
      [id],
    );
    return laterOf(row?.seen_at.toISOString() ?? null, heardAt);
  }

  async forget(connectorId: string): Promise<void> {
    await this.database.query(`DELETE FROM connector_seen WHERE connector_id = $1`, [connectorId]);
  }
}

/** The later of the two: the row may be lost with the database, and the log has fewer heartbeats. */
export const laterOf = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || other === null ? (one ?? other) : millis(one) < millis(other) ? other : one;
