import { profileEventTypes, type Streams } from '@carillon/contracts';
import { type EventsOf, ignoring, Projection, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'account'>;

/** Projects the accounts that are suspended: the URLs of their services accept nothing. */
@Injectable()
export class SuspensionProjection extends Projection<Followed> {
  readonly name = 'suspensions';
  readonly tables = ['suspended_accounts'];
  readonly on: On<Followed> = {
    account: {
      ...ignoring(...profileEventTypes, 'AccountForgotten'),
      AccountSuspended: async (sql, { event }) => {
        await sql.query(`INSERT INTO suspended_accounts (account_id) VALUES ($1) ON CONFLICT DO NOTHING`, [
          event.accountId,
        ]);
      },
      AccountResumed: async (sql, { event }) => {
        await sql.query(`DELETE FROM suspended_accounts WHERE account_id = $1`, [event.accountId]);
        // Their senders could not call: they have their full time again. The rows of calls follow from no event.
        if (sql.rebuilding) return;
        await sql.query(
          `INSERT INTO service_calls AS c (service_id, called_at)
           SELECT service_id, $2 FROM service_watches WHERE account_id = $1 AND silent_since IS NULL
           ON CONFLICT (service_id) DO UPDATE SET called_at = greatest(c.called_at, excluded.called_at)`,
          [event.accountId, event.resumedAt],
        );
      },
      AccountDeleted: async (sql, { event }) => {
        await sql.query(`DELETE FROM suspended_accounts WHERE account_id = $1`, [event.accountId]);
      },
    },
  };

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }
}
