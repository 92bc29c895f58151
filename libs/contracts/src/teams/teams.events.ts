import type { Instant } from '@carillon/eventing';
import type { OncallGroupEvent } from '../oncall/oncall.events';
import type { TeamKind, TeamRole } from './teams.contracts';

/**
 * Stream `team-<tail of the id>`, families and workplace teams alike; sealed with the team's own key. One stream, so
 * that members, invites, device groups and the domain are decided together.
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

/** All that was in it ends with it. Whoever keeps something of a team follows this. */
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
  /** By the team's creation, an invite, or the verified domain of the person's address. */
  readonly by: 'creation' | 'invite' | 'domain';
  readonly joinedAt: Instant;
}

/** By themselves. It takes them, and their devices, out of the team's device groups. */
export interface MemberLeft {
  readonly type: 'MemberLeft';
  readonly teamId: string;
  readonly accountId: string;
  readonly leftAt: Instant;
}

/** By somebody else. It takes them, and their devices, out of the team's device groups. */
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

/** The owner that was is an admin from now on, in a family a member. */
export interface OwnershipTransferred {
  readonly type: 'OwnershipTransferred';
  readonly teamId: string;
  readonly fromAccountId: string;
  readonly toAccountId: string;
  readonly transferredAt: Instant;
}

type InviteEvent = InviteCreated | InviteAccepted | InviteRevoked;

/** Whom an invite is for: one address, the addresses of the verified domain, or anybody with the link. */
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

/** Its `MemberJoined` follows in the same append. One for an address is used up by it, the others are not. */
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

/** A device that a group names, and whose it is. */
export interface GroupDevice {
  readonly deviceId: string;
  readonly accountId: string;
  /** How often it had been removed from its account: one that was removed once more is not what was named. */
  readonly removals: number;
}

export interface DeviceGroupCreated {
  readonly type: 'DeviceGroupCreated';
  readonly teamId: string;
  readonly groupId: string;
  readonly name: string | null;
  /** Members of the team: all active devices of each belong to it. */
  readonly accountIds: readonly string[];
  readonly devices: readonly GroupDevice[];
  /** Of the request that came with an idempotency key. */
  readonly fingerprint: string | null;
  readonly createdAt: Instant;
}

/** What is absent stayed as it was; what is changed has its former value beside it. */
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

/** The device was removed from its account, and so from all groups that had named it before. */
export interface DeviceLeftGroups {
  readonly type: 'DeviceLeftGroups';
  readonly teamId: string;
  readonly deviceId: string;
  /** How often it has been removed by now. Who named it after that keeps it. */
  readonly removals: number;
  readonly leftAt: Instant;
}

type DomainEvent = DomainSet | DomainVerified | DomainCleared;

/** It is to be proved by this token. A domain that was verified before stays until this one is. */
export interface DomainSet {
  readonly type: 'DomainSet';
  readonly teamId: string;
  /** In its A-label form. */
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

/** Neither pending nor verified any more, and nobody joins by it. */
export interface DomainCleared {
  readonly type: 'DomainCleared';
  readonly teamId: string;
  readonly clearedAt: Instant;
}
