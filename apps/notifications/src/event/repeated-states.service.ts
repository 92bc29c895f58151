import type { Context } from '@carillon/bus';
import { Database } from '@carillon/event-store';
import { Clock } from '@carillon/runtime';
import { fingerprint } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { Reading } from '../preset/read';
import { OncallGroups } from '../service/oncall-groups.client';
import type { Service } from '../service/service';
import { alertOf } from './alert';

/**
 * Tells a state that is sent again from one that has come back. Prometheus sends an alert with its old start once more
 * after it was resolved because a link was broken: without this, that would be a repetition, and nobody would be paged.
 * The last state of each key is a row, and not an event, since a repetition is none.
 */
@Injectable()
export class RepeatedStates {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
  ) {}

  /**
   * The key of a repetition; null where the sender gives no means to tell one. The state is written before the event:
   * a request that is repeated after a crash in between has the same key. Another group to page makes another key, and
   * so does the same group when it could not be paged before and can be now.
   */
  async keyOf(from: Service, reading: Reading, context: Context): Promise<string | null> {
    const { once, dedupKey, mayRecur } = reading;
    if (once === null || !mayRecur) return once;
    const groupId = alertOf(from, reading)?.oncallGroupId ?? null;
    const state = fingerprint([once, groupId]);
    const alertKey = fingerprint([from.id, dedupKey]);
    const [row] = await this.database.query<{ turn: number; unpaged: boolean }>(
      `INSERT INTO service_states AS s (alert_key, once, turn, unpaged, told_at) VALUES ($1, $2, 0, false, $3)
       ON CONFLICT (alert_key) DO UPDATE SET once = excluded.once, told_at = excluded.told_at,
         turn = s.turn + CASE WHEN s.once = excluded.once THEN 0 ELSE 1 END,
         unpaged = s.unpaged AND s.once = excluded.once
       RETURNING turn, unpaged`,
      [alertKey, state, this.clock.now()],
    );
    if (!row) throw new Error('The state of an alert was not written');
    const { turn, unpaged } = row;
    const isPagedNow = unpaged && groupId !== null && (await this.groups.mayPage(groupId, context));
    return fingerprint([dedupKey, state, isPagedNow ? await this.nextTurn(alertKey, turn) : turn]);
  }

  /** Whether something that fired under the key of a reading has a page, or is about to get one. */
  async mayHavePage({ id }: Service, { dedupKey }: Reading): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT FROM service_pages WHERE alert_key = $1 UNION ALL SELECT FROM service_signals WHERE alert_key = $1
       LIMIT 1`,
      [fingerprint([id, dedupKey])],
    );
    return rows.length > 0;
  }

  /** Requests that come at once take the same turn. */
  private async nextTurn(alertKey: string, turn: number): Promise<number> {
    await this.database.query(
      `UPDATE service_states SET turn = turn + 1, unpaged = false WHERE alert_key = $1 AND turn = $2`,
      [alertKey, turn],
    );
    return turn + 1;
  }
}
