export * from './accounts/accounts.contracts';
export type * from './accounts/accounts.events';
export * from './activities/activities.contracts';
export * from './activities/activities.events';
export { type Overflow, overflowMessage, type Surface } from './activities/fit';
export * from './changes/changes.contracts';
export * from './contract';
export * from './events/events.contracts';
export * from './feed/feed.contracts';
export * from './health/health.contracts';
export * from './inbox/inbox.contracts';
export type * from './inbox/inbox.events';
export * from './interactions/interactions.contracts';
export { endOf, type EndedStatus } from './interactions/ending';
export type * from './interactions/interactions.events';
export * from './notifications/notifications.contracts';
export type * from './notifications/notifications.events';
export { plainText } from './notifications/plain-text';
export * from './page';
export { keepFields } from './published/fields';
export {
  cloudEventType,
  publishedStream,
  publishedSubjects,
  sourceOf,
  subjectPrefix,
} from './published/publication';
export { publishedEvents, unpublishedEvents } from './published-events';
export * from './push/push.contracts';
export type * from './push/push.events';
export * from './scopes';
export * from './services/services.contracts';
export type * from './services/services.events';
export * from './webhooks/webhooks.contracts';
export type * from './webhooks/webhooks.events';
export type { AnyEvent, StreamEvents, Streams } from './stream-events';
