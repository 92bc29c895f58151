import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database';
import type { Logger } from './logger';

/** The first half of the advisory locks that owners hold; the second is their number. */
export const ownersLock = 0x6f776e72;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

/**
 * Which rows of work nobody has in hand any more, as a condition on `owner` and `owned_until`: their process has died,
 * or it lives and has not come to an end with them.
 */
export const orphaned = `owner IS NOT NULL AND (owned_until < now() OR owner <> ALL (
  SELECT objid::bigint::integer FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${ownersLock} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))`;

const owners = new WeakMap<Database, LeaseOwner>();

/**
 * As whom this process takes rows of work of one database. It is marked as alive by an advisory lock that ends with its
 * connection, so that what it has in hand is found within seconds when it dies.
 */
export class LeaseOwner {
  /** Undefined while the database does not hold our lock. A new number each time it is held again. */
  me: number | undefined;
  private guard: Awaited<ReturnType<Database['connect']>> | undefined;
  private users = 0;
  private joining: Promise<void> | undefined;

  /** `Owner.of` gives the one of a database. */
  constructor(
    private readonly database: Database,
    private readonly logger: Logger | undefined,
  ) {}

  static of(database: Database, logger?: Logger): LeaseOwner {
    let owner = owners.get(database);
    if (!owner) owners.set(database, (owner = new LeaseOwner(database, logger)));
    return owner;
  }

  /** One more queueRunner under this name. */
  async join(): Promise<void> {
    this.users += 1;
    try {
      await (this.joining ??= this.become());
    } catch (error) {
      this.users -= 1;
      this.joining = undefined;
      throw error;
    }
  }

  /** One less; with the last one the lock goes. */
  async leave(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    this.me = undefined;
    this.joining = undefined;
    await this.guard?.end();
  }

  private async become(): Promise<void> {
    const guard = await this.database.connect();
    const me = randomInt(1, 2 ** 31 - 1);
    await guard.query(`SELECT pg_advisory_lock($1, $2)`, [ownersLock, me]);
    // Meanwhile the last one has left, or one has come that was faster.
    if (this.users === 0 || this.me !== undefined) return guard.end();
    this.guard = guard;
    this.me = me;
    guard.once('end', () => void this.lost(me));
  }

  private async lost(me: number): Promise<void> {
    if (this.me !== me) return;
    this.me = undefined;
    for (let backoffMs = firstBackoffMs; this.users > 0; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
      try {
        return await this.become();
      } catch (error) {
        this.logger?.warn({ err: error }, 'The database is unreachable: no jobs are leased until it answers');
        await sleep(backoffMs);
      }
    }
  }
}
