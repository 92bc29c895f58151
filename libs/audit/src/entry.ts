import { fingerprint } from '@carillon/signing';
import type { Checkpoint } from './checkpoint';

/** What of an entry is a person's, or may be: it goes when the account's key is destroyed. */
export interface Erasable {
  readonly actorName: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What of an entry stays. */
export interface Lasting {
  readonly teamId: string;
  /** 1 for the team's first entry. */
  readonly sequence: number;
  /** The oldest entry that the team's retention had left when this one was written; 1 without any. */
  readonly keptFrom: number;
  /** Of the entry before, `noHash` for the first. */
  readonly previousHash: string;
  readonly id: string;
  readonly createdAt: string;
  readonly action: string;
  readonly actorUserId: string | null;
  readonly actorTokenId: string | null;
  readonly targetType: string | null;
  readonly targetId: string | null;
  /** `digestOf` what may be erased. */
  readonly digest: string;
}

/** What the first entry of a team has for its previous hash. */
export const noHash = '0'.repeat(64);

/** What stands for the erasable part in the hash of an entry. Without the salt nobody can guess at what it was. */
export const digestOf = (salt: string, { actorName, ip, userAgent, metadata }: Erasable): string =>
  fingerprint({ salt, actorName, ip, userAgent, metadata });

/** The hash of an entry, over its lasting fields alone, so that it holds whatever was erased. */
export const hashOf = ({
  teamId,
  sequence,
  keptFrom,
  previousHash,
  id,
  createdAt,
  action,
  actorUserId,
  actorTokenId,
  targetType,
  targetId,
  digest,
}: Lasting): string =>
  fingerprint({
    version: 1,
    teamId,
    sequence,
    keptFrom,
    previousHash,
    id,
    createdAt,
    action,
    actorUserId,
    actorTokenId,
    targetType,
    targetId,
    digest,
  });

/** What an entry shows, as `metadata.proof`, that its hash covers and no other field tells. */
export type Proof = Pick<Lasting, 'teamId' | 'sequence' | 'keptFrom' | 'digest'> & {
  /** Absent when the erasable part was erased. */
  readonly salt?: string;
  /** Of entries that are signed. */
  readonly checkpoint?: Checkpoint;
};

/** An entry as JSON shows it, but for `teamId`, which its proof has too. */
export interface EntryView extends Omit<Erasable, 'metadata'>, Omit<Lasting, keyof Proof> {
  readonly hash: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly proof: Proof };
}

/** The actions whose entries are signed. */
export const signedActions: readonly string[] = ['audit.exported', 'audit.checkpointed'];
