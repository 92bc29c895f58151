import type { PushEnvironment } from '@carillon/contracts';
import type { Lane } from './lane';
import type { LaneRow } from './row';
import type { Look } from './due';

/** A lane that this process has leased. */
export interface LaneTask {
  readonly activityId: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly recipients: readonly string[];
  readonly correlationId: string;
  readonly owner: number;
  readonly lane: Lane;
  /** The operation to send; null when there are only outcomes to report. */
  readonly send: Look['send'];
  readonly device: DeviceRow | undefined;
}

/** The address columns of a device row. */
export interface DeviceRow {
  readonly device_account_id: string;
  readonly active: boolean;
  readonly interactive: boolean;
  readonly push_token: string | null;
  readonly push_environment: PushEnvironment;
  readonly token_since: Date;
  readonly push_to_start_token: string | null;
  readonly push_to_start_environment: PushEnvironment | null;
}

/** A row of a lane with its device. */
export type DueRow = LaneRow & (DeviceRow | Record<keyof DeviceRow, null>);

/** The task that a row represents. */
export function taskOf(row: DueRow, { lane, send }: Look, owner: number): LaneTask {
  return {
    activityId: row.activity_id,
    deviceId: row.device_id,
    accountId: row.account_id,
    recipients: row.recipients ?? [],
    correlationId: row.correlation_id,
    owner,
    lane,
    send,
    device: row.device_account_id === null ? undefined : row,
  };
}
