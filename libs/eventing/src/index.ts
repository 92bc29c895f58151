export { fold, isOf, isPassing, ofType, Refused } from './decider';
export type { Actor, Decide, Decider, Decision, DomainEvent, EventMetadata, Recorded } from './decider';
export { fromMicros, instant, micros, millis, plus } from './instant';
export type { Instant } from './instant';
export { longestTrail, lostOf, releaseRoom, roomFor, takeRoom } from './room';
export type { Place, Room, RoomCounted, RoomEvent, RoomReleased, RoomState, RoomTaken, Taking } from './room';
