export { fold, isPassing, Refused } from './decider';
export type { Actor, Decide, Decider, Decision, DomainEvent, EventMetadata, Recorded } from './decider';
export { fromMicros, instant, micros, millis, plus } from './instant';
export type { Instant } from './instant';
