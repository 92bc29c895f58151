import { join } from 'node:path';
import { startEmulator, type Emulator } from './emulator';
import { all, binaryEvent, client, failure, jsonEvent, short, temporaryFolder } from './testbed';

const folder = temporaryFolder();
let emulator: Emulator;
let db: ReturnType<typeof client>;
let clock = 0;
let names = 0;
const fresh = () => `stream-${++names}`;
const event = (type = 'Happened', data: object = { n: 1 }) => jsonEvent({ type, data: { ...data } });
const events = (...types: string[]) => types.map((type) => event(type));
const types = async (stream: string, options = {}) =>
  (await all(db.readStream(stream, options))).map((each) => each.event!.type);

beforeAll(async () => {
  emulator = await startEmulator({ dataDir: folder.path, now: () => Date.now() + clock });
  db = client(emulator.connectionString);
});
afterAll(async () => {
  await db.dispose();
  await emulator?.close();
  folder?.remove();
});

describe('a soft-deleted stream', () => {
  it('reads as not found, and goes on counting when it is recreated', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B'));
    const { position } = await db.deleteStream(stream, { expectedRevision: 1n });
    expect(position!.commit).toBeGreaterThan(0n);
    await expect(all(db.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });

    const again = await db.appendToStream(stream, event('C'), { expectedRevision: 'no_stream' });
    expect(again.nextExpectedRevision).toBe(2n);
    expect((await all(db.readStream(stream))).map(short)).toEqual([`${stream}:2:C`]);
    const { metadata } = await db.getStreamMetadata(stream);
    expect(metadata).toEqual({ truncateBefore: 2 });
  });

  it('is deleted at the expected revision only', async () => {
    const stream = fresh();
    await db.appendToStream(stream, event());
    expect(await failure(db.deleteStream(stream, { expectedRevision: 5n }))).toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion: 5n,
      actualVersion: 0n,
    });
    expect(await failure(db.deleteStream(fresh(), { expectedRevision: 0n }))).toMatchObject({
      type: 'wrong-expected-version',
      actualVersion: -1n,
    });
  });

  it('has lost its other metadata, also when it is recreated', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B', 'C'));
    await db.setStreamMetadata(stream, { maxCount: 2, mine: 'x' });
    await db.deleteStream(stream);
    const deleted = (await db.getStreamMetadata(stream)).metadata!;
    expect(deleted).toEqual({ truncateBefore: Number(2n ** 63n - 1n) });
    await db.appendToStream(stream, event('D'));
    expect((await db.getStreamMetadata(stream)).metadata).toEqual({ truncateBefore: 3 });
    expect(await types(stream)).toEqual(['D']);
  });

  it('comes back empty when somebody sets its metadata', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B'));
    await db.deleteStream(stream);
    await db.setStreamMetadata(stream, { maxCount: 9 });
    expect(await types(stream)).toEqual([]);
    expect((await db.getStreamMetadata(stream)).metadata).toEqual({ maxCount: 9, truncateBefore: 2 });
    await db.appendToStream(stream, event('C'), { expectedRevision: 1n });
    expect(await types(stream)).toEqual(['C']);
  });

  it('of no events is truncated before 0 when somebody sets its metadata, in two steps', async () => {
    const stream = fresh();
    await db.setStreamMetadata(stream, { mine: 'x' });
    await db.deleteStream(stream);
    const { position } = await db.appendToStream(fresh(), event());
    await db.setStreamMetadata(stream, { mine: 'y' });
    const steps = (await all(db.readAll({ fromPosition: position! }))).slice(1);
    expect(steps.map(({ event: each }) => [each!.streamId, each!.data])).toEqual([
      [`$$${stream}`, { mine: 'y' }],
      [`$$${stream}`, { mine: 'y', $tb: 0 }],
    ]);
  });

  it('that never was is the wrong version, whatever is expected', async () => {
    for (const expectedRevision of ['any', 'no_stream', 0n] as const)
      expect(await failure(db.deleteStream(fresh(), { expectedRevision }))).toMatchObject({
        type: 'wrong-expected-version',
        actualVersion: -1n,
      });
  });

  it('does not say where an event is that is appended again', async () => {
    const stream = fresh();
    const again = () => db.appendToStream(stream, one, { expectedRevision: 'no_stream' });
    const one = event('A');
    expect((await again()).position).toBeDefined();
    await db.deleteStream(stream);
    expect(await again()).toMatchObject({ success: true, nextExpectedRevision: 0n, position: undefined });
  });

  it('still is in $all', async () => {
    const stream = fresh();
    const { position } = await db.appendToStream(stream, event('A'));
    await db.deleteStream(stream);
    const [first] = await all(db.readAll({ fromPosition: position!, maxCount: 1 }));
    expect(short(first!)).toBe(`${stream}:0:A`);
  });
});

describe('a tombstoned stream', () => {
  it('is deleted for good, and says so in $all', async () => {
    const stream = fresh();
    await db.appendToStream(stream, event());
    const { position } = await db.tombstoneStream(stream, { expectedRevision: 0n });
    const [tombstone] = await all(db.readAll({ fromPosition: position!, maxCount: 1 }));
    expect(tombstone!.event).toMatchObject({
      streamId: stream,
      type: '$streamDeleted',
      revision: 2n ** 63n - 1n,
    });
    for (const again of [db.tombstoneStream(stream), db.deleteStream(stream)])
      expect(await failure(again)).toMatchObject({ type: 'stream-deleted', streamName: stream });
  });

  it('is tombstoned at the expected revision only', async () => {
    const stream = fresh();
    await db.appendToStream(stream, event());
    expect(await failure(db.tombstoneStream(stream, { expectedRevision: 'no_stream' }))).toMatchObject({
      type: 'wrong-expected-version',
    });
  });

  it('may be a metastream, which then cannot be written any more', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B'));
    await db.setStreamMetadata(stream, { maxCount: 1 });
    await db.deleteStream(`$$${stream}`);
    expect(await types(stream)).toEqual(['B']);
    await db.tombstoneStream(`$$${stream}`);
    expect(await types(stream)).toEqual(['A', 'B']);
    expect(await failure(db.setStreamMetadata(stream, { maxCount: 1 }))).toMatchObject({
      type: 'stream-deleted',
    });
  });

  it('of metadata brings a soft-deleted stream back with all its events', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A'));
    await db.deleteStream(stream);
    expect(
      await failure(db.appendToStream(stream, event(), { expectedRevision: 'stream_exists' })),
    ).toMatchObject({
      type: 'stream-deleted',
    });
    await db.tombstoneStream(`$$${stream}`);
    await db.appendToStream(stream, event('B'), { expectedRevision: 'stream_exists' });
    expect(await types(stream)).toEqual(['A', 'B']);
  });

  it('that was soft-deleted takes the deletion back behind its end when its metadata is written', async () => {
    const stream = fresh();
    await db.appendToStream(stream, event('A'));
    await db.deleteStream(stream);
    const { position } = await db.tombstoneStream(stream);
    await db.setStreamMetadata(stream, { mine: 'x' });
    const steps = (await all(db.readAll({ fromPosition: position! }))).slice(1);
    expect(steps.map(({ event: each }) => [each!.streamId, each!.data])).toEqual([
      [`$$${stream}`, { mine: 'x' }],
      [`$$${stream}`, { mine: 'x', $tb: Number(-(2n ** 63n)) }],
    ]);
    const next = await db.setStreamMetadata(stream, { mine: 'y' }, { expectedRevision: 2n });
    expect(next.nextExpectedRevision).toBe(3n);
  });

  it('does not say where its metadata is that is written again', async () => {
    const stream = fresh();
    const metadata = jsonEvent({ type: '$metadata', data: { mine: 'x' } });
    await db.appendToStream(`$$${stream}`, metadata);
    await db.tombstoneStream(stream);
    expect(await db.appendToStream(`$$${stream}`, metadata)).toMatchObject({
      success: true,
      nextExpectedRevision: 0n,
      position: undefined,
    });
  });

  it('may never have been there', async () => {
    const stream = fresh();
    await db.tombstoneStream(stream);
    await expect(all(db.readStream(stream))).rejects.toMatchObject({ type: 'stream-deleted' });
  });
});

describe('stream metadata', () => {
  it('that is soft-deleted itself is refused as deleted to a writer, and comes back with what is written', async () => {
    const stream = fresh();
    await db.setStreamMetadata(stream, { maxCount: 5 });
    await db.deleteStream(`$$${stream}`);
    expect((await db.getStreamMetadata(stream)).metadata).toEqual({ maxCount: 5 });
    expect(
      await failure(db.setStreamMetadata(stream, { maxCount: 6 }, { expectedRevision: 'stream_exists' })),
    ).toMatchObject({ type: 'stream-deleted' });
    await db.setStreamMetadata(stream, { maxCount: 7 }, { expectedRevision: 'no_stream' });
    const [own] = await all(db.readStream(`$$$$${stream}`));
    expect([own!.event!.revision, own!.event!.data]).toEqual([1n, { $tb: 1 }]);
  });

  it('that does not say that it is JSON deletes a stream for writers, and for no reader', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A'));
    const data = Buffer.from('{"$tb":9223372036854775807}');
    await db.appendToStream(`$$${stream}`, binaryEvent({ type: '$metadata', data }));
    expect(await types(stream)).toEqual(['A']);
    expect(
      await failure(db.appendToStream(stream, event(), { expectedRevision: 'stream_exists' })),
    ).toMatchObject({ type: 'stream-deleted' });
    await db.appendToStream(stream, event('B'));
    expect(await types(stream)).toEqual(['B']);
  });

  it('that a writer wrote is forgotten when another stream gets its first', async () => {
    const [stream, another] = [fresh(), fresh()];
    await db.appendToStream(stream, events('A'));
    const data = Buffer.from('{"$tb":9223372036854775807}');
    await db.appendToStream(`$$${stream}`, binaryEvent({ type: '$metadata', data }));
    await db.appendToStream(another, event());
    await db.setStreamMetadata(another, { maxCount: 1 });
    await db.appendToStream(stream, event('B'), { expectedRevision: 'stream_exists' });
    expect(await types(stream)).toEqual(['A', 'B']);
  });

  it('is returned as it was set', async () => {
    const stream = fresh();
    expect((await db.getStreamMetadata(stream)).metadata).toBeUndefined();
    await db.setStreamMetadata(stream, { maxCount: 5, maxAge: 60, cacheControl: 1, own: { deep: true } });
    await db.setStreamMetadata(stream, { maxCount: 3 }, { expectedRevision: 0n });
    expect((await db.getStreamMetadata(stream)).metadata).toEqual({ maxCount: 3 });
    expect(await types(`$$${stream}`)).toEqual(['$metadata']);
  });

  it('keeps only the last $maxCount events', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B', 'C'));
    await db.setStreamMetadata(stream, { maxCount: 2 });
    expect(await types(stream)).toEqual(['B', 'C']);
    await db.appendToStream(stream, event('D'));
    expect(await types(stream)).toEqual(['C', 'D']);
    expect(await types(stream, { direction: 'backwards', fromRevision: 'end' })).toEqual(['D', 'C']);
  });

  it('hides what is before $tb', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B', 'C'));
    await db.setStreamMetadata(stream, { truncateBefore: 2 });
    expect(await types(stream)).toEqual(['C']);
    await db.setStreamMetadata(stream, { truncateBefore: 7 });
    expect(await types(stream)).toEqual([]);
  });

  it('hides what is older than $maxAge', async () => {
    const stream = fresh();
    await db.appendToStream(stream, events('A', 'B'));
    await db.setStreamMetadata(stream, { maxAge: 60 });
    clock += 50_000;
    await db.appendToStream(stream, event('C'));
    expect(await types(stream)).toEqual(['A', 'B', 'C']);
    clock += 50_000;
    expect(await types(stream)).toEqual(['C']);
    expect(await types(stream, { maxCount: 1, direction: 'backwards', fromRevision: 'end' })).toEqual(['C']);
  });
});

describe('a link', () => {
  const link = (to: string) => ({
    ...jsonEvent({ type: '$>', data: {} }),
    contentType: 'application/octet-stream' as const,
    data: Buffer.from(to),
  });

  it('is followed when the reader wants that', async () => {
    const [target, stream] = [fresh(), fresh()];
    await db.appendToStream(target, events('A', 'B'));
    await db.appendToStream(stream, link(`1@${target}`));
    const [resolved] = await all(db.readStream(stream, { resolveLinkTos: true }));
    expect(short(resolved!)).toBe(`${target}:1:B`);
    expect(resolved!.link).toMatchObject({ streamId: stream, revision: 0n, type: '$>' });
    const [plain] = await all(db.readStream(stream));
    expect(plain!.event!.type).toBe('$>');
    expect(plain!.link).toBeUndefined();
  });

  it('comes without an event when its target is gone', async () => {
    const [target, stream] = [fresh(), fresh()];
    await db.appendToStream(target, events('A', 'B'));
    await db.appendToStream(stream, [
      link(`0@${target}`),
      link('3@nowhere'),
      link('nonsense'),
      link(`9@${target}`),
    ]);
    await db.deleteStream(target);
    const resolved = await all(db.readStream(stream, { resolveLinkTos: true }));
    const gone = (revision: bigint) => [undefined, revision];
    expect(resolved.map((each) => [each.event?.type, each.link?.revision])).toEqual([
      gone(0n),
      gone(1n),
      // A text that names no revision is no link at all.
      ['$>', undefined],
      gone(3n),
    ]);
  });

  it('without a name does not fail the whole read', async () => {
    const stream = fresh();
    await db.appendToStream(stream, [link('0@'), link('-7@x'), link('99999999999999999999@x'), event('B')]);
    const resolved = await all(db.readStream(stream, { resolveLinkTos: true }));
    expect(resolved.map((each) => each.event?.type)).toEqual([undefined, undefined, '$>', 'B']);
  });
});

describe('a restart', () => {
  const positionOfFirst = async ({ connectionString }: Emulator) => {
    const reader = client(connectionString);
    const [first] = await all(reader.readAll({ maxCount: 1 }));
    await reader.dispose();
    return first!.event!.position;
  };

  it('keeps everything, and retries are still recognised', async () => {
    const dataDir = temporaryFolder();
    const first = await startEmulator({ dataDir: dataDir.path });
    await db.dispose();
    let other = client(first.connectionString);
    const [stream, kept] = [fresh(), event('Kept')];
    const result = await other.appendToStream(stream, kept);
    await other.setStreamMetadata('limited', { maxCount: 1 });
    await other.appendToStream('limited', events('A', 'B'));
    await other.tombstoneStream('gone');
    const before = (await all(other.readAll())).map(short);
    await first.close();
    await other.dispose();

    const second = await startEmulator({ dataDir: dataDir.path });
    other = client(second.connectionString);
    expect((await all(other.readAll())).map(short)).toEqual(before);
    expect(await other.appendToStream(stream, kept)).toEqual(result);
    expect((await all(other.readStream('limited'))).map(short)).toEqual(['limited:1:B']);
    await expect(all(other.readStream('gone'))).rejects.toMatchObject({ type: 'stream-deleted' });
    const next = await other.appendToStream(stream, event(), { expectedRevision: 0n });
    expect(next.position!.commit).toBeGreaterThan(result.position!.commit);
    await other.dispose();
    await second.close();
    dataDir.remove();
    db = client(emulator.connectionString);
  });

  it('finds what is in a folder whose name has a dot', async () => {
    const parent = temporaryFolder();
    const dataDir = join(parent.path, 'with.dot');
    const first = await startEmulator({ dataDir });
    const position = await positionOfFirst(first);
    await first.close();
    const second = await startEmulator({ dataDir });
    expect(await positionOfFirst(second)).toEqual(position);
    await second.close();
    parent.remove();
  });

  it('is refused while somebody else has the folder', async () => {
    await expect(startEmulator({ dataDir: folder.path })).rejects.toThrow(/in use by another/);
  });
});
