import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database';
import type { Logger } from './logger';

/** The first key of the advisory lock of each owner; the second key is the owner's number. */
export const ownersLock = 0x6f776e72;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

/**
 * The orphaned rows of a queue, as a condition on `owner` and `owned_until`: their process has died, or it lives and
 * the lease has expired.
 */
export const orphaned = `owner IS NOT NULL AND (owned_until < now() OR owner <> ALL (
  SELECT objid::bigint::integer FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${ownersLock} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))`;

const owners = new WeakMap<Database, LeaseOwner>();

/**
 * The identity under which this process leases rows of the queues of one database. An advisory lock that ends with its
 * connection marks it as alive, so that its leases are reclaimed within seconds when the process dies.
 */
export class LeaseOwner {
  /** The owner's number; undefined while the lock is not held. A new number each time the lock is taken. */
  me: number | undefined;
  private guard: Awaited<ReturnType<Database['connect']>> | undefined;
  private users = 0;
  private joining: Promise<void> | undefined;

  /** Use `LeaseOwner.of`, which returns the one owner per database. */
  constructor(
    private readonly database: Database,
    private readonly logger: Logger | undefined,
  ) {}

  static of(database: Database, logger?: Logger): LeaseOwner {
    let owner = owners.get(database);
    if (!owner) owners.set(database, (owner = new LeaseOwner(database, logger)));
    return owner;
  }

  /** Adds a queue to this owner; the first one takes the lock. */
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

  /** Removes a queue; the last one releases the lock. */
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
    // Meanwhile the last queue has left, or a concurrent call has taken a lock first.
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
