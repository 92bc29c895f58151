import {
  type Checkpoint,
  digestOf,
  type Erasable,
  hashOf,
  type Lasting,
  noHash,
  type EntryView,
} from '@carillon/audit';
import type { AuditAction, AuditRecorded } from '@carillon/contracts';
import { type Decider, type Instant, later } from '@carillon/eventing';

/** Null before the first entry. */
export type ChainHead = AuditRecorded | null;

/** The newest entry is the whole state of a chain, since each entry has the hash of the one before. */
export const audit: Decider<ChainHead, AuditRecorded> = {
  category: 'audit',
  initial: null,
  evolve: (_, event) => event,
  personal: { AuditRecorded: ['actorName', 'ip', 'userAgent', 'metadata', 'salt'] },
};

/** The content of a new entry. */
export interface AuditRecord extends Erasable {
  readonly entryId: string;
  readonly at: Instant;
  readonly action: AuditAction;
  readonly actorUserId: string | null;
  readonly actorTokenId: string | null;
  readonly target: { readonly type: string; readonly id: string } | null;
  /** The position of the event that it records; absent for actions on the chain itself. */
  readonly source?: string;
  /** The oldest entry that retention keeps from now on; unchanged if absent. */
  readonly keptFrom?: number;
}

export interface Means {
  readonly salt: string;
  /** Signs the entry; absent for entries that need no signature. */
  readonly sign?: (signed: { teamId: string; sequence: number; hash: string; at: Instant }) => Checkpoint;
}

/** The entry that follows the newest one. No entry is older than the one before it, whatever the clocks say. */
export function nextEntry(
  teamId: string,
  head: ChainHead,
  said: AuditRecord,
  { salt, sign }: Means,
): AuditRecorded {
  const { entryId: id, at, action, actorUserId, actorTokenId, target } = said;
  const { actorName, ip, userAgent, metadata } = said;
  const lasting: Lasting = {
    teamId,
    sequence: (head?.sequence ?? 0) + 1,
    keptFrom: said.keptFrom ?? head?.keptFrom ?? 1,
    previousHash: head?.hash ?? noHash,
    id,
    createdAt: head ? later(head.createdAt, at) : at,
    action,
    actorUserId,
    actorTokenId,
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    digest: digestOf(salt, { actorName, ip, userAgent, metadata }),
  };
  const hash = hashOf(lasting);
  const { id: entryId, ...fields } = lasting;
  return {
    type: 'AuditRecorded',
    entryId,
    ...fields,
    hash,
    source: said.source ?? head?.source ?? '0',
    checkpoint: sign?.({ teamId, sequence: lasting.sequence, hash, at: lasting.createdAt }) ?? null,
    actorName,
    ip,
    userAgent,
    metadata,
    salt,
  };
}

/** An entry as the API and exports show it. */
export function entryView({
  entryId: id,
  teamId,
  sequence,
  keptFrom,
  digest,
  salt,
  checkpoint,
  type: _,
  source: __,
  metadata,
  ...fields
}: AuditRecorded): EntryView & { teamId: string } {
  const proof = {
    teamId,
    sequence,
    keptFrom,
    ...(salt !== null && { salt }),
    digest,
    ...(checkpoint && { checkpoint }),
  };
  return { id, teamId, ...fields, metadata: { ...metadata, proof } };
}
