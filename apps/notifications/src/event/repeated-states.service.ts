import { Database } from '@carillon/event-store';
import { Clock } from '@carillon/runtime';
import { fingerprint } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { Reading } from '../preset/read';
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
  ) {}

  /**
   * The key of a repetition; null where the sender gives no means to tell one. The state is written before the event:
   * a request that is repeated after a crash in between has the same key. Another group to page makes another key.
   */
  async keyOf(from: Service, reading: Reading): Promise<string | null> {
    const { once, dedupKey, mayRecur } = reading;
    if (once === null || !mayRecur) return once;
    const state = fingerprint([once, alertOf(from, reading)?.oncallGroupId ?? null]);
    const [row] = await this.database.query<{ turn: number }>(
      `INSERT INTO service_states AS s (alert_key, once, turn, told_at) VALUES ($1, $2, 0, $3)
       ON CONFLICT (alert_key) DO UPDATE SET once = excluded.once, told_at = excluded.told_at,
         turn = s.turn + CASE WHEN s.once = excluded.once THEN 0 ELSE 1 END
       RETURNING turn`,
      [fingerprint([from.id, dedupKey]), state, this.clock.now()],
    );
    if (!row) throw new Error('The state of an alert was not written');
    return fingerprint([dedupKey, state, row.turn]);
  }
}
