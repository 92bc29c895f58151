import type { PushReceipt } from '@carillon/contracts';

/** A row of `deliveries`, settled or with its present state. */
export interface ReceiptRow {
  subject_id: string;
  account_id: string;
  recipients: string[] | null;
  device_id: string;
  delivery_id: string;
  state: PushReceipt['status'];
  error_code: string | null;
  checked_at: Date | null;
}

/** The receipt that a row represents. */
export const receiptOf = (row: ReceiptRow): PushReceipt => ({
  id: row.delivery_id,
  deviceId: row.device_id,
  status: row.state,
  errorCode: row.error_code,
  checkedAt: row.checked_at?.toISOString() ?? null,
});
