import { columns, type LeaseClaim, liveOwners, type Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { least, most, type Placed, type Places } from './places';

/** A delivery as its row has it. */
export interface ReplyRow extends Placed {
  readonly delivery_id: string;
  readonly interaction_id: string;
  readonly message_id: string;
  readonly sequence: string;
  readonly cancel: 'disabled' | 'deleted' | null;
  readonly resends: number;
  readonly connector_id: string | null;
  readonly created_at: Date;
}

/** The host of the URL; the endpoint's id while its row is missing. By its key, whatever the planner knows. */
const hostOf = (row: string): string =>
  `coalesce(lower(substring((SELECT url FROM webhooks w WHERE w.webhook_id = ${row}.webhook_id)
    FROM '^https://(\\[[^]]*\\]|[^/:?#]*)')), ${row}.webhook_id)`;

/** The requests of other processes. Named by their owners, so that the index of owned rows finds them. */
const elsewhere = (me: string): string =>
  `SELECT r.webhook_id, r.account_id, ${hostOf('r')} AS host
   FROM (${liveOwners}) o (number)
   CROSS JOIN LATERAL (SELECT * FROM replies WHERE owner = o.number AND owner <> ${me} OFFSET 0) r`;

/** The requests of other processes, and the hosts of these endpoints. */
export async function lookAround(
  sql: Pick<Sql, 'query'>,
  owner: number,
  webhookIds: readonly string[],
): Promise<{ readonly busy: readonly Placed[]; readonly hosts: ReadonlyMap<string, string> }> {
  const rows = await sql.query<Omit<Placed, 'account_id'> & { account_id: string | null }>(
    `SELECT e.webhook_id, NULL AS account_id, ${hostOf('e')} AS host FROM unnest($2::text[]) AS e (webhook_id)
     UNION ALL ${elsewhere('$1')}`,
    [owner, webhookIds],
  );
  return {
    busy: rows.flatMap((row) => (row.account_id === null ? [] : [{ ...row, account_id: row.account_id }])),
    hosts: new Map(rows.flatMap((row) => (row.account_id === null ? [[row.webhook_id, row.host]] : []))),
  };
}

/**
 * The statement that leases from each endpoint, account and host as many due deliveries as its maximum over all
 * replicas still allows, however many wait for others. The account with the fewest running requests comes first.
 * It hops from one waiting endpoint to the next by the index of waiting deliveries, and reads of each no more rows than
 * it has places, so that it costs the same however many rows are kept or wait.
 */
export function leasingDue(asked: {
  readonly claim: LeaseClaim;
  readonly leased: readonly Placed[];
  readonly places: Places;
  readonly now: Instant;
  /** No delivery of these accounts is leased. */
  readonly without: readonly string[];
}): [string, unknown[]] {
  const { claim, leased, places, now, without } = asked;
  const mine = columns(
    { webhook_id: 'text', account_id: 'text', host: 'text' },
    leased,
    ({ webhook_id, account_id, host }) => ({ webhook_id, account_id, host }),
    { from: 9, as: 'mine' },
  );
  const more = { id: 'text', places: 'integer' } as const;
  const rowOf = ([id, count]: readonly [string, number]) => ({ id, places: count });
  const endpoints = columns(more, places.toEndpoint.more, rowOf, { from: 12, as: 'm' });
  const accounts = columns(more, places.ofAccount.more, rowOf, { from: 14, as: 'm' });
  return [
    `WITH RECURSIVE endpoints AS (
       (SELECT webhook_id, account_id FROM replies WHERE due_at IS NOT NULL ORDER BY webhook_id, due_at LIMIT 1)
       UNION ALL
       SELECT n.* FROM endpoints e CROSS JOIN LATERAL (
         SELECT r.webhook_id, r.account_id FROM replies r WHERE r.due_at IS NOT NULL AND r.webhook_id > e.webhook_id
         ORDER BY r.webhook_id, r.due_at LIMIT 1) n),
     busy AS (SELECT * FROM ${mine.rows} UNION ALL ${elsewhere('$2')}),
     by_endpoint AS (
       SELECT d.*, ${hostOf('d')} AS host FROM endpoints e
       CROSS JOIN LATERAL (
         SELECT r.ctid AS place, r.webhook_id, r.account_id, r.due_at FROM replies r
         WHERE r.webhook_id = e.webhook_id AND r.due_at <= $1 AND r.owner IS NULL
           AND (r.retry_at IS NULL OR r.retry_at <= now())
         ORDER BY r.due_at
         LIMIT greatest(0, coalesce((SELECT m.places FROM ${endpoints.rows} WHERE m.id = e.webhook_id), $4)
           - (SELECT count(*) FROM busy b WHERE b.webhook_id = e.webhook_id))
         FOR UPDATE SKIP LOCKED) d
       WHERE e.account_id <> ALL($8::text[])),
     by_account AS (
       SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY due_at)
         + (SELECT count(*) FROM busy b WHERE b.account_id = c.account_id) AS account_rank,
         row_number() OVER (PARTITION BY account_id, host ORDER BY due_at)
         + (SELECT count(*) FROM busy b WHERE b.account_id = c.account_id AND b.host = c.host) AS share
       FROM by_endpoint c),
     by_host AS (
       SELECT *, row_number() OVER (PARTITION BY host ORDER BY share, account_rank, due_at)
         + (SELECT count(*) FROM busy b WHERE b.host = c.host) AS host_rank
       FROM by_account c
       WHERE account_rank <= coalesce((SELECT m.places FROM ${accounts.rows} WHERE m.id = c.account_id), $5)),
     due AS (
       SELECT place FROM by_host WHERE host_rank <= $6 AND share + host_rank <= $6 + 1
       ORDER BY account_rank, due_at LIMIT $7)
     UPDATE replies u SET owner = $2, owned_until = now() + make_interval(secs => $3)
     FROM due WHERE u.ctid = due.place
     RETURNING u.delivery_id, u.webhook_id, u.account_id, u.interaction_id, u.message_id, u.sequence, u.cancel,
       u.resends, u.connector_id, u.created_at, ${hostOf('u')} AS host`,
    [
      now,
      claim.owner,
      claim.ownedSeconds,
      least.toEndpoint,
      least.ofAccount,
      most.toHost,
      claim.available,
      without,
      ...mine.values,
      ...endpoints.values,
      ...accounts.values,
    ],
  ];
}
