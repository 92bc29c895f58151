import type { Client, Interaction, Question } from '@carillon/client';
import { Ended, exits } from '../exits';

export interface AskingOptions {
  readonly idempotencyKey?: string | undefined;
  /** When it is aborted nobody waits for the answer any more. */
  readonly givenUp: AbortSignal;
  readonly patienceSeconds?: number;
  readonly onAsked?: (interaction: Interaction, accepted: number) => void;
}

/** How long the end of a prompt that nobody waits for may take. */
const cancelWithinMs = 3_000;

/**
 * Asks and waits. A prompt for whose answer nobody waits any more, or that has reached no device, is canceled, so that
 * phones stop asking. The request that asks is not broken off: whether it had been carried out would be unknown.
 */
export async function asking(
  client: Client,
  question: Question,
  { idempotencyKey, givenUp, patienceSeconds, onAsked }: AskingOptions,
): Promise<Interaction> {
  const waiting = new AbortController();
  let asked: Interaction | undefined;
  const stop = (): void => {
    if (asked) waiting.abort(new Ended(exits.noAnswer, 'Nobody waits for the answer any more.'));
    else setTimeout(() => waiting.abort(new Ended(exits.noAnswer, 'It was ended.')), cancelWithinMs).unref();
  };
  if (givenUp.aborted) throw new Ended(exits.noAnswer, 'It was ended.');
  givenUp.addEventListener('abort', stop, { once: true });
  try {
    return await client.ask(question, {
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(patienceSeconds !== undefined && { patienceSeconds }),
      signal: waiting.signal,
      onAsked: (interaction, accepted) => {
        asked = interaction;
        if (givenUp.aborted) stop();
        else if (accepted === 0)
          waiting.abort(new Ended(exits.nothingAccepted, 'No device has accepted the question.'));
        else onAsked?.(interaction, accepted);
      },
    });
  } catch (error) {
    if (asked && waiting.signal.aborted) await cancel(client, asked.id);
    throw error;
  } finally {
    givenUp.removeEventListener('abort', stop);
  }
}

/** Best effort: what is not canceled expires. */
async function cancel(client: Client, id: string): Promise<void> {
  const signal = AbortSignal.timeout(cancelWithinMs);
  await client.post('/interactions/{id}/cancel', { params: { path: { id } }, signal }).catch(() => {});
}

/** A signal for the end of the process by somebody else. */
export function untilEnded(): AbortSignal {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.abort());
  return ended.signal;
}
