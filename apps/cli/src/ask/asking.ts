import { ApiError, type Client, type Interaction, type Question } from '@carillon/client';
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
 * Asks and waits. A prompt for whose answer nobody waits any more, for whatever reason, or that has reached no device,
 * is canceled, so that phones stop asking. The request that asks is broken off only after a while: whether it has been
 * carried out is then unknown, so that it is repeated once with its key, to learn which prompt to cancel.
 */
export async function asking(
  client: Client,
  question: Question,
  { idempotencyKey, givenUp, patienceSeconds, onAsked }: AskingOptions,
): Promise<Interaction> {
  const waiting = new AbortController();
  const key = idempotencyKey ?? crypto.randomUUID();
  let asked: Interaction | undefined;
  const noConnection = new Ended(
    exits.noConnection,
    'No connection: the server did not answer the question.',
  );
  const stop = (): void => {
    if (asked) waiting.abort(new Ended(exits.noAnswer, 'Nobody waits for the answer any more.'));
    else setTimeout(() => waiting.abort(noConnection), cancelWithinMs).unref();
  };
  if (givenUp.aborted) throw new Ended(exits.noAnswer, 'It was ended.');
  givenUp.addEventListener('abort', stop, { once: true });
  try {
    return await client.ask(question, {
      idempotencyKey: key,
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
    const isUnknown =
      !asked && (waiting.signal.aborted || (idempotencyKey === undefined && !isRefused(error)));
    const prompt = isUnknown ? await askedBefore(client, question, key) : asked;
    if (prompt) await cancel(client, prompt.id);
    throw error;
  } finally {
    givenUp.removeEventListener('abort', stop);
  }
}

/** Whether it is known that nothing was asked. */
const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status < 500;

async function askedBefore(
  client: Client,
  question: Question,
  key: string,
): Promise<Interaction | undefined> {
  const signal = AbortSignal.timeout(cancelWithinMs);
  const params = { header: { 'Idempotency-Key': key } };
  const sent = await client.post('/interactions', { body: question, params, signal }).catch(() => undefined);
  return sent?.interaction;
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
