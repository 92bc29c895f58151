import type { Calls } from './client';
import type { components, paths } from './generated/agent';
import { isUnknown, untilAnswered } from './retry';

export type Question = components['schemas']['CreateInteraction'];
export type Interaction = components['schemas']['Interaction'];

export interface AskOptions {
  /** Known to a restarted caller, it leads to the prompt that was asked before. A new one unless said. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /**
   * How long a server that does not answer is asked again; 60 unless said. Once a request for the prompt was cut off,
   * the prompt may be on a phone: then it is asked for until it must have ended.
   */
  readonly patienceSeconds?: number;
  /** Called once the prompt is there, and nobody has answered it yet. */
  readonly onAsked?: (interaction: Interaction, accepted: number) => void;
}

/** Seconds of one request that waits. */
const waitSeconds = 50;

/** How long after its end a prompt is asked for at a server that does not answer. */
const graceMs = 30_000;

/** As the API has it. */
const usualSeconds = 3_600;

const lifetimeOf = ({ expiresAt, expiresInSeconds = usualSeconds }: Question, now: number): number =>
  expiresAt === undefined ? expiresInSeconds * 1_000 : Date.parse(expiresAt) - now;

export async function ask(
  calls: Calls<paths>,
  question: Question,
  { idempotencyKey = crypto.randomUUID(), signal, patienceSeconds = 60, onAsked }: AskOptions = {},
): Promise<Interaction> {
  const began = Date.now();
  let mayBeAsked = false;
  const create = () =>
    calls
      .post('/interactions', {
        body: question,
        params: { header: { 'Idempotency-Key': idempotencyKey } },
        ...(signal && { signal }),
      })
      .catch((error: unknown) => {
        mayBeAsked ||= isUnknown(error);
        throw error;
      });
  const { interaction, accepted } = await untilAnswered(create, {
    end: () => began + (mayBeAsked ? lifetimeOf(question, began) + graceMs : patienceSeconds * 1_000),
    ...(signal && { signal }),
  });
  onAsked?.(interaction, accepted);
  return waitForAnswer(calls, interaction, { ...(signal && { signal }) });
}

/** Waits through cut connections and restarts of the server, until a little after the prompt must have ended. */
export async function waitForAnswer(
  calls: Calls<paths>,
  { id, createdAt, expiresAt }: Interaction,
  { signal }: Pick<AskOptions, 'signal'> = {},
): Promise<Interaction> {
  // By its length, since the clock here may not be the server's.
  const end = Date.now() + Date.parse(expiresAt) - Date.parse(createdAt) + graceMs;
  const wait = () =>
    calls.get('/interactions/{id}/wait', {
      params: { path: { id }, query: { timeoutSeconds: waitSeconds } },
      ...(signal && { signal }),
    });
  for (;;) {
    const { interaction } = await untilAnswered(wait, { end: () => end, ...(signal && { signal }) });
    if (interaction.status !== 'pending') return interaction;
  }
}
