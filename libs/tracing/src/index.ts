export { carried, isRecorded, isTraceparent } from './traceparent';
export {
  beginSpan,
  beginSpans,
  beginTrace,
  inTrace,
  type Span,
  startTracing,
  stopTracing,
  traceFields,
  within,
} from './tracing';
