import { Collector, eventually } from '@carillon/testkit';
import { beginSpan, beginSpans, beginTrace, startTracing, stopTracing } from './index';

const before = { ...process.env };
let collector: Collector;
let warnings: string[];

beforeEach(async () => {
  collector = await Collector.start();
  warnings = [];
});
afterEach(async () => {
  await stopTracing();
  await collector.stop();
  process.env = { ...before };
});

const start = async (env: Record<string, string> = {}): Promise<void> => {
  Object.assign(process.env, collector.env, env);
  await startTracing('example', (_fields, message) => warnings.push(message));
};
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const recorded = `00-${traceId}-00f067aa0ba902b7-01`;
const unrecorded = `00-${traceId}-00f067aa0ba902b7-00`;
const request = { name: 'GET /', kind: 'server' } as const;
const step = (name: string) => () => ({ name, kind: 'client' }) as const;
const traceOf = (traceparent: string): string => traceparent.slice(3, 35);

describe('while nobody names a collector', () => {
  it('nothing is recorded, and nothing is asked what it would say', async () => {
    await startTracing('example', () => {});
    expect(beginTrace(recorded, request)).toBeUndefined();
    const never = (): never => {
      throw new Error('asked');
    };
    expect(beginSpan(recorded, never)).toBeUndefined();
    expect(beginSpans([recorded], (each) => each, never).size).toBe(0);
  });
});

describe('a trace', () => {
  it('goes on from what the caller has given, step by step', async () => {
    await start();
    const first = beginTrace(recorded, request)!;
    const second = beginSpan(first.traceparent, step('ask'))!;
    second.end({ 'carillon.outcome': 'answered' });
    first.end({}, 'failed');
    await stopTracing();
    const [asked, answered] = collector.spansOf(traceId);
    expect(answered).toMatchObject({
      service: 'example',
      name: 'GET /',
      parentSpanId: '00f067aa0ba902b7',
      error: 'failed',
    });
    expect(asked).toMatchObject({
      name: 'ask',
      attributes: { 'carillon.outcome': 'answered' },
      error: undefined,
    });
    expect(asked!.parentSpanId).toBe(answered!.spanId);
  });

  it('starts a new trace where the caller sends no valid one', async () => {
    await start({ OTEL_TRACES_SAMPLER_ARG: '1' });
    const begun = beginTrace('00-not-one', request)!;
    expect(begun.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    begun.end();
    await stopTracing();
    expect(collector.spansOf(traceOf(begun.traceparent))).toMatchObject([{ parentSpanId: undefined }]);
  });

  it('that is not recorded has ids, and costs no span', async () => {
    await start();
    const begun = beginTrace(undefined, request)!;
    expect(begun.traceparent).toMatch(/-00$/);
    expect(beginTrace(unrecorded, request)!.traceparent).toMatch(new RegExp(`^00-${traceId}-.{16}-00$`));
    expect(beginSpan(begun.traceparent, step('ask'))).toBeUndefined();
  });

  it('has one span of a step that it shares with others', async () => {
    await start();
    const other = recorded.replace('4bf9', '5bf9');
    const spans = beginSpans([recorded, other, unrecorded, recorded], (each) => each, step('apply'));
    for (const span of spans.values()) span.end();
    await stopTracing();
    expect(collector.spansOf(traceId)).toHaveLength(1);
    expect(collector.spansOf(traceOf(other))).toHaveLength(1);
  });
});

describe('what the environment says', () => {
  it('is heard as OpenTelemetry has it', async () => {
    await start({
      OTEL_SERVICE_NAME: 'ours',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    const span = beginTrace(undefined, request)!;
    span.end();
    await stopTracing();
    expect(collector.spansOf(traceOf(span.traceparent))).toMatchObject([{ service: 'ours' }]);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, 'must be a URL of http or https'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1 %' }, 'must be from 0 to 1'],
  ])('is refused at the start where it cannot be followed: %p', (env, why) =>
    expect(start(env)).rejects.toThrow(why),
  );
});

describe('a collector', () => {
  const record = (count: number): void => {
    for (let n = 0; n < count; n += 1) beginTrace(recorded, request)!.end();
  };

  it.each([
    ['says no', 400 as const],
    ['cannot now', 503 as const],
    ['says nothing', 'hang' as const],
  ])('that %s hurts nobody: what it does not take is lost, and that is told once', async (_how, saying) => {
    collector.says(saying);
    await start({ OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_BSP_EXPORT_TIMEOUT: '1000' });
    for (let n = 0; n < 3; n += 1) {
      record(3_000);
      await eventually(
        () => collector.count > n || undefined,
        () => 'the collector was not asked',
      );
    }
    await eventually(
      () => warnings.length > 0 || undefined,
      () => 'nobody was told',
    );
    record(1);
    await stopTracing();
    expect(warnings).toEqual(['Spans were lost: the collector of traces did not take them']);
  });

  it('that is away when we stop keeps nobody waiting for long', async () => {
    await start({ OTEL_EXPORTER_OTLP_TIMEOUT: '3500' });
    record(10);
    await collector.stop();
    await stopTracing();
    collector = await Collector.start();
  });

  it('that comes back gets what is recorded from then on', async () => {
    collector.says(400);
    await start();
    record(1);
    await eventually(
      () => warnings.length > 0 || undefined,
      () => 'nobody was told',
    );
    collector.says(200);
    record(1);
    await collector.expect(traceId, [request.name]);
  });
});
