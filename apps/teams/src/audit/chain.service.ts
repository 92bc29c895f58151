import { readAuditKeys, signCheckpoint } from '@carillon/audit';
import type { AuditRecorded } from '@carillon/contracts';
import { Log, WrongExpectedRevision } from '@carillon/event-store';
import { type EventMetadata, fold, type Recorded, Refused } from '@carillon/eventing';
import { setting } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { audit, type ChainHead, nextEntry, type AuditRecord } from './audit';

const tries = 10;

export interface Head {
  readonly entry: ChainHead;
  /** In the log; undefined before the first entry. */
  readonly position: bigint | undefined;
}

type Say = (head: Head) => AuditRecord | undefined | Promise<AuditRecord | undefined>;
type Why = Pick<EventMetadata, 'commandId' | 'causationId' | 'correlationId' | 'actor' | 'traceparent'>;
type Appended = AuditRecorded & { readonly position: bigint };

/** The content of an entry, and its cause. */
export interface ChainedRecord {
  readonly said: AuditRecord;
  readonly why: Why;
}

type Tell = (head: Head) => readonly ChainedRecord[] | Promise<readonly ChainedRecord[]>;

interface ChainOptions {
  readonly signed?: boolean;
}

/** Appends to and reads the audit chains of all teams (ADR 27). */
@Injectable()
export class Chain {
  /** Newest first; the newest key signs. */
  readonly keys = readAuditKeys(setting('CARILLON_AUDIT_KEY'));
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(@Inject(Log) private readonly log: Log) {}

  /** The newest entry. Nothing else is read, since a chain may be long. */
  async head(teamId: string): Promise<Head> {
    const { entry, position } = await this.newest(teamId);
    return { entry, position };
  }

  /**
   * Appends an entry directly after the newest one. After an append conflict, `say` is called again with the new head.
   * Undefined when `say` returns nothing.
   */
  async append(
    teamId: string,
    say: Say,
    why: Why,
    options: ChainOptions = {},
  ): Promise<Appended | undefined> {
    const tell: Tell = async (head) => {
      const said = await say(head);
      return said ? [{ said, why }] : [];
    };
    return this.inTurn(teamId, () => this.appendNow(teamId, tell, options));
  }

  /** As `append`, for several entries, atomically. */
  async appendAll(teamId: string, tell: Tell): Promise<void> {
    await this.inTurn(teamId, () => this.appendNow(teamId, tell, {}));
  }

  /** Serializes the appends of this process, which would otherwise only cause each other conflicts. */
  private async inTurn<T>(teamId: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(teamId) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(work);
    this.turns.set(teamId, mine);
    try {
      return await mine;
    } finally {
      if (this.turns.get(teamId) === mine) this.turns.delete(teamId);
    }
  }

  private async appendNow(
    teamId: string,
    tell: Tell,
    { signed = false }: ChainOptions,
  ): Promise<Appended | undefined> {
    for (let tried = 1; ; tried += 1) {
      const { entry, position, revision } = await this.newest(teamId);
      let newest = entry;
      const parts: { events: [AuditRecorded]; metadata: EventMetadata }[] = [];
      for (const { said, why } of await tell({ entry, position })) {
        newest = nextEntry(teamId, newest, said, {
          salt: randomBytes(16).toString('hex'),
          ...(signed && { sign: (about) => signCheckpoint(this.keys[0], about) }),
        });
        // Personal fields are sealed with the key of the person who acted.
        parts.push({ events: [newest], metadata: { ...why, accountId: said.actorUserId ?? teamId } });
      }
      if (!newest || parts.length === 0) return undefined;
      try {
        const appended = await this.log.appendParts(
          audit,
          streamTail(teamId),
          parts,
          revision ?? 'no_stream',
          teamId,
        );
        return { ...newest, position: appended.position };
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
        if (tried === tries) throw new Refused('stream.concurrent_update', { stream: streamOf(teamId) });
      }
    }
  }

  /** Truncates the entries before this one. */
  async cut(teamId: string, keptFrom: number): Promise<void> {
    if (keptFrom > 1) await this.log.store.truncateBefore(streamOf(teamId), BigInt(keptFrom - 1));
  }

  private async newest(teamId: string): Promise<Head & { readonly revision: bigint | undefined }> {
    const raw = await this.log.store.readLast(streamOf(teamId));
    if (!raw) return { entry: null, position: undefined, revision: undefined };
    const [newest] = (await this.log.open([raw])).filter(
      (recorded): recorded is Recorded<AuditRecorded> => recorded.unreadable !== 'all',
    );
    // Starting a new chain here would hide a corrupted log.
    if (!newest) throw new Error(`The newest entry of ${raw.stream} is none`);
    const entry = fold(audit, [newest.event]);
    return { entry, position: raw.position, revision: raw.revision };
  }
}

const streamOf = (teamId: string): string => `${audit.category}-${streamTail(teamId)}`;
