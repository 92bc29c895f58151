/** W3C trace context: `00-<trace id>-<span id>-<flags>`. */
const form = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export const isTraceparent = (given: unknown): given is string =>
  typeof given === 'string' && form.test(given);

/** Whether the trace is one that is recorded: the edge has decided that, for all that follows. */
export const isRecorded = (traceparent: string | undefined): traceparent is string =>
  traceparent !== undefined &&
  traceparent.length === 55 &&
  (Number.parseInt(traceparent.charAt(54), 16) & 1) === 1 &&
  form.test(traceparent);

/** For the metadata and the orders of what follows later: nothing where nothing is recorded. */
export const carried = (traceparent: string | undefined): { traceparent?: string } =>
  isRecorded(traceparent) ? { traceparent } : {};

/** What a log line tells of the trace that it is written in, recorded or not. */
export const traceIds = (traceparent: unknown): { readonly traceId?: string; readonly spanId?: string } =>
  isTraceparent(traceparent) ? { traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52) } : {};
