export * from './accounts/accounts.contracts';
export type * from './accounts/accounts.events';
export * from './contract';
export * from './events/events.contracts';
export * from './feed/feed.contracts';
export * from './inbox/inbox.contracts';
export type * from './inbox/inbox.events';
export * from './notifications/notifications.contracts';
export type * from './notifications/notifications.events';
export { asyncApi } from './published/asyncapi';
export { keepFields } from './published/fields';
export {
  cloudEventType,
  type PublishedEvent,
  publishedEvents,
  publishedStream,
  publishedSubjects,
  sourceOf,
  subjectPrefix,
  unpublishedEvents,
} from './published/published';
export * from './push/push.contracts';
export type * from './push/push.events';
export * from './scopes';
export * from './services/services.contracts';
export type * from './services/services.events';
export { cut, plainText } from './text/plain';
export { check, compiled, fieldsOf, viaClassValidator } from './validation/check';
export type { Checked, CheckOptions, Field, Issue } from './validation/check';
export { Rule } from './validation/rule';
export type { Asks, IssueCode, Problem } from './validation/rule';
export { Paged, pageLimit } from './validation/rules';
