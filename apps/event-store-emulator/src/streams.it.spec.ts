import { randomUUID } from 'node:crypto';
import { credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { startEmulator, type Emulator } from './emulator';
import { google, shared, streams } from './protocol';
import { all, binaryEvent, client, failure, jsonEvent, short, temporaryFolder } from './testbed';

const { StreamsClient } = streamsService;

const folder = temporaryFolder();
let emulator: Emulator;
let db: ReturnType<typeof client>;
let names = 0;
const fresh = () => `stream-${++names}`;
const event = (type = 'Happened', data: object = { n: 1 }) => jsonEvent({ type, data: { ...data } });
const events = (...types: string[]) => types.map((type) => event(type));
const types = async (stream: string, options = {}) =>
  (await all(db.readStream(stream, options))).map((each) => each.event!.type);

beforeAll(async () => {
  emulator = await startEmulator({ dataDir: folder.path });
  db = client(emulator.connectionString);
});
afterAll(async () => {
  await db.dispose();
  await emulator?.close();
  folder?.remove();
});

describe('a fresh server', () => {
  it('has a system event in $all', async () => {
    const [first] = await all(db.readAll({ maxCount: 1 }));
    expect(first!.event!.type).toMatch(/^\$/);
    expect(first!.commitPosition).toBeGreaterThan(0n);
  });
  it('is found by discovery', async () => {
    const discovering = client(`esdb+discover://127.0.0.1:${emulator.port}?tls=false`);
    const [first] = await all(discovering.readAll({ maxCount: 1 }));
    expect(first).toBeDefined();
    await discovering.dispose();
  });
  it('answers persistent subscriptions as not implemented', async () => {
    const error = await failure(
      db.createPersistentSubscriptionToStream('s', 'g', {
        startFrom: 'start',
        resolveLinkTos: false,
        extraStatistics: false,
        messageTimeout: 1000,
        maxRetryCount: 1,
        checkPointAfter: 1000,
        checkPointLowerBound: 1,
        checkPointUpperBound: 1,
        maxSubscriberCount: 1,
        liveBufferSize: 1,
        readBatchSize: 1,
        historyBufferSize: 1,
        consumerStrategyName: 'RoundRobin',
      }),
    );
    expect(error['code']).toBe(12);
  });
});

describe('appending', () => {
  it('gives the revision and the position of the last event, and the events can be read at once', async () => {
    const stream = fresh();
    const result = await db.appendToStream(stream, events('A', 'B'), { expectedRevision: 'no_stream' });
    expect(result).toMatchObject({ success: true, nextExpectedRevision: 1n });
    const read = await all(db.readStream(stream));
    expect(read.map(short)).toEqual([`${stream}:0:A`, `${stream}:1:B`]);
    expect(read[1]!.event!.position).toEqual(result.position);
    expect(read[1]!.commitPosition).toBe(result.position!.commit);
  });

  it('keeps data, metadata, ids and times as they were', async () => {
    const stream = fresh();
    const before = Date.now();
    const json = jsonEvent({ type: 'Ünïcode', data: { text: '✓ ' }, metadata: { by: 'me' } });
    const binary = binaryEvent({
      type: 'Bytes',
      data: Buffer.from([0, 1, 255]),
      metadata: Buffer.from([9, 200]),
    });
    await db.appendToStream(stream, [json, binary]);
    const [first, second] = (await all(db.readStream(stream))).map((each) => each.event!);
    expect(first).toMatchObject({
      id: json.id,
      type: 'Ünïcode',
      isJson: true,
      data: { text: '✓ ' },
      metadata: { by: 'me' },
    });
    // Both are of this machine's clock; one is rounded.
    expect(first!.created.getTime()).toBeGreaterThanOrEqual(before - 1);
    expect(first!.created.getTime()).toBeLessThanOrEqual(Date.now() + 1);
    expect(second!.isJson).toBe(false);
    expect(Buffer.from(second!.data as Uint8Array)).toEqual(Buffer.from([0, 1, 255]));
    expect(Buffer.from(second!.metadata as Uint8Array)).toEqual(Buffer.from([9, 200]));
  });

  it('takes an append that comes in several messages as one', async () => {
    const stream = fresh();
    const many = Array.from({ length: 20 }, (_, n) => event('Part', { n }));
    const result = await db.appendToStream(stream, many, { batchAppendSize: 300 });
    expect(result.nextExpectedRevision).toBe(19n);
    expect(await types(stream)).toHaveLength(20);
  });

  it('happens once when asked twice, and answers the same', async () => {
    const stream = fresh();
    const [a, b] = [event('A'), event('B')];
    const first = await db.appendToStream(stream, [a, b], { expectedRevision: 'no_stream' });
    for (const expectedRevision of ['no_stream', 'any', 'stream_exists'] as const)
      expect(await db.appendToStream(stream, [a, b], { expectedRevision })).toEqual(first);
    expect(await db.appendToStream(stream, b, { expectedRevision: 0n })).toEqual(first);
    expect(await types(stream)).toEqual(['A', 'B']);
  });

  it('happens once when asked twice at the same time', async () => {
    const stream = fresh();
    const a = event('A');
    const results = await Promise.all(
      Array.from({ length: 10 }, () => db.appendToStream(stream, a, { expectedRevision: 'no_stream' })),
    );
    expect(new Set(results.map((result) => result.position!.commit)).size).toBe(1);
    expect(await types(stream)).toEqual(['A']);
  });

  it('lets one of several win at the same revision', async () => {
    const stream = fresh();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => db.appendToStream(stream, event(), { expectedRevision: 'no_stream' })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await types(stream)).toHaveLength(1);
  });

  it('takes an append without events', async () => {
    expect(await db.appendToStream(fresh(), [])).toMatchObject({ success: true });
  });
});

const ways = [
  ['in a batch', {}],
  ['alone', { credentials: { username: 'a', password: 'b' } }],
] as const;

describe.each(ways)('an append that fails, sent %s', (_name, way) => {
  it('names both versions when the expected one is wrong', async () => {
    const stream = fresh();
    const absent = await failure(db.appendToStream(stream, event(), { expectedRevision: 4n, ...way }));
    expect(absent).toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion: 4n,
      actualVersion: 'no_stream',
    });
    await db.appendToStream(stream, events('A', 'B'), way);
    const there = await failure(
      db.appendToStream(stream, event(), { expectedRevision: 'no_stream', ...way }),
    );
    expect(there).toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion: 'no_stream',
      actualVersion: 1n,
    });
    const missing = await failure(
      db.appendToStream(fresh(), event(), { expectedRevision: 'stream_exists', ...way }),
    );
    expect(missing).toMatchObject({ expectedVersion: 'stream_exists', actualVersion: 'no_stream' });
  });

  it('says that the stream is deleted', async () => {
    const stream = fresh();
    await db.appendToStream(stream, event());
    await db.tombstoneStream(stream);
    expect(await failure(db.appendToStream(stream, event(), way))).toMatchObject({
      type: 'stream-deleted',
      streamName: stream,
    });
  });

  it('says how large an append may be, and writes nothing of it', async () => {
    const stream = fresh();
    const half = binaryEvent({ type: 'Big', data: Buffer.alloc(600 * 1024) });
    expect(
      await failure(
        db.appendToStream(stream, [half, binaryEvent({ type: 'Big', data: Buffer.alloc(600 * 1024) })], {
          batchAppendSize: 700 * 1024,
          ...way,
        }),
      ),
    ).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: 1024 * 1024 });
    await expect(all(db.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
    await db.appendToStream(stream, half, way);
  });

  it('refuses names and events that cannot be recorded', async () => {
    const unnamed = await failure(db.appendToStream('', event(), way));
    const toAll = await failure(db.appendToStream('$all', event(), way));
    const untyped = await failure(db.appendToStream(fresh(), jsonEvent({ type: '', data: {} }), way));
    for (const error of [unnamed, toAll, untyped]) expect(error).toMatchObject({ type: 'unknown' });
  });
});

describe('a revision that no number can hold', () => {
  const largest = 2n ** 63n - 1n;
  it.each(ways)('does not end the process, sent %s', async (_name, way) => {
    for (const [expectedRevision, error] of [
      [largest, { type: 'wrong-expected-version', expectedVersion: largest, actualVersion: 0n }],
      [2n ** 64n - 2n, { type: 'unknown' }],
      [2n ** 53n + 1n, { type: 'wrong-expected-version', expectedVersion: 2n ** 53n + 1n }],
    ] as const) {
      const stream = fresh();
      await db.appendToStream(stream, event());
      expect(await failure(db.appendToStream(stream, event(), { expectedRevision, ...way }))).toMatchObject(
        error,
      );
    }
    // As a revision this one means that there is no stream.
    const stream = fresh();
    await db.appendToStream(stream, event(), { expectedRevision: 2n ** 64n - 1n, ...way });
    expect(
      await failure(db.appendToStream(stream, event(), { expectedRevision: 2n ** 64n - 1n, ...way })),
    ).toMatchObject({ type: 'wrong-expected-version', actualVersion: 0n });
  });
});

describe('a stream name', () => {
  it('may be any text, as long as it is not too long', async () => {
    for (const name of ['ünïcode ✓', 'with\0zero', 'x'.repeat(1024), `${fresh()}@3`]) {
      await db.appendToStream(name, event(), { expectedRevision: 'no_stream' });
      await db.setStreamMetadata(name, { maxCount: 1 });
      expect((await all(db.readStream(name)))[0]!.event!.streamId).toBe(name);
      // An error's trailers are plain ASCII, and the server stumbles over a name that is not.
      expect(await failure(db.deleteStream(name, { expectedRevision: 7n }))).toMatchObject(
        /^[\x20-\x7e]*$/.test(name) ? { type: 'wrong-expected-version' } : { code: 2 },
      );
    }
    const tooLong = 'x'.repeat(1025);
    expect(await failure(db.appendToStream(tooLong, event()))).toMatchObject({ type: 'unknown' });
    for (const name of [tooLong, 'x'.repeat(9000)])
      await expect(all(db.readStream(name))).rejects.toMatchObject({ type: 'stream-not-found' });
  });
});

describe('a deadline in a batch append', () => {
  it('that has passed is answered as exceeded, and nothing is written', async () => {
    const stream = fresh();
    const error = await failure(db.appendToStream(stream, event(), { deadline: -1000 }));
    expect(error).toMatchObject({ type: 'deadline-exceeded' });
    await expect(all(db.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
  });
});

describe('the other form of a batch append', () => {
  let raw: InstanceType<typeof StreamsClient>;
  let call: ClientDuplexStream<
    InstanceType<typeof streams.BatchAppendReq>,
    InstanceType<typeof streams.BatchAppendResp>
  >;
  beforeAll(() => {
    raw = new StreamsClient(`127.0.0.1:${emulator.port}`, credentials.createInsecure());
    call = raw.batchAppend();
  });
  afterAll(() => {
    call.end();
    raw.close();
  });
  const uuid = (text: string) => new shared.UUID().setString(text);
  const request = (
    stream: string,
    change: (event: InstanceType<typeof streams.BatchAppendReq.ProposedMessage>) => void,
  ) => {
    const options = new streams.BatchAppendReq.Options();
    options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
    options.setAny(new google.Empty());
    const proposed = new streams.BatchAppendReq.ProposedMessage();
    proposed.setId(uuid(randomUUID()));
    proposed.getMetadataMap().set('type', 'T').set('content-type', 'application/json');
    change(proposed);
    const message = new streams.BatchAppendReq();
    message.setCorrelationId(uuid(randomUUID())).setOptions(options).setIsFinal(true);
    message.setProposedMessagesList([proposed]);
    return message;
  };
  const send = (message: InstanceType<typeof streams.BatchAppendReq>) =>
    new Promise<InstanceType<typeof streams.BatchAppendResp>>((resolve) => {
      call.once('data', resolve);
      call.write(message);
    });

  it('may have no deadline, and structured ids', async () => {
    const stream = fresh();
    const structured = new shared.UUID.Structured();
    structured.setMostSignificantBits('-1').setLeastSignificantBits('1');
    const response = await send(
      request(stream, (proposed) => proposed.setId(new shared.UUID().setStructured(structured))),
    );
    expect(response.hasSuccess()).toBe(true);
    expect(Buffer.from(response.getStreamIdentifier()!.getStreamName_asU8()).toString()).toBe(stream);
    const [read] = await all(db.readStream(stream));
    expect(read!.event!.id).toBe('ffffffff-ffff-ffff-0000-000000000001');
  });

  it('is refused as a bad request with code 3 when required metadata is missing', async () => {
    const response = await send(request(fresh(), (proposed) => proposed.getMetadataMap().clear()));
    const status = response.getError()!;
    expect(status.getCode()).toBe(3);
    expect(status.getDetails()!.getTypeName()).toBe('event_store.client.BadRequest');
  });

  it('ends with the call', async () => {
    const other = raw.batchAppend();
    other.on('data', () => undefined);
    const ended = new Promise((resolve) => other.on('status', resolve));
    other.end();
    expect(await ended).toMatchObject({ code: 0 });
  });
});

describe('reading a stream', () => {
  const stream = 'reading-a-stream';
  beforeAll(() => db.appendToStream(stream, events('A', 'B', 'C', 'D', 'E')));

  it('goes forwards and backwards, from anywhere, as far as asked', async () => {
    expect(await types(stream)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(await types(stream, { direction: 'backwards', fromRevision: 'end' })).toEqual([
      'E',
      'D',
      'C',
      'B',
      'A',
    ]);
    expect(await types(stream, { fromRevision: 2n })).toEqual(['C', 'D', 'E']);
    expect(await types(stream, { fromRevision: 1n, maxCount: 2 })).toEqual(['B', 'C']);
    expect(await types(stream, { direction: 'backwards', fromRevision: 2n, maxCount: 2 })).toEqual([
      'C',
      'B',
    ]);
    expect(await types(stream, { fromRevision: 5n })).toEqual([]);
    expect(await types(stream, { direction: 'backwards', fromRevision: 99n, maxCount: 1 })).toEqual(['E']);
  });

  it('that is not there ends as not found', async () => {
    await expect(all(db.readStream('nowhere'))).rejects.toMatchObject({
      type: 'stream-not-found',
      streamName: 'nowhere',
    });
  });

  it('that is tombstoned ends as deleted', async () => {
    const gone = fresh();
    await db.appendToStream(gone, event());
    await db.tombstoneStream(gone);
    await expect(all(db.readStream(gone))).rejects.toMatchObject({
      type: 'stream-deleted',
      streamName: gone,
    });
  });

  it('can be given up half-way', async () => {
    const long = fresh();
    await db.appendToStream(
      long,
      Array.from({ length: 2000 }, () => event()),
    );
    let seen = 0;
    for await (const _ of db.readStream(long)) if (++seen === 10) break;
    expect(seen).toBe(10);
    expect(await types(long)).toHaveLength(2000);
  });
});

describe('reading $all', () => {
  it('goes forwards inclusive and backwards exclusive', async () => {
    const stream = fresh();
    const a = await db.appendToStream(stream, event('A'));
    const b = await db.appendToStream(stream, event('B'));
    const forwards = await all(db.readAll({ fromPosition: a.position! }));
    expect(forwards.map(short)).toEqual([`${stream}:0:A`, `${stream}:1:B`]);
    expect((await all(db.readAll({ fromPosition: a.position!, maxCount: 1 }))).map(short)).toEqual([
      `${stream}:0:A`,
    ]);
    const backwards = await all(
      db.readAll({ direction: 'backwards', fromPosition: b.position!, maxCount: 1 }),
    );
    expect(backwards.map(short)).toEqual([`${stream}:0:A`]);
    const newest = await all(db.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 2 }));
    expect(newest.map(short)).toEqual([`${stream}:1:B`, `${stream}:0:A`]);
  });

  it('gives the same both ways, in the order of positions', async () => {
    const forwards = await all(db.readAll());
    const backwards = await all(db.readAll({ direction: 'backwards', fromPosition: 'end' }));
    expect(backwards.reverse().map(short)).toEqual(forwards.map(short));
    const positions = forwards.map((each) => each.commitPosition!);
    expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('is refused when the position cannot be one', async () => {
    const { position } = await db.appendToStream(fresh(), event());
    const inside = { commit: position!.commit + 1n, prepare: position!.prepare + 1n };
    const beyond = { commit: 2n ** 60n, prepare: 2n ** 60n };
    for (const fromPosition of [
      { commit: 1n, prepare: 2n },
      { commit: 2n ** 64n - 2n, prepare: 0n },
    ])
      await expect(all(db.readAll({ fromPosition }))).rejects.toMatchObject({ code: 2 });
    await db.appendToStream(fresh(), event());
    await expect(all(db.readAll({ fromPosition: inside }))).rejects.toMatchObject({ code: 2 });
    expect(await all(db.readAll({ fromPosition: beyond }))).toEqual([]);
    for (const fromPosition of [inside, beyond])
      await expect(all(db.readAll({ fromPosition, direction: 'backwards' }))).rejects.toMatchObject({
        code: 2,
      });
  });
});

describe('a read that only other clients ask for', () => {
  const empty = () => new shared.Empty();
  const request = () => {
    const options = new streams.ReadReq.Options();
    options.setAll(new streams.ReadReq.Options.AllOptions().setStart(empty()));
    options.setCount('2').setNoFilter(empty());
    options.setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(empty()));
    return options;
  };
  const read = async (options: ReturnType<typeof request>) => {
    const raw = new StreamsClient(`127.0.0.1:${emulator.port}`, credentials.createInsecure());
    try {
      const answers = raw.read(new streams.ReadReq().setOptions(options)) as AsyncIterable<
        InstanceType<typeof streams.ReadResp>
      >;
      return (await all(answers)).map((each) => each.getEvent()!.getEvent()!);
    } finally {
      raw.close();
    }
  };

  it('is filtered, and counts only what matches', async () => {
    const type = 'FilteredRead';
    for (let n = 0; n < 3; n++) await db.appendToStream(fresh(), events('Other', type));
    const filter = new streams.ReadReq.Options.FilterOptions();
    filter.setEventType(new streams.ReadReq.Options.FilterOptions.Expression().setPrefixList([type]));
    filter.setMax(1).setCheckpointintervalmultiplier(1);
    const found = await read(request().setFilter(filter));
    expect(found.map((each) => each.getMetadataMap().get('type'))).toEqual([type, type]);
  });

  it('has its ids as two numbers', async () => {
    const [plain] = await read(request());
    const [structured] = await read(
      request().setUuidOption(new streams.ReadReq.Options.UUIDOption().setStructured(empty())),
    );
    const half = (value: string) => BigInt.asUintN(64, BigInt(value)).toString(16).padStart(16, '0');
    const id = structured!.getId()!.getStructured()!;
    expect(half(id.getMostSignificantBits()) + half(id.getLeastSignificantBits())).toBe(
      plain!.getId()!.getString().replaceAll('-', ''),
    );
  });
});
