import type { AllStreamSubscription, StreamSubscription } from '@eventstore/db-client';
import { credentials } from '@grpc/grpc-js';
import fc from 'fast-check';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { startEmulator, type Emulator } from './emulator';
import { shared, streams } from './protocol';
import {
  all,
  client,
  eventTypeFilter,
  jsonEvent,
  short,
  streamNameFilter,
  temporaryFolder,
  until,
} from './testbed';

const { StreamsClient } = streamsService;

const folder = temporaryFolder();
let emulator: Emulator;
let db: ReturnType<typeof client>;
let names = 0;
const fresh = () => `sub${++names}-1`;
const events = (...types: string[]) => types.map((type) => jsonEvent({ type, data: {} }));
const many = (count: number) => events(...Array.from({ length: count }, (_, n) => `N${n}`));

beforeAll(async () => {
  emulator = await startEmulator({ dataDir: folder.path });
  db = client(emulator.connectionString);
});
afterAll(async () => {
  await db.dispose();
  await emulator?.close();
  folder?.remove();
});

/** Notes down all that a subscription tells. */
function note(subscription: AllStreamSubscription | StreamSubscription) {
  const told: string[] = [];
  const noted = {
    told,
    errors: [] as { type?: string }[],
    is: (text: string) => told.includes(text),
    stop: () => subscription.unsubscribe(),
  };
  subscription.on('confirmation', () => told.push('confirmed'));
  subscription.on('caughtUp', () => told.push('caught up'));
  subscription.on('data', (event) => told.push(event.event?.type ?? 'nothing'));
  subscription.on('error', (error) => noted.errors.push(error as { type?: string }));
  return noted;
}

describe('a subscription to a stream', () => {
  it('tells what there is, that it caught up, and then what comes', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B'));
    const noted = note(db.subscribeToStream(stream));
    await until(() => noted.is('caught up'));
    await db.appendToStream(fresh(), events('Other'));
    await db.appendToStream(stream, events('C'));
    await until(() => noted.is('C'));
    expect(noted.told).toEqual(['confirmed', 'A', 'B', 'caught up', 'C']);
    await noted.stop();
  });

  it('starts behind a revision, or at the end', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B', 'C'));
    const behind = note(db.subscribeToStream(stream, { fromRevision: 1n }));
    const atEnd = note(db.subscribeToStream(stream, { fromRevision: 'end' }));
    await until(() => behind.is('caught up') && atEnd.is('caught up'));
    await db.appendToStream(stream, events('D'));
    await until(() => behind.is('D') && atEnd.is('D'));
    expect(behind.told).toEqual(['confirmed', 'C', 'caught up', 'D']);
    expect(atEnd.told).toEqual(['confirmed', 'caught up', 'D']);
    await Promise.all([behind.stop(), atEnd.stop()]);
  });

  it('may wait for a stream that is not there yet, and goes on after a soft deletion', async () => {
    const stream = fresh();
    const noted = note(db.subscribeToStream(stream));
    await until(() => noted.is('confirmed'));
    await db.appendToStream(stream, events('A'));
    // Before there was anything it could not have caught up.
    await until(() => noted.is('caught up'));
    await db.deleteStream(stream);
    await db.appendToStream(stream, events('B'));
    await until(() => noted.is('B'));
    expect(noted.told).toEqual(['confirmed', 'A', 'caught up', 'B']);
    await noted.stop();
  });

  it('hears of a soft-deleted stream again when its metadata brings it back', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A'));
    await db.deleteStream(stream);
    const noted = note(db.subscribeToStream(stream));
    await until(() => noted.is('confirmed'));
    await db.setStreamMetadata(stream, {});
    await until(() => noted.is('caught up'));
    await db.appendToStream(stream, events('B'));
    await until(() => noted.is('B'));
    expect(noted.told).toEqual(['confirmed', 'caught up', 'B']);
    await noted.stop();
  });

  it('hears everything that comes, whatever retention makes of it', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A'));
    const noted = note(db.subscribeToStream(stream));
    await until(() => noted.is('caught up'));
    await db.setStreamMetadata(stream, { truncateBefore: 9 });
    await db.appendToStream(stream, events('B', 'C'));
    await until(() => noted.is('C'));
    expect(noted.told).toEqual(['confirmed', 'A', 'caught up', 'B', 'C']);
    await noted.stop();
  });

  it('leaves out what retention hides', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B', 'C'));
    await db.setStreamMetadata(stream, { maxCount: 1 });
    const noted = note(db.subscribeToStream(stream));
    await until(() => noted.is('caught up'));
    expect(noted.told).toEqual(['confirmed', 'C', 'caught up']);
    await noted.stop();
  });

  it('follows links', async () => {
    const [target, stream] = [fresh(), fresh()];
    await db.appendToStream(target, events('Target'));
    const noted = note(db.subscribeToStream(stream, { resolveLinkTos: true }));
    await db.appendToStream(stream, {
      ...jsonEvent({ type: '$>', data: {} }),
      contentType: 'application/octet-stream',
      data: Buffer.from(`0@${target}`),
    });
    await until(() => noted.is('Target'));
    await noted.stop();
  });

  it('ends as deleted when the stream is tombstoned', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A'));
    const noted = note(db.subscribeToStream(stream));
    await until(() => noted.is('caught up'));
    await db.tombstoneStream(stream);
    await until(() => noted.errors.length > 0);
    expect(noted.errors[0]).toMatchObject({ type: 'stream-deleted', streamName: stream });
    expect(noted.told).toEqual(['confirmed', 'A', 'caught up', '$streamDeleted']);
    const late = note(db.subscribeToStream(stream));
    await until(() => late.errors.length > 0);
    expect(late.errors[0]!.type).toBe('stream-deleted');
  });
});

describe('a subscription to $all', () => {
  it('starts behind a position and tells everything, system events too', async () => {
    const stream = fresh();
    const { position } = await db.appendToStream(stream, events('Before'));
    await db.appendToStream(stream, events('A'));
    const noted = note(db.subscribeToAll({ fromPosition: position! }));
    await until(() => noted.is('caught up'));
    await db.setStreamMetadata(stream, { maxCount: 3 });
    await until(() => noted.is('$metadata'));
    expect(noted.told).toEqual(['confirmed', 'A', 'caught up', '$metadata']);
    await noted.stop();
  });

  it('never tells less, more or in another order than $all itself, while others append', async () => {
    const noted: string[] = [];
    const subscription = db.subscribeToAll();
    subscription.on('data', (event) => noted.push(short(event)));
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        for (let i = 0; i < 20; i++) await db.appendToStream(`order-${n}`, events(`E${i}`));
      }),
    );
    const expected = (await all(db.readAll())).map(short);
    await until(() => noted.length >= expected.length);
    expect(noted).toEqual(expected);
    await subscription.unsubscribe();
  });
});

describe('a filtered subscription to $all', () => {
  const filters: [string, (stream: string) => Parameters<typeof db.subscribeToAll>[0]][] = [
    ['a stream prefix', (stream) => ({ filter: streamNameFilter({ prefixes: [stream, 'elsewhere'] }) })],
    ['a stream expression', (stream) => ({ filter: streamNameFilter({ regex: `^${stream}$` }) })],
  ];
  it.each(filters)('by %s tells only those', async (_name, options) => {
    const stream = fresh();
    await db.appendToStream(stream, events('A'));
    await db.appendToStream(fresh(), events('Other'));
    const noted = note(db.subscribeToAll(options(stream)));
    await until(() => noted.is('caught up'));
    await db.appendToStream(fresh(), events('Other'));
    await db.appendToStream(stream, events('B'));
    await until(() => noted.is('B'));
    expect(noted.told).toEqual(['confirmed', 'A', 'caught up', 'B']);
    await noted.stop();
  });

  it('by event type tells only those', async () => {
    const type = `Type${fresh()}`;
    await db.appendToStream(fresh(), events(`${type}A`, 'Other', `${type}B`));
    const byPrefix = note(db.subscribeToAll({ filter: eventTypeFilter({ prefixes: [type] }) }));
    const byExpression = note(db.subscribeToAll({ filter: eventTypeFilter({ regex: `^${type}[B]$` }) }));
    await until(() => byPrefix.is('caught up') && byExpression.is('caught up'));
    expect(byPrefix.told).toEqual(['confirmed', `${type}A`, `${type}B`, 'caught up']);
    expect(byExpression.told).toEqual(['confirmed', `${type}B`, 'caught up']);
    await Promise.all([byPrefix.stop(), byExpression.stop()]);
  });

  it('is refused when the expression is none', async () => {
    const noted = note(db.subscribeToAll({ filter: eventTypeFilter({ regex: '(' }) }));
    await until(() => noted.errors.length > 0);
    expect(noted.errors[0]).toMatchObject({ code: 2 });
  });
});

describe('checkpoints', () => {
  /** Subscribes with a filter that nothing passes, from a position on. */
  const watch = (from: { commit: bigint; prepare: bigint } | 'end', interval: number, window?: number) => {
    const told: (bigint | string)[] = [];
    const subscription = db.subscribeToAll({
      fromPosition: from,
      filter: streamNameFilter({
        prefixes: ['nothing-has-this-name'],
        checkpointInterval: interval,
        maxSearchWindow: window,
        checkpointReached: async (_subscription, position) => void told.push(position.commit),
      }),
    });
    subscription.on('caughtUp', () => told.push('caught up'));
    return { told, stop: () => subscription.unsubscribe() };
  };
  const positions = async (from: { commit: bigint; prepare: bigint }) =>
    (await all(db.readAll({ fromPosition: from }))).map((event) => event.commitPosition!).slice(1);

  it('come after interval times window considered events, and not when the end is reached', async () => {
    const { position } = await db.appendToStream(fresh(), events('Start'));
    await db.appendToStream(fresh(), many(10));
    const at = await positions(position!);
    const watched = watch(position!, 2, 2);
    await until(() => watched.told.includes('caught up'));
    expect(watched.told).toEqual([at[2], at[6], 'caught up']);
    await watched.stop();
  });

  it('have a window of 32 when none is given', async () => {
    const { position } = await db.appendToStream(fresh(), events('Start'));
    await db.appendToStream(fresh(), many(70));
    const at = await positions(position!);
    const watched = watch(position!, 1);
    await until(() => watched.told.includes('caught up'));
    expect(watched.told).toEqual([at[0], at[32], 'caught up']);
    await watched.stop();
  });

  it('come once for a position, and go on while live', async () => {
    const { position } = await db.appendToStream(fresh(), events('Start'));
    await db.appendToStream(fresh(), many(4));
    const watched = watch(position!, 1, 4);
    await until(() => watched.told.includes('caught up'));
    await db.appendToStream(fresh(), many(4));
    const at = await positions(position!);
    await until(() => watched.told.length === 3);
    expect(watched.told).toEqual([at[0], 'caught up', at[7]]);
    await watched.stop();
  });

  it('do not come at the start of a subscription to the end', async () => {
    const watched = watch('end', 1, 1);
    await until(() => watched.told.length > 0);
    expect(watched.told).toEqual(['caught up']);
    await watched.stop();
  });
});

describe('a subscriber that does not read', () => {
  it('makes nobody wait, costs no memory, and gets everything when it reads on', async () => {
    const size = 32 * 1024;
    const count = 1500;
    const slow = db.subscribeToAll({ fromPosition: 'end' });
    const confirmed = new Promise((resolve) => slow.once('caughtUp', resolve));
    // Reads as far as the caught-up message, and no further.
    slow.resume();
    await confirmed;
    slow.pause();
    const padding = 'x'.repeat(size);
    const before = process.memoryUsage().rss;
    for (let i = 0; i < count; i += 30)
      await db.appendToStream(
        'flood',
        Array.from({ length: 30 }, (_, n) => jsonEvent({ type: 'Flood', data: { n: i + n, padding } })),
      );
    const grown = process.memoryUsage().rss - before;
    const seen: number[] = [];
    slow.on('data', (event) => seen.push((event.event!.data as { n: number }).n));
    slow.resume();
    await until(() => seen.length === count, 20_000);
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => n));
    // Client and server share this process, so this only rules out the gross case.
    expect(grown).toBeLessThan(600 * 1024 * 1024);
    await slow.unsubscribe();
  });
});

describe('concurrent appends', () => {
  const program = fc.array(
    fc.record({
      stream: fc.integer({ min: 0, max: 3 }),
      expecting: fc.constantFrom('any', 'known', 'no_stream', 'stream_exists'),
      count: fc.integer({ min: 1, max: 4 }),
      twice: fc.boolean(),
    }),
    { minLength: 1, maxLength: 60 },
  );
  let runs = 0;

  it('are never lost, doubled or put out of order', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (orders) => {
        const run = `model-${++runs}`;
        const heads = new Map<string, bigint>();
        const from = (await db.appendToStream(`${run}-start`, events('Start'))).position!;
        const accepted: { stream: string; ids: string[]; last: bigint; position: bigint }[] = [];
        const refused = new Set<string>();
        const acknowledged: bigint[] = [];
        await Promise.all(
          orders.map(async ({ stream: number, expecting, count, twice }) => {
            const stream = `${run}-${number}`;
            const proposed = many(count);
            const head = heads.get(stream);
            const expectedRevision =
              expecting !== 'known' ? (expecting as 'any') : head === undefined ? 'no_stream' : head;
            const send = () => db.appendToStream(stream, proposed, { expectedRevision });
            const results = await Promise.allSettled(twice ? [send(), send()] : [send()]);
            const ids = proposed.map((event) => event.id);
            const [first, second] = results;
            if (first!.status === 'rejected') {
              expect(first!.reason).toMatchObject({ type: 'wrong-expected-version' });
              // The second try can only succeed if the stream grew into what it expects.
              if (second?.status !== 'fulfilled') return void ids.forEach((id) => refused.add(id));
            }
            const result =
              first!.status === 'fulfilled'
                ? first!.value
                : second!.status === 'fulfilled'
                  ? second!.value
                  : undefined;
            if (first!.status === 'fulfilled' && second) expect(second).toEqual(first);
            heads.set(stream, result!.nextExpectedRevision);
            acknowledged.push(result!.position!.commit);
            accepted.push({
              stream,
              ids,
              last: result!.nextExpectedRevision,
              position: result!.position!.commit,
            });
          }),
        );

        const read = (await all(db.readAll({ fromPosition: from }))).slice(1).map((each) => each.event!);
        const inRun = read.filter((event) => event.streamId.startsWith(`${run}-`));
        expect(inRun).toHaveLength(accepted.reduce((sum, { ids }) => sum + ids.length, 0));
        expect(new Set(inRun.map((event) => event.id)).size).toBe(inRun.length);
        expect(inRun.some((event) => refused.has(event.id))).toBe(false);
        for (const [index, event] of inRun.entries())
          if (index > 0) expect(event.position!.commit).toBeGreaterThan(inRun[index - 1]!.position!.commit);
        for (const { stream, ids, last, position } of accepted) {
          const ofStream = inRun.filter((event) => event.streamId === stream);
          expect(ofStream.map((event) => event.revision)).toEqual(ofStream.map((_, n) => BigInt(n)));
          const start = Number(last) - ids.length + 1;
          expect(ofStream.slice(start, start + ids.length).map((event) => event.id)).toEqual(ids);
          expect(ofStream[Number(last)]!.position!.commit).toBe(position);
        }
        for (const stream of new Set(accepted.map((each) => each.stream))) {
          const alone = (await all(db.readStream(stream))).map((each) => each.event!.id);
          expect(alone).toEqual(inRun.filter((event) => event.streamId === stream).map((event) => event.id));
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe('a server that closes', () => {
  it('ends subscriptions as unavailable', async () => {
    const other = temporaryFolder();
    const closing = await startEmulator({ dataDir: other.path });
    const reader = client(closing.connectionString);
    const noted = note(reader.subscribeToAll());
    await until(() => noted.is('caught up'));
    await closing.close();
    await until(() => noted.errors.length > 0);
    expect(noted.errors[0]!.type).toBe('unavailable');
    await reader.dispose();
    other.remove();
  });

  it('ends half-sent appends and reads that stand still as unavailable, too', async () => {
    const other = temporaryFolder();
    const closing = await startEmulator({ dataDir: other.path });
    const writer = client(closing.connectionString);
    const large = () => jsonEvent({ type: 'Large', data: { padding: 'x'.repeat(100_000) } });
    for (let n = 0; n < 60; n++) await writer.appendToStream('large', large());
    const raw = new StreamsClient(`127.0.0.1:${closing.port}`, credentials.createInsecure());
    const empty = () => new shared.Empty();
    const codes: number[] = [];
    const noted = (call: {
      on(name: 'status' | 'error', tell: (end: { code: number }) => void): unknown;
    }) => {
      call.on('error', () => undefined);
      call.on('status', ({ code }) => codes.push(code));
    };

    const append = raw.append(() => undefined);
    noted(append);
    const target = new streams.AppendReq.Options().setAny(empty());
    target.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('half')));
    append.write(new streams.AppendReq().setOptions(target));

    const read = (count: string) => {
      const options = new streams.ReadReq.Options();
      options.setAll(new streams.ReadReq.Options.AllOptions().setStart(empty()));
      options.setCount(count).setNoFilter(empty());
      options.setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(empty()));
      return raw.read(new streams.ReadReq().setOptions(options));
    };
    noted(read('0'));
    // One whose reader has stopped after the first event.
    const stopped = read('1000');
    noted(stopped);
    await new Promise<void>((resolve) =>
      stopped.once('data', () => {
        stopped.pause();
        resolve();
      }),
    );
    await until(() => stopped.isPaused());
    await closing.close();
    stopped.resume();
    await until(() => codes.length === 3);
    expect(codes).toEqual([14, 14, 14]);
    raw.close();
    await writer.dispose();
    other.remove();
  });
});
