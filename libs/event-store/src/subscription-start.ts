import type { EventStoreDBClient } from '@eventstore/db-client';
import { within } from './within';

/** The maximum silence of the store. */
const silenceMs = 5_000;

/**
 * The position to subscribe from, so that no event after this one is left out: the newest one up to it that has an
 * event. A server skips one event at the start of a subscription, whether that is the one at the position or, after a
 * scavenge, the next one.
 */
export async function subscriptionStart(client: EventStoreDBClient, after: bigint): Promise<bigint> {
  if (await hasEventAt(client, after)) return after;
  const [before] = (await positionsAt(client, after, 'backwards', 2)).filter((position) => position < after);
  return before ?? 0n;
}

/** Whether there is an event at the position, or none at and after it; true for the start of the log. */
export async function hasEventAt(client: EventStoreDBClient, position: bigint): Promise<boolean> {
  if (position === 0n) return true;
  const [first] = await positionsAt(client, position, 'forwards', 1);
  return first === undefined || first === position;
}

function positionsAt(
  client: EventStoreDBClient,
  position: bigint,
  direction: 'forwards' | 'backwards',
  maxCount: number,
): Promise<bigint[]> {
  const reading = client.readAll({
    direction,
    fromPosition: { commit: position, prepare: position },
    maxCount,
  });
  const read = async (): Promise<bigint[]> => {
    const positions: bigint[] = [];
    for await (const { event, commitPosition } of reading)
      positions.push(commitPosition ?? event?.position?.commit ?? 0n);
    return positions;
  };
  return within(silenceMs, read());
}
