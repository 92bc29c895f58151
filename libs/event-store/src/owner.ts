import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database';
import { type Lease, Leases } from './leases';
import type { Logger } from './logger';

const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

const prefix = 'owner ';

/** SQL that selects the numbers of the owners whose processes are alive. */
export const liveOwners = `SELECT substr(name, ${prefix.length + 1})::integer FROM leases WHERE starts_with(name, '${prefix}')`;

/** The orphaned rows of a queue, as a condition on them: their owner is gone, or did not renew them. */
export const orphaned = `owner IS NOT NULL AND (owned_until < now() OR owner <> ALL (${liveOwners}))`;

const owners = new WeakMap<Database, LeaseOwner>();

/**
 * The identity under which this process leases rows of the queues of one database. A lease of its own shows that the
 * process is alive, so that its rows are reclaimed within seconds when it dies or freezes.
 */
export class LeaseOwner {
  private current: { readonly number: number; readonly lease: Lease } | undefined;
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

  /** The owner's number; undefined while its lease is over. A new number each time a lease is taken. */
  get me(): number | undefined {
    return this.current?.lease.isOver === false ? this.current.number : undefined;
  }

  /** Adds a queue to this owner; the first one takes the lease. */
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

  /** Removes a queue; the last one releases the lease. */
  async leave(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    const { current } = this;
    this.current = undefined;
    this.joining = undefined;
    if (current) await this.release(current.number);
  }

  private async become(): Promise<void> {
    const number = randomInt(1, 2 ** 31 - 1);
    const lease = await Leases.of(this.database).take(`${prefix}${number}`);
    if (!lease) throw new Error('Another process has the same number');
    // Meanwhile the last queue has left, or a concurrent call has taken a lease first.
    if (this.users === 0 || this.current) return this.release(number);
    this.current = { number, lease };
    lease.signal.addEventListener('abort', () => void this.lost(number, lease.signal.reason), { once: true });
  }

  /** Best effort: without Postgres the lease ends by itself. */
  private async release(number: number): Promise<void> {
    await Leases.of(this.database)
      .release(`${prefix}${number}`)
      .catch(() => {});
  }

  private async lost(number: number, reason: unknown): Promise<void> {
    if (this.current?.number !== number) return;
    this.current = undefined;
    this.logger?.warn(
      { owner: number, reason },
      'This process lost its lease: other processes reclaim the jobs that it had leased',
    );
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
