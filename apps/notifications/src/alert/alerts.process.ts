import { type EventReceived, profileEventTypes, type Streams } from '@carillon/contracts';
import { type EventsOf, ignoring, type On, Projection, type Sql } from '@carillon/event-store';
import type { Instant, Recorded } from '@carillon/eventing';
import { fingerprint } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { AlertPages } from './alert-pages.worker';
import { silenceKeyOf } from './silence';
import { Silences } from './silences.worker';

type Followed = Streams<'event' | 'service_page' | 'service' | 'account'>;

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
        const { expectEverySeconds = null, createdAt } = recorded.event;
        if (expectEverySeconds !== null) await this.watch(sql, recorded.event, createdAt, recorded);
      },
      ServiceChanged: async (sql, recorded) => {
        const { serviceId, expectEverySeconds, graceSeconds, changedAt } = recorded.event;
        if (expectEverySeconds === null) await this.forget(sql, serviceId);
        else if (expectEverySeconds !== undefined) await this.watch(sql, recorded.event, changedAt, recorded);
        else if (graceSeconds !== undefined) await this.silences.look(sql, serviceId, recorded);
      },
      ServiceDeleted: async (sql, { event }) => {
        await this.forget(sql, event.serviceId);
        await this.forgetPages(sql, 'service_id', event.serviceId);
      },
    },
    account: {
      ...ignoring(...profileEventTypes),
      AccountDeleted: (sql, { event }) => this.forgetWatches(sql, event.accountId),
      AccountForgotten: async (sql, { event }) => {
        await this.forgetWatches(sql, event.accountId);
        await this.forgetPages(sql, 'account_id', event.accountId);
      },
    },
    service_page: {
      ServicePaged: async (sql, recorded) => {
        const { eventId, accountId, serviceId, pageId, pagedAt } = recorded.event;
        const alertKey = await this.done(sql, eventId);
        if (alertKey === undefined) return;
        await this.noteUnpaged(sql, alertKey, pageId === null);
        if (pageId === null) {
          if (alertKey === silenceKeyOf(serviceId)) await this.pagedInVain(sql, serviceId, eventId);
        } else
          await sql.query(
            `INSERT INTO service_pages (alert_key, service_id, account_id, page_id, paged_at)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (alert_key) DO UPDATE SET page_id = excluded.page_id, paged_at = excluded.paged_at`,
            [alertKey, serviceId, accountId, pageId, pagedAt],
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

  /** Ignores events that neither page nor tell of a silence, which are most. */
  override concerns({ event }: Recorded<EventsOf<Followed>>): boolean {
    return event.type !== 'EventReceived' || event.silentSince !== undefined || maySignal(event);
  }

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.accountId;
  }

  /** What is resolved matters only where something fired before that has a page, or is about to get one. */
  private async add(sql: Sql, recorded: Recorded<EventReceived>): Promise<void> {
    if (!maySignal(recorded.event)) return;
    const { eventId, serviceId, dedupKey, oncallGroupId } = recorded.event;
    const alertKey = fingerprint([serviceId, dedupKey]);
    const added = await sql.query(
      `INSERT INTO service_signals (event_id, alert_key, position)
       SELECT $1, $2, $3 WHERE $4 OR EXISTS (SELECT FROM service_pages WHERE alert_key = $2)
         OR EXISTS (SELECT FROM service_signals WHERE alert_key = $2)
       RETURNING 1`,
      [eventId, alertKey, recorded.position, oncallGroupId !== undefined],
    );
    if (added.length > 0) await this.pages.follow(sql, alertKey, recorded);
  }

  private async watch(
    sql: Sql,
    { serviceId, accountId }: { readonly serviceId: string; readonly accountId: string },
    since: Instant,
    from: Recorded,
  ): Promise<void> {
    await sql.query(
      `INSERT INTO service_watches (service_id, account_id, since) VALUES ($1, $2, $3)
       ON CONFLICT (service_id) DO NOTHING`,
      [serviceId, accountId, since],
    );
    await this.silences.look(sql, serviceId, from);
  }

  private async forget(sql: Sql, serviceId: string): Promise<void> {
    await sql.query(`DELETE FROM service_watches WHERE service_id = $1`, [serviceId]);
  }

  private async forgetWatches(sql: Sql, accountId: string): Promise<void> {
    await sql.query(`DELETE FROM service_watches WHERE account_id = $1`, [accountId]);
  }

  /** Except those whose end is on its way: what is resolved has to find its page. */
  private async forgetPages(sql: Sql, column: 'service_id' | 'account_id', id: string): Promise<void> {
    await sql.query(
      `DELETE FROM service_pages p WHERE ${column} = $1
         AND NOT EXISTS (SELECT FROM service_signals s WHERE s.alert_key = p.alert_key)`,
      [id],
    );
  }

  /** An event about a silence says that it began or is over, or tells another group of it. */
  private async hear(
    sql: Sql,
    { eventId, serviceId, silentSince, state, oncallGroupId }: EventReceived,
  ): Promise<void> {
    if (silentSince === undefined) return;
    const told = state === 'firing' ? [silentSince, eventId, oncallGroupId ?? null] : [null, null, null];
    await sql.query(
      `UPDATE service_watches SET silent_since = $2, told_event_id = $3, paged_group_id = $4 WHERE service_id = $1`,
      [serviceId, ...told],
    );
  }

  private async pagedInVain(sql: Sql, serviceId: string, eventId: string): Promise<void> {
    await sql.query(
      `UPDATE service_watches SET paged_group_id = NULL WHERE service_id = $1 AND told_event_id = $2`,
      [serviceId, eventId],
    );
  }

  /** Not of this projection's tables: the state is kept by the requests, and a rebuild leaves it as it is. */
  private async noteUnpaged(sql: Sql, alertKey: string, unpaged: boolean): Promise<void> {
    if (sql.rebuilding) return;
    await sql.query(`UPDATE service_states SET unpaged = $2 WHERE alert_key = $1 AND unpaged <> $2`, [
      alertKey,
      unpaged,
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

/** Whether an event pages, or says that something is resolved, which may have a page. */
const maySignal = ({ state, dedupKey, limitedBy, oncallGroupId }: EventReceived): boolean =>
  state !== undefined && !!dedupKey && !limitedBy && (oncallGroupId !== undefined || state === 'resolved');
