import type { AnyEvent } from '@carillon/contracts';
import type { Recorded } from '@carillon/eventing';
import type { TaskProgress } from './delivery';
import type { PushAddress } from './sender.client';

/** A row of work, owned by this process: one push, or its clearing, to one device. */
export interface DeliveryTask {
  /** What is pushed; or `clearingOf` what is taken off the phone. */
  readonly subjectId: string;
  readonly deviceId: string;
  readonly deliveryId: string;
  readonly accountId: string;
  /** Who has what is pushed beside the account. */
  readonly recipients: readonly string[];
  /** Which event it follows from: `linkTo` it. */
  readonly source: string;
  readonly position: string;
  /** To how many devices the subject goes. */
  readonly targets: number;
  readonly expiresAtMs: number;
  readonly progress: TaskProgress;
  /** Another process may have worked on it before. */
  readonly doubtful: boolean;
  /** The phone is not to ring any more: the push was taken back. */
  readonly unwanted: boolean;
  readonly address: PushAddress | 'inactive' | 'unknown';
  readonly owner: number;
}

/** The tasks of one push, or of one clearing, that were taken together. */
export interface DeliveryJob {
  readonly tasks: readonly DeliveryTask[];
  /** The event that says what is pushed, where it is at hand. */
  readonly cause?: Recorded<AnyEvent> | undefined;
}

/** Names an event by its number and its stream, as the links of the store do. */
export const linkTo = ({ revision, stream }: Pick<Recorded, 'revision' | 'stream'>): string =>
  `${revision}@${stream}`;

/** The event that a link names. A stream alone means its first one. */
export function eventAt(link: string): { readonly stream: string; readonly revision: bigint } {
  const [, revision, stream] = /^(\d+)@(.+)$/s.exec(link) ?? [];
  return revision === undefined || stream === undefined
    ? { stream: link, revision: 0n }
    : { stream, revision: BigInt(revision) };
}
