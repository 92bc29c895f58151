import type { ServiceShared, Streams } from '@carillon/contracts';
import { ignore, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { membership } from '@carillon/membership';
import { Inject, Injectable } from '@nestjs/common';
import { EndedShares } from './ended-shares.worker';

type Followed = Streams<'service' | 'team'>;

/**
 * Tracks the members of families and the services that are shared with them, and enqueues one command for all services
 * that are shared with a family that their creator has left. Follows the log in order, so that a service shared while
 * its creator was leaving is found too.
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
    const [row] = await sql.query<{ membership: string | null }>(
      `INSERT INTO service_shares AS s (service_id, account_id, family_id, membership, shares)
       VALUES ($1, $2, $3, (SELECT membership FROM family_members WHERE team_id = $3 AND account_id = $2), 1)
       ON CONFLICT (service_id) DO UPDATE SET family_id = excluded.family_id, membership = excluded.membership,
         shares = s.shares + 1
       RETURNING membership`,
      [serviceId, accountId, familyId],
    );
    if (familyId !== null && row?.membership === null)
      await this.ended.add(sql, { familyId, accountId }, recorded);
  }

  /** All shares of the account with the family have ended. */
  private async end(sql: Sql, familyId: string, accountId: string, from: Recorded): Promise<void> {
    const [any] = await sql.query(
      `SELECT FROM service_shares WHERE family_id = $1 AND account_id = $2 LIMIT 1`,
      [familyId, accountId],
    );
    if (any) await this.ended.add(sql, { familyId, accountId }, from);
  }
}
