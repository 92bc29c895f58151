import {
  About,
  count,
  id,
  Id,
  nullable,
  OneOf,
  oneOfKnown,
  Optional,
  resource,
  type Static,
  text,
  uri,
  when,
  WhenAsked,
} from '@carillon/schema';
import { answers } from '../contract';
import { type ListPage, ListQuery } from '../list-page';

const eventStatuses = ['accepted', 'delivered', 'partial', 'failed', 'no_devices', 'limited'] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const ServiceEventSummary = resource(
  'Event',
  {
    id: id('evt'),
    serviceId: id('svc'),
    serviceTitle: text(),
    title: nullable(text()),
    body: text(),
    imageUrl: nullable(uri()),
    url: nullable(uri()),
    status: oneOfKnown(eventStatuses, 'What became of the push.'),
    deliveredCount: count('Devices whose provider took it.'),
    error: nullable(text()),
    createdAt: when(),
  },
  "What came in through a service's URL, and what became of it.",
);
export type ServiceEventSummary = Static<typeof ServiceEventSummary>;

export class ListEvents extends ListQuery {
  @Optional() @Id('svc') serviceId?: string;
  @Optional() @OneOf(eventStatuses) status?: EventStatus;
  @About('Not before this.') @Optional() @WhenAsked() from?: string;
  @About('Before this.') @Optional() @WhenAsked() to?: string;
}

export const Events = {
  list: answers<ListPage<ServiceEventSummary>>()(
    'read-models.event.list',
    ListEvents,
    ['list.invalid_cursor'],
    'always',
  ),
};
