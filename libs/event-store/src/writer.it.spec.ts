import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { errorFieldsOf } from '@carillon/eventing';
import {
  type EmulatorProcess,
  makeAuthority,
  startEmulatorProcess,
  startStoreProxy,
} from '@carillon/testkit';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { isTooLarge, StoreRefused, StoreUnavailable } from './event-store';
import { newEvent, newEvents, someStream, until } from './event-store.contract.spec';
import { openEventStore } from './event-store-db';

/** What a client sends before its first frame. */
const prefaceBytes = 24;
const frameHeadBytes = 9;

/** The frames that begin in each piece of a connection's bytes, when they carry data. */
function dataFrames(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0);
  let skipped = prefaceBytes;
  return (chunk) => {
    let found = 0;
    let bytes = Buffer.concat([rest, chunk]);
    const skip = Math.min(skipped, bytes.length);
    skipped -= skip;
    bytes = bytes.subarray(skip);
    while (bytes.length >= frameHeadBytes && bytes.length >= frameHeadBytes + bytes.readUIntBE(0, 3)) {
      if (bytes[3] === 0) found += 1;
      bytes = bytes.subarray(frameHeadBytes + bytes.readUIntBE(0, 3));
    }
    rest = bytes;
    return found;
  };
}

/** A TCP proxy that notes how many frames with data each read of the store brings. */
async function startCounter(port: number) {
  const reads: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const store = connect(port, '127.0.0.1');
    const framesIn = dataFrames();
    for (const socket of [client, store]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      sockets.add(socket);
    }
    client.on('data', (chunk: Buffer) => {
      const frames = framesIn(chunk);
      if (frames > 0) reads.push(frames);
      store.write(chunk);
    });
    store.pipe(client);
    client.on('close', () => store.destroy());
    store.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`,
    reads,
    /** From now on the open connections pass nothing on, and do not end. */
    freeze: () => {
      for (const socket of sockets) socket.pause();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('our writer', () => {
  let emulator: EmulatorProcess;
  beforeAll(async () => {
    emulator = await startEmulatorProcess();
  });
  afterAll(() => emulator?.stop());

  it('sends the appends of one turn in one write', async () => {
    const counter = await startCounter(emulator.port);
    const store = openEventStore(counter.url);
    const appendOne = () => store.append(someStream(), newEvents(1), 'no_stream');
    await appendOne();
    counter.reads.length = 0;
    await Promise.all(Array.from({ length: 64 }, appendOne));
    expect(counter.reads).toHaveLength(1);
    // A frame has 16 KiB.
    expect(counter.reads[0]).toBeLessThanOrEqual(3);
    await store.close();
    await counter.stop();
  });

  it('asks what the official client asks, but for the leader, without a deadline, and with its own id', async () => {
    const proxy = await startStoreProxy(emulator.port);
    const asked = () => {
      const { headers, message } = proxy.newest!;
      const request = streams.BatchAppendReq.deserializeBinary(message);
      const hasDeadline = request.getOptions()!.hasDeadline();
      expect(request.getCorrelationId()!.getString()).toMatch(/^[0-9a-f-]{36}$/);
      request.setCorrelationId(new shared.UUID());
      request.getOptions()!.clearDeadline();
      // Of the codings of answers, which ours does without.
      const ours = ([name]: readonly [string, unknown]): boolean =>
        !/^(grpc-|accept-encoding|user-agent)/.test(name);
      return {
        hasDeadline,
        headers: Object.fromEntries(Object.entries(headers.getMap()).filter(ours)),
        message: Buffer.from(request.serializeBinary()).toString('hex'),
      };
    };
    const url = `${proxy.url}&connectionName=carillon`;
    const store = openEventStore(url);
    const official = EventStoreDBClient.connectionString(url);
    const given = [newEvent('Opened', { name: 'Ä', list: [1, null] }), newEvent('Closed')];
    const proposed = given.map((event) =>
      jsonEvent({
        ...event,
        data: { ...(event.data as object) },
        metadata: Buffer.from(JSON.stringify(event.metadata)),
      }),
    );
    const stream = someStream();
    for (const expected of ['no_stream', 'any', 1n] as const) {
      await store.append(stream, given, expected);
      const own = asked();
      await official.appendToStream(stream, proposed, { expectedRevision: expected });
      const theirs = asked();
      expect(own).toEqual({
        ...theirs,
        hasDeadline: false,
        headers: { ...theirs.headers, 'requires-leader': 'true' },
      });
    }
    await official.dispose();
    await store.close();
    await proxy.stop();
  });

  it('replaces a connection that has gone silent, and repeats what it does not know of', async () => {
    const counter = await startCounter(emulator.port);
    const store = openEventStore(counter.url, { patienceSeconds: 60 });
    await store.append(someStream(), newEvents(1), 'no_stream');
    const drops: unknown[] = [];
    let seen = 0;
    store.subscribe(await store.head(), {
      event: () => (seen += 1),
      position: () => {},
      dropped: (error) => drops.push(error),
    });
    await store.append(someStream(), newEvents(1), 'no_stream');
    await until(() => seen === 1);
    counter.freeze();
    const [stream, events] = [someStream(), newEvents(2)];
    await store.append(stream, events, 'no_stream');
    await until(() => drops.length === 1);
    expect((await store.read(stream)).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    await store.close();
    await counter.stop();
  }, 60_000);

  it('opens its connection again after the server was away while nothing was appended', async () => {
    let server = await startEmulatorProcess();
    const { port, dataDir } = server;
    const store = openEventStore(server.url);
    await store.append(someStream(), newEvents(1), 'no_stream');
    await server.kill('SIGKILL');
    server = await startEmulatorProcess({ port, dataDir });
    expect((await store.append(someStream(), newEvents(1), 'no_stream')).revision).toBe(0n);
    await store.close();
    await server.stop();
  });

  it('sends a large append in several messages, and is told when it is too large', async () => {
    const store = openEventStore(emulator.url);
    const text = 'x'.repeat(900_000);
    const one = await store.append(someStream(), [newEvent('Large', { text })], 'no_stream');
    expect(one.revision).toBe(0n);
    const large = Array.from({ length: 8 }, () => newEvent('Large', { text }));
    const refused: unknown = await store
      .append(someStream(), large, 'no_stream')
      .catch((error: unknown) => error);
    expect(isTooLarge(refused)).toBe(true);
    // The rest of it was ignored: the call goes on.
    expect((await store.append(someStream(), newEvents(1), 'no_stream')).revision).toBe(0n);
    await store.close();
  });

  it('follows the leader of a cluster, by gossip and when it is told that a member does not lead', async () => {
    const [one, other] = [await startStoreProxy(emulator.port), await startStoreProxy(emulator.port)];
    const lead = (leader: typeof one) => [one, other].forEach((member) => member.isLedBy(leader));
    lead(other);
    const store = openEventStore(`esdb://127.0.0.1:${one.port},127.0.0.1:${other.port}?tls=false`);
    const stream = someStream();
    await store.append(stream, newEvents(1), 'no_stream');
    expect([one.appends, other.appends]).toEqual([0, 1]);
    lead(one);
    await store.append(stream, newEvents(1), 0n);
    expect([one.appends, other.appends]).toEqual([1, 1]);
    expect(await store.read(stream)).toHaveLength(2);
    await store.close();
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe('our writer over TLS', () => {
  let authority: Awaited<ReturnType<typeof makeAuthority>>;
  let emulator: EmulatorProcess;
  beforeAll(async () => {
    authority = await makeAuthority();
    const folder = dirname(authority.caFile);
    const [cert, key] = [join(folder, 'store.pem'), join(folder, 'store.key')];
    writeFileSync(cert, authority.server.cert);
    writeFileSync(key, authority.server.key);
    emulator = await startEmulatorProcess({
      args: ['--tls-cert', cert, '--tls-key', key, '--username', 'carillon', '--password', 'a right:one'],
    });
  }, 60_000);
  afterAll(async () => {
    await emulator?.stop();
    authority?.remove();
  });

  async function appended(user: string, query: string, writer: 'own' | 'official'): Promise<unknown> {
    const url = `esdb://${user}localhost:${emulator.port}?tls=true${query}`;
    const store = openEventStore(url, { patienceSeconds: 1, writer });
    try {
      return (await store.append(someStream(), newEvents(1), 'no_stream')).revision;
    } catch (error) {
      return error;
    } finally {
      await store.close();
    }
  }

  /** The first event of the log, or why the subscription was dropped. */
  async function followed(user: string, reader: 'own' | 'official'): Promise<unknown> {
    const store = openEventStore(`esdb://${user}localhost:${emulator.port}?tls=true${trusted()}`, { reader });
    try {
      return await new Promise((told) => {
        const listener = { event: told, position: () => {}, dropped: told };
        store.subscribe(0n, listener);
      });
    } finally {
      await store.close();
    }
  }
  const trusted = (): string => `&tlsCAFile=${encodeURIComponent(authority.caFile)}`;

  it('appends as the user of the URL', async () => {
    const user = `carillon:${encodeURIComponent('a right:one')}@`;
    expect(await appended(user, trusted(), 'own')).toBe(0n);
    expect(await followed(user, 'own')).toMatchObject({ type: 'Counted', revision: 0n });
  });

  it.each(['carillon:wrong@', ''])(
    'is refused as "%s", with the error of the official client',
    async (user) => {
      const [own, official] = [
        await appended(user, trusted(), 'own'),
        await appended(user, trusted(), 'official'),
      ];
      expect(own).toBeInstanceOf(StoreRefused);
      expect(errorFieldsOf(own).type).toBe('access-denied');
      expect(errorFieldsOf(own).type).toBe(errorFieldsOf(official).type);
      const [ownReader, officialReader] = [await followed(user, 'own'), await followed(user, 'official')];
      expect(ownReader).toBeInstanceOf(StoreRefused);
      expect(errorFieldsOf(ownReader).type).toBe('access-denied');
      expect(errorFieldsOf(ownReader).type).toBe(errorFieldsOf(officialReader).type);
    },
  );

  it('is unavailable, with nothing sent, when the certificate is not trusted', async () => {
    expect(await appended('', '', 'own')).toBeInstanceOf(StoreUnavailable);
  });
});

describe.each(['CARILLON_STORE_WRITER', 'CARILLON_STORE_READER'])('the setting %s', (name) => {
  it('is refused when it names none', () => {
    process.env[name] = 'fast';
    try {
      expect(() => openEventStore('esdb://127.0.0.1:1?tls=false')).toThrow(`${name} must be own or official`);
    } finally {
      delete process.env[name];
    }
  });
});
