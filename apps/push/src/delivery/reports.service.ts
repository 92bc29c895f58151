import { Bus } from '@carillon/bus';
import type { PushReceipt } from '@carillon/contracts';
import { Database, type DeadLetterBox, isTooLarge, Log } from '@carillon/event-store';
import type { EventMetadata } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { uuidV5 } from '@carillon/signing';
import { carried } from '@carillon/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { clearedBy, clearingResult } from './clearing';
import {
  acceptedOf,
  type Delivery,
  delivery,
  endClearing,
  furtherOf,
  furtherReceipts,
  noteReceipts,
  report,
  reportSettled,
  settledIn,
} from './delivery';
import { groupBy } from './groups';
import { receiptColumns, receiptOf, type ReceiptRow } from './receipts';

/** The end of a push, or of its clearing. */
export interface End {
  readonly subjectId: string;
  readonly accountId: string;
  readonly recipients: readonly string[];
  /** That of the event which is pushed: rows of both follow from one partition. */
  readonly partition: number;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  readonly receipts: readonly PushReceipt[];
}

interface BuriedRow {
  subject_id: string;
  account_id: string;
  recipients: string[];
  partition: number;
  reason: string;
  content: PushReceipt[];
  created_at: Date;
}

const maxListed = 1_000;

/** Records the ends of pushes and clearings. */
@Injectable()
export class Reports {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The ends of these pushes and clearings, as far as all their rows are settled. */
  async settled(subjectIds: readonly string[]): Promise<End[]> {
    const rows = await this.database.query<ReceiptRow>(
      `SELECT ${receiptColumns} FROM deliveries s
       WHERE subject_id = ANY($1) AND NOT EXISTS (
         SELECT 1 FROM deliveries w WHERE w.subject_id = s.subject_id AND w.state = 'waiting')
       ORDER BY subject_id, device_id`,
      [[...new Set(subjectIds)]],
    );
    return [...groupBy(rows, (row) => row.subject_id)].map(([subjectId, of]) => ({
      subjectId,
      accountId: of[0]!.account_id,
      recipients: of[0]!.recipients ?? [],
      partition: of[0]!.partition,
      correlationId: subjectId,
      receipts: of.map(receiptOf),
    }));
  }

  /** Records which devices of a pending push are settled, unless its sender still waits for the first report. */
  async noteSettled(end: Omit<End, 'receipts'>): Promise<void> {
    const { subjectId } = end;
    const rows = await this.database.query<ReceiptRow>(
      `SELECT ${receiptColumns} FROM deliveries WHERE subject_id = $1 ORDER BY device_id`,
      [subjectId],
    );
    const receipts = rows.map(receiptOf);
    const settled = settledIn(receipts);
    if (settled === receipts.length) return;
    await this.log.transact(delivery, subjectId, reportSettled({ ...end, receipts, at: this.clock.now() }), {
      ...this.metadata(end),
      commandId: uuidV5(subjectId, `push.report.settled ${settled}`),
    });
  }

  /** Records the end of a push or a clearing; a repeated call records it once. */
  async put(end: End): Promise<void> {
    const cleared = clearedBy(end.subjectId);
    if (cleared === undefined) await this.putPush(end);
    else await this.putClearing(cleared, end);
  }

  /**
   * Moves an end that is too large for the log to the dead letters, where it can be inspected; the worker does not
   * retry it.
   */
  async bury(
    { subjectId, accountId, recipients, partition, receipts, traceparent }: End,
    error: unknown,
  ): Promise<void> {
    this.logger.error(
      { err: error, subject: subjectId, traceparent },
      'The result of a push is too large for the event store: it is moved to the dead letters',
    );
    await this.database.query(
      `WITH gone AS (DELETE FROM deliveries WHERE subject_id = $1)
       INSERT INTO dead_letters (subject_id, account_id, reason, content, recipients, partition)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING`,
      [subjectId, accountId, 'too_large', JSON.stringify(receipts), recipients, partition],
    );
  }

  /** The ends that the log rejected as too large. */
  readonly buried: DeadLetterBox = {
    list: async () => {
      const rows = await this.database.query<BuriedRow>(
        `SELECT subject_id, account_id, reason, created_at FROM dead_letters ORDER BY created_at LIMIT ${maxListed}`,
      );
      return rows.map((row) => ({
        id: row.subject_id,
        accountId: row.account_id,
        reason: row.reason,
        // The event store refuses the size at once, and would again.
        attempts: 1,
        since: row.created_at.toISOString(),
      }));
    },
    count: async () => {
      const [row] = await this.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM dead_letters`,
      );
      return row?.count ?? 0;
    },
    retry: async (subjectId) => {
      const [row] = await this.database.query<BuriedRow>(`SELECT * FROM dead_letters WHERE subject_id = $1`, [
        subjectId,
      ]);
      if (!row) return true;
      const { account_id: accountId, recipients, partition, content: receipts } = row;
      try {
        await this.put({ subjectId, accountId, recipients, partition, receipts, correlationId: subjectId });
      } catch (error) {
        if (isTooLarge(error)) return false;
        throw error;
      }
      await this.buried.drop(subjectId);
      return true;
    },
    drop: async (subjectId) => {
      await this.database.query(`DELETE FROM dead_letters WHERE subject_id = $1`, [subjectId]);
    },
  };

  /** Records the end of a push and signals it to waiting requests. */
  private async putPush(end: End): Promise<void> {
    const { subjectId, accountId, recipients, receipts } = end;
    const metadata = this.metadata(end);
    for (const [index, part] of furtherOf(receipts).entries())
      await this.log.transact(
        furtherReceipts,
        subjectId,
        noteReceipts({ subjectId, accountId, receipts: part, at: this.clock.now() }),
        { ...metadata, commandId: uuidV5(subjectId, `push.receipts ${index}`) },
      );
    const { state, position } = await this.log.transact(
      delivery,
      subjectId,
      report({ subjectId, accountId, recipients, receipts, final: true, at: this.clock.now() }),
      metadata,
      { expectNew: true },
    );
    const accepted = state?.accepted ?? acceptedOf(receipts);
    this.bus.signal('delivery.settled', subjectId, { accepted, final: true, position: String(position) });
  }

  private async putClearing(subjectId: string, end: End): Promise<void> {
    const { accountId, receipts } = end;
    await this.log.transact(
      delivery,
      subjectId,
      endClearing({ subjectId, accountId, ...clearingResult(receipts), at: this.clock.now() }),
      this.metadata(end),
    );
  }

  private metadata({
    subjectId,
    accountId,
    partition,
    correlationId,
    traceparent,
  }: Omit<End, 'receipts'>): EventMetadata {
    return {
      commandId: uuidV5(subjectId, 'push.report.final'),
      correlationId,
      accountId,
      partition,
      actor: { process: 'push.delivery' },
      ...carried(traceparent),
    };
  }
}

/** All receipts of a push whose end is recorded. */
export async function receiptsOnRecord(
  log: Log,
  { subjectId, targets, receipts }: NonNullable<Delivery>,
): Promise<readonly PushReceipt[]> {
  if (targets <= receipts.length) return receipts;
  return [...receipts, ...(await log.load(furtherReceipts, subjectId)).state];
}
