import type { EventReceived, PushReported, Streams } from '@carillon/contracts';
import { ignore, inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';
import { statusOf } from '../inbox/inbox';
import { errorOf, firstError, firstStatus } from './event';

type Followed = Streams<'event' | 'delivery'>;
type Ignored = 'PushCleared';

/** What came in through services' URLs, and what became of it. */
@Injectable()
export class EventProjection extends Projection<Followed, Ignored> {
  readonly name = 'events';
  readonly tables = ['events'];
  readonly on: On<Followed, Ignored> = {
    event: {
      EventReceived: inBatch,
    },
    delivery: {
      PushReported: inBatch,
      PushCleared: ignore,
    },
  };

  /** An event comes before its reports, and of these the last one counts. */
  override async apply(sql: Sql, events: readonly Recorded<EventReceived | PushReported>[]): Promise<void> {
    const received: EventReceived[] = [];
    const reported = new Map<string, PushReported>();
    for (const { event } of events) {
      if (event.type === 'EventReceived') received.push(event);
      else if (event.subjectId.startsWith('evt_')) reported.set(event.subjectId, event);
    }
    if (received.length > 0) await this.file(sql, received);
    if (reported.size > 0) await this.report(sql, [...reported.values()]);
  }

  private async file(sql: Sql, received: readonly EventReceived[]): Promise<void> {
    await sql.query(
      `INSERT INTO events (event_id, account_id, service_id, service_title, title, body, image_url, url, status, error,
         created_at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::text[], $11::timestamptz[])`,
      [
        received.map((event) => event.eventId),
        received.map((event) => event.accountId),
        received.map((event) => event.serviceId),
        received.map((event) => event.serviceTitle ?? ''),
        received.map((event) => event.title),
        received.map((event) => event.body ?? ''),
        received.map((event) => event.imageUrl),
        received.map((event) => event.url),
        received.map(firstStatus),
        received.map(firstError),
        received.map((event) => event.receivedAt),
      ],
    );
  }

  private async report(sql: Sql, reported: readonly PushReported[]): Promise<void> {
    await sql.query(
      `UPDATE events e SET status = n.status, delivered_count = n.accepted, error = n.error
       FROM unnest($1::text[], $2::text[], $3::int[], $4::text[]) AS n (event_id, status, accepted, error)
       WHERE e.event_id = n.event_id`,
      [
        reported.map((report) => report.subjectId),
        reported.map((report) =>
          statusOf(report.accepted, report.targets ?? report.receipts.length, report.final),
        ),
        reported.map((report) => report.accepted),
        reported.map((report) => errorOf(report.receipts)),
      ],
    );
  }
}
