import { Bus } from '@carillon/bus';
import type { PushReceipt } from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import type { EventMetadata } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { uuidV5 } from '@carillon/signing';
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
} from './delivery';
import { groupBy } from './groups';
import { receiptOf, type ReceiptRow } from './receipts';

/** The end of a push, or of its clearing. */
export interface End {
  readonly subjectId: string;
  readonly accountId: string;
  readonly recipients: readonly string[];
  readonly correlationId: string;
  readonly receipts: readonly PushReceipt[];
}

/** Puts on record how pushes and clearings ended. */
@Injectable()
export class Reports {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The ends of those of these pushes and clearings whose rows are all settled. */
  async settled(subjectIds: readonly string[]): Promise<End[]> {
    const rows = await this.database.query<ReceiptRow>(
      `SELECT subject_id, account_id, recipients, device_id, delivery_id, state, error_code, checked_at FROM deliveries s
       WHERE subject_id = ANY($1) AND NOT EXISTS (
         SELECT 1 FROM deliveries w WHERE w.subject_id = s.subject_id AND w.state = 'waiting')
       ORDER BY subject_id, device_id`,
      [[...new Set(subjectIds)]],
    );
    return [...groupBy(rows, (row) => row.subject_id)].map(([subjectId, of]) => ({
      subjectId,
      accountId: of[0]!.account_id,
      recipients: of[0]!.recipients ?? [],
      correlationId: subjectId,
      receipts: of.map(receiptOf),
    }));
  }

  /** Puts the end of a push or a clearing on record; asked twice, it is there once. */
  async put(end: End): Promise<void> {
    const cleared = clearedBy(end.subjectId);
    if (cleared === undefined) await this.putPush(end);
    else await this.putClearing(cleared, end);
  }

  /** An end that the log will never take is kept where somebody can look at it, and nobody tries again. */
  async bury({ subjectId, accountId, receipts }: End, error: unknown): Promise<void> {
    this.logger.error({ err: error, subject: subjectId }, 'The end of a push is too large for the log');
    await this.database.query(
      `WITH gone AS (DELETE FROM deliveries WHERE subject_id = $1)
       INSERT INTO dead_letters (subject_id, account_id, reason, content) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [subjectId, accountId, 'too_large', JSON.stringify(receipts)],
    );
  }

  /** Wakes who waits for the push to end, too. */
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

  private metadata({ subjectId, accountId, correlationId }: End): EventMetadata {
    return {
      commandId: uuidV5(subjectId, 'push.report.final'),
      correlationId,
      accountId,
      actor: { process: 'push.delivery' },
    };
  }
}

/** All receipts of a push whose end is on record. */
export async function receiptsOnRecord(
  log: Log,
  { subjectId, targets, receipts }: NonNullable<Delivery>,
): Promise<readonly PushReceipt[]> {
  if (targets <= receipts.length) return receipts;
  return [...receipts, ...(await log.load(furtherReceipts, subjectId)).state];
}
