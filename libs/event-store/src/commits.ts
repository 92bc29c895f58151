import { millis, type Recorded } from '@carillon/eventing';
import { beginSpans, type Span, within } from '@carillon/tracing';
import { setImmediate as restOfTurn } from 'node:timers/promises';
import type { Database } from './database';
import { type Move, moveFree } from './positions';
import type { AnyProjection } from './selection';
import type { Sql } from './sql';

/** The trace of an event that is older is over. */
const oldMs = 10 * 60_000;
/** Whose rows take longer than this is alone: others must not be late by it. */
const slowMs = 100;

/** Somebody else moved the checkpoint: a second active replica, or a rebuild. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor({ name, from }: Move) {
    super(`The projection ${name} is not at ${from} any more`);
  }
}

/** What one projection applies, and from where to where its checkpoint moves with that. */
export interface Part extends Move {
  readonly projection: AnyProjection;
  readonly events: readonly Recorded[];
}

interface WaitingPart {
  readonly part: Part;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Commits what the projections of one service apply: rows and checkpoint together. */
export class Commits {
  private waiting: WaitingPart[] = [];
  private readonly slow = new Set<AnyProjection>();

  constructor(private readonly database: Database) {}

  /** In a transaction of its own. Throws `Overtaken`. */
  alone(part: Part): Promise<void> {
    return this.commit([part]);
  }

  /**
   * In one transaction with what other projections bring in this turn of the loop. When that fails, each of them tries
   * alone: nobody stands still at an event that is another's trouble.
   */
  together(part: Part): Promise<void> {
    if (this.slow.has(part.projection)) return this.alone(part);
    return new Promise((done, failed) => {
      this.waiting.push({ part, done, failed });
      if (this.waiting.length === 1) void this.commitWaiting();
    });
  }

  private async commitWaiting(): Promise<void> {
    await restOfTurn();
    const { waiting } = this;
    this.waiting = [];
    if (waiting.length > 1)
      try {
        await this.commit(waiting.map(({ part }) => part));
        for (const { done } of waiting) done();
        return;
      } catch {
        // Whose fault it is shows when each tries alone.
      }
    for (const { part, done, failed } of waiting) this.alone(part).then(done, failed);
  }

  /**
   * The checkpoints come first: their row locks let one in at a time, and only who knew where they stood, so that two
   * that both think they are active cannot apply the same events. One alone waits for its lock, several for none: nobody
   * is late because another's rows are made anew.
   */
  private async commit(parts: readonly Part[]): Promise<void> {
    const applied = parts.map(applying);
    let error: string | undefined = 'failed';
    try {
      await this.commitNow(applied.map(({ part }) => part));
      error = undefined;
    } finally {
      for (const { spans } of applied) for (const span of spans) span.end({}, error);
    }
  }

  private async commitNow(parts: readonly Part[]): Promise<void> {
    await this.database.transaction(async (sql) => {
      const moved = parts.length > 1 ? await moveFree(sql, parts) : await moveOne(sql, parts[0]!);
      const overtaken = parts.find(({ name }) => !moved.has(name));
      if (overtaken) throw new Overtaken(overtaken);
      for (const { projection, events } of parts) {
        const begun = performance.now();
        await projection.apply(sql, events);
        if (performance.now() - begun > slowMs) this.slow.add(projection);
        else this.slow.delete(projection);
      }
    });
  }
}

/**
 * With a span in each trace that a batch has to do with: what follows from its events continues that. What is old, such
 * as when all rows are made anew, is no step of its trace any more.
 */
function applying(part: Part): { readonly part: Part; readonly spans: Iterable<Span> } {
  const { projection, events } = part;
  const spans = beginSpans(
    events,
    ({ metadata, at }) => (Date.now() - millis(at) < oldMs ? metadata.traceparent : undefined),
    ({ type }) => ({
      name: `apply ${projection.name}`,
      kind: 'consumer',
      attributes: {
        'db.system.name': 'postgresql',
        'carillon.projection': projection.name,
        'carillon.event': type,
        'carillon.batch.size': events.length,
      },
    }),
  );
  if (spans.size === 0) return { part, spans: [] };
  const continued = events.map((recorded) => {
    const span = spans.get(recorded.metadata.traceparent ?? '');
    return span ? { ...recorded, metadata: within(span, recorded.metadata) } : recorded;
  });
  return { part: { ...part, events: continued }, spans: spans.values() };
}

async function moveOne(sql: Sql, { name, from, to }: Move): Promise<ReadonlySet<string>> {
  const moved = await sql.query(
    `UPDATE projection_checkpoints SET position = $3, updated_at = now() WHERE name = $1 AND position = $2
     RETURNING name`,
    [name, String(from), String(to)],
  );
  return new Set(moved.map(() => name));
}
