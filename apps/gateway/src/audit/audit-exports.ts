import { Bus } from '@carillon/bus';
import { Audit, type AuditLogEntry, type ListAudit } from '@carillon/contracts';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { contextOf } from '../request/context';
import { accountIdOf, type EdgeRequest } from '../request/row';
import { csvParts } from './csv-parts';
import { ExportPermits } from './export-permits';

const batchSize = 500;
const timeoutMs = 20_000;
/** Timeout of an export: a slower reader would keep a permit from others. */
const maxDurationMs = 10 * 60_000;

/** Exports audit logs as CSV: records the export, then reads batch by batch at the caller's pace. */
@Injectable()
export class AuditExports {
  private readonly permits = new ExportPermits();

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** `after`: the log position that the caller has seen. */
  async begin(
    request: EdgeRequest,
    asked: ListAudit,
    after: string | undefined,
  ): Promise<{ file: StreamableFile; position: string | undefined }> {
    const release = this.permits.take(accountIdOf(request));
    try {
      const { rows, date, position } = await this.open(request, asked, after);
      holdUntilClosed(rows, release);
      const file = new StreamableFile(rows, {
        type: 'text/csv; charset=utf-8',
        disposition: `attachment; filename="audit-${asked.id}-${date}.csv"`,
      });
      return { file, position };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async open(
    request: EdgeRequest,
    { format: _, limit: __, cursor: ___, ...selection }: ListAudit,
    after: string | undefined,
  ): Promise<{ rows: Readable; date: string; position: string | undefined }> {
    const notBefore = (position: string | undefined) => (position === undefined ? {} : { after: position });
    const recorded = await this.bus.ask(
      Audit.export,
      selection,
      contextOf(request, timeoutMs, notBefore(after)),
    );
    const { sequence, rows, truncated } = recorded.value;
    const read = async (before: number): Promise<{ entries: AuditLogEntry[]; next: number | null }> => {
      const context = contextOf(request, timeoutMs, notBefore(recorded.position));
      return (await this.bus.ask(Audit.read, { ...selection, before, limit: batchSize }, context)).value;
    };
    // A failure before the first row can still be answered with an error.
    const first = await read(sequence + 1);
    if (truncated) void request.reply.header('x-audit-truncated', 'true');
    const date = this.clock.now().slice(0, 10);
    return {
      rows: Readable.from(csvParts(following(first, read), rows)),
      date,
      position: recorded.position,
    };
  }
}

/** Holds the permit until all rows were read, the caller disconnected, or the export timed out. */
function holdUntilClosed(rows: Readable, release: () => void): void {
  const late = setTimeout(() => rows.destroy(), maxDurationMs);
  late.unref();
  rows.once('close', () => {
    clearTimeout(late);
    release();
  });
}

async function* following(
  first: { entries: AuditLogEntry[]; next: number | null },
  read: (before: number) => Promise<{ entries: AuditLogEntry[]; next: number | null }>,
): AsyncGenerator<AuditLogEntry[]> {
  yield first.entries;
  for (let { next } = first; next !== null;) {
    const batch = await read(next);
    yield batch.entries;
    ({ next } = batch);
  }
}
