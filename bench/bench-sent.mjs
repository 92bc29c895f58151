// Notifications of ten thousand accounts, as sends make them, for a log that is filled fast.
import { randomUUID } from 'node:crypto';

const eventsAtOnce = 500;
const appendsAtOnce = 8;
export const accounts = 10_000;

/** As ids are made: others are not published. */
const idOf = (prefix, n) => `${prefix}_0000000000e008${n.toString().padStart(12, '0')}`;
export const accountOf = (n, of = accounts) => idOf('usr', n % of);
export const subjectOf = (n) => idOf('anot', n);

/** The event with this number, and its metadata. */
export function sentOf(n, at, accountId = accountOf(n)) {
  const commandId = randomUUID();
  return {
    event: {
      type: 'NotificationSent',
      notificationId: subjectOf(n),
      accountId,
      tokenId: null,
      sourceName: 'Bench',
      title: `Title ${n}`,
      body: 'A body of what was sent',
      summary: null,
      bodyFormat: 'text',
      imageUrl: null,
      url: null,
      projectId: `p${n % 20}`,
      projectName: null,
      appId: null,
      deviceIds: [],
      fingerprint: null,
      sentAt: at,
    },
    metadata: { commandId, correlationId: commandId, accountId, actor: { process: 'bench' } },
  };
}

/** Calls `append` with the numbers from one up to another, some hundred at a time, and several calls at once. */
export async function inBatches(from, to, append) {
  let next = from;
  const lane = async () => {
    while (next < to) {
      const first = next;
      next = Math.min(to, first + eventsAtOnce);
      await append(Array.from({ length: next - first }, (_, index) => first + index));
    }
  };
  await Promise.all(Array.from({ length: appendsAtOnce }, lane));
}
