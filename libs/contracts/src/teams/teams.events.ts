import type { Instant } from '@carillon/eventing';
import type { OncallGroupEvent } from '../oncall/oncall.events';
import type { TeamKind, TeamRole } from './teams.contracts';

/**
 * Stream `team-<tail of the id>`, for families and workplace teams; sealed with the team's own key. One stream, so that
 * decisions on members, invites, device groups and the domain are consistent.
 */
export type TeamEvent =
  | TeamCreated
  | TeamChanged
  | TeamDeleted
  | MemberEvent
  | InviteEvent
  | DeviceGroupEvent
  | OncallGroupEvent
  | DomainEvent;

export interface TeamCreated {
  readonly type: 'TeamCreated';
  readonly teamId: string;
  readonly kind: TeamKind;
  readonly name: string | null;
  readonly ownerId: string;
  readonly createdAt: Instant;
}

/** What is absent stayed as it was. */
export interface TeamChanged {
  readonly type: 'TeamChanged';
  readonly teamId: string;
  readonly name?: string | null;
  readonly autoJoinVerifiedDomain?: boolean;
  readonly retentionDays?: number | null;
  readonly changedAt: Instant;
}

/** Everything in the team ends with it. Services with data of teams must follow this event. */
export interface TeamDeleted {
  readonly type: 'TeamDeleted';
  readonly teamId: string;
  readonly deletedAt: Instant;
}

type MemberEvent = MemberJoined | MemberLeft | MemberRemoved | MemberRoleChanged | OwnershipTransferred;

export interface MemberJoined {
  readonly type: 'MemberJoined';
  readonly teamId: string;
  readonly accountId: string;
  readonly role: TeamRole;
  /** The way of joining: the team's creation, an invite, or the verified domain of the person's address. */
  readonly by: 'creation' | 'invite' | 'domain';
  readonly joinedAt: Instant;
}

/** A member left voluntarily. The member and their devices also leave the team's device groups. */
export interface MemberLeft {
  readonly type: 'MemberLeft';
  readonly teamId: string;
  readonly accountId: string;
  readonly leftAt: Instant;
}

/** A member was removed by another one. The member and their devices also leave the team's device groups. */
export interface MemberRemoved {
  readonly type: 'MemberRemoved';
  readonly teamId: string;
  readonly accountId: string;
  readonly removedBy: string;
  readonly removedAt: Instant;
}

export interface MemberRoleChanged {
  readonly type: 'MemberRoleChanged';
  readonly teamId: string;
  readonly accountId: string;
  readonly role: TeamRole;
  readonly formerRole: TeamRole;
  readonly changedAt: Instant;
}

/** The former owner becomes an admin, in a family a member. */
export interface OwnershipTransferred {
  readonly type: 'OwnershipTransferred';
  readonly teamId: string;
  readonly fromAccountId: string;
  readonly toAccountId: string;
  readonly transferredAt: Instant;
}

type InviteEvent = InviteCreated | InviteAccepted | InviteRevoked;

/** The target of an invite: one address, the addresses of the verified domain, or anybody with the link. */
export type InviteForm = 'email' | 'domain' | 'open';

export interface InviteCreated {
  readonly type: 'InviteCreated';
  readonly teamId: string;
  readonly inviteId: string;
  readonly invitedBy: string;
  readonly form: InviteForm;
  readonly email: string | null;
  readonly domain: string | null;
  readonly role: 'admin' | 'member';
  /** HMAC-SHA-256 of the code under the pepper. */
  readonly codeHash: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** Followed by its `MemberJoined` in the same append. Only uses up an invite for an address. */
export interface InviteAccepted {
  readonly type: 'InviteAccepted';
  readonly teamId: string;
  readonly inviteId: string;
  readonly accountId: string;
  readonly acceptedAt: Instant;
}

export interface InviteRevoked {
  readonly type: 'InviteRevoked';
  readonly teamId: string;
  readonly inviteId: string;
  readonly revokedAt: Instant;
}

type DeviceGroupEvent = DeviceGroupCreated | DeviceGroupChanged | DeviceGroupDeleted | DeviceLeftGroups;

/** A device of a group, and its owner. */
export interface GroupDevice {
  readonly deviceId: string;
  readonly accountId: string;
  /**
   * How often the device had been removed from its account. After another removal it no longer belongs to the group.
   */
  readonly removals: number;
}

export interface DeviceGroupCreated {
  readonly type: 'DeviceGroupCreated';
  readonly teamId: string;
  readonly groupId: string;
  readonly name: string | null;
  /** Members of the team, with all their active devices. */
  readonly accountIds: readonly string[];
  readonly devices: readonly GroupDevice[];
  /** Of the request that came with an idempotency key. */
  readonly fingerprint: string | null;
  readonly createdAt: Instant;
}

/** Absent fields are unchanged. Changed fields come with their former values. */
export interface DeviceGroupChanged {
  readonly type: 'DeviceGroupChanged';
  readonly teamId: string;
  readonly groupId: string;
  readonly name?: string | null;
  readonly formerName?: string | null;
  readonly accountIds?: readonly string[];
  readonly formerAccountIds?: readonly string[];
  readonly devices?: readonly GroupDevice[];
  readonly formerDevices?: readonly GroupDevice[];
  readonly changedAt: Instant;
}

export interface DeviceGroupDeleted {
  readonly type: 'DeviceGroupDeleted';
  readonly teamId: string;
  readonly groupId: string;
  readonly name: string | null;
  readonly deletedAt: Instant;
}

/** The device was removed from its account, and so from all groups that had it before. */
export interface DeviceLeftGroups {
  readonly type: 'DeviceLeftGroups';
  readonly teamId: string;
  readonly deviceId: string;
  /** How often the device has been removed so far. Groups that added it after that keep it. */
  readonly removals: number;
  readonly leftAt: Instant;
}

type DomainEvent = DomainSet | DomainVerified | DomainCleared;

/** The domain must be proved by this token. A verified domain stays until then. */
export interface DomainSet {
  readonly type: 'DomainSet';
  readonly teamId: string;
  /** The domain in its A-label form. */
  readonly domain: string;
  readonly token: string;
  readonly setAt: Instant;
}

export interface DomainVerified {
  readonly type: 'DomainVerified';
  readonly teamId: string;
  readonly domain: string;
  readonly verifiedAt: Instant;
}

/** The pending and the verified domain were cleared, and nobody joins by them any more. */
export interface DomainCleared {
  readonly type: 'DomainCleared';
  readonly teamId: string;
  readonly clearedAt: Instant;
}
