import type { AnyEvent } from '@carillon/contracts';
import type { Recorded } from '@carillon/eventing';
import { begun, type Progress } from './delivery';
import type { Address } from './sender.client';

/** A row of work, owned by this process: one push, or its clearing, to one device. */
export interface Work {
  /** What is pushed; or `clearingOf` what is taken off the phone. */
  readonly subjectId: string;
  readonly deviceId: string;
  readonly deliveryId: string;
  readonly accountId: string;
  /** The stream whose first event says what is pushed. */
  readonly source: string;
  readonly position: string;
  /** To how many devices the subject goes. */
  readonly targets: number;
  readonly expiresAtMs: number;
  readonly progress: Progress;
  /** Another process may have worked on it before. */
  readonly doubtful: boolean;
  /** The phone is not to ring any more: the push was taken back. */
  readonly unwanted: boolean;
  readonly address: Address | 'inactive' | 'unknown';
  readonly owner: number;
}

/** A row of work with its device, as the database gives it. */
export interface WorkRow {
  subject_id: string;
  device_id: string;
  delivery_id: string;
  account_id: string;
  source: string;
  position: string;
  targets: number;
  expires_at: Date;
  failures: number;
  throttles: number;
  ambiguous: boolean;
  doubtful: boolean;
  unwanted: boolean;
  device_account_id: string | null;
  platform: Address['platform'];
  push_environment: Address['environment'];
  push_token: string | null;
  token_since: Date;
}

/** What a statement on `deliveries w` with its device `d` gives a `WorkRow`. */
export const workColumns = `w.subject_id, w.device_id, w.delivery_id, w.account_id, w.source, w.position, w.targets,
  w.expires_at, w.failures, w.throttles, w.ambiguous, w.doubtful, w.unwanted, d.account_id AS device_account_id,
  d.platform, d.push_environment, d.push_token, d.token_since`;

/** The work that a row stands for. */
export function workOf(row: WorkRow, owner: number): Work {
  const { failures, throttles, ambiguous } = row;
  return {
    subjectId: row.subject_id,
    deviceId: row.device_id,
    deliveryId: row.delivery_id,
    accountId: row.account_id,
    source: row.source,
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

/** The works of one push, or of one clearing, that were taken together. */
export interface Job {
  readonly works: readonly Work[];
  /** The event that says what is pushed, where it is at hand. */
  readonly cause?: Recorded<AnyEvent> | undefined;
}
