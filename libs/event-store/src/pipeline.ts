import pg from 'pg';

/**
 * One shared connection to Postgres in pipeline mode: queries are sent without waiting for earlier answers, and queries
 * of one turn of the event loop in one write. Answers come in order, so a slow query delays all later ones. After the
 * connection broke, the next query opens a new one (ADR 47).
 */
export class Pipeline {
  private connecting: Promise<pg.Client> | undefined;
  private corked: Corkable | undefined;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly onLoss: () => void,
  ) {}

  /** Errors are the driver's own. A timed-out query ends the connection and all pending queries with it. */
  async ask<Row extends pg.QueryResultRow>(query: pg.QueryConfig, withinMs: number): Promise<Row[]> {
    const until = Date.now() + withinMs;
    const client = await (this.connecting ?? this.connect());
    this.cork(client);
    const limited = { ...query, query_timeout: Math.max(1, until - Date.now()) };
    return (await client.query<Row>(limited)).rows;
  }

  async close(): Promise<void> {
    const client = await this.connecting?.catch(() => undefined);
    await client?.end();
  }

  private connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.config, pipeline: true } as pg.ClientConfig);
    const lost = (): void => {
      if (this.connecting === connecting) this.connecting = undefined;
    };
    // Without a listener the loss of the connection would end the process. Pending queries fail with the loss.
    client.on('error', () => {
      this.onLoss();
      lost();
    });
    client.on('end', lost);
    const connecting = client.connect().then(() => client);
    connecting.catch(lost);
    return (this.connecting = connecting);
  }

  private cork(client: pg.Client): void {
    const { stream } = (client as unknown as { connection: { stream: Corkable } }).connection;
    if (this.corked === stream) return;
    this.corked = stream;
    stream.cork();
    setImmediate(() => {
      if (this.corked === stream) this.corked = undefined;
      stream.uncork();
    });
  }
}

type Corkable = Pick<NodeJS.WritableStream & { cork(): void; uncork(): void }, 'cork' | 'uncork'>;
