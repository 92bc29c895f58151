import { Database } from '@carillon/event-store';
import { LOGGER, type Logger } from '@carillon/service';
import { Inject, Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sender } from '../delivery/sender.worker';

const lockClass = 0x70757368;

/** The owners whose process lives, as a query. */
export const livingOwners = `SELECT objid::bigint::integer FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${lockClass} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * As whom this process takes rows of work. It is marked as alive by a lock that ends with its connection, so that what it
 * has in hand is found at once when it dies.
 */
@Injectable()
export class Owner {
  /** Undefined while the database does not hold our lock. */
  me: number | undefined;
  private guard: Awaited<ReturnType<Database['connect']>> | undefined;
  private workers = 0;
  private joining: Promise<void> | undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Sender) private readonly sender: Sender,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A worker begins. */
  join(): Promise<void> {
    this.workers += 1;
    return (this.joining ??= this.become());
  }

  /** A worker has ended. With the last one the lock goes, and the ways to the providers. */
  async leave(): Promise<void> {
    this.workers -= 1;
    if (this.workers > 0) return;
    this.me = undefined;
    await this.guard?.end();
    await this.sender.close();
  }

  private async become(): Promise<void> {
    const guard = await this.database.connect();
    const me = randomInt(1, 2 ** 31 - 1);
    await guard.query(`SELECT pg_advisory_lock($1, $2)`, [lockClass, me]);
    this.guard = guard;
    this.me = me;
    guard.once('end', () => void this.lost(me));
  }

  private async lost(me: number): Promise<void> {
    if (this.me !== me) return;
    this.me = undefined;
    for (let pause = 100; this.workers > 0; pause = Math.min(pause * 2, 5_000)) {
      try {
        return await this.become();
      } catch (error) {
        this.logger.warn({ err: error }, 'The database is not reachable');
        await sleep(pause);
      }
    }
  }
}
