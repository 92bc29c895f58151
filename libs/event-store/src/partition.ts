import type { DomainEvent, EventMetadata, Recorded } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { randomUUID } from 'node:crypto';
import { type EventStore, isFields, type RawEvent, WrongExpectedRevision } from './event-store';
import { StoreUnfit } from './opening';

/** The default of `CARILLON_PARTITIONS`. */
export const defaultPartitions = 16;

const stream = 'partitions-installation';
const type = 'PartitionsChosen';

/**
 * The partition of an account or a team, by its id: FNV-1a (32 bits) of the characters of the stream tail, mixed as at
 * the end of MurmurHash3, modulo the number of partitions. Never changes, since events name their partition (ADR 67).
 */
export function partitionOf(id: string, partitions: number): number {
  const tail = streamTail(id);
  let hash = 0x811c9dc5;
  for (let index = 0; index < tail.length; index += 1)
    hash = Math.imul(hash ^ tail.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
}

/**
 * Whether each row of a projection follows from the events of one partition alone, so that the rows are the same in any
 * order that keeps the order within each partition (ADR 67). With `accounts` a row is in the partition of its account,
 * which gets each event that the account has a copy of; with `subjects` it is in that of the event's stream.
 */
export type Partitioned = false | 'accounts' | 'subjects';

/** An event whose metadata name its partitions. */
interface InPartitions {
  readonly metadata: Pick<EventMetadata, 'partition' | 'alsoIn'>;
}

/** How the rows of a projection are divided. */
export interface Partitioning {
  readonly count: number;
  /** The partition with all rows that readers of an account see; undefined when these are in several. */
  of(accountId: string): number | undefined;
  /** The partitions whose rows may change by an event. */
  ofEvent(event: InPartitions): readonly number[];
  /** The event for the rows of some of its partitions; undefined when it is in none of them. */
  part(recorded: Recorded, isWanted: (partition: number) => boolean): Recorded | undefined;
}

const first: readonly number[] = [0];
/** For a projection that is not partitioned. */
export const undivided: Partitioning = {
  count: 1,
  of: () => 0,
  ofEvent: () => first,
  part: (recorded, isWanted) => (isWanted(0) ? recorded : undefined),
};

export function divided(count: number, by: 'accounts' | 'subjects'): Partitioning {
  const ofEvent = ({ metadata: { partition = 0, alsoIn = [] } }: InPartitions): readonly number[] =>
    by === 'accounts' ? [partition, ...alsoIn] : [partition];
  return {
    count,
    of: (accountId) => (by === 'accounts' ? partitionOf(accountId, count) : undefined),
    ofEvent,
    part(recorded, isWanted) {
      const all = ofEvent(recorded);
      const wanted = all.filter(isWanted);
      if (wanted.length === all.length) return recorded;
      const [partition, ...alsoIn] = wanted;
      if (partition === undefined) return undefined;
      const { event, metadata } = recorded;
      // In events of the log nobody is named: all who have a copy read it.
      const readers = accountsOf(event).filter((id) => wanted.includes(partitionOf(id, count)));
      return {
        ...recorded,
        event: Object.assign({}, event, { readers }),
        metadata: { ...metadata, partition, alsoIn },
      };
    },
  };
}

/** The accounts that have a copy of an event: the one that it names as its own, and its recipients. */
function accountsOf(event: object): readonly string[] {
  const ids: unknown[] = [];
  if ('accountId' in event) ids.push(event.accountId);
  if ('recipients' in event && Array.isArray(event.recipients)) ids.push(...event.recipients);
  return ids.filter((id) => typeof id === 'string');
}

/** The partitions of the accounts that have a copy of an event. */
export const partitionsOf = (event: DomainEvent, partitions: number): readonly number[] => [
  ...new Set(accountsOf(event).map((id) => partitionOf(id, partitions))),
];

/**
 * Writes the number of partitions into the log at the first start of an installation, and compares it at each later
 * one. Throws `StoreUnfit` when the log was begun with another number.
 */
export async function agreePartitions(store: EventStore, partitions: number): Promise<void> {
  for (;;) {
    const [event] = await store.read(stream, undefined, 1);
    const begun = event && partitionsIn(event);
    if (begun === partitions) return;
    if (begun !== undefined)
      throw new StoreUnfit(
        `CARILLON_PARTITIONS is ${partitions}, but the log was begun with ${begun} partitions, which cannot be changed: ` +
          `set CARILLON_PARTITIONS to ${begun}.`,
      );
    try {
      await store.append(stream, [chosen(partitions)], 'no_stream');
      return;
    } catch (error) {
      // Another process started first.
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
}

/** The id is random: with a derived id the store would take the number of a second process for a repeat of this one. */
function chosen(partitions: number): Parameters<EventStore['append']>[1][number] {
  const id = randomUUID();
  const metadata = {
    commandId: id,
    correlationId: id,
    accountId: '',
    actor: { process: 'event-store.partitions' },
  };
  return { id, type, data: { partitions }, metadata };
}

function partitionsIn({ data }: RawEvent): number {
  const partitions = isFields(data) ? data['partitions'] : undefined;
  if (typeof partitions !== 'number')
    throw new Error(`The first event of ${stream} names no number of partitions`);
  return partitions;
}
