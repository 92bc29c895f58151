import type { Streams } from '@carillon/contracts';
import { type EventsOf, ignore, type On, Projection } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'account'>;

/** Projects the names that teams show of their members. */
@Injectable()
export class PeopleProjection extends Projection<Followed> {
  readonly name = 'people';
  readonly tables = ['people'];
  readonly on: On<Followed> = {
    account: {
      AccountOpened: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO people (account_id, name, email, email_verified) VALUES ($1, $2, $3, $4)`,
          [event.accountId, event.name, event.email, event.operator],
        );
      },
      ProfileChanged: async (sql, { event }) => {
        await sql.query(
          `UPDATE people SET name = CASE WHEN $2 THEN $3 ELSE name END, email = CASE WHEN $4 THEN $5 ELSE email END,
             email_verified = email_verified AND NOT $4
           WHERE account_id = $1`,
          [
            event.accountId,
            event.name !== undefined,
            event.name ?? null,
            event.email !== undefined,
            event.email ?? null,
          ],
        );
      },
      PasswordChanged: ignore,
      PasswordRemoved: ignore,
      PasskeyAdded: ignore,
      PasskeyUsed: ignore,
      PasskeyDisabled: ignore,
      PasskeyRemoved: ignore,
      IdentityLinked: ignore,
      IdentityUnlinked: ignore,
      EmailVerified: async (sql, { event }) => {
        await sql.query(`UPDATE people SET email_verified = true WHERE account_id = $1`, [event.accountId]);
      },
      AccountSuspended: ignore,
      OperatorChanged: ignore,
      AccountResumed: ignore,
      AccountForgotten: ignore,
      AccountDeleted: async (sql, { event }) => {
        await sql.query(
          `UPDATE people SET name = NULL, email = NULL, email_verified = false WHERE account_id = $1`,
          [event.accountId],
        );
      },
    },
  };

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }
}
