export { fold, Refused } from './decider';
export type { Actor, Decide, Decider, Decision, DomainEvent, EventMetadata, Recorded } from './decider';
export { instant, millis, plus } from './instant';
export type { Instant } from './instant';
