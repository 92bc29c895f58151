import type { EventReceived, Streams } from '@carillon/contracts';
import { type EventsOf, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { fingerprint } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { AlertPages } from './alert-pages.worker';

type Followed = Streams<'event' | 'service_page'>;

/**
 * Keeps what fires and is resolved in the order of the log until the page of its key has followed, and the page that is
 * open for each key.
 */
@Injectable()
export class AlertsProcess extends Projection<Followed> {
  readonly name = 'service_alerts';
  readonly tables = ['service_signals', 'service_pages'];
  override readonly immediate = true;
  readonly on: On<Followed> = {
    event: { EventReceived: (sql, recorded) => this.add(sql, recorded) },
    service_page: {
      ServicePaged: async (sql, recorded) => {
        const { eventId, pageId, pagedAt } = recorded.event;
        const alertKey = await this.done(sql, eventId);
        if (alertKey === undefined) return;
        if (pageId !== null)
          await sql.query(
            `INSERT INTO service_pages (alert_key, page_id, paged_at) VALUES ($1, $2, $3)
             ON CONFLICT (alert_key) DO UPDATE SET page_id = excluded.page_id, paged_at = excluded.paged_at`,
            [alertKey, pageId, pagedAt],
          );
        await this.next(sql, alertKey, recorded);
      },
      ServicePageResolved: async (sql, recorded) => {
        const alertKey = await this.done(sql, recorded.event.eventId);
        if (alertKey === undefined) return;
        await sql.query(`DELETE FROM service_pages WHERE alert_key = $1`, [alertKey]);
        await this.next(sql, alertKey, recorded);
      },
    },
  };

  constructor(@Inject(AlertPages) private readonly pages: AlertPages) {
    super();
  }

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  /** What is resolved matters only where something fired before that has a page, or is about to get one. */
  private async add(sql: Sql, recorded: Recorded<EventReceived>): Promise<void> {
    const { eventId, serviceId, state, dedupKey, oncallGroupId, limitedBy } = recorded.event;
    if (state === undefined || !dedupKey || limitedBy) return;
    const alertKey = fingerprint([serviceId, dedupKey]);
    const added = await sql.query(
      `INSERT INTO service_signals (event_id, alert_key, position)
       SELECT $1, $2, $3 WHERE $4 OR $5 AND (EXISTS (SELECT FROM service_pages WHERE alert_key = $2)
         OR EXISTS (SELECT FROM service_signals WHERE alert_key = $2))
       RETURNING 1`,
      [eventId, alertKey, recorded.position, oncallGroupId !== undefined, state === 'resolved'],
    );
    if (added.length > 0) await this.pages.follow(sql, alertKey, recorded);
  }

  private async done(sql: Sql, eventId: string): Promise<string | undefined> {
    const [row] = await sql.query<{ alert_key: string }>(
      `DELETE FROM service_signals WHERE event_id = $1 RETURNING alert_key`,
      [eventId],
    );
    return row?.alert_key;
  }

  private async next(sql: Sql, alertKey: string, from: Recorded): Promise<void> {
    const [more] = await sql.query(`SELECT FROM service_signals WHERE alert_key = $1 LIMIT 1`, [alertKey]);
    if (more) await this.pages.follow(sql, alertKey, from);
  }
}
