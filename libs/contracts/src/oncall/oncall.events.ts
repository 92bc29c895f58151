import type { Instant } from '@carillon/eventing';
import type { EscalationStep, RotationPeriod } from './oncall.contracts';

/** Events of on-call groups in a team's stream. Members who leave the team also leave its rotations and overrides. */
export type OncallGroupEvent =
  | OncallGroupCreated
  | OncallGroupChanged
  | OncallGroupDeleted
  | OncallGroupEmptied
  | OverrideCreated
  | OverrideDeleted;

/** The members who take turns, and the times of handoffs. */
export interface RotationFact {
  /** In the order of their turns. */
  readonly accountIds: readonly string[];
  readonly period: RotationPeriod;
  /** `HH:mm` on the wall clock of the zone. */
  readonly handoffAt: string;
  /** The IANA name of the zone, as in the request. */
  readonly timezone: string;
  /** The local date, `YYYY-MM-DD`, of the first handoff. */
  readonly anchor: string;
}

export interface OncallGroupCreated {
  readonly type: 'OncallGroupCreated';
  readonly teamId: string;
  readonly groupId: string;
  readonly name: string | null;
  readonly rotation: RotationFact;
  readonly escalation: readonly EscalationStep[];
  /** Whether those whose shifts begin or end are notified; absent for false. */
  readonly handoffNotices?: boolean;
  /** Of the request, when it came with an idempotency key. */
  readonly fingerprint: string | null;
  readonly createdAt: Instant;
}

/** Absent fields are unchanged. */
export interface OncallGroupChanged {
  readonly type: 'OncallGroupChanged';
  readonly teamId: string;
  readonly groupId: string;
  readonly name?: string | null;
  readonly rotation?: RotationFact;
  readonly escalation?: readonly EscalationStep[];
  readonly handoffNotices?: boolean;
  readonly changedAt: Instant;
}

/** The open pages of the group are resolved after this. */
export interface OncallGroupDeleted {
  readonly type: 'OncallGroupDeleted';
  readonly teamId: string;
  readonly groupId: string;
  readonly deletedAt: Instant;
}

/** The last member of the rotation left the team, so that the group pages nobody. Follows the event of the leaving. */
export interface OncallGroupEmptied {
  readonly type: 'OncallGroupEmptied';
  readonly teamId: string;
  readonly groupId: string;
  readonly accountId: string;
  readonly emptiedAt: Instant;
}

export interface OverrideCreated {
  readonly type: 'OverrideCreated';
  readonly teamId: string;
  readonly groupId: string;
  readonly overrideId: string;
  readonly accountId: string;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  /** Of the request, when it came with an idempotency key. */
  readonly fingerprint: string | null;
  readonly createdAt: Instant;
}

/** A current override ends at this time, and its past part stays. */
export interface OverrideDeleted {
  readonly type: 'OverrideDeleted';
  readonly teamId: string;
  readonly groupId: string;
  readonly overrideId: string;
  readonly accountId: string;
  readonly deletedAt: Instant;
}
