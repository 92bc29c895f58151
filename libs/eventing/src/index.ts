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
export { sentenceOf, toldBy } from './told';
export type { Told } from './told';
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
export { compareTexts } from './text-order';
export { lostOf, maxTrail, releaseRoom, roomFor, takeRoom } from './room';
export type { Place, Room, RoomCounted, RoomEvent, RoomReleased, RoomState, RoomTaken, Taking } from './room';
