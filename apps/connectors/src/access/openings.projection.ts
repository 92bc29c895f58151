import type { Streams } from '@carillon/contracts';
import { type EventsOf, type On, Projection } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'app_use'>;

/** The last opening of each app by each person. */
@Injectable()
export class OpeningsProjection extends Projection<Followed> {
  readonly name = 'app_openings';
  readonly tables = ['app_openings'];
  readonly on: On<Followed> = {
    app_use: {
      AppOpened: async (sql, { event }) => {
        await sql.query(
          `INSERT INTO app_openings (app_id, account_id, opened_at) VALUES ($1, $2, $3)
           ON CONFLICT (app_id, account_id) DO UPDATE SET opened_at = excluded.opened_at`,
          [event.appId, event.userId, event.openedAt],
        );
      },
    },
  };

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.userId;
  }
}
