import type {
  AnyEvent,
  PageAcknowledged,
  PageNotified,
  PageResolved,
  PageWithdrawn,
} from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { type Instant, isOf, type Recorded } from '@carillon/eventing';

type FollowedPage = PageNotified | PageAcknowledged | PageWithdrawn | PageResolved;

export const isPageEvent = (recorded: Recorded<AnyEvent>): recorded is Recorded<FollowedPage> =>
  isOf(recorded.event, 'PageNotified', 'PageAcknowledged', 'PageWithdrawn', 'PageResolved');

/** The push of a page that is to be cleared from its phones. */
export interface Unpaged {
  readonly pushId: string;
  readonly accountId: string;
  readonly deviceIds: readonly string[];
  readonly recorded: Recorded<AnyEvent>;
  readonly at: Instant;
}

/**
 * Stores which phones may show which pages, and returns the pushes to clear: everyone else's when one person
 * acknowledges the page, one person's when the page is withdrawn from that person, and all when the page is resolved.
 */
export async function followPages(sql: Sql, events: readonly Recorded<FollowedPage>[]): Promise<Unpaged[]> {
  const leaving: Unpaged[] = [];
  for (const recorded of events) {
    const { event } = recorded;
    if (event.type === 'PageNotified') await keep(sql, event);
    else leaving.push(...(await leave(sql, recorded, event)));
  }
  return leaving;
}

async function keep(sql: Sql, { pageId, people }: PageNotified): Promise<void> {
  const pushed = people.filter(({ deviceIds }) => deviceIds.length > 0);
  if (pushed.length === 0) return;
  const given = columns(
    { push_id: 'text', account_id: 'text', devices: 'jsonb' },
    pushed,
    ({ pushId, accountId, deviceIds }) => ({
      push_id: pushId,
      account_id: accountId,
      devices: JSON.stringify(deviceIds),
    }),
    { from: 2 },
  );
  await sql.query(
    `INSERT INTO paged (push_id, page_id, account_id, device_ids)
     SELECT n.push_id, $1, n.account_id, ARRAY(SELECT jsonb_array_elements_text(n.devices)) FROM ${given.rows}
     ON CONFLICT DO NOTHING`,
    [pageId, ...given.values],
  );
}

async function leave(
  sql: Sql,
  recorded: Recorded<AnyEvent>,
  event: Exclude<FollowedPage, PageNotified>,
): Promise<Unpaged[]> {
  const { at, from, but } = whose(event);
  const rows = await sql.query<{ push_id: string; account_id: string; device_ids: string[] }>(
    `DELETE FROM paged WHERE page_id = $1 AND ($2::text IS NULL OR account_id = $2)
       AND ($3::text IS NULL OR account_id <> $3) RETURNING push_id, account_id, device_ids`,
    [event.pageId, from, but],
  );
  return rows.map(({ push_id, account_id, device_ids }) => ({
    pushId: push_id,
    accountId: account_id,
    deviceIds: device_ids,
    recorded,
    at,
  }));
}

/** Whose phones the page is cleared from: one person's, everyone's except one person's, or all. */
function whose(event: Exclude<FollowedPage, PageNotified>): {
  readonly at: Instant;
  readonly from: string | null;
  readonly but: string | null;
} {
  switch (event.type) {
    case 'PageAcknowledged':
      return { at: event.acknowledgedAt, from: null, but: event.by };
    case 'PageWithdrawn':
      return { at: event.withdrawnAt, from: event.accountId, but: null };
    case 'PageResolved':
      return { at: event.resolvedAt, from: null, but: null };
  }
}
