import { begun } from './delivery';
import type { PushAddress } from './sender.client';
import type { DeliveryTask } from './delivery-task';

/** A row of `deliveries` with its device, as the database returns it. */
export interface TaskRow {
  subject_id: string;
  device_id: string;
  delivery_id: string;
  account_id: string;
  recipients: string[] | null;
  source: string;
  partition: number;
  position: string;
  targets: number;
  expires_at: Date;
  failures: number;
  throttles: number;
  ambiguous: boolean;
  doubtful: boolean;
  unwanted: boolean;
  device_account_id: string | null;
  platform: PushAddress['platform'];
  push_environment: PushAddress['environment'];
  push_token: string | null;
  token_since: Date;
}

/** The columns of a `TaskRow`, for a statement on `deliveries w` joined with its device `d`. */
export const taskColumns = `w.subject_id, w.device_id, w.delivery_id, w.account_id, w.recipients, w.source, w.partition, w.position,
  w.targets, w.expires_at, w.failures, w.throttles, w.ambiguous, w.doubtful, w.unwanted, d.account_id AS device_account_id,
  d.platform, d.push_environment, d.push_token, d.token_since`;

/** The task that a row represents. */
export function taskOf(row: TaskRow, owner: number): DeliveryTask {
  const { failures, throttles, ambiguous } = row;
  return {
    subjectId: row.subject_id,
    deviceId: row.device_id,
    deliveryId: row.delivery_id,
    accountId: row.account_id,
    recipients: row.recipients ?? [],
    source: row.source,
    partition: row.partition,
    position: row.position,
    targets: row.targets,
    expiresAtMs: row.expires_at.getTime(),
    progress: { ...begun, failures, throttles, ambiguous },
    doubtful: row.doubtful,
    unwanted: row.unwanted,
    address:
      row.device_account_id === null
        ? 'unknown'
        : row.push_token === null
          ? 'inactive'
          : {
              deviceId: row.device_id,
              accountId: row.device_account_id,
              platform: row.platform,
              environment: row.push_environment,
              sealedToken: row.push_token,
              tokenSinceMs: row.token_since.getTime(),
            },
    owner,
  };
}
