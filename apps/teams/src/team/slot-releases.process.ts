import {
  deviceGroupEventTypes,
  domainEventTypes,
  inviteEventTypes,
  type MemberLeft,
  type MemberRemoved,
  oncallGroupEventTypes,
  type Streams,
} from '@carillon/contracts';
import { type EventsOf, ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { SlotReleaseCommands } from './slot-releases.worker';

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

/** Tracks the members of each team, and enqueues slot releases for accounts that left it or no longer own it. */
@Injectable()
export class SlotReleasesProcess extends Projection<Followed> {
  readonly name = 'slot_releases';
  readonly tables = ['slot_holders'];
  readonly on: On<Followed> = {
    team: {
      ...ignored,
      TeamDeleted: async (sql, recorded) => {
        const { teamId } = recorded.event;
        const members = await sql.query<{ account_id: string }>(
          `DELETE FROM slot_holders WHERE team_id = $1 RETURNING account_id`,
          [teamId],
        );
        const accountIds = members.map(({ account_id }) => account_id);
        await this.commands.add(sql, accountIds, teamId, recorded);
      },
      MemberJoined: async (sql, { event }) => {
        await sql.query(`INSERT INTO slot_holders (team_id, account_id) VALUES ($1, $2)`, [
          event.teamId,
          event.accountId,
        ]);
      },
      MemberLeft: (sql, recorded) => this.gone(sql, recorded),
      MemberRemoved: (sql, recorded) => this.gone(sql, recorded),
      OwnershipTransferred: (sql, recorded) => {
        const { fromAccountId, teamId } = recorded.event;
        return this.commands.add(sql, [fromAccountId], teamId, recorded);
      },
    },
  };

  constructor(@Inject(SlotReleaseCommands) private readonly commands: SlotReleaseCommands) {
    super();
  }

  /** The members of a team follow from its own events; the commands are decided by the log. */
  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.teamId;
  }

  private async gone(sql: Sql, recorded: Recorded<MemberLeft | MemberRemoved>): Promise<void> {
    const { teamId, accountId } = recorded.event;
    await sql.query(`DELETE FROM slot_holders WHERE team_id = $1 AND account_id = $2`, [teamId, accountId]);
    await this.commands.add(sql, [accountId], teamId, recorded);
  }
}
