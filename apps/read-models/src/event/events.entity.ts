import { copiesOf, type EventReceived, type PushReported } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { createdBetween } from '@carillon/signing';
import { statusOf } from '../inbox/inbox';
import { errorOf, firstError, firstStatus } from './event';

/** Adds a row for each account that has a copy of the event. */
export async function addEvents(sql: Sql, received: readonly EventReceived[]): Promise<void> {
  const given = columns(
    {
      event_id: 'text',
      account_id: 'text',
      sender_id: 'text',
      service_id: 'text',
      service_title: 'text',
      title: 'text',
      body: 'text',
      image_url: 'text',
      url: 'text',
      status: 'text',
      error: 'text',
      created_at: 'timestamptz',
      family_id: 'text',
    },
    received.flatMap((event) => copiesOf(event).map((copy) => ({ event, ...copy }))),
    ({ event, accountId, senderId }) => ({
      event_id: event.eventId,
      account_id: accountId,
      sender_id: senderId,
      service_id: event.serviceId,
      service_title: event.serviceTitle ?? '',
      title: event.title,
      body: event.body ?? '',
      image_url: event.imageUrl,
      url: event.url,
      status: firstStatus(event),
      error: firstError(event),
      created_at: event.receivedAt,
      family_id: event.familyId ?? null,
    }),
  );
  await sql.query(`INSERT INTO events (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** Updates events with the reports of their pushes. */
export async function reportEvents(sql: Sql, reported: readonly PushReported[]): Promise<void> {
  const { from, to } = createdBetween(reported.map(({ subjectId }) => subjectId));
  const given = columns(
    { event_id: 'text', status: 'text', accepted: 'integer', error: 'text' },
    reported,
    ({ subjectId, accepted, targets, receipts, final }) => ({
      event_id: subjectId,
      status: statusOf(accepted, targets ?? receipts.length, final),
      accepted,
      error: errorOf(receipts),
    }),
    { from: 3 },
  );
  await sql.query(
    `UPDATE events e SET status = n.status, delivered_count = n.accepted, error = n.error FROM ${given.rows}
     WHERE e.event_id = n.event_id AND e.created_at BETWEEN $1 AND $2`,
    [from, to, ...given.values],
  );
}
