import { EventStoreDBClient } from '@eventstore/db-client';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { createServer, type IncomingHttpHeaders, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { until } from './event-store.contract.spec';
import { framed, Messages } from './frames';
import { OfficialReader } from './official-reader';
import { OwnReader } from './reader';
import { StoreSession } from './session';
import { readStream } from './stream-read';
import { TookTooLong } from './within';

/** A server whose subscriptions bring what the test writes. */
async function startServer() {
  const asked: { call: ServerHttp2Stream; headers: IncomingHttpHeaders; request: Promise<Buffer> }[] = [];
  const server: Http2Server = createServer();
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (call, headers) => {
    call.on('error', () => {});
    const request = new Promise<Buffer>((resolve) =>
      call.once('data', (chunk: Buffer) => resolve(new Messages().in(chunk)[0]!)),
    );
    call.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    asked.push({ call, headers, request });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    node,
    asked,
    cut: () => sessions.forEach((session) => session.destroy()),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

const confirmation = (): Buffer => {
  const response = new streams.ReadResp();
  response.setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
  return framed(response.serializeBinary());
};

const checkpoint = (position: number): Buffer => {
  const response = new streams.ReadResp();
  const at = new streams.ReadResp.Checkpoint();
  at.setCommitPosition(String(position));
  response.setCheckpoint(at);
  return framed(response.serializeBinary());
};

const event = (position: number): Buffer => {
  const id = new shared.UUID();
  id.setString('6f1b4a3e-0d5c-4c5e-9d1a-000000000001');
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(Buffer.from('thing-1'));
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(id);
  recorded.setStreamIdentifier(stream);
  recorded.setCommitPosition(String(position));
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(recorded);
  read.setCommitPosition(String(position));
  const response = new streams.ReadResp();
  response.setEvent(read);
  return framed(response.serializeBinary());
};

describe('our reader', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let session: StoreSession;
  beforeEach(async () => {
    server = await startServer();
    session = new StoreSession('esdb://127.0.0.1?tls=false&connectionName=carillon', server.node);
  });
  afterEach(async () => {
    session.close();
    server.cut();
    await server.stop();
  });

  /** A subscription, what it told so far, and its call at the server. */
  async function followed() {
    const told: (bigint | string)[] = [];
    const ends: unknown[] = [];
    const { length } = server.asked;
    const reader = new OwnReader(session, 0n, ['thing'], {
      confirmed: () => void told.push('confirmed'),
      event: ({ position }) => {
        told.push(position);
        if (position === 3n) reader.pause();
      },
      position: (position) => void told.push(`until ${position}`),
      ended: (error) => void ends.push(error),
    });
    await until(() => server.asked.length > length);
    const { call } = server.asked.at(-1)!;
    return { reader, told, ends, call };
  }

  it('tells nothing while it is paused, and all that came, in its order, when it goes on', async () => {
    const { reader, told, ends, call } = await followed();
    const all = Buffer.concat([confirmation(), ...[1, 2, 3, 4].map(event), checkpoint(5), event(6)]);
    for (let at = 0; at < all.length; at += 7) call.write(all.subarray(at, at + 7));
    await until(() => told.length === 1);
    reader.resume();
    await until(() => told.length === 4);
    const later = await followed();
    later.call.write(confirmation());
    await until(() => later.told.length === 1);
    expect(told).toEqual(['confirmed', 1n, 2n, 3n]);
    reader.resume();
    await until(() => told.length === 7);
    expect(told).toEqual(['confirmed', 1n, 2n, 3n, 4n, 'until 5', 6n]);
    expect(ends).toEqual([]);
  });

  it('holds up a server that sends more while it is paused', async () => {
    const { reader, told, call } = await followed();
    call.write(confirmation());
    await until(() => told.length === 1);
    const many = Buffer.concat(Array.from({ length: 50_000 }, (_, index) => event(index + 10)));
    let written = false;
    call.write(many, () => (written = true));
    const other = await followed();
    other.call.write(confirmation());
    await until(() => other.told.length === 1);
    expect(written).toBe(false);
    reader.resume();
    await until(() => told.length === 50_001);
    expect(written).toBe(true);
  });

  it.each([
    ['bytes that are no message', Buffer.concat([confirmation(), framed(Buffer.from('nonsense'))])],
    ['events before it has begun', event(1)],
    ['a message that is compressed', Buffer.from([1, 0, 0, 0, 0])],
  ])('ends at %s, and leaves the call', async (_, bytes) => {
    const { reader, ends, call } = await followed();
    call.write(bytes);
    await until(() => {
      reader.resume();
      return ends.length > 0;
    });
    await until(() => call.destroyed);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ message: 'The event store sent what cannot be followed' });
  });

  it('ends with the error that the server names, and with none after it was ended', async () => {
    const [one, other] = [await followed(), await followed()];
    await other.reader.end();
    await until(() => other.call.destroyed);
    one.call.on('wantTrailers', () =>
      one.call.sendTrailers({
        'grpc-status': '5',
        exception: 'not-leader',
        'leader-endpoint-host': 'other',
        'leader-endpoint-port': '2113',
      }),
    );
    one.call.end();
    await until(() => one.ends.length > 0);
    expect(one.ends).toMatchObject([{ type: 'not-leader', code: 5 }]);
    expect(other.ends).toEqual([]);
  });

  it('ends as unavailable when the connection is cut, and on one that was', async () => {
    const { ends } = await followed();
    server.cut();
    await until(() => ends.length > 0);
    await until(() => !session.isOpen);
    const later: unknown[] = [];
    const noted = (error: unknown): void => void later.push(error);
    new OwnReader(session, 0n, undefined, { confirmed() {}, event() {}, position() {}, ended: noted });
    expect(later).toEqual([]);
    await until(() => later.length > 0);
    expect([...ends, ...later]).toMatchObject([{ type: 'unavailable' }, { type: 'unavailable' }]);
  });

  const officialClient = (): EventStoreDBClient =>
    EventStoreDBClient.connectionString(`esdb://${server.node}?tls=false&connectionName=carillon`);

  /** What the last two calls asked, but for the codings of answers, which ours does without, and the library. */
  const lastTwo = async () =>
    Promise.all(
      server.asked.slice(-2).map(async ({ headers, request }) => {
        const told = Object.entries(headers).filter(
          ([name]) => !/^(grpc-|accept-encoding|user-agent)/.test(name),
        );
        return { headers: Object.fromEntries(told), message: (await request).toString('hex') };
      }),
    );

  it('asks what the official client asks', async () => {
    const official = officialClient();
    const on = { confirmed() {}, event() {}, position() {}, ended() {} };
    for (const [from, categories] of [
      [0n, undefined],
      [17n, ['thing', 'other']],
    ] as const) {
      const { length } = server.asked;
      const ours = new OwnReader(session, from, categories, on);
      await until(() => server.asked.length === length + 1);
      const theirs = new OfficialReader(official, from, categories, on);
      await until(() => server.asked.length === length + 2);
      const [own, other] = await lastTwo();
      expect(own).toEqual(other);
      await Promise.all([ours.end(), theirs.end()]);
    }
    await official.dispose();
  });

  describe('of a stream', () => {
    const asking = { stream: 'thing-ä', from: 0n };
    const reading = (order: Parameters<typeof readStream>[1] = asking, silenceMs = 5_000) => {
      const outcome = readStream(session, order, silenceMs);
      outcome.catch(() => {});
      return outcome;
    };
    const asked = async (count = 1): Promise<ServerHttp2Stream> => {
      await until(() => server.asked.length >= count);
      return server.asked.at(-1)!.call;
    };

    it('has all events when the server says that it has answered', async () => {
      const outcome = reading();
      const call = await asked();
      call.on('wantTrailers', () => call.sendTrailers({ 'grpc-status': '0' }));
      const all = Buffer.concat([1, 2, 3].map(event));
      for (let at = 0; at < all.length; at += 7) call.write(all.subarray(at, at + 7));
      call.end();
      expect((await outcome).map(({ position }) => position)).toEqual([1n, 2n, 3n]);
    });

    it('fails when the call ends without that, or with what the server names', async () => {
      const cut = reading();
      const first = await asked();
      first.write(event(1));
      first.on('wantTrailers', () => first.sendTrailers({ 'some-other': '1' }));
      first.end();
      await expect(cut).rejects.toMatchObject({ type: 'unavailable' });
      const deleted = reading();
      const second = await asked(2);
      second.on('wantTrailers', () =>
        second.sendTrailers({ 'grpc-status': '9', exception: 'stream-deleted', 'stream-name': 'thing-1' }),
      );
      second.end();
      await expect(deleted).rejects.toMatchObject({ type: 'stream-deleted' });
    });

    it('fails after a silence, and leaves the call', async () => {
      const outcome = reading(asking, 50);
      const call = await asked();
      await expect(outcome).rejects.toThrow(TookTooLong);
      await until(() => call.destroyed);
    });

    it('fails at bytes that are no message, and on a connection that was cut', async () => {
      const outcome = reading();
      (await asked()).write(framed(Buffer.from('nonsense')));
      await expect(outcome).rejects.toThrow('what cannot be read');
      const cut = reading();
      await asked(2);
      server.cut();
      await expect(cut).rejects.toMatchObject({ type: 'unavailable' });
      await until(() => !session.isOpen);
      await expect(reading()).rejects.toThrow();
    });

    it('asks what the official client asks', async () => {
      const official = officialClient();
      const { stream } = asking;
      for (const [order, options] of [
        [{ stream, from: 0n }, { fromRevision: 0n }],
        [
          { stream, from: 7n, count: 2 },
          { fromRevision: 7n, maxCount: 2 },
        ],
        [
          { stream, from: 'end', backwards: true, count: 1 },
          { fromRevision: 'end', direction: 'backwards', maxCount: 1 },
        ],
      ] as const) {
        const { length } = server.asked;
        reading(order);
        await until(() => server.asked.length === length + 1);
        const theirs = official.readStream(stream, options);
        theirs.on('error', () => {});
        await until(() => server.asked.length === length + 2);
        const [own, other] = await lastTwo();
        expect(own).toEqual(other);
        await theirs.cancel();
      }
      await official.dispose();
    });
  });
});
