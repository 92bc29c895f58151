import {
  deviceGroupEventTypes,
  domainEventTypes,
  inviteEventTypes,
  type MemberLeft,
  type MemberRemoved,
  oncallGroupEventTypes,
  type Streams,
} from '@carillon/contracts';
import { ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { RoomReturnOrders } from './room-returns.worker';

type Followed = Streams<'team'>;
const ignored = ignoring(
  'TeamCreated',
  'TeamChanged',
  'MemberRoleChanged',
  ...inviteEventTypes,
  ...deviceGroupEventTypes,
  ...oncallGroupEventTypes,
  ...domainEventTypes,
);
type Ignored = keyof typeof ignored;

/** Knows who is in each team, and orders that whoever is not any more, or does not own it any more, gives room back. */
@Injectable()
export class RoomReturnsProcess extends Projection<Followed, Ignored> {
  readonly name = 'room_returns';
  readonly tables = ['room_holders'];
  readonly on: On<Followed, Ignored> = {
    team: {
      ...ignored,
      TeamDeleted: async (sql, recorded) => {
        const { teamId } = recorded.event;
        const members = await sql.query<{ account_id: string }>(
          `DELETE FROM room_holders WHERE team_id = $1 RETURNING account_id`,
          [teamId],
        );
        const accountIds = members.map(({ account_id }) => account_id);
        await this.orders.order(sql, accountIds, teamId, recorded);
      },
      MemberJoined: async (sql, { event }) => {
        await sql.query(`INSERT INTO room_holders (team_id, account_id) VALUES ($1, $2)`, [
          event.teamId,
          event.accountId,
        ]);
      },
      MemberLeft: (sql, recorded) => this.gone(sql, recorded),
      MemberRemoved: (sql, recorded) => this.gone(sql, recorded),
      OwnershipTransferred: (sql, recorded) => {
        const { fromAccountId, teamId } = recorded.event;
        return this.orders.order(sql, [fromAccountId], teamId, recorded);
      },
    },
  };

  constructor(@Inject(RoomReturnOrders) private readonly orders: RoomReturnOrders) {
    super();
  }

  private async gone(sql: Sql, recorded: Recorded<MemberLeft | MemberRemoved>): Promise<void> {
    const { teamId, accountId } = recorded.event;
    await sql.query(`DELETE FROM room_holders WHERE team_id = $1 AND account_id = $2`, [teamId, accountId]);
    await this.orders.order(sql, [accountId], teamId, recorded);
  }
}
