import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type Connector as Shown,
  ConnectorById,
  type ConnectorRouteFact,
  Connectors,
  type ConnectorStatus,
  ListConnectors,
  type ListPage,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { type Instant, plus } from '@carillon/eventing';
import { Clock, Cursors } from '@carillon/runtime';
import { sortedBy } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { ConnectorAccess } from './connector-access.service';
import { silenceMs } from './heartbeat';
import { Heartbeats, laterOf } from './heartbeats.service';
import { connectorView, routeViews, statusAt } from './view';
import { Teams } from './teams.client';

interface ConnectorRow {
  connector_id: string;
  account_id: string;
  team_id: string | null;
  name: string | null;
  tunnel_id: string | null;
  hostname: string | null;
  routes: ConnectorRouteFact[] | null;
  enabled: boolean;
  /** The on-call group that the connector pages; null without one. */
  group_id: string | null;
  status: ConnectorStatus;
  agent_version: string | null;
  heard_at: Date | null;
  seen_at: Date | null;
  secret_rotated_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const connectorOrder = sortedBy(['created_at', 'desc'], ['connector_id', 'desc']).of('c');

@Controller()
export class ConnectorReadHandlers {
  private readonly cursors = new Cursors('connector', connectorOrder);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(ConnectorAccess) private readonly access: ConnectorAccess,
    @Inject(Heartbeats) private readonly heartbeats: Heartbeats,
    @Inject(Teams) private readonly teams: Teams,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Connectors.list)
  async list(input: ListConnectors, context: Context): Promise<Answer<ListPage<Shown>>> {
    const { accountId } = context.caller;
    const { teamId = null, status = null } = input;
    const page = this.cursors.asked([accountId, teamId, status], input);
    const at = this.clock.now();
    const administered = await this.teams.administered(context);
    await this.projections.reached('connectors', context.after);
    for (const owner of [accountId, ...administered])
      if (teamId === null || teamId === owner) this.projections.insist('connectors', owner);
    await this.projections.reached('connector_ties', context.after);
    const after = page.after(7);
    const rows = await this.database.query<ConnectorRow>(
      `SELECT c.*, s.seen_at, g.group_id FROM connectors c
       LEFT JOIN connector_seen s USING (connector_id)
       LEFT JOIN connector_groups g ON g.group_id = c.oncall_group_id
       WHERE (c.team_id IS NULL AND account_id = $1 OR c.team_id = ANY($2::text[]))
         AND ($3::text IS NULL OR c.team_id = $3) AND ($4::text IS NULL OR $4 = CASE
           WHEN status = 'online' AND greatest(s.seen_at, heard_at) <= $5 THEN 'offline' ELSE status END)
         AND ${after.text}
       ORDER BY ${connectorOrder.by} LIMIT $6`,
      [accountId, administered, teamId, status, plus(at, -silenceMs), page.limit + 1, ...after.values],
    );
    const items = rows.map((row) => fromRow(row, at));
    return answer(page.of(rows, items));
  }

  @Handles(Connectors.get)
  async get({ id }: ConnectorById, context: Context): Promise<Answer<{ connector: Shown }>> {
    const { found, asked } = await this.access.find(id, context);
    const connector = connectorView(found, await this.heartbeats.lastSeenAt(found), asked.at);
    await this.projections.reached('connector_ties', context.after);
    const hasGroup = connector.oncallGroupId === null || (await this.isThere(connector.oncallGroupId));
    return answer({ connector: hasGroup ? connector : { ...connector, oncallGroupId: null } });
  }

  /** A deleted group counts as none at once, even before the log of the connector has the event. */
  private async isThere(groupId: string): Promise<boolean> {
    const found = await this.projections.find('connector_ties', async () => {
      const [row] = await this.database.query(`SELECT 1 FROM connector_groups WHERE group_id = $1`, [
        groupId,
      ]);
      return row;
    });
    return found !== undefined;
  }
}

const instantOf = (at: Date | null): string | null => at?.toISOString() ?? null;

const lastSeenIn = ({ seen_at, heard_at }: ConnectorRow): string | null =>
  laterOf(instantOf(seen_at), instantOf(heard_at));

const fromRow = (row: ConnectorRow, at: Instant): Shown => ({
  id: row.connector_id,
  enabled: row.enabled,
  name: row.name ?? '',
  tunnelId: row.tunnel_id ?? '',
  hostname: row.hostname ?? '',
  routes: routeViews(row.routes ?? []),
  status: statusAt(row.status, lastSeenIn(row), at),
  lastSeenAt: lastSeenIn(row),
  teamId: row.team_id,
  oncallGroupId: row.group_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  createdBy: row.account_id,
  agentVersion: row.agent_version,
  secretRotatedAt: instantOf(row.secret_rotated_at),
});
