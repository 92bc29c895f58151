import type { Instant } from '@carillon/eventing';
import type { EscalationStep, RotationPeriod } from './oncall.contracts';

/** What a team's stream says of its on-call groups. Members who leave the team leave rotations and overrides with it. */
export type OncallGroupEvent =
  | OncallGroupCreated
  | OncallGroupChanged
  | OncallGroupDeleted
  | OncallGroupEmptied
  | OverrideCreated
  | OverrideDeleted;

/** Who takes turns, and when one hands over to the next. */
export interface RotationFact {
  /** In the order of their turns. */
  readonly accountIds: readonly string[];
  readonly period: RotationPeriod;
  /** `HH:mm` on the wall clock of the zone. */
  readonly handoffAt: string;
  /** An IANA name, as it was given. */
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
  /** Of the request, when it came with an idempotency key. */
  readonly fingerprint: string | null;
  readonly createdAt: Instant;
}

/** What is absent stayed as it was. */
export interface OncallGroupChanged {
  readonly type: 'OncallGroupChanged';
  readonly teamId: string;
  readonly groupId: string;
  readonly name?: string | null;
  readonly rotation?: RotationFact;
  readonly escalation?: readonly EscalationStep[];
  readonly changedAt: Instant;
}

/** Its open pages are resolved. */
export interface OncallGroupDeleted {
  readonly type: 'OncallGroupDeleted';
  readonly teamId: string;
  readonly groupId: string;
  readonly deletedAt: Instant;
}

/** The last one who took turns has left the team: it pages nobody now. Stands behind the event of their leaving. */
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

/** One that runs ends then, and what is past of it stays. */
export interface OverrideDeleted {
  readonly type: 'OverrideDeleted';
  readonly teamId: string;
  readonly groupId: string;
  readonly overrideId: string;
  readonly accountId: string;
  readonly deletedAt: Instant;
}
