import type { Calls } from './client';
import type { operations, paths } from './generated/agent';
import { untilAnswered } from './retry';

type Page = operations['pullWebhookMessages']['responses'][200]['content']['application/json'];

/** A message of a reply webhook. Its body and headers pass `verifyWebhook`. */
export type WebhookMessage = Page['messages'][number];
/** Numbers of messages that can be read no more, first and last included. */
export type MessageGap = Page['gaps'][number];

export interface MessagesOptions {
  /** As `onCursor` gave it last. Without it, the oldest message of the last 24 hours is the first. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** How long a server that does not answer is asked again; for ever unless said. */
  readonly patienceSeconds?: number;
  /** Called with the `after` of a later caller, when the message after that number is asked for. */
  readonly onCursor?: (after: number) => void;
  readonly onGap?: (gap: MessageGap) => void;
  /** Called before each repetition with why there is one. */
  readonly onRetry?: (error: unknown) => void;
}

/** Seconds of one request that waits. */
const waitSeconds = 50;

/** The messages of a reply webhook in the order of their numbers, then each new one. It ends only with an error. */
export async function* messages(
  calls: Calls<paths>,
  id: string,
  { after, signal, patienceSeconds = Infinity, onCursor, onGap, onRetry }: MessagesOptions = {},
): AsyncGenerator<WebhookMessage, never> {
  for (let cursor = after; ;) {
    const query = { timeoutSeconds: waitSeconds, ...(cursor !== undefined && { after: cursor }) };
    const pull = () =>
      calls.get('/webhooks/{id}/messages', {
        params: { path: { id }, query },
        ...(signal && { signal }),
      });
    const end = Date.now() + patienceSeconds * 1_000;
    const page = await untilAnswered(pull, {
      end: () => end,
      ...(signal && { signal }),
      ...(onRetry && { onRetry }),
    });
    const advance = (to: number): void => {
      for (const gap of page.gaps) if (gap.from > (cursor ?? 0) && gap.from <= to) onGap?.(gap);
      if (to === cursor) return;
      cursor = to;
      onCursor?.(to);
    };
    for (const message of page.messages) {
      advance(message.sequence - 1);
      yield message;
      advance(message.sequence);
    }
    advance(page.nextAfter);
  }
}
