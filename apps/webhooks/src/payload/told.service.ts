import type { InteractionAsked, InteractionEnded } from '@carillon/contracts';
import { type Log, StreamDeleted } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { type ReplyMessage, toldOf } from './payload';

/** The message to an endpoint, with the traces of the requests that ended and that created the prompt. */
export interface Traced {
  readonly told: ReplyMessage;
  readonly traceparent: string | undefined;
  readonly asked: string | undefined;
}

/** The message about the prompt's end; undefined when its text is unreadable since the account's key was deleted. */
export async function readTold(log: Log, interactionId: string): Promise<Traced | undefined> {
  const { asked, ended } = await readPrompt(log, interactionId);
  const told = asked && ended && toldOf(asked.event, ended.event);
  return told && { told, traceparent: ended.metadata.traceparent, asked: asked.metadata.traceparent };
}

/** How the prompt began and ended; without either, as far as it is not on record. */
export async function readPrompt(
  log: Log,
  interactionId: string,
): Promise<{
  readonly asked: Recorded<InteractionAsked> | undefined;
  readonly ended: Recorded<InteractionEnded> | undefined;
}> {
  const events = await eventsOf(log, interactionId);
  return {
    asked: events.find(is<InteractionAsked>('InteractionAsked')),
    ended: events.find(
      (recorded): recorded is Recorded<InteractionEnded> =>
        recorded.type !== 'InteractionAsked' && endings.has(recorded.type),
    ),
  };
}

async function eventsOf(log: Log, interactionId: string): Promise<Recorded[]> {
  try {
    return await log.open(await log.store.read(`interaction-${streamTail(interactionId)}`));
  } catch (error) {
    if (error instanceof StreamDeleted) return [];
    throw error;
  }
}

const endings: ReadonlySet<string> = new Set([
  'InteractionAnswered',
  'InteractionCanceled',
  'InteractionExpired',
]);

const is =
  <Event extends { type: string }>(type: Event['type']) =>
  (recorded: Recorded): recorded is Recorded<Event> =>
    recorded.type === type;
