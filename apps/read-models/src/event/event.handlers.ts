import { later } from '@carillon/eventing';
import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Events,
  type EventStatus,
  ListEvents,
  type ListPage,
  type ServiceEventSummary,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Clock, Cursors, keepDays, keptSince } from '@carillon/runtime';
import { sortedBy } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { isForgotten } from './retentions.entity';
import { eventText } from './forgotten-events.worker';

interface EventRow {
  event_id: string;
  service_id: string;
  service_title: string;
  title: string | null;
  body: string;
  image_url: string | null;
  url: string | null;
  status: EventStatus;
  delivered_count: number;
  error: string | null;
  created_at: Date;
}

export const eventOrder = sortedBy(['created_at', 'desc'], ['event_id', 'desc']);

@Controller()
export class EventHandlers {
  private readonly cursors = new Cursors('event', eventOrder);
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Events.list)
  async list(input: ListEvents, context: Context): Promise<Answer<ListPage<ServiceEventSummary>>> {
    await this.projections.reached('events', context.after, context.caller.accountId);
    const { accountId } = context.caller;
    const { serviceId = null, status = null, from = null, to = null } = input;
    const page = this.cursors.asked([accountId, serviceId, status, from, to], input);
    const now = this.clock.now();
    const oldest = keptSince(now, this.keptDays);

    const parameters: unknown[] = [accountId, from === null ? oldest : later(from, oldest), now];
    const given = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = ['account_id = $1', 'created_at >= $2::timestamptz', `NOT ${isForgotten(3)}`];
    if (serviceId !== null) conditions.push(`service_id = ${given(serviceId)}`);
    if (status !== null) conditions.push(`status = ${given(status)}`);
    if (to !== null) conditions.push(`created_at < ${given(to)}::timestamptz`);
    const limit = given(page.limit + 1);
    const after = page.after(parameters.length + 1);
    const rows = await this.database.query<EventRow>(
      `SELECT event_id, service_id, status, delivered_count, error, created_at, ${eventText.columns}
       FROM events ${eventText.join} WHERE ${[...conditions, after.text].join(' AND ')}
       ORDER BY ${eventOrder.by} LIMIT ${limit}`,
      [...parameters, ...after.values],
    );
    return answer(page.of(rows, rows.map(summaryOf)));
  }
}

const summaryOf = (row: EventRow): ServiceEventSummary => ({
  id: row.event_id,
  serviceId: row.service_id,
  serviceTitle: row.service_title,
  title: row.title,
  body: row.body,
  imageUrl: row.image_url,
  url: row.url,
  status: row.status,
  deliveredCount: row.delivered_count,
  error: row.error,
  createdAt: row.created_at.toISOString(),
});
