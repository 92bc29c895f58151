import { Projection, type Sql } from '@carillon/event-store';
import { isBefore, type Recorded } from '@carillon/eventing';
import { Clock, keepDays, keptSince, neededDays } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { type FedEvent, type Followed, newEntries, on } from './entries.entity';
import type { FeedLine } from './entry';
import { ForgottenLines } from './forgotten-lines.worker';
import { addLines } from './lines.entity';
import { byAge, numbered, type Totals } from './ranks';
import { readTotals, writeTotals } from './totals.entity';
import { moveLines, readYounger } from './younger.entity';

/** Projects the activity feed of each account, merged and numbered, and the totals. */
@Injectable()
export class FeedProjection extends Projection<Followed, typeof on> {
  readonly name = 'feed';
  override readonly partitioned = 'accounts';
  readonly tables = ['feed_items', 'feed_totals', 'feed_prompts', 'feed_activities'];
  readonly on = on;
  override readonly neededDays = neededDays();

  private readonly keptDays = keepDays();

  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(ForgottenLines) private readonly forgotten: ForgottenLines,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<FedEvent>): string {
    return event.accountId;
  }

  override async apply(sql: Sql, events: readonly Recorded<FedEvent>[]): Promise<void> {
    await this.add(sql, events);
    for (const cause of events)
      if (cause.event.type === 'AccountForgotten')
        await this.forgotten.forget(sql, cause.event.accountId, cause);
  }

  private async add(sql: Sql, events: readonly Recorded<FedEvent>[]): Promise<void> {
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
    const younger = await readYounger(
      sql,
      [...fresh.values()].flatMap((entries) => mayBeLate(entries, totals)),
    );
    const numberings = [...fresh].map(([accountId, entries]) => ({
      accountId,
      ...numbered(totals.get(accountId) ?? new Map(), entries, younger.get(accountId) ?? []),
    }));
    const moved = numberings.flatMap((numbering) =>
      numbering.moved.map((line) => ({ ...line, accountId: numbering.accountId })),
    );
    await moveLines(sql, moved);
    await addLines(
      sql,
      numberings.flatMap(({ ranked }) => ranked),
    );
    await writeTotals(
      sql,
      numberings.flatMap(({ accountId, totals: after }) =>
        [...after].map(([kind, total]) => ({ accountId, kind, ...total })),
      ),
    );
  }
}

/** The oldest new line of an account, for each kind that may have lines which are younger. */
function mayBeLate(entries: readonly FeedLine[], totals: ReadonlyMap<string, Totals>): FeedLine[] {
  const oldest = oldestOf(entries);
  return [...(totals.get(oldest.accountId) ?? [])]
    .filter(([, { latestAt }]) => !isBefore(latestAt, oldest.at))
    .map(([kind]) => ({ ...oldest, kind }));
}

const oldestOf = (entries: readonly FeedLine[]): FeedLine =>
  entries.reduce((oldest, entry) => (byAge(entry, oldest) < 0 ? entry : oldest));
