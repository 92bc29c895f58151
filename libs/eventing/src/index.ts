export { fold, grouped, isOf, isPassing, ofType, Refused } from './decider';
export type {
  Actor,
  Decide,
  Decider,
  Decision,
  DomainEvent,
  EventMetadata,
  Origin,
  Recorded,
} from './decider';
export { sentenceOf, errorFieldsOf } from './error-fields';
export type { ErrorFields } from './error-fields';
export { refusedAs, unless } from './refusal';
export {
  compareInstants,
  earlier,
  fromMicros,
  instant,
  isAfter,
  isBefore,
  later,
  micros,
  millis,
  plus,
} from './instant';
export type { Instant } from './instant';
export { isZone } from './time-zone';
export { compareTexts } from './text-order';
export { lostOf, maxTrail, releaseSlot, quotaOf, reserveSlot } from './quota';
export type {
  Slot,
  Quota,
  SlotsCounted,
  QuotaEvent,
  SlotReleased,
  QuotaState,
  SlotReserved,
  SlotReservation,
} from './quota';
