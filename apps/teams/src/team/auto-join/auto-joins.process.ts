import {
  deviceGroupEventTypes,
  inviteEventTypes,
  oncallGroupEventTypes,
  type Streams,
} from '@carillon/contracts';
import { ignore, ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { AutoJoins } from './auto-joins.worker';

type Followed = Streams<'session' | 'team'>;
const ignored = ignoring(
  'TeamCreated',
  'TeamChanged',
  'MemberJoined',
  'MemberLeft',
  'MemberRemoved',
  'MemberRoleChanged',
  'OwnershipTransferred',
  'DomainSet',
  ...inviteEventTypes,
  ...deviceGroupEventTypes,
  ...oncallGroupEventTypes,
);

/** Tracks the verified domains of teams, and enqueues auto-joins for accounts that sign in. */
@Injectable()
export class AutoJoinsProcess extends Projection<Followed> {
  readonly name = 'auto_joins';
  readonly tables = ['verified_domains'];
  readonly on: On<Followed> = {
    session: {
      SessionStarted: async (sql, recorded) => {
        const [any] = await sql.query(`SELECT FROM verified_domains LIMIT 1`);
        if (any) await this.joins.add(sql, recorded.event.accountId, recorded);
      },
      SessionRefreshed: ignore,
      SessionEnded: ignore,
    },
    team: {
      ...ignored,
      TeamDeleted: (sql, { event }) => forget(sql, event.teamId),
      DomainVerified: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO verified_domains (team_id, domain) VALUES ($1, $2)
           ON CONFLICT (team_id) DO UPDATE SET domain = excluded.domain`,
          [event.teamId, event.domain],
        );
      },
      DomainCleared: (sql, { event }) => forget(sql, event.teamId),
    },
  };

  constructor(@Inject(AutoJoins) private readonly joins: AutoJoins) {
    super();
  }
}

async function forget(sql: Sql, teamId: string): Promise<void> {
  await sql.query(`DELETE FROM verified_domains WHERE team_id = $1`, [teamId]);
}
