import type pg from 'pg';
import { Pipeline } from './pipeline';
import { startupOptions } from './startup-options';

/** The maximum wait for a lock: the statements of other schemas wait behind it. */
const lockMs = 500;

const connections = new Map<string, SharedConnection>();

/**
 * One connection for all databases of this process with the same URL, whatever their schemas: statements name theirs.
 * Opened when first used, closed with the last of the databases.
 */
export class SharedConnection {
  private readonly pipeline: Pipeline;
  private readonly users = new Set<() => void>();

  private constructor(
    private readonly url: string,
    name: string,
    private readonly timeoutMs: number,
  ) {
    const config: pg.ClientConfig = {
      connectionString: url,
      application_name: name,
      // Postgres ends a statement that waits, before the client ends the connection with the statements of all others.
      options: startupOptions({
        synchronous_commit: 'off',
        lock_timeout: lockMs,
        statement_timeout: timeoutMs - lockMs,
      }),
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
    };
    this.pipeline = new Pipeline(config, () => {
      for (const onLoss of this.users) onLoss();
    });
  }

  /**
   * The connection has the name and the timeout of its first user. `onLoss` is called when it is lost, until it is
   * given to `release`.
   */
  static take(url: string, name: string, timeoutMs: number, onLoss: () => void): SharedConnection {
    let connection = connections.get(url);
    if (!connection) connections.set(url, (connection = new SharedConnection(url, name, timeoutMs)));
    connection.users.add(onLoss);
    return connection;
  }

  /** Errors are the driver's own. */
  ask<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.pipeline.ask<Row>({ text, values: [...values] }, this.timeoutMs);
  }

  async release(onLoss: () => void): Promise<void> {
    this.users.delete(onLoss);
    if (this.users.size > 0) return;
    connections.delete(this.url);
    await this.pipeline.close();
  }
}
