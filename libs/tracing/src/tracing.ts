import { isSet } from '@carillon/settings';
import { isRecorded, isTraceparent } from './traceparent';

/**
 * Names of our own: routes as they are registered, subjects, categories of streams, projections, outcomes. Never an
 * account, an id of a thing, a text, a path, or an address of a person or a receiver.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** What a span says of the step that it stands for. */
export interface SpanStep {
  /** Few in number: it holds no id. */
  readonly name: string;
  /** `server` answers somebody, `client` asks somebody, `consumer` takes up what happened before. */
  readonly kind: 'server' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** Other traces that have to do with it. */
  readonly links?: readonly (string | undefined)[];
}

/** One step of a trace, from when it was begun. */
export interface Span {
  /** For what this step asks for or leads to. */
  readonly traceparent: string;
  /** Once. `error` is a kind of failure, such as a reason or the name of an error; never its message. */
  end(attributes?: Attributes, error?: string): void;
}

/** Makes spans and gives them away. */
export interface Recorder {
  begin(from: string | undefined, step: SpanStep): Span;
  /** Gives away what it has, within a few seconds. */
  close(): Promise<void>;
}

/** Undefined while traces are off: each seam costs this one look then. */
let recorder: Recorder | undefined;

/**
 * Records traces from now on where `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; else nothing is loaded, and nothing
 * costs anything. `warn` hears once a minute at most that the collector does not take what it is given.
 */
export async function startTracing(
  service: string,
  warn: (fields: object, message: string) => void,
): Promise<void> {
  if (recorder || !isSet('OTEL_EXPORTER_OTLP_ENDPOINT')) return;
  const { otlpRecorder } = await import('./otlp');
  recorder = otlpRecorder(service, warn);
}

/** Gives away what was recorded, within a few seconds, and records nothing more. */
export async function stopTracing(): Promise<void> {
  const stopped = recorder;
  recorder = undefined;
  await stopped?.close();
}

/**
 * The first span of a request at the edge, which decides whether its trace is recorded. It continues what the caller
 * has given, where that is a `traceparent`. Undefined while traces are off (ADR 44).
 */
export const beginTrace = (given: unknown, step: SpanStep): Span | undefined =>
  recorder?.begin(isTraceparent(given) ? given : undefined, step);

/** The span of a step that continues a trace. Undefined where nothing is recorded. */
export const beginSpan = (from: string | undefined, step: () => SpanStep): Span | undefined =>
  recorder && isRecorded(from) ? recorder.begin(from, step()) : undefined;

/** What is asked, stored or ordered within a span continues that. */
export const within = <Asked extends { readonly traceparent?: string }>(
  span: Span | undefined,
  asked: Asked,
): Asked => (span ? { ...asked, traceparent: span.traceparent } : asked);

const none: ReadonlyMap<string, Span> = new Map();

/** A span in each trace that one of these continues, of a step that belongs to several; by what it continues. */
export function beginSpans<From>(
  froms: readonly From[],
  traceOf: (from: From) => string | undefined,
  step: (from: From) => SpanStep,
): ReadonlyMap<string, Span> {
  if (!recorder) return none;
  const spans = new Map<string, Span>();
  for (const from of froms) {
    const traceparent = traceOf(from);
    if (isRecorded(traceparent) && !spans.has(traceparent))
      spans.set(traceparent, recorder.begin(traceparent, step(from)));
  }
  return spans;
}
