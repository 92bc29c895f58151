import { ForgottenRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const queue = 'forgotten_entries';

/** The entry without what was sealed with the key of its actor. Its proof stays valid without it. */
const erased = `(SELECT json_object_agg(name, CASE
    WHEN name IN ('actorName', 'ip', 'userAgent') THEN 'null'::json
    WHEN name = 'metadata' THEN json_build_object('proof', (
      SELECT json_object_agg(field, proved ORDER BY place)
      FROM json_each(value -> 'proof') WITH ORDINALITY AS proof (field, proved, place) WHERE field <> 'salt'))
    ELSE value END ORDER BY place)
  FROM json_each(entry) WITH ORDINALITY AS fields (name, value, place))`;

/** The entry as it may be read, also while its actor is in the queue. */
export const readableEntry = `CASE WHEN EXISTS (
    SELECT FROM timers WHERE timers.queue = '${queue}' AND timers.key = actor_user_id) THEN ${erased} ELSE entry END`;

/** Erases from the entries of deleted accounts what is no longer readable in the log. */
@Injectable()
export class ForgottenEntries extends ForgottenRows {
  readonly name = queue;
  protected readonly process = 'teams.forgotten_entries';
  protected readonly changes = [
    {
      due: `audit_entries WHERE actor_user_id = $1 AND entry #>> '{metadata,proof,salt}' IS NOT NULL`,
      change: `UPDATE audit_entries SET entry = ${erased}`,
    },
  ];
}
