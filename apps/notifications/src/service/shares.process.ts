import type { ServiceShared, Streams } from '@carillon/contracts';
import { ignore, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { membership } from '@carillon/membership';
import { Inject, Injectable } from '@nestjs/common';
import { EndedShares } from './ended-shares.worker';

type Followed = Streams<'service' | 'team'>;

/**
 * Tracks the members of families and the services that are shared with them, and enqueues a command for each service
 * that is shared with a family that its creator has left. Follows the log in order, so that a service shared while its
 * creator was leaving is found too.
 */
@Injectable()
export class SharesProcess extends Projection<Followed> {
  readonly name = 'shares';
  readonly tables = ['families', 'family_members', 'service_shares'];
  readonly on: On<Followed> = {
    service: {
      ServiceCreated: ignore,
      ServiceChanged: ignore,
      ServiceShared: (sql, recorded) => this.share(sql, recorded),
      HookRotated: ignore,
      ServiceDeleted: async (sql, { event }) => {
        await sql.query(`DELETE FROM service_shares WHERE service_id = $1`, [event.serviceId]);
      },
    },
    team: membership({
      teams: 'families',
      members: 'family_members',
      kind: 'family',
      onLeft: async (sql, { teamId, accountIds }, recorded) => {
        for (const accountId of accountIds) await this.end(sql, teamId, accountId, recorded);
      },
    }),
  };

  constructor(@Inject(EndedShares) private readonly ended: EndedShares) {
    super();
  }

  /** The service was shared again, or its share ended. The family's members at this position of the log count. */
  private async share(sql: Sql, recorded: Recorded<ServiceShared>): Promise<void> {
    const { serviceId, accountId, familyId } = recorded.event;
    const [row] = await sql.query<{ family_id: string | null; shares: number }>(
      `INSERT INTO service_shares AS s (service_id, account_id, family_id, shares)
       VALUES ($1, $2, (SELECT team_id FROM family_members WHERE team_id = $3 AND account_id = $2), 1)
       ON CONFLICT (service_id) DO UPDATE SET family_id = excluded.family_id, shares = s.shares + 1
       RETURNING family_id, shares`,
      [serviceId, accountId, familyId],
    );
    if (row && row.family_id !== familyId)
      await this.ended.add(sql, { serviceId, accountId, share: row.shares }, recorded);
  }

  /** Ends all shares of the account with the family. */
  private async end(sql: Sql, familyId: string, accountId: string, from: Recorded): Promise<void> {
    const over = await sql.query<{ service_id: string; shares: number }>(
      `UPDATE service_shares SET family_id = NULL WHERE family_id = $1 AND account_id = $2
       RETURNING service_id, shares`,
      [familyId, accountId],
    );
    for (const { service_id: serviceId, shares: share } of over)
      await this.ended.add(sql, { serviceId, accountId, share }, from);
  }
}
