import { id, instant, listOf, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import { hookLimits } from './services.contracts';
import type { EventReceived, ServiceEvent, ServicePageEvent } from './services.events';

export const servicePublications: Publications<ServiceEvent | EventReceived | ServicePageEvent> = {
  ServiceCreated: {
    name: 'notifications.service.created',
    id: 'serviceId',
    time: 'createdAt',
    summary: 'A webhook service was created.',
    data: { serviceId: id, accountId: id, defaultReplyWebhookId: nullable(id), createdAt: instant },
  },
  ServiceChanged: {
    name: 'notifications.service.changed',
    id: 'serviceId',
    time: 'changedAt',
    summary: 'A webhook service was changed.',
    data: { serviceId: id, accountId: id, changedAt: instant },
  },
  ServiceShared: {
    name: 'notifications.service.shared',
    id: 'serviceId',
    time: 'sharedAt',
    summary: 'A webhook service is shared with this family from now on, or with none.',
    data: { serviceId: id, accountId: id, familyId: nullable(id), sharedAt: instant },
  },
  HookRotated: {
    name: 'notifications.service.rotated',
    id: 'serviceId',
    time: 'rotatedAt',
    summary: 'A webhook service has another URL; the old one is dead.',
    data: { serviceId: id, accountId: id, rotatedAt: instant },
  },
  ServiceDeleted: {
    name: 'notifications.service.deleted',
    id: 'serviceId',
    time: 'deletedAt',
    summary: 'A webhook service was deleted.',
    data: { serviceId: id, accountId: id, deletedAt: instant },
  },
  EventReceived: {
    name: 'notifications.event.received',
    id: 'eventId',
    time: 'receivedAt',
    summary: 'Something came in through the URL of a webhook service, and is on its way to these devices.',
    data: {
      eventId: id,
      accountId: id,
      serviceId: id,
      appId: nullable(id),
      limitedBy: nullable(oneOf(...hookLimits)),
      deviceIds: listOf(id),
      recipients: nullable(listOf(id)),
      receivedAt: instant,
    },
  },
  ServicePaged: unpublished,
  ServicePageResolved: unpublished,
};
