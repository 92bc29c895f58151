import type { TeamEvent } from './teams.events';

/**
 * What a team's stream tells, by what it is about, for who follows teams and leaves out all of one kind. A type that is
 * new and missing here is missing from each of them, and that does not compile.
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
