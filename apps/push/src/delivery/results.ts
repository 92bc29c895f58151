import type { PushReceipt } from '@carillon/contracts';
import type { Progress } from './delivery';
import type { Sent } from './sender.client';
import type { Work } from './work';

/** What came of one work, before it is written down. */
export interface Result {
  readonly work: Work;
  readonly sent: Exclude<Sent, { to: 'lost' }>;
  readonly at: string;
}

type Settled = Extract<Sent, { to: 'settled' }>;

/** The end of a work with this status. */
export const settledAs = (status: Settled['status'], errorCode: string | null): Settled => ({
  to: 'settled',
  status,
  errorCode,
});

/** The end of a work that nobody wants any more; a try, perhaps of a process that died, may have got through. */
export const superseded = ({ doubtful }: Work, { ambiguous }: Progress): Settled =>
  settledAs(doubtful || ambiguous ? 'unknown' : 'error', 'superseded');

/** The receipts of the works; undefined while one of them is not settled. */
export function receiptsOf(
  works: readonly Work[],
  results: ReadonlyMap<Work, Result>,
): PushReceipt[] | undefined {
  const receipts: PushReceipt[] = [];
  for (const work of works) {
    const { sent, at } = results.get(work) ?? {};
    if (sent?.to !== 'settled') return undefined;
    const { status, errorCode } = sent;
    receipts.push({ id: work.deliveryId, deviceId: work.deviceId, status, errorCode, checkedAt: at! });
  }
  return receipts;
}
