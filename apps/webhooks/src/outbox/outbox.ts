import type { ReplyEventType, ReplyQueued } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';

/** How far an endpoint's outbox is: its newest entry says all, so that no more than that is ever read. */
export interface Outbox {
  /** Of the newest entry, 0 when there is none. */
  readonly sequence: number;
  /** Where in the log what it tells of is. */
  readonly source: bigint | null;
}

export const outbox: Decider<Outbox, ReplyQueued> = {
  category: 'outbox',
  initial: { sequence: 0, source: null },
  evolve: (_, { sequence, source }) => ({ sequence, source: BigInt(source) }),
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

/** Ends of prompts come in the order of the log, so that what lies before the newest entry has been judged before. */
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

/** Whether an endpoint as it was when the prompt ended is to hear of that. */
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
