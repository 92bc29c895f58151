import { millis, type Recorded } from '@carillon/eventing';
import { beginSpans, type Span, within } from '@carillon/tracing';
import { setImmediate as restOfTurn } from 'node:timers/promises';
import type { Database } from './database';
import { type Move, moveFree, moveOne, moveSeveral, Overtaken } from './positions';
import type { AnyProjection } from './selection';
import type { SetAside } from './set-aside';

/** The maximum age of an event whose trace is continued. */
const oldMs = 10 * 60_000;
/** A projection that takes longer than this commits alone, so that it does not delay others. */
const slowMs = 100;

/** The events that one projection applies, and the moves of its checkpoints. */
export interface Part {
  readonly projection: AnyProjection;
  readonly moves: readonly Move[];
  readonly events: readonly Recorded[];
  readonly setAside: SetAside;
}

interface WaitingPart {
  readonly part: Part;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Commits the rows and the checkpoint of the projections of one service together (ADR 42). */
export class Commits {
  private waiting: WaitingPart[] = [];
  private readonly slow = new Set<AnyProjection>();

  constructor(private readonly database: Database) {}

  /** Commits in a transaction of its own. Throws `Overtaken`. */
  alone(part: Part): Promise<void> {
    return this.commit([part]);
  }

  /**
   * Commits in one transaction with other projections of this turn of the event loop. When it fails, each projection
   * retries alone, so that none is stopped by another's failing event.
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
        // Each part is retried alone below, which shows the failing projection.
      }
    for (const { part, done, failed } of waiting) this.alone(part).then(done, failed);
  }

  /**
   * The checkpoints are moved first: their row locks and known positions keep two replicas that both believe to be
   * active from applying the same events. A single part waits for its row lock; several wait for none, so that a
   * rebuild of one projection does not delay the others.
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
      const moves = parts.flatMap((part) => part.moves);
      const moved = await (parts.length > 1
        ? moveFree(sql, moves)
        : moves.length > 1
          ? moveSeveral(sql, moves)
          : moveOne(sql, moves[0]!));
      const overtaken = moves.find((move) => !moved.has(move));
      if (overtaken) throw new Overtaken(overtaken);
      for (const part of parts) {
        const { projection, events, setAside } = part;
        const begun = performance.now();
        await setAside.at(
          sql,
          part.moves.map((move) => ({ partition: move.partition, version: moved.version(move) })),
        );
        const others = setAside.without(projection, events);
        if (others.length > 0) await projection.apply(sql, others);
        if (performance.now() - begun > slowMs) this.slow.add(projection);
        else this.slow.delete(projection);
      }
    });
  }
}

/**
 * Begins a span in each trace of a batch, and continues it in the metadata of the events. Old events, such as in a
 * rebuild of all rows, get no span.
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
