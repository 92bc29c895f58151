import { Projection, type Sql } from '@carillon/event-store';
import { isBefore, type Recorded } from '@carillon/eventing';
import { type Cause, Clock, keepDays, keptSince, neededDays } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { type FedEvent, type Followed, newEntries, on } from './entries.entity';
import type { FeedLine } from './entry';
import { ForgottenLines } from './forgotten-lines.worker';
import { LateLines } from './late-lines.worker';
import { addLines } from './lines.entity';
import { byAge, numbered, oldestOf, type Totals } from './ranks';
import { readTotals, writeTotals } from './totals.entity';
import { maxMoved, moveLines, readYounger } from './younger.entity';

/** Projects the activity feed of each account, merged and numbered, and the totals. */
@Injectable()
export class FeedProjection extends Projection<Followed, typeof on> {
  readonly name = 'feed';
  override readonly partitioned = 'accounts';
  /** In the order in which transactions lock them. */
  readonly tables = ['feed_totals', 'feed_items', 'feed_prompts', 'feed_activities'];
  readonly on = on;
  override readonly neededDays = neededDays();

  private readonly keptDays = keepDays();

  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(ForgottenLines) private readonly forgotten: ForgottenLines,
    @Inject(LateLines) private readonly late: LateLines,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<FedEvent>): string {
    return event.accountId;
  }

  override async apply(sql: Sql, events: readonly Recorded<FedEvent>[]): Promise<void> {
    const [first] = events;
    if (first) await this.add(sql, events, first);
    for (const cause of events)
      if (cause.event.type === 'AccountForgotten')
        await this.forgotten.forget(sql, cause.event.accountId, cause);
  }

  private async add(sql: Sql, events: readonly Recorded<FedEvent>[], cause: Cause): Promise<void> {
    const fresh = new Map<string, FeedLine[]>();
    const oldest = keptSince(this.clock.now(), this.keptDays);
    for (const entry of await newEntries(sql, events)) {
      if (isBefore(entry.at, oldest)) continue;
      const others = fresh.get(entry.accountId);
      if (others) others.push(entry);
      else fresh.set(entry.accountId, [entry]);
    }
    if (fresh.size === 0) return;
    const totals = await readTotals(sql, [...fresh.keys()]);
    // The worker does the rest, but for the copies of a rebuild: nobody waits for these.
    const most = sql.rebuilding ? null : maxMoved;
    const younger = await readYounger(
      sql,
      [...fresh.values()].flatMap((entries) => mayBeLate(entries, totals)),
      most,
    );
    const numberings = [...fresh].map(([accountId, entries]) => {
      const renumbered = younger.get(accountId) ?? [];
      return {
        accountId,
        ...numbered(totals.get(accountId) ?? new Map(), entries, renumbered),
        lateBefore: most !== null && renumbered.length >= most ? oldestOf(renumbered) : undefined,
      };
    });
    const moved = numberings.flatMap((numbering) =>
      numbering.moved.map((line) => ({ ...line, accountId: numbering.accountId })),
    );
    await moveLines(sql, moved);
    await addLines(
      sql,
      numberings.flatMap(({ ranked, lateBefore }) =>
        ranked.map((line) => ({ ...line, late: lateBefore !== undefined && byAge(line, lateBefore) < 0 })),
      ),
    );
    await writeTotals(
      sql,
      numberings.flatMap(({ accountId, totals: after }) =>
        [...after].map(([kind, total]) => ({ accountId, kind, ...total })),
      ),
    );
    for (const { accountId, lateBefore } of numberings)
      if (lateBefore) await this.late.sink(sql, accountId, cause);
  }
}

/** The oldest new line of an account, for each kind that may have lines which are younger. */
function mayBeLate(
  entries: readonly FeedLine[],
  totals: ReadonlyMap<string, Totals>,
): (FeedLine & { readonly top: number })[] {
  const oldest = oldestOf(entries);
  const kinds = [...(totals.get(oldest.accountId) ?? [])];
  const top = kinds.reduce((sum, [, { lines }]) => sum + lines, 0);
  return kinds
    .filter(([, { latestAt }]) => !isBefore(latestAt, oldest.at))
    .map(([kind]) => ({ ...oldest, kind, top }));
}
