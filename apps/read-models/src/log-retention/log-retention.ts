import { logRetention } from '@carillon/contracts';
import { type Instant, isAfter } from '@carillon/eventing';

/** An event of the log, its personal fields still sealed. */
interface LogEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  /** The time of the store. */
  readonly at: Instant;
  readonly data: unknown;
}

/** A stream whose newest event may be this one, and is too old. */
export interface Cut {
  readonly stream: string;
  readonly revision: bigint;
  readonly how: 'deleted' | 'truncated';
}

export interface Plan {
  readonly cuts: readonly Cut[];
  /** The first event that is not too old yet, and its time. */
  readonly stop?: { readonly index: number; readonly at: Instant };
}

/**
 * What to cut because of these events, which follow each other in the log, up to the first event that is not too old.
 * A stream with a newer event is met again at that one, so only the newest of these events of each stream counts.
 */
export function planOf(events: readonly LogEvent[], before: Instant): Plan {
  const cuts = new Map<string, Cut>();
  for (const [index, event] of events.entries()) {
    const { stream, revision } = event;
    const retention = logRetention.get(stream.slice(0, stream.indexOf('-')));
    const field = retention && fieldOf(retention.times[event.type], stream);
    const at = (field && timeIn(event, field)) ?? event.at;
    if (isAfter(at, before)) return { cuts: [...cuts.values()], stop: { index, at } };
    if (retention && field) cuts.set(stream, { stream, revision, how: retention.how });
    else cuts.delete(stream);
  }
  return { cuts: [...cuts.values()] };
}

/** Undefined for an event type of a newer release: its stream is kept. */
const fieldOf = <Field>(field: Field | ((stream: string) => Field), stream: string): Field =>
  field instanceof Function ? field(stream) : field;

/** The time by the clock of the services. The time of the store does not follow a clock that a test moves. */
const timeIn = ({ data }: LogEvent, field: string): Instant | undefined => {
  const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, field) : undefined;
  return typeof value === 'string' ? value : undefined;
};
