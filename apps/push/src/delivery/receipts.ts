import type { PushReceipt } from '@carillon/contracts';

/** A row of `deliveries`, settled or with its present state. */
export interface ReceiptRow {
  subject_id: string;
  account_id: string;
  recipients: string[] | null;
  partition: number;
  device_id: string;
  delivery_id: string;
  state: PushReceipt['status'];
  error_code: string | null;
  checked_at: Date | null;
}

/** The columns of a `ReceiptRow`, for a statement on `deliveries`. */
export const receiptColumns = `subject_id, account_id, recipients, partition, device_id, delivery_id, checked_at,
  error_code, CASE state WHEN 'waiting' THEN 'pending' ELSE state END AS state`;

/** The receipt that a row represents. The errors of a pending push are not final, so its receipt does not show them. */
export const receiptOf = (row: ReceiptRow): PushReceipt => ({
  id: row.delivery_id,
  deviceId: row.device_id,
  status: row.state,
  errorCode: row.state === 'pending' ? null : row.error_code,
  checkedAt: row.state === 'pending' ? null : (row.checked_at?.toISOString() ?? null),
});
