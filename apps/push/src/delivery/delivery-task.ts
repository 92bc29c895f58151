import type { AnyEvent } from '@carillon/contracts';
import type { Recorded } from '@carillon/eventing';
import type { TaskProgress } from './delivery';
import type { PushAddress } from './sender.client';

/** A row leased by this process: one push, or its clearing, to one device. */
export interface DeliveryTask {
  /** The id of the push, or `clearingOf` the push that is removed from the phone. */
  readonly subjectId: string;
  readonly deviceId: string;
  readonly deliveryId: string;
  readonly accountId: string;
  /** The recipients of the push besides the account. */
  readonly recipients: readonly string[];
  /** The event that caused the task, as a link (`linkTo`). */
  readonly source: string;
  /** The partition of that event, in which the result is recorded, too. */
  readonly partition: number;
  readonly position: string;
  /** The number of devices that the subject is pushed to. */
  readonly targets: number;
  readonly expiresAtMs: number;
  readonly progress: TaskProgress;
  /** Another process may have worked on the task before. */
  readonly doubtful: boolean;
  /** The push was withdrawn: the phone must not ring any more. */
  readonly unwanted: boolean;
  readonly address: PushAddress | 'inactive' | 'unknown';
  readonly owner: number;
}

/** The tasks of one push, or of one clearing, that were leased together. */
export interface DeliveryJob {
  readonly tasks: readonly DeliveryTask[];
  /** The event with the content of the push, if it is in memory. */
  readonly cause?: Recorded<AnyEvent> | undefined;
}

/** Identifies an event by its revision and its stream, in the format of the store's links. */
export const linkTo = ({ revision, stream }: Pick<Recorded, 'revision' | 'stream'>): string =>
  `${revision}@${stream}`;

/** The event that a link identifies. A stream alone means the first event of the stream. */
export function eventAt(link: string): { readonly stream: string; readonly revision: bigint } {
  const [, revision, stream] = /^(\d+)@(.+)$/s.exec(link) ?? [];
  return revision === undefined || stream === undefined
    ? { stream: link, revision: 0n }
    : { stream, revision: BigInt(revision) };
}
