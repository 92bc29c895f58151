import type { PulledMessage, PulledMessages } from '@carillon/contracts';

/** How long a message can be read. */
export const readableMs = 24 * 60 * 60 * 1000;

/** How many messages one answer has at most. */
export const pageLength = 25;
/** One answer has no further message once it has this many bytes of bodies. */
const pageBytes = 256 * 1024;

/** A number of an outbox, with its message unless the text of the prompt was deleted. */
export interface Numbered {
  readonly sequence: number;
  readonly message: PulledMessage | undefined;
}

/** Messages in the order of their numbers, and the numbers after `after` that have none. */
export function pageOf(after: number, numbered: readonly Numbered[]): PulledMessages {
  const messages: PulledMessage[] = [];
  const gaps: { from: number; to: number }[] = [];
  const isLost = (from: number, to: number): void => {
    const last = gaps.at(-1);
    if (last?.to === from - 1) last.to = to;
    else if (from <= to) gaps.push({ from, to });
  };
  let nextAfter = after;
  let bytes = 0;
  for (const { sequence, message } of numbered) {
    if (bytes >= pageBytes) break;
    isLost(nextAfter + 1, message ? sequence - 1 : sequence);
    if (message) messages.push(message);
    bytes += message ? Buffer.byteLength(message.body) : 0;
    nextAfter = sequence;
  }
  return { messages, nextAfter, gaps };
}

/** The first of the ascending numbers from `low` to `high` that is recent; `high + 1` when none is. */
export async function firstRecent(
  low: number,
  high: number,
  isRecent: (sequence: number) => Promise<boolean>,
): Promise<number> {
  let [from, to] = [low, high + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (await isRecent(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
