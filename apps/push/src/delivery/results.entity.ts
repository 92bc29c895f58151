import type { PushReported } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import type { Result } from './results';

/** Saves the results of tasks that this process still has leased, and releases their rows. */
export async function writeResults(sql: Pick<Sql, 'query'>, results: readonly Result[]): Promise<void> {
  const given = columns(
    {
      subject_id: 'text',
      device_id: 'text',
      owner: 'integer',
      state: 'text',
      error_code: 'text',
      checked_at: 'timestamptz',
      due_at: 'timestamptz',
      held: 'text',
      failures: 'integer',
      throttles: 'integer',
      ambiguous: 'boolean',
    },
    results,
    ({ work, sent, at }) => {
      const wait = sent.to === 'wait' ? sent : undefined;
      return {
        subject_id: work.subjectId,
        device_id: work.deviceId,
        owner: work.owner,
        state: sent.to === 'settled' ? sent.status : 'waiting',
        error_code: sent.errorCode,
        checked_at: at,
        due_at: wait ? instant(wait.untilMs) : at,
        held: wait?.held ?? null,
        failures: wait?.progress.failures ?? null,
        throttles: wait?.progress.throttles ?? null,
        ambiguous: wait?.progress.ambiguous ?? null,
      };
    },
  );
  await sql.query(
    `UPDATE deliveries d SET
       state = CASE WHEN NOT (d.unwanted AND n.state = 'waiting') THEN n.state
         WHEN coalesce(n.ambiguous, d.ambiguous) OR d.doubtful THEN 'unknown' ELSE 'error' END,
       error_code = CASE WHEN d.unwanted AND n.state = 'waiting' THEN 'superseded' ELSE n.error_code END,
       checked_at = n.checked_at, due_at = n.due_at, held = n.held,
       failures = coalesce(n.failures, d.failures), throttles = coalesce(n.throttles, d.throttles),
       ambiguous = coalesce(n.ambiguous, d.ambiguous), doubtful = false, owner = NULL, owned_until = NULL
     FROM ${given.rows}
     WHERE d.subject_id = n.subject_id AND d.device_id = n.device_id AND d.owner = n.owner AND d.state = 'waiting'`,
    given.values,
  );
}

/**
 * Settles rows that still wait although the log has their results: they come from a backup, or were made again.
 */
export async function settleReported(sql: Sql, reports: readonly PushReported[]): Promise<void> {
  const settled = reports.flatMap(({ subjectId, receipts }) =>
    receipts.filter(({ status }) => status !== 'pending').map((receipt) => ({ subjectId, ...receipt })),
  );
  if (settled.length === 0) return;
  const given = columns(
    {
      subject_id: 'text',
      device_id: 'text',
      state: 'text',
      error_code: 'text',
      checked_at: 'timestamptz',
    },
    settled,
    ({ subjectId, deviceId, status, errorCode, checkedAt }) => ({
      subject_id: subjectId,
      device_id: deviceId,
      state: status,
      error_code: errorCode,
      checked_at: checkedAt,
    }),
  );
  await sql.query(
    `UPDATE deliveries d SET state = n.state, error_code = n.error_code, checked_at = n.checked_at,
       owner = NULL, owned_until = NULL
     FROM ${given.rows} WHERE d.subject_id = n.subject_id AND d.device_id = n.device_id AND d.state = 'waiting'`,
    given.values,
  );
}
