import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { publishedStream } from '@carillon/contracts';
import { Database, type Feed, type Log } from '@carillon/event-store';
import { type DomainEvent, instant } from '@carillon/eventing';
import { serveMetrics } from '@carillon/metrics';
import { type Logger, type RunningService, sharedLog, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { end, eventually, startNats, startParts } from '@carillon/testkit';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { HTTP } from 'cloudevents';
import { firstRelease } from '../migrations/1-first-release';
import { ReadModelsModule } from '../read-models.module';
import { PublishedProcess } from './published.process';
import { PublishedClient } from './published.client';

const secret = 'The key is under the mat';
let parts: Awaited<ReturnType<typeof startParts>>;
let log: Log;
let feed: Feed;

beforeAll(async () => {
  parts = await startParts();
  ({ log, feed } = await sharedLog.take());
}, 60_000);
afterAll(async () => {
  await sharedLog.release();
  await parts?.stop();
}, 60_000);

/** A NATS server that can lose what it has. */
class Nats {
  readonly storeDir = mkdtempSync(join(tmpdir(), 'carillon-published-'));
  private server: Awaited<ReturnType<typeof startNats>> | undefined;
  private connection: NatsConnection | undefined;
  private port: number | undefined;

  async start(jetstream = true, maxStore = '1GB'): Promise<void> {
    const block = `jetstream { store_dir: ${JSON.stringify(this.storeDir)}, max_file_store: ${maxStore} }`;
    this.server = await startNats({
      ...(jetstream && { configuration: block }),
      ...(this.port && { port: this.port }),
    });
    this.port = this.server.port;
    process.env['NATS_URL'] = this.server.url;
  }

  async stop(): Promise<void> {
    await this.connection?.close();
    this.connection = undefined;
    await this.server?.stop();
    this.server = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    this.empty();
  }

  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void {
    this.server!.signal(signal);
  }

  empty(): void {
    rmSync(this.storeDir, { recursive: true, force: true });
  }

  get url(): string {
    return this.server!.url;
  }

  async manager(): Promise<JetStreamManager> {
    this.connection ??= await connect({ servers: this.url });
    return jetstreamManager(this.connection);
  }

  /** Every message of the stream, as it stands there. */
  async messages(): Promise<{ id: string; position: bigint; text: string }[]> {
    const { streams } = await this.manager();
    const info = await streams.info(publishedStream).catch(() => undefined);
    const found: { id: string; position: bigint; text: string }[] = [];
    for (let seq = info?.state.first_seq ?? 1; seq <= (info?.state.last_seq ?? 0); seq += 1) {
      const message = await streams.getMessage(publishedStream, { seq });
      if (!message?.subject.startsWith('evt.notifications.')) continue;
      const headers = [...message.header].map(([name, values]) => `${name}: ${values.join()}`);
      const text = [message.subject, ...headers, message.string()].join('\n');
      const { id, position } = message.json<{ id: string; position: string }>();
      found.push({ id, position: BigInt(position), text });
    }
    return found;
  }

  /** Waits until the stream has each of these events. */
  async has(ids: readonly string[]): Promise<void> {
    let missing: string[] = [];
    await eventually(
      async () => {
        const there = new Set((await this.messages().catch(() => [])).map(({ id }) => id));
        missing = ids.filter((id) => !there.has(id));
        return missing.length === 0 || undefined;
      },
      () => `${missing.length} of ${ids.length} events are not in the stream`,
      20_000,
    );
  }
}

const appended: string[] = [];

async function append(category: string, tail: string, event: DomainEvent): Promise<void> {
  const decider = { category, initial: null, evolve: () => null, personal: {} };
  const actor = { accountId: 'acc_1' };
  const metadata = { commandId: randomUUID(), correlationId: secret, accountId: 'acc_1', actor };
  const { position } = await log.appendTo(decider, tail, [event], 'any', metadata);
  const stored = (await log.store.readLast(`${category}-${tail}`))!;
  expect(stored.position).toBe(position);
  appended.push(stored.id);
}

/** Events of notifications, each full of text, among others that are not published. */
async function ring(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const at = Date.now();
    const notificationId = newId('anot', at);
    const accountId = newId('usr', at);
    await append('notification', streamTail(notificationId), {
      type: 'NotificationSent',
      notificationId,
      accountId,
      tokenId: newId('tok', at),
      sourceName: secret,
      title: secret,
      body: `${secret} ${time}`,
      summary: secret,
      bodyFormat: 'text',
      imageUrl: null,
      url: `https://example.com/?q=${secret}`,
      projectId: secret,
      projectName: secret,
      appId: null,
      deviceIds: [newId('dev', at)],
      fingerprint: secret,
      sentAt: instant(at),
    } as DomainEvent);
    const marked = { type: 'InboxItemRead', accountId, itemId: secret, readAt: instant(at) };
    await append('inbox', accountId, marked as DomainEvent);
    appended.pop();
  }
}

/** docs/examples/subscriber.mjs, run as anybody would. */
class Subscriber {
  readonly events: { id: string; type: string }[] = [];
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private errors = '';

  constructor(url: string) {
    this.child = spawn(process.execPath, ['docs/examples/subscriber.mjs', 'test'], {
      env: { ...process.env, NATS_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.closed = once(this.child, 'close');
    createInterface({ input: this.child.stdout! }).on('line', (line) => this.events.push(JSON.parse(line)));
    this.child.stderr!.on('data', (chunk) => (this.errors += chunk));
  }

  async has(ids: readonly string[]): Promise<void> {
    const missing = (): string[] => ids.filter((id) => !this.events.some((event) => event.id === id));
    await eventually(
      () => missing().length === 0 || undefined,
      () => `${missing().length} of ${ids.length} events did not come: ${this.errors}`,
      30_000,
    );
  }

  /** Ends it; returns what it says of itself. */
  async stop(): Promise<{ distinct: number; repeats: number }> {
    await end(this.child);
    await this.closed;
    return JSON.parse(this.errors.trim().split('\n').at(-1)!);
  }
}

describe('the example subscriber', () => {
  const nats = new Nats();
  let service: RunningService;
  let subscriber: Subscriber;

  beforeAll(async () => {
    await nats.start();
    service = await startService({ name: 'read-models', module: ReadModelsModule });
    subscriber = new Subscriber(nats.url);
  });
  afterAll(async () => {
    await subscriber?.stop();
    await service?.close();
    await nats?.remove();
  });

  it('gets every event once, also across a NATS restart with an emptied store', async () => {
    await ring(30);
    await subscriber.has(appended);

    await nats.has(appended);
    const appending = ring(20);
    await nats.stop();
    nats.empty();
    await appending;
    await ring(10);
    await nats.start();
    await ring(20);
    await subscriber.has(appended);
    await nats.has(appended);

    const { distinct, repeats } = await subscriber.stop();
    const ids = subscriber.events.map(({ id }) => id);
    expect(ids).toHaveLength(80);
    expect(new Set(ids)).toEqual(new Set(appended));
    expect(distinct).toBe(80);
    expect(repeats).toBeGreaterThanOrEqual(30);
    expect(new Set(subscriber.events.map(({ type }) => type))).toEqual(
      new Set(['com.carillon.notification.sent.v1']),
    );
  }, 90_000);

  it('reads what the official SDK of CloudEvents reads too, message by message', async () => {
    const { streams } = await nats.manager();
    const { state } = await streams.info(publishedStream);
    const read: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = (await streams.getMessage(publishedStream, { seq }))!;
      const headers = Object.fromEntries([...message.header].map(([name, [value]]) => [name, value]));
      const event = HTTP.toEvent<{ notificationId: string }>({ headers, body: message.string() });
      if (Array.isArray(event)) throw new Error('one message has several events');
      expect(event).toMatchObject({ id: headers['Nats-Msg-Id'], subject: headers['ce-subject'] });
      expect(event.data!.notificationId).toBe(event.subject);
      read.push(event.id);
    }
    expect(new Set(read)).toEqual(new Set(appended));
  });

  it('finds no text of a person in any message of the stream', async () => {
    const messages = await nats.messages();
    expect(messages.length).toBeGreaterThanOrEqual(80);
    expect(messages.filter(({ text }) => /under|The /.test(text))).toEqual([]);
  });
});

class Lines {
  readonly lines: string[] = [];
  info = (_: object, message: string): void => void this.lines.push(message);
  warn = this.info;
  error = (fields: object, message: string): void =>
    void this.lines.push(`${message} ${JSON.stringify(fields)}`);
}

describe('the publisher', () => {
  const nats = new Nats();
  const running: (() => Promise<void>)[] = [];
  let schemas = 0;
  let schema: string;

  beforeEach(() => {
    schema = `published_${(schemas += 1)}`;
  });
  afterEach(async () => {
    for (const name of ['DAYS', 'MEBIBYTES', 'REPLICAS']) delete process.env[`CARILLON_EVENTS_${name}`];
    for (const stop of running.splice(0)) await stop();
    await nats.remove();
  });

  async function sql<Row extends object>(text: string): Promise<Row[]> {
    const database = await Database.open({ url: parts.env['DATABASE_URL']!, schema, migrations: [] });
    return database.query<Row>(text).finally(() => database.close());
  }

  /** As Prometheus reads it. */
  async function lag(): Promise<number> {
    process.env['METRICS_PORT'] = '0';
    const { url, close } = await serveMetrics();
    const text = await (await fetch(new URL('/metrics', url))).text().finally(close);
    return Number(/^carillon_published_lag_seconds\{service="read-models"\} (.*)$/m.exec(text)?.[1] ?? NaN);
  }

  const lagIs = (what: string, is: (seconds: number) => boolean): Promise<unknown> =>
    eventually(
      async () => is(await lag()) || undefined,
      () => `the lag is not ${what}`,
      20_000,
    );
  const said = (lines: readonly string[], line: string): Promise<unknown> =>
    eventually(
      () => lines.some((each) => each.startsWith(line)) || undefined,
      () => `was not said, but: ${lines.join('; ')}`,
      20_000,
    );

  /** Every event is in the stream once, in the order of the log. */
  async function hasEachOnceInOrder(): Promise<void> {
    const messages = await nats.messages();
    expect(messages.map(({ id }) => id).sort()).toEqual([...appended].sort());
    const positions = messages.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((one, other) => (one < other ? -1 : 1)));
  }

  async function replica(): Promise<{ lines: string[]; stop(): Promise<void> }> {
    const migrations = [firstRelease];
    const database = await Database.open({ url: parts.env['DATABASE_URL']!, schema, migrations });
    const logger = new Lines();
    const published = new PublishedProcess(
      database,
      feed,
      new PublishedClient(),
      logger as unknown as Logger,
    );
    published.onApplicationBootstrap();
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (stopped ??= published.beforeApplicationShutdown().then(() => database.close()));
    running.push(stop);
    return { lines: logger.lines, stop };
  }

  it('goes on where it was after a restart, its own or that of NATS, and repeats nothing', async () => {
    await nats.start();
    const first = await replica();
    await ring(5);
    await nats.has(appended);
    await first.stop();
    await ring(5);
    const second = await replica();
    await nats.has(appended);
    await nats.stop();
    await nats.start();
    await ring(5);
    await nats.has(appended);
    await hasEachOnceInOrder();
    expect(first.lines).toEqual([]);
    expect(second.lines.length).toBeLessThanOrEqual(2);
  }, 60_000);

  it('stored where it was after each batch: it does so before it stops, and asks the stream rarely', async () => {
    await nats.start();
    const { stop } = await replica();
    await nats.has(appended);
    const counter = await connect({ servers: nats.url });
    let looks = 0;
    counter.subscribe('$JS.API.STREAM.INFO.>', { callback: () => void (looks += 1) });
    await counter.flush();
    const began = performance.now();
    for (let batch = 0; batch < 15; batch += 1) {
      await ring(1);
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    expect(looks).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 5_000));
    await nats.has(appended);
    await stop();
    await counter.close();
    const database = await Database.open({ url: parts.env['DATABASE_URL']!, schema, migrations: [] });
    running.push(() => database.close());
    const [row] = await database.query<{ position: string }>(`SELECT position FROM published_streams`);
    const published = await log.store.readAll(undefined, 10_000);
    const last = published.events.findLast(({ id }) => appended.includes(id))!;
    expect(BigInt(row!.position)).toBeGreaterThanOrEqual(last.position);
  }, 60_000);

  it('is one of several replicas, and another takes over', async () => {
    await nats.start();
    const first = await replica();
    await replica();
    await ring(5);
    await nats.has(appended);
    await first.stop();
    await ring(5);
    await nats.has(appended);
    expect(await nats.messages()).toHaveLength(appended.length);
  }, 60_000);

  it('fills a stream again that was deleted under it', async () => {
    await nats.start();
    const { lines } = await replica();
    await nats.has(appended);
    await (await nats.manager()).streams.delete(publishedStream);
    await ring(5);
    await nats.has(appended);
    await hasEachOnceInOrder();
    expect(lines).toContain('The stream of published events is a new one: filling it from the log');
  }, 60_000);

  it('fills a stream again that lost what it had acknowledged', async () => {
    await nats.start();
    const { lines } = await replica();
    await nats.has(appended);
    await nats.stop();
    const copy = `${nats.storeDir}-copy`;
    cpSync(nats.storeDir, copy, { recursive: true });
    await nats.start();
    await ring(5);
    await nats.has(appended);
    await nats.stop();
    nats.empty();
    cpSync(copy, nats.storeDir, { recursive: true });
    rmSync(copy, { recursive: true });
    await nats.start();
    await nats.has(appended);
    await hasEachOnceInOrder();
    expect(lines).toContain('The stream of published events has lost messages: filling it from the log');
  }, 60_000);

  it('without JetStream says so once, and publishes as soon as there is one', async () => {
    await nats.start(false);
    const { lines } = await replica();
    await ring(2);
    await eventually(
      () => lines.length > 0 || undefined,
      () => 'nothing was said',
    );
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(lines).toEqual(['NATS has no JetStream: publishing waits for it']);
    await nats.stop();
    await nats.start();
    await nats.has(appended);
    expect(lines).toContain('Publishing events resumed');
    expect(lines.length).toBeLessThanOrEqual(3);
  }, 60_000);

  it.each([
    ['before it stored its position', 'UPDATE published_streams SET position = 0, last_sequence = 0'],
    ['and Postgres lost its rows', 'DELETE FROM published_streams'],
  ])(
    'repeats nothing when it crashed after it published, %s',
    async (_, crash) => {
      await nats.start();
      const first = await replica();
      await nats.has(appended);
      await first.stop();
      await sql(crash);
      await ring(3);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const { lines } = await replica();
      await nats.has(appended);
      await hasEachOnceInOrder();
      expect(lines).toEqual([]);
    },
    60_000,
  );

  it('repeats nothing after NATS was frozen, and shows meanwhile how far behind it is', async () => {
    await nats.start();
    const { lines } = await replica();
    await nats.has(appended);
    await lagIs('0', (seconds) => seconds === 0);
    nats.signal('SIGSTOP');
    await ring(5);
    await said(lines, 'Failed to publish events: trying again');
    await lagIs('over 3 s', (seconds) => seconds > 3);
    nats.signal('SIGCONT');
    await ring(5);
    await nats.has(appended);
    await hasEachOnceInOrder();
    await lagIs('0', (seconds) => seconds === 0);
    expect(lines).toContain('Publishing events resumed');
  }, 60_000);

  it('that starts while NATS is away shows how far behind it is', async () => {
    await nats.start();
    const first = await replica();
    await nats.has(appended);
    await first.stop();
    await nats.stop();
    await ring(1);
    await replica();
    await lagIs('over 1 s', (seconds) => seconds > 1);
    await nats.start();
    await nats.has(appended);
    await lagIs('0', (seconds) => seconds === 0);
    await hasEachOnceInOrder();
  }, 60_000);

  it('gives an existing stream the limits of changed settings, which keeps its messages', async () => {
    await nats.start();
    const first = await replica();
    await nats.has(appended);
    await first.stop();
    process.env['CARILLON_EVENTS_DAYS'] = '7';
    process.env['CARILLON_EVENTS_MEBIBYTES'] = '64';
    const second = await replica();
    await ring(1);
    await nats.has(appended);
    const { config } = await (await nats.manager()).streams.info(publishedStream);
    expect(config).toMatchObject({ max_bytes: 64 * 2 ** 20, max_age: 7 * 86_400e9, discard: 'old' });
    await hasEachOnceInOrder();
    expect(second.lines).toEqual([]);
  }, 60_000);

  it('goes on with the limits that there are when NATS refuses those of the settings', async () => {
    process.env['CARILLON_EVENTS_MEBIBYTES'] = '16';
    await nats.start(true, '32MB');
    const first = await replica();
    await nats.has(appended);
    await first.stop();
    process.env['CARILLON_EVENTS_MEBIBYTES'] = '64';
    const { lines } = await replica();
    await ring(1);
    await nats.has(appended);
    await hasEachOnceInOrder();
    expect(lines).toEqual([
      'NATS refused the limits of the settings: the stream of published events keeps those that it has',
    ]);
  }, 60_000);

  it('lets the oldest events go when the stream is full, and publishes the new ones', async () => {
    process.env['CARILLON_EVENTS_MEBIBYTES'] = '16';
    await nats.start();
    const { lines } = await replica();
    await nats.has(appended);
    const manager = await nats.manager();
    // Somebody else's, behind which it goes on.
    for (let mebibyte = 0; mebibyte < 17; mebibyte += 1)
      await manager.jetstream().publish('evt.other.large.message', new Uint8Array(1_000_000));
    const before = appended.length;
    await ring(5);
    await said(lines, 'The stream of published events has changed');
    await nats.has(appended.slice(before));
    const { state: info } = await manager.streams.info(publishedStream);
    expect(info.first_seq).toBeGreaterThan(1);
    expect(info.bytes).toBeLessThanOrEqual(16 * 2 ** 20);
    await lagIs('0', (seconds) => seconds === 0);
  }, 60_000);

  it('waits while the server has no room, and goes on when it has', async () => {
    process.env['CARILLON_EVENTS_MEBIBYTES'] = '16';
    await nats.start(true, '32MB');
    const { lines } = await replica();
    await nats.has(appended);
    const { streams } = await nats.manager();
    await streams.add({ name: 'OTHER', subjects: ['other'] });
    const jetStream = (await nats.manager()).jetstream();
    const fill = async (): Promise<void> => {
      for (;;) await jetStream.publish('other', new Uint8Array(1_000_000));
    };
    await expect(fill()).rejects.toThrow(/resources/);
    await ring(3);
    await said(lines, 'Failed to publish events: trying again');
    await lagIs('over 1 s', (seconds) => seconds > 1);
    await streams.delete('OTHER');
    await nats.has(appended);
    await hasEachOnceInOrder();
    await lagIs('0', (seconds) => seconds === 0);
    expect(lines.at(-1)).toBe('Publishing events resumed');
  }, 60_000);

  it('fills the stream again when the log was set back to before what it has published', async () => {
    await nats.start();
    const first = await replica();
    await nats.has(appended);
    await first.stop();
    // As of a log with more events than the restored one.
    await sql('UPDATE published_streams SET position = position + 1000000');
    const { lines } = await replica();
    await said(lines, 'The log does not have the event that was published last: filling it from the log');
    await ring(3);
    await nats.has(appended);
    const ids = (await nats.messages()).map(({ id }) => id);
    expect(ids).toHaveLength(2 * appended.length - 3);
    expect(ids.slice(-3)).toEqual(appended.slice(-3));
  }, 60_000);

  it('finds in the log where the events begin that the stream keeps', async () => {
    await ring(20);
    const last = (await log.store.readAllBackwards(undefined, 1)).events[0]!;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const sinceMs = Date.now();
    await ring(10);
    const { signal } = new AbortController();
    const begin = (most: number): Promise<bigint> =>
      feed.extent.beforeNewest({
        sinceMs,
        most,
        counts: ({ type }) => type === 'NotificationSent',
        signal,
      });
    expect(await begin(Infinity)).toBe(last.position);
    // Each is followed by one that is not published.
    const { events } = await log.store.readAllBackwards(undefined, 10);
    expect(await begin(4)).toBe(events[8]!.position);
  }, 60_000);

  it('stops before an event that it does not know, and says what it waits for', async () => {
    await nats.start();
    const { lines } = await replica();
    await nats.has(appended);
    await ring(3);
    const type = 'OfALaterRelease';
    await append('notification', 'of-a-later-release', { type } as DomainEvent);
    appended.pop();
    await said(lines, 'An event type is unknown: publishing stops before it until a release that knows it');
    await hasEachOnceInOrder();
    await lagIs('over 1 s', (seconds) => seconds > 1);
  }, 60_000);
});
