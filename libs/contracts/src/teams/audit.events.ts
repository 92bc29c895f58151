import type { Instant } from '@carillon/eventing';

/**
 * Stream `audit-<tail of the team's id>`: the audit log of a team, a chain in which each entry has the hash of the one
 * before. Personal fields are sealed with the key of the actor, or of the team without one.
 */
export interface AuditRecorded {
  readonly type: 'AuditRecorded';
  readonly entryId: string;
  readonly teamId: string;
  /** 1 for the first entry; the revision in the stream plus one. */
  readonly sequence: number;
  /** The oldest entry that retention kept at that time. */
  readonly keptFrom: number;
  readonly previousHash: string;
  readonly hash: string;
  /** The hash of the erasable fields with the salt. */
  readonly digest: string;
  /** Never before the time of the previous entry. */
  readonly createdAt: Instant;
  readonly action: string;
  readonly actorUserId: string | null;
  readonly actorTokenId: string | null;
  readonly targetType: string | null;
  readonly targetId: string | null;
  /** The log position that the chain has reached: that of the event of this or an earlier entry. */
  readonly source: string;
  readonly checkpoint: { readonly key: string; readonly signature: string } | null;
  readonly actorName: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly salt: string | null;
}
