import type pg from 'pg';
import { type Database, DatabaseUnavailable } from './database';

/** A lock that this process holds as long as its connection lives. */
export interface HeldLock {
  /** Aborted when the lock was lost or released. */
  readonly signal: AbortSignal;
}

/**
 * Advisory locks of one process on one connection of its own. When the process or its connection dies, Postgres
 * releases them.
 */
export class Locks {
  private connecting: Promise<pg.Client> | undefined;
  private readonly held = new Map<string, AbortController>();
  private turn: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(private readonly database: Database) {}

  /** Takes the lock; undefined when it is held already. */
  async take(name: string): Promise<HeldLock | undefined> {
    if (this.held.has(name) || this.closed) return undefined;
    const [row] = await this.ask<{ locked: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked`,
      name,
    );
    if (!row?.locked) return undefined;
    const controller = new AbortController();
    if (this.connecting === undefined || this.closed) controller.abort();
    else this.held.set(name, controller);
    return { signal: controller.signal };
  }

  async release(name: string): Promise<void> {
    const controller = this.held.get(name);
    if (!controller) return;
    this.held.delete(name);
    controller.abort();
    await this.ask(`SELECT pg_advisory_unlock(hashtextextended($1, 0))`, name);
  }

  async close(): Promise<void> {
    this.closed = true;
    const { connecting } = this;
    this.lost();
    const client = await connecting?.catch(() => undefined);
    await client?.end();
  }

  /** One query at a time: all locks share the connection. */
  private ask<Row extends object>(text: string, name: string): Promise<Row[]> {
    const mine = this.turn.then(async () => {
      const client = await this.connection();
      try {
        return (await client.query<Row>(text, [name])).rows;
      } catch (error) {
        // It is unknown which locks the connection holds now. Closing it releases all of them.
        this.lost();
        client.end().catch(() => {});
        throw new DatabaseUnavailable(error);
      }
    });
    this.turn = mine.catch(() => {});
    return mine;
  }

  private connection(): Promise<pg.Client> {
    if (this.closed) return Promise.reject(new Error('The locks were closed'));
    this.connecting ??= this.connect();
    return this.connecting;
  }

  private async connect(): Promise<pg.Client> {
    try {
      const client = await this.database.connect();
      client.once('end', () => this.lost());
      client.once('error', () => this.lost());
      // The server notices soon when this machine is gone, so that another replica can take over.
      await client.query(
        `SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 2`,
      );
      return client;
    } catch (error) {
      this.connecting = undefined;
      throw error;
    }
  }

  private lost(): void {
    this.connecting = undefined;
    for (const controller of this.held.values()) controller.abort();
    this.held.clear();
  }
}
