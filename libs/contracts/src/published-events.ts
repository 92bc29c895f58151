import type { RoomEvent } from '@carillon/eventing';
import { accountPublications } from './accounts/accounts.publications';
import { activityPublications } from './activities/activities.publications';
import { inboxPublications } from './inbox/inbox.publications';
import { interactionPublications } from './interactions/interactions.publications';
import { notificationPublications } from './notifications/notifications.publications';
import { type Publications, type PublishedEvent, unpublished } from './published/publication';
import { pushPublications } from './push/push.publications';
import { servicePublications } from './services/services.publications';
import type { AnyEvent } from './stream-events';
import { webhookPublications } from './webhooks/webhooks.publications';

/** Events of streams that no service has to itself. */
type SharedEvent = RoomEvent | { readonly type: 'AccountKeyCreated' };
const sharedPublications: Publications<SharedEvent> = {
  AccountKeyCreated: unpublished,
  RoomCounted: unpublished,
  RoomTaken: unpublished,
  RoomReleased: unpublished,
};

/** Does not compile while an event of a stream is in none of the tables. */
const publications: Publications<AnyEvent | SharedEvent> = {
  ...accountPublications,
  ...notificationPublications,
  ...servicePublications,
  ...pushPublications,
  ...interactionPublications,
  ...activityPublications,
  ...webhookPublications,
  ...inboxPublications,
  ...sharedPublications,
};

const all: readonly (readonly [string, PublishedEvent | typeof unpublished])[] = Object.entries(publications);

/** Every event type that is published. */
export const publishedEvents: Readonly<Record<string, PublishedEvent>> = Object.fromEntries(
  all.flatMap(([type, entry]) => (entry === unpublished ? [] : [[type, entry]])),
);

/** Event types that knowingly stay in the log. */
export const unpublishedEvents: readonly string[] = all.flatMap(([type, entry]) =>
  entry === unpublished ? [type] : [],
);
