import type { PushReceipt } from '@carillon/contracts';
import type { TaskProgress } from './delivery';
import type { SendResult } from './sender.client';
import type { DeliveryTask } from './delivery-task';

/** The result of one task, before it is saved. */
export interface Result {
  readonly work: DeliveryTask;
  readonly sent: Exclude<SendResult, { to: 'lost' }>;
  readonly at: string;
}

type SettledResult = Extract<SendResult, { to: 'settled' }>;

/** The end of a task with this status. */
export const settledAs = (status: SettledResult['status'], errorCode: string | null): SettledResult => ({
  to: 'settled',
  status,
  errorCode,
});

/**
 * The end of a withdrawn task; its status is unknown when an earlier attempt, perhaps of a crashed process, may have
 * succeeded.
 */
export const superseded = ({ doubtful }: DeliveryTask, { ambiguous }: TaskProgress): SettledResult =>
  settledAs(doubtful || ambiguous ? 'unknown' : 'error', 'superseded');

/** The receipts of the tasks; undefined until all of them are settled. */
export function receiptsOf(
  tasks: readonly DeliveryTask[],
  results: ReadonlyMap<DeliveryTask, Result>,
): PushReceipt[] | undefined {
  const receipts: PushReceipt[] = [];
  for (const work of tasks) {
    const { sent, at } = results.get(work) ?? {};
    if (sent?.to !== 'settled') return undefined;
    const { status, errorCode } = sent;
    receipts.push({ id: work.deliveryId, deviceId: work.deviceId, status, errorCode, checkedAt: at! });
  }
  return receipts;
}
