import {
  deviceGroupEventTypes,
  domainEventTypes,
  inviteEventTypes,
  oncallGroupEventTypes,
  type ServiceShared,
  type Streams,
} from '@carillon/contracts';
import { ignore, ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { EndedShares } from './ended-shares.worker';

type Followed = Streams<'service' | 'team'>;
const ignored = ignoring(
  'TeamChanged',
  'MemberRoleChanged',
  'OwnershipTransferred',
  ...inviteEventTypes,
  ...deviceGroupEventTypes,
  ...oncallGroupEventTypes,
  ...domainEventTypes,
);

/**
 * Knows who is in which family and which services are shared with it, and orders that no service stays shared with a
 * family that its creator is not in. In the order of the log, so that one shared while its creator was leaving is found
 * too.
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
    team: {
      ...ignored,
      TeamCreated: async (sql, { event }) => {
        if (event.kind === 'family')
          await sql.query(`INSERT INTO families (family_id) VALUES ($1)`, [event.teamId]);
      },
      TeamDeleted: async (sql, recorded) => {
        const { teamId } = recorded.event;
        const gone = await sql.query<{ account_id: string }>(
          `DELETE FROM family_members WHERE family_id = $1 RETURNING account_id`,
          [teamId],
        );
        await sql.query(`DELETE FROM families WHERE family_id = $1`, [teamId]);
        for (const { account_id: accountId } of gone) await this.end(sql, teamId, accountId, recorded);
      },
      MemberJoined: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO family_members (family_id, account_id) SELECT family_id, $2 FROM families WHERE family_id = $1`,
          [event.teamId, event.accountId],
        );
      },
      MemberLeft: (sql, recorded) => this.leave(sql, recorded.event, recorded),
      MemberRemoved: (sql, recorded) => this.leave(sql, recorded.event, recorded),
    },
  };

  constructor(@Inject(EndedShares) private readonly ended: EndedShares) {
    super();
  }

  /** It was shared anew, or taken back. That counts for who is in the family at this place of the log. */
  private async share(sql: Sql, recorded: Recorded<ServiceShared>): Promise<void> {
    const { serviceId, accountId, familyId } = recorded.event;
    const [row] = await sql.query<{ family_id: string | null; shares: number }>(
      `INSERT INTO service_shares AS s (service_id, account_id, family_id, shares)
       VALUES ($1, $2, (SELECT family_id FROM family_members WHERE family_id = $3 AND account_id = $2), 1)
       ON CONFLICT (service_id) DO UPDATE SET family_id = excluded.family_id, shares = s.shares + 1
       RETURNING family_id, shares`,
      [serviceId, accountId, familyId],
    );
    if (row && row.family_id !== familyId)
      await this.ended.add(sql, { serviceId, accountId, share: row.shares }, recorded);
  }

  private async leave(
    sql: Sql,
    { teamId, accountId }: { readonly teamId: string; readonly accountId: string },
    from: Recorded,
  ): Promise<void> {
    await sql.query(`DELETE FROM family_members WHERE family_id = $1 AND account_id = $2`, [
      teamId,
      accountId,
    ]);
    await this.end(sql, teamId, accountId, from);
  }

  /** What the account shares with the family is over. */
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
