import type { EventReceived, Streams } from '@carillon/contracts';
import { type EventsOf, ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import type { Instant, Recorded } from '@carillon/eventing';
import { fingerprint } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { AlertPages } from './alert-pages.worker';
import { Silences } from './silences.worker';

type Followed = Streams<'event' | 'service_page' | 'service'>;

/**
 * Keeps what fires and is resolved in the order of the log until the page of its key has followed, and the page that is
 * open for each key. Also keeps which services are watched for silence.
 */
@Injectable()
export class AlertsProcess extends Projection<Followed> {
  readonly name = 'service_alerts';
  readonly tables = ['service_signals', 'service_pages', 'service_watches'];
  override readonly immediate = true;
  readonly on: On<Followed> = {
    event: {
      EventReceived: async (sql, recorded) => {
        await this.hear(sql, recorded.event);
        await this.add(sql, recorded);
      },
    },
    service: {
      ...ignoring('ServiceShared', 'HookRotated'),
      ServiceCreated: async (sql, recorded) => {
        const { serviceId, expectEverySeconds = null, createdAt } = recorded.event;
        if (expectEverySeconds !== null) await this.watch(sql, serviceId, createdAt, recorded);
      },
      ServiceChanged: async (sql, recorded) => {
        const { serviceId, expectEverySeconds, graceSeconds, changedAt } = recorded.event;
        if (expectEverySeconds === null) await this.forget(sql, serviceId);
        else if (expectEverySeconds !== undefined) await this.watch(sql, serviceId, changedAt, recorded);
        else if (graceSeconds !== undefined) await this.silences.look(sql, serviceId, recorded);
      },
      ServiceDeleted: (sql, { event }) => this.forget(sql, event.serviceId),
    },
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

  constructor(
    @Inject(AlertPages) private readonly pages: AlertPages,
    @Inject(Silences) private readonly silences: Silences,
  ) {
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

  private async watch(sql: Sql, serviceId: string, since: Instant, from: Recorded): Promise<void> {
    await sql.query(
      `INSERT INTO service_watches (service_id, since) VALUES ($1, $2) ON CONFLICT (service_id) DO NOTHING`,
      [serviceId, since],
    );
    await this.silences.look(sql, serviceId, from);
  }

  private async forget(sql: Sql, serviceId: string): Promise<void> {
    await sql.query(`DELETE FROM service_watches WHERE service_id = $1`, [serviceId]);
  }

  /** An event about a silence says that it began or is over. */
  private async hear(sql: Sql, { serviceId, silentSince, state }: EventReceived): Promise<void> {
    if (silentSince === undefined) return;
    await sql.query(`UPDATE service_watches SET silent_since = $2 WHERE service_id = $1`, [
      serviceId,
      state === 'firing' ? silentSince : null,
    ]);
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
