import type { QuotaEvent } from '@carillon/eventing';
import { accountPublications } from './accounts/accounts.publications';
import { activityPublications } from './activities/activities.publications';
import { appPublications } from './apps/apps.publications';
import { accessPublications } from './connectors/access.publications';
import { callbackPublications } from './connectors/callbacks.publications';
import { connectorPublications } from './connectors/connectors.publications';
import { inboxPublications } from './inbox/inbox.publications';
import {
  interactionPublications,
  promptEscalationPublications,
} from './interactions/interactions.publications';
import { notificationPublications } from './notifications/notifications.publications';
import { pagePublications } from './oncall/pages.publications';
import { operationPublications } from './operations/operations.publications';
import { type Publications, type PublishedEvent, unpublished } from './published/publication';
import { calendarPublications } from './oncall/oncall.publications';
import { lanePublications } from './push/lane.publications';
import { pushPublications } from './push/push.publications';
import { servicePublications } from './services/services.publications';
import type { AnyEvent } from './stream-events';
import { auditPublications } from './teams/audit.publications';
import { teamPublications } from './teams/teams.publications';
import { webhookPublications } from './webhooks/webhooks.publications';

/** Events of streams that several services write. */
type SharedEvent =
  | QuotaEvent
  | { readonly type: 'AccountKeyCreated' | 'AccountKeyRewrapped' | 'AccountKeyEnded' | 'PartitionsChosen' };
const sharedPublications: Publications<SharedEvent> = {
  AccountKeyCreated: unpublished,
  AccountKeyRewrapped: unpublished,
  AccountKeyEnded: unpublished,
  PartitionsChosen: unpublished,
  SlotsCounted: unpublished,
  SlotReserved: unpublished,
  SlotReleased: unpublished,
};

type PublishableEvent = AnyEvent | SharedEvent;

/** Does not compile if an event of a stream is missing from the tables, or a table has an event of no stream. */
const complete = <Table extends Publications<PublishableEvent>>(
  table: Table & Readonly<Record<Exclude<keyof Table, PublishableEvent['type']>, never>>,
): Publications<PublishableEvent> => table;

const publications = complete({
  ...accountPublications,
  ...notificationPublications,
  ...servicePublications,
  ...pushPublications,
  ...interactionPublications,
  ...promptEscalationPublications,
  ...activityPublications,
  ...lanePublications,
  ...webhookPublications,
  ...inboxPublications,
  ...teamPublications,
  ...calendarPublications,
  ...auditPublications,
  ...operationPublications,
  ...pagePublications,
  ...appPublications,
  ...accessPublications,
  ...connectorPublications,
  ...callbackPublications,
  ...sharedPublications,
});

const all: readonly (readonly [string, PublishedEvent | typeof unpublished])[] = Object.entries(publications);

/** Every event type that is published. */
export const publishedEvents: Readonly<Record<string, PublishedEvent>> = Object.fromEntries(
  all.flatMap(([type, entry]) => (entry === unpublished ? [] : [[type, entry]])),
);

/** Event types that are deliberately not published. */
export const unpublishedEvents: readonly string[] = all.flatMap(([type, entry]) =>
  entry === unpublished ? [type] : [],
);
