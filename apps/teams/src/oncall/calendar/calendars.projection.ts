import type { Streams } from '@carillon/contracts';
import { type EventsOf, type On, Projection } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'oncall_calendars'>;

/** Maps the hash of a calendar secret to its account. The account's stream decides whether the URL is still valid. */
@Injectable()
export class CalendarsProjection extends Projection<Followed> {
  readonly name = 'oncall_calendars';
  readonly tables = ['oncall_calendars'];
  readonly on: On<Followed> = {
    oncall_calendars: {
      CalendarOpened: async (sql, { event: { accountId, groupId, hash } }) => {
        await sql.query(
          `DELETE FROM oncall_calendars WHERE account_id = $1 AND group_id IS NOT DISTINCT FROM $2`,
          [accountId, groupId],
        );
        await sql.query(`INSERT INTO oncall_calendars (hash, account_id, group_id) VALUES ($1, $2, $3)`, [
          hash,
          accountId,
          groupId,
        ]);
      },
      CalendarClosed: async (sql, { event: { accountId, groupId } }) => {
        await sql.query(
          `DELETE FROM oncall_calendars WHERE account_id = $1 AND group_id IS NOT DISTINCT FROM $2`,
          [accountId, groupId],
        );
      },
    },
  };

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }
}
