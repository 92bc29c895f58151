import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { eventually } from './eventually';
import { freePort } from './port';
import { stoppable } from './stoppable';

/** A span as a collector gets it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** Of the process that made it. */
  readonly service: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The traces that it names besides its own. */
  readonly links: readonly string[];
  /** `error.type`, where it failed. */
  readonly error: string | undefined;
}

/** What OTLP writes as JSON, as far as it is looked at. */
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly attributes: readonly Pair[];
        readonly links?: readonly { readonly traceId: string }[];
        readonly status: { readonly code?: number };
      }[];
    }[];
  }[];
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

/** `hang` takes what comes and never answers. */
type Saying = number | 'hang';

/** A collector of traces: takes OTLP over HTTP, as JSON. */
export class Collector {
  private readonly all: CollectedSpan[] = [];
  readonly stop: () => Promise<void>;
  private saying: Saying = 200;
  private asked = 0;

  private constructor(
    server: Server,
    private readonly port: number,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.take(request, response);
    });
    this.stop = stoppable(server);
  }

  static async start(): Promise<Collector> {
    const server = createServer();
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    return new Collector(server, port);
  }

  /** For a house whose requests are recorded where their callers say so, and nothing else. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.port}`,
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
  }

  /** How it answers from now on: 200 until told, and what it has taken with another status is thrown away. */
  says(saying: Saying): void {
    this.saying = saying;
  }

  /** How often it was given something. */
  get count(): number {
    return this.asked;
  }

  /** The spans of a trace, in the order in which they came. */
  spansOf(traceId: string): CollectedSpan[] {
    return this.all.filter((span) => span.traceId === traceId);
  }

  /**
   * Waits until it has spans of a trace with all of these names, and all that those continue but for the caller's own;
   * gives all that it has of that trace. Each process gives its spans away when it likes, a child before its parent.
   */
  expect(traceId: string, names: readonly string[]): Promise<CollectedSpan[]> {
    const missing = (): string[] => {
      const spans = this.spansOf(traceId);
      const [, ...parents] = new Set(
        spans
          .map(({ parentSpanId }) => parentSpanId)
          .filter((parent) => parent !== undefined && !spans.some(({ spanId }) => spanId === parent)),
      );
      return [
        ...names.filter((name) => !spans.some((span) => span.name === name)),
        ...parents.map((parent) => `the parent ${parent}`),
      ];
    };
    const has = (): string[] => this.spansOf(traceId).map((span) => `${span.service}: ${span.name}`);
    return eventually(
      () => (missing().length === 0 ? this.spansOf(traceId) : undefined),
      () => `no span came of ${missing().join(', ')}; of the trace came:\n${has().join('\n')}`,
      30_000,
    );
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const exported = (await json(request)) as Exported;
      this.asked += 1;
      const { saying } = this;
      if (saying === 'hang') return;
      if (saying === 200) this.all.push(...spansIn(exported));
      response.writeHead(saying, { 'content-type': 'application/json' }).end('{}');
    } catch {
      // The caller has disconnected.
    }
  }
}

const spansIn = ({ resourceSpans }: Exported): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, links = [], ...span }) => {
        const attributes = read(span.attributes);
        return {
          traceId,
          spanId,
          parentSpanId: parentSpanId || undefined,
          service: String(read(resource.attributes)['service.name']),
          name,
          attributes,
          links: links.map((link) => link.traceId),
          error: span.status.code === 2 ? String(attributes['error.type']) : undefined,
        };
      }),
    ),
  );

const read = (pairs: readonly Pair[]): CollectedSpan['attributes'] =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]!]));
