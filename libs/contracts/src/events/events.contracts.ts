import { answers, type Page } from '../contract';
import { Id, OneOf, Optional, Paged, When } from '../validation/rules';

export const eventStatuses = ['accepted', 'delivered', 'partial', 'failed', 'no_devices', 'limited'] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** What came in through a service's URL, and what became of it. */
export interface ServiceEventSummary {
  id: string;
  serviceId: string;
  serviceTitle: string;
  title: string | null;
  body: string;
  imageUrl: string | null;
  url: string | null;
  status: EventStatus;
  /** Devices whose provider took it. */
  deliveredCount: number;
  error: string | null;
  createdAt: string;
}

export class ListEvents extends Paged {
  @Optional() @Id('svc') serviceId?: string;
  @Optional() @OneOf(eventStatuses) status?: EventStatus;
  /** Not before this. */
  @Optional() @When() from?: string;
  /** Before this. */
  @Optional() @When() to?: string;
}

export const Events = {
  /** Refused `page.invalid_cursor`. */
  list: answers<Page<ServiceEventSummary>>()('read-models.event.list', ListEvents),
};
