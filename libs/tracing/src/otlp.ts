import {
  type Link,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { parseKeyPairsIntoRecord, parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { setting, settingOf } from '@carillon/settings';
import type { Attributes, Recorder, Span, SpanStep } from './tracing';

// The only file that knows OpenTelemetry; loaded only when traces are on.

const defaultRatio = 0.01;
const flushWithinMs = 3_000;
const tellEveryMs = 60_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/**
 * Gives spans to the collector in batches. What that does not take is thrown away: at most 2,048 spans wait for it
 * (`OTEL_BSP_MAX_QUEUE_SIZE`), and nobody for them.
 */
export function otlpRecorder(service: string, warn: (fields: object, message: string) => void): Recorder {
  let toldAt = -Infinity;
  setGlobalErrorHandler((error) => {
    if (performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    const { name, message } = (error ?? {}) as Partial<Error>;
    warn({ reason: name, detail: message }, 'Spans were lost: the collector of traces did not take them');
  });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.namespace': 'carillon' }))
      // The environment has the last word: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: collectorUrl(), ...headers() }))],
    ...defaultSampler(),
  });
  const tracer = provider.getTracer('carillon');
  return {
    begin: (from, step) => new RecordedSpan(begun(tracer, from, step)),
    close: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushWithinMs)));
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

class RecordedSpan implements Span {
  readonly traceparent: string;

  constructor(private readonly span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;
  }

  end(attributes?: Attributes, error?: string): void {
    if (attributes) this.span.setAttributes(attributes);
    if (error !== undefined)
      this.span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', error);
    this.span.end();
  }
}

function begun(tracer: Tracer, from: string | undefined, step: SpanStep): OtelSpan {
  const { name, kind, attributes, links = [] } = step;
  const parent = from === undefined ? undefined : parseTraceParent(from);
  return tracer.startSpan(
    name,
    {
      kind: kinds[kind],
      ...(attributes && { attributes }),
      links: links.flatMap((each): Link[] => {
        const context = each === undefined ? null : parseTraceParent(each);
        return context ? [{ context }] : [];
      }),
    },
    parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT,
  );
}

/** One request in a hundred, unless `OTEL_TRACES_SAMPLER` says something else, which the SDK reads itself. */
function defaultSampler(): { sampler?: Sampler } {
  if (settingOf('OTEL_TRACES_SAMPLER') !== undefined) return {};
  const ratio = Number(setting('OTEL_TRACES_SAMPLER_ARG', String(defaultRatio)));
  if (!(ratio >= 0 && ratio <= 1)) throw new Error('The setting OTEL_TRACES_SAMPLER_ARG must be from 0 to 1');
  return { sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }) };
}

function collectorUrl(): string {
  const endpoint = setting('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new Error('The setting OTEL_EXPORTER_OTLP_ENDPOINT must be a URL of http or https');
  return `${endpoint.replace(/\/$/, '')}/v1/traces`;
}

/** Given, so that they may come from a file. */
function headers(): { headers?: Record<string, string> } {
  const given = settingOf('OTEL_EXPORTER_OTLP_HEADERS');
  return given === undefined ? {} : { headers: parseKeyPairsIntoRecord(given) };
}
