import type { TeamEvent } from './teams.events';

/**
 * Team event types by topic, for projections that ignore all events of a topic. A new type that is missing here is also
 * missing in each of these projections, which does not compile.
 */
type Types = readonly TeamEvent['type'][];

export const inviteEventTypes = ['InviteCreated', 'InviteAccepted', 'InviteRevoked'] as const satisfies Types;

export const deviceGroupEventTypes = [
  'DeviceGroupCreated',
  'DeviceGroupChanged',
  'DeviceGroupDeleted',
  'DeviceLeftGroups',
] as const satisfies Types;

export const oncallGroupEventTypes = [
  'OncallGroupCreated',
  'OncallGroupChanged',
  'OncallGroupDeleted',
  'OncallGroupEmptied',
  'OverrideCreated',
  'OverrideDeleted',
] as const satisfies Types;

export const domainEventTypes = ['DomainSet', 'DomainVerified', 'DomainCleared'] as const satisfies Types;
