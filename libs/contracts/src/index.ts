export { profileEventTypes } from './accounts/account-event-types';
export * from './accounts/accounts.contracts';
export type * from './accounts/accounts.events';
export * from './accounts/operated.contracts';
export * from './accounts/sign-in';
export * from './activities/activities.contracts';
export * from './activities/activities.events';
export { type Overflow, overflowMessage, type Surface } from './activities/fit';
export { forgottenProps } from './activities/forgotten';
export type { AppSummary } from './app-summary';
export * from './app-summary';
export * from './apps/apps.contracts';
export type * from './apps/apps.events';
export * from './apps/consents.contracts';
export * from './changes/changes.contracts';
export * from './connectors/access.contracts';
export type * from './connectors/access.events';
export * from './connectors/callbacks.contracts';
export type * from './connectors/callbacks.events';
export * from './connectors/connectors.contracts';
export type * from './connectors/connectors.events';
export * from './contract';
export * from './events/events.contracts';
export * from './feed/feed.contracts';
export * from './health/health.contracts';
export * from './inbox/inbox.contracts';
export type * from './inbox/inbox.events';
export * from './interactions/interactions.contracts';
export { endOf, type EndedStatus } from './interactions/ending';
export type * from './interactions/escalation.events';
export type * from './interactions/interactions.events';
export * from './notifications/notifications.contracts';
export type * from './notifications/notifications.events';
export { plainText } from './notifications/plain-text';
export * from './oncall/calendar.contracts';
export type * from './oncall/calendar.events';
export * from './oncall/oncall.contracts';
export * from './oncall/duty.contracts';
export * from './oncall/overrides.contracts';
export * from './oncall/simulation.contracts';
export type * from './oncall/oncall.events';
export * from './oncall/pages.contracts';
export type * from './oncall/pages.events';
export * from './operations/installation.contracts';
export * from './operations/operations.contracts';
export type * from './operations/operations.events';
export * from './list-page';
export { keepFields } from './published/record';
export {
  cloudEventsMediaType,
  cloudEventType,
  publishedStream,
  publishedSubjects,
  sourceOf,
  subjectOf,
} from './published/publication';
export { publishedEvents, unpublishedEvents } from './published-events';
export type * from './push/lane.events';
export * from './push/push.contracts';
export * from './push/quiet-hours.contracts';
export type * from './push/push.events';
export { copiesOf, type Copy, ownersOf, recipientsOf, type WithRecipients } from './recipients';
export * from './scopes';
export * from './services/services.contracts';
export type * from './services/services.events';
export * from './teams/audit.contracts';
export type * from './teams/audit.events';
export * from './teams/groups.contracts';
export * from './teams/invites.contracts';
export * from './teams/members.contracts';
export * from './teams/domain.contracts';
export * from './teams/teams.contracts';
export * from './teams/team-event-types';
export type * from './teams/teams.events';
export * from './webhooks/webhooks.contracts';
export type * from './webhooks/webhooks.events';
export { logRetention } from './log-retention';
export { withheldTypes } from './event-catalogue';
export type { AnyEvent, StreamEvents, Streams } from './stream-events';
