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
