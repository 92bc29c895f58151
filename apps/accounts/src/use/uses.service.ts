import { Database, Log } from '@carillon/event-store';
import type { Decide, Decider, EventMetadata, Instant } from '@carillon/eventing';
import type { SessionUsed, TokenUsed } from '@carillon/contracts';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { keepLastUses } from './last-uses.entity';
import { isDueForLog, isDueForRow, type LastUse, sessionUse, tokenUse, useSession, useToken } from './use';

interface Used {
  readonly id: string;
  readonly accountId: string;
  /** The newest use that the rows have from the log; they may be behind it. */
  readonly loggedAt: Date | null;
  /** The newest use that the rows have at all. */
  readonly lastUsedAt: Date | null;
}

/** The uses of a second are written by one statement. */
const batchMs = 1_000;
const batchSize = 5_000;

const instant = (date: Date | null): LastUse => date?.toISOString() ?? null;

/** Records the last use of tokens and sessions, without delaying the requests that use them. */
@Injectable()
export class Uses implements OnModuleDestroy {
  private readonly logging = new Map<string, Promise<void>>();
  private batch = new Map<string, Instant>();
  private timer: NodeJS.Timeout | undefined;
  private writing = Promise.resolve();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.write();
    await Promise.all([this.writing, ...this.logging.values()]);
  }

  token(used: Used): void {
    const at = this.clock.now();
    this.note(tokenUse, used, at, useToken({ id: used.id, accountId: used.accountId, at }));
  }

  session(used: Used): void {
    const at = this.clock.now();
    this.note(sessionUse, used, at, useSession({ id: used.id, accountId: used.accountId, at }));
  }

  private note<Event extends TokenUsed | SessionUsed>(
    decider: Decider<LastUse, Event>,
    { id, accountId, loggedAt, lastUsedAt }: Used,
    at: Instant,
    decide: Decide<LastUse, Event>,
  ): void {
    if (!this.batch.has(id) && isDueForRow(instant(lastUsedAt), at)) this.add(id, at);
    if (this.logging.has(id) || !isDueForLog(instant(loggedAt), at)) return;
    const commandId = randomUUID();
    const metadata = { commandId, correlationId: commandId, accountId, actor: { process: 'accounts.use' } };
    const logging = this.append(decider, id, decide, metadata)
      .catch((error: unknown) =>
        this.logger.warn(
          { err: error, id },
          'Failed to append the last use of a token or session: its next use appends it',
        ),
      )
      .finally(() => this.logging.delete(id));
    this.logging.set(id, logging);
  }

  private add(id: string, at: Instant): void {
    this.batch.set(id, at);
    if (this.batch.size >= batchSize) this.write();
    else this.timer ??= setTimeout(() => this.write(), batchMs).unref();
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.batch.size === 0) return;
    const uses = this.batch;
    this.batch = new Map();
    // One after the other, so that a slow Postgres gets no more connections for this.
    this.writing = this.writing.then(() =>
      keepLastUses(this.database, uses).catch((error: unknown) =>
        this.logger.warn(
          { err: error, uses: uses.size },
          'Failed to write the last uses of tokens and sessions: their next uses write them',
        ),
      ),
    );
  }

  private async append<Event extends TokenUsed | SessionUsed>(
    decider: Decider<LastUse, Event>,
    id: string,
    decide: Decide<LastUse, Event>,
    metadata: EventMetadata,
  ): Promise<void> {
    const { revision } = await this.log.load(decider, id);
    // Before the first event, so that a crash in between leaves no stream without a maximum length.
    if (revision === undefined) await this.log.store.setMaxCount(`${decider.category}-${id}`, 1);
    await this.log.transact(decider, id, decide, metadata);
  }
}
