import {
  deviceGroupEventTypes,
  domainEventTypes,
  inviteEventTypes,
  type MemberJoined,
  type MemberLeft,
  type MemberRemoved,
  oncallGroupEventTypes,
  type Streams,
  type TeamCreated,
  type TeamDeleted,
  type TeamKind,
} from '@carillon/contracts';
import { ignore, ignoring, type On, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';

/** The handlers of a projection for the events of the stream `team`. */
export type TeamHandlers = On<Streams<'team'>>['team'];

/** The tables of a projection that tracks team membership; only it writes them. */
export interface MembershipTables {
  /** `team_id`, and in `joins` the number of joinings so far. */
  readonly teams: string;
  /** `team_id`, `account_id`, and in `membership` the number of the joining: a returning member has a new one. */
  readonly members: string;
}

export interface MembershipOptions extends MembershipTables {
  /** Only teams of this kind; all kinds by default. */
  readonly kind?: TeamKind;
  /** Called after the rows of these members are deleted, in the transaction of the event. */
  readonly onLeft?: (
    sql: Sql,
    left: { readonly teamId: string; readonly accountIds: readonly string[]; readonly deleted: boolean },
    recorded: Recorded,
  ) => Promise<void>;
}

interface Membership {
  TeamCreated(sql: Sql, recorded: Recorded<TeamCreated>): Promise<void>;
  TeamDeleted(sql: Sql, recorded: Recorded<TeamDeleted>): Promise<void>;
  MemberJoined(sql: Sql, recorded: Recorded<MemberJoined>): Promise<void>;
  MemberLeft(sql: Sql, recorded: Recorded<MemberLeft>): Promise<void>;
  MemberRemoved(sql: Sql, recorded: Recorded<MemberRemoved>): Promise<void>;
}

const others = {
  ...ignoring(...inviteEventTypes, ...deviceGroupEventTypes, ...oncallGroupEventTypes, ...domainEventTypes),
  TeamChanged: ignore,
  MemberRoleChanged: ignore,
  OwnershipTransferred: ignore,
} as const;

/**
 * The `team` part of a projection's `on`: tracks team membership and ignores all other events of `team`. A projection
 * spreads it and adds its own handlers, so that its own rows and these change in log order.
 */
export function membership({ teams, members, kind, onLeft }: MembershipOptions): Membership & typeof others {
  const leave = async (sql: Sql, recorded: Recorded<MemberLeft> | Recorded<MemberRemoved>): Promise<void> => {
    const { teamId, accountId } = recorded.event;
    await sql.query(`DELETE FROM ${members} WHERE team_id = $1 AND account_id = $2`, [teamId, accountId]);
    await onLeft?.(sql, { teamId, accountIds: [accountId], deleted: false }, recorded);
  };
  return {
    ...others,
    async TeamCreated(sql, { event }) {
      if (kind === undefined || event.kind === kind)
        await sql.query(`INSERT INTO ${teams} (team_id, joins) VALUES ($1, 0)`, [event.teamId]);
    },
    async TeamDeleted(sql, recorded) {
      const { teamId } = recorded.event;
      const gone = await sql.query<{ account_id: string }>(
        `DELETE FROM ${members} WHERE team_id = $1 RETURNING account_id`,
        [teamId],
      );
      await sql.query(`DELETE FROM ${teams} WHERE team_id = $1`, [teamId]);
      const accountIds = gone.map(({ account_id }) => account_id).sort();
      await onLeft?.(sql, { teamId, accountIds, deleted: true }, recorded);
    },
    // Numbered as the team's own decider does.
    async MemberJoined(sql, { event }) {
      await sql.query(
        `WITH joined AS (UPDATE ${teams} SET joins = joins + 1 WHERE team_id = $1 RETURNING joins)
         INSERT INTO ${members} (team_id, account_id, membership) SELECT $1, $2, joins::text FROM joined`,
        [event.teamId, event.accountId],
      );
    },
    MemberLeft: leave,
    MemberRemoved: leave,
  };
}

/** The statements of a migration that creates the two tables. */
export const membershipTables = ({ teams, members }: MembershipTables): readonly string[] => [
  `CREATE TABLE ${teams} (team_id text PRIMARY KEY, joins integer NOT NULL)`,
  `CREATE TABLE ${members} (
     team_id text NOT NULL,
     account_id text NOT NULL,
     membership text NOT NULL,
     PRIMARY KEY (team_id, account_id)
   )`,
  `CREATE INDEX ON ${members} (account_id)`,
];
