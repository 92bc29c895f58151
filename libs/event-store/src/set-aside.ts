import { errorFieldsOf, isPassing, type Recorded } from '@carillon/eventing';
import type { Database } from './database';
import type { Partitioning } from './partition';
import { type Move, moveSeveral, Overtaken } from './positions';
import { type AnyProjection, UnknownEvent } from './selection';
import type { Sql } from './sql';

/** An event fails this many times alone before its account is set aside. */
export const maxFailures = 3;
/** A fault that hits more accounts than this is not one of an account: the projection stops. */
const maxAccounts = 100;
const statementTimeout = '57014';
/** Classes of SQLSTATE: rollbacks such as deadlocks, and statements or rights that no event can mend. */
const notOfEvent = /^4[02]...$/;

/** The account or team that is set aside for an event; empty when the projection stops at it. */
export const accountOf = (projection: AnyProjection, recorded: Recorded): string =>
  projection.accountOf?.(recorded) ?? '';

/** True when an error says that an event cannot be applied, and not that a component is unavailable. */
export function isOfEvent(error: unknown): boolean {
  if (error instanceof UnknownEvent || error instanceof Overtaken) return false;
  const code = String(errorFieldsOf(error).code);
  return code === statementTimeout || (!isPassing(error) && !notOfEvent.test(code));
}

/** The kind of an error, without its message, which may contain data. */
export function kindOfError(error: unknown): string {
  const { name, code } = errorFieldsOf(error);
  return [typeof name === 'string' ? name : 'Error', code].filter((part) => part !== undefined).join(' ');
}

const none: ReadonlySet<string> = new Set();

/** The accounts that one projection has set aside, each in a partition, as this process knows them. */
export class SetAside {
  /** Those of all partitions. */
  accounts = none;
  private readonly versions = new Map<number, string>();
  private readonly byPartition = new Map<number, ReadonlySet<string>>();

  constructor(
    private readonly projection: string,
    private readonly partitioning: Partitioning,
  ) {}

  /** Reads the accounts of partitions whose version, in the row of the checkpoint, is another one; null is none. */
  async at(
    sql: Pick<Sql, 'query'>,
    checkpoints: readonly { readonly partition: number; readonly version: string | null }[],
  ): Promise<void> {
    const changed = checkpoints.filter(
      ({ partition, version }) => version !== (this.versions.get(partition) ?? null),
    );
    if (changed.length === 0) return;
    const rows = changed.every(({ version }) => version === null)
      ? []
      : await sql.query<{ partition: number; account_id: string }>(
          `SELECT partition, account_id FROM set_aside WHERE projection = $1`,
          [this.projection],
        );
    for (const { partition, version } of changed) {
      const accounts = rows.filter((row) => row.partition === partition).map((row) => row.account_id);
      if (version === null) this.versions.delete(partition);
      else this.versions.set(partition, version);
      if (accounts.length === 0) this.byPartition.delete(partition);
      else this.byPartition.set(partition, new Set(accounts));
    }
    this.accounts = new Set([...this.byPartition.values()].flatMap((accounts) => [...accounts]));
  }

  /** The events for the rows of partitions in which their accounts are not set aside. */
  without(projection: AnyProjection, events: readonly Recorded[]): readonly Recorded[] {
    if (this.byPartition.size === 0) return events;
    return events.flatMap((recorded) => {
      const accountId = accountOf(projection, recorded);
      const isIn = (partition: number): boolean => !this.byPartition.get(partition)?.has(accountId);
      return this.partitioning.part(recorded, isIn) ?? [];
    });
  }
}

/**
 * Sets the account of an event aside in the partitions of these checkpoints, and moves them over the event. False when
 * too many accounts are. Throws `Overtaken`.
 */
export function setAside(
  database: Database,
  accountId: string,
  moves: readonly Move[],
  event: Recorded,
  error: unknown,
): Promise<boolean> {
  const { name } = moves[0]!;
  return database.transaction(async (sql) => {
    const [row] = await sql.query<{ count: number }>(
      `SELECT count(DISTINCT account_id)::int AS count FROM set_aside WHERE projection = $1`,
      [name],
    );
    if (!row || row.count >= maxAccounts) return false;
    const moved = await moveSeveral(sql, moves);
    for (const move of moves) {
      if (!moved.has(move)) throw new Overtaken(move);
      const { partition, from } = move;
      // In some of the partitions the account may have been set aside for an earlier event, which stays the first.
      await sql.query(
        `INSERT INTO set_aside (projection, account_id, partition, applied, position, event_type, error)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
        [name, accountId, partition, String(from), String(event.position), event.type, kindOfError(error)],
      );
      await renew(sql, name, partition);
    }
    return true;
  });
}

/** Gives the set of accounts a new version, so that each process reads it again. Needs the checkpoint's row lock. */
export const renew = (sql: Sql, projection: string, partition: number): Promise<unknown> =>
  sql.query(
    `UPDATE projection_checkpoints SET set_aside_version = CASE
       WHEN EXISTS (SELECT FROM set_aside WHERE projection = $1 AND partition = $2) THEN gen_random_uuid() END
     WHERE name = $1 AND partition = $2`,
    [projection, partition],
  );
