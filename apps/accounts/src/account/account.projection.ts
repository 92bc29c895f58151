import type { Streams } from '@carillon/contracts';
import { type Handled, ignore, inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { PasskeyNotices } from './passkey-notices.worker';

type Followed = Streams<'account'>;
const on = {
  account: {
    AccountOpened: inBatch,
    ProfileChanged: inBatch,
    PasswordChanged: ignore,
    PasswordRemoved: ignore,
    PasskeyAdded: ignore,
    PasskeyUsed: ignore,
    PasskeyDisabled: inBatch,
    PasskeyRemoved: ignore,
    IdentityLinked: ignore,
    IdentityUnlinked: ignore,
    EmailVerified: inBatch,
    AccountSuspended: inBatch,
    AccountResumed: inBatch,
    OperatorChanged: inBatch,
    AccountDeleted: inBatch,
    AccountForgotten: ignore,
  },
} satisfies On<Followed>;

@Injectable()
export class AccountProjection extends Projection<Followed, typeof on> {
  readonly name = 'accounts';
  readonly tables = ['accounts'];
  readonly on = on;

  constructor(@Inject(PasskeyNotices) private readonly notices: PasskeyNotices) {
    super();
  }

  override accountOf({ event }: Recorded<Handled<Followed, typeof on>>): string {
    return event.accountId;
  }

  override async apply(sql: Sql, events: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    for (const recorded of events) {
      const { event } = recorded;
      switch (event.type) {
        case 'AccountOpened':
          await sql.query(
            `INSERT INTO accounts (account_id, email, name, operator, email_verified, created_at)
             VALUES ($1, $2, $3, $4, $4, $5)`,
            [event.accountId, event.email, event.name, event.operator, event.openedAt],
          );
          break;
        case 'ProfileChanged':
          await sql.query(
            `UPDATE accounts SET
               email = CASE WHEN $2 THEN $3 ELSE email END,
               email_verified = email_verified AND NOT $2,
               name = CASE WHEN $4 THEN $5 ELSE name END,
               timezone = CASE WHEN $6 THEN $7 ELSE timezone END
             WHERE account_id = $1`,
            [
              event.accountId,
              event.email !== undefined,
              event.email ?? null,
              event.name !== undefined,
              event.name ?? null,
              event.timezone !== undefined,
              event.timezone ?? null,
            ],
          );
          break;
        case 'PasskeyDisabled':
          await this.notices.order(sql, { ...recorded, event });
          break;
        case 'EmailVerified':
          await sql.query(`UPDATE accounts SET email_verified = true WHERE account_id = $1`, [
            event.accountId,
          ]);
          break;
        case 'AccountSuspended':
        case 'AccountResumed':
          await sql.query(`UPDATE accounts SET suspended = $2 WHERE account_id = $1`, [
            event.accountId,
            event.type === 'AccountSuspended',
          ]);
          break;
        case 'OperatorChanged':
          await sql.query(`UPDATE accounts SET operator = $2 WHERE account_id = $1`, [
            event.accountId,
            event.operator,
          ]);
          break;
        case 'AccountDeleted':
          await sql.query(
            `UPDATE accounts SET email = NULL, name = NULL, timezone = NULL, email_verified = false
             WHERE account_id = $1`,
            [event.accountId],
          );
          break;
        default:
          event satisfies never;
      }
    }
  }
}
