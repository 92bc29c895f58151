export { carried, isRecorded, isTraceparent, traceIds } from './traceparent';
export { beginSpan, beginSpans, beginTrace, type Span, startTracing, stopTracing, within } from './tracing';
