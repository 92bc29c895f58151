import type { ReplyEventType, ReplyQueued } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis } from '@carillon/eventing';
import { deriveId } from '@carillon/signing';

/** The state of an endpoint's outbox: its newest entry holds it all, so only that entry is read. */
export interface Outbox {
  /** Number of the newest entry; 0 when there is none. */
  readonly sequence: number;
  /** Log position of the prompt's end. */
  readonly source: bigint | null;
}

export const outbox: Decider<Outbox, ReplyQueued> = {
  category: 'outbox',
  initial: { sequence: 0, source: null },
  evolve: (_, { sequence, source }) => ({ sequence, source: BigInt(source) }),
  personal: { ReplyQueued: [] },
};

export interface OutboxEntry {
  readonly webhookId: string;
  readonly accountId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly interactionId: string;
  readonly replyType: ReplyEventType;
  readonly source: bigint;
  readonly at: Instant;
}

/** The delivery of one end of a prompt, the event `endId`, to one endpoint. */
export const deliveryIdOf = (webhookId: string, endId: string, at: Instant): string =>
  deriveId('whd', millis(at), webhookId, endId);

/** Ends of prompts come in the order of the log, so an end before the newest entry has been processed already. */
export const queue: Decision<Outbox, ReplyQueued, OutboxEntry> =
  ({ source, at, ...entry }) =>
  (state) =>
    state.source !== null && source <= state.source
      ? []
      : [
          {
            type: 'ReplyQueued',
            ...entry,
            sequence: state.sequence + 1,
            source: String(source),
            queuedAt: at,
          },
        ];

/** Whether an endpoint, in its state when the prompt ended, gets the end of the prompt. */
export const hears = (
  endpoint: {
    readonly id: string;
    readonly accountId: string;
    readonly enabled: boolean;
    readonly events: readonly ReplyEventType[];
  } | null,
  { webhookId, accountId, replyType }: Pick<OutboxEntry, 'webhookId' | 'accountId' | 'replyType'>,
): boolean =>
  endpoint !== null &&
  endpoint.id === webhookId &&
  endpoint.accountId === accountId &&
  endpoint.enabled &&
  endpoint.events.includes(replyType);
