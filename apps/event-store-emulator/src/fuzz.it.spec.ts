import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata, type StatusObject } from '@grpc/grpc-js';
import { streams, type status } from './protocol';
import { temporaryFolder } from './testbed';
import { field, varintField } from './wire';

/**
 * Ten thousand messages that no client would send, the same ones each time: every field of every request of the
 * Streams service with values from its edges, and some bytes broken. Every answer has a form that was recorded of a
 * real server, and the process lives.
 */
const MESSAGES = 10_000;
const SEED = 20261122;
const AT_ONCE = 32;
const STANDS_STILL = 20;

const program = join(import.meta.dirname, '../../../dist/apps/event-store-emulator/src/main.js');
const recording = join(import.meta.dirname, '../recorded/eventstoredb-23.10.7.json');

// ---- The forms that were recorded

const UNARY = new Set(['0 ', '2 ']);
const BATCH = new Set<string>();
const formOf = (code: number, trailers: object) => `${code} ${Object.keys(trailers).sort().join()}`;

/** Collects the forms of all errors in the recording, wherever they are. */
function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { code, details, message, trailers } = value as Record<string, unknown>;
  if (typeof code === 'number' && trailers) UNARY.add(formOf(code, trailers));
  else if (typeof code === 'number' && message) BATCH.add(`${code} ${String(details)}`);
  for (const each of Object.values(value)) collect(each);
}
collect(JSON.parse(readFileSync(recording, 'utf8')));

// ---- Chance, the same each time

let state = SEED;
/** A number from 0 up to, but not including, one. */
function chance(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const below = (count: number) => Math.floor(chance() * count);
const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
const oneIn = (count: number) => below(count) === 0;
const maybe = (part: () => Buffer, often = 0.9) => (chance() < often ? part() : Buffer.alloc(0));

// ---- Values from the edges

const EDGES = [0n, 1n, 2n, 5n, 127n, 128n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 53n - 1n]
  .concat([2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 2n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 2n])
  .concat([2n ** 64n - 1n]);
const u64 = () => (oneIn(2) ? BigInt(below(6)) : pick(EDGES));
const number = (at: number, value = u64()) => varintField(at, value);
const text = (at: number, value: string) => field(at, Buffer.from(value));
const empty = (at: number) => field(at);
const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)));

const name = () =>
  pick([
    () => `s${below(300)}`,
    () => `s${below(300)}`,
    () => `$$s${below(300)}`,
    () =>
      pick(['', '$', '$$', '$$$', '$$$$', '$all', '$$$$s1', 'ünïcode ✓', 'a\0b', 'a\nb', 'x'.repeat(5000)]),
  ])();
const stream = (at: number) =>
  field(
    at,
    maybe(() => (oneIn(20) ? field(3, bytes(8)) : text(3, name()))),
  );
const ids = Array.from({ length: 50 }, () => bytes(16).toString('hex'));
const uuid = () => {
  const id = pick(ids).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return pick([
    () => text(2, id),
    () => text(2, id),
    () => text(2, pick([`{${id}}`, id.replaceAll('-', ''), id.toUpperCase(), `(${id}}`, ` ${id} `])),
    () => text(2, pick(['', 'nonsense', '00000000-0000-0000-0000-000000000000'])),
    () => field(1, number(1), number(2)),
    () => Buffer.alloc(0),
  ])();
};
const expected = () =>
  maybe(() => pick([() => number(2), () => empty(3), () => empty(4), () => empty(5)])(), 0.95);
const payload = () =>
  pick([
    () => Buffer.from('{"$maxCount":1}'),
    () =>
      Buffer.from(pick(['{"$tb":9223372036854775807}', '{"$maxAge":1}', '{"$maxAge":99999999999999}', '['])),
    () => Buffer.from(`${below(3)}@${pick(['', 's1', 's2', '$$s3', '\0'])}`),
    () => bytes(below(40)),
  ])();
const proposed = () =>
  Buffer.concat([
    maybe(() => field(1, uuid()), 0.95),
    maybe(
      () => field(2, text(1, 'type'), text(2, pick(['A', '$>', '$metadata', '$streamDeleted', '', 'ü']))),
      0.95,
    ),
    maybe(() => field(2, text(1, 'content-type'), text(2, pick(['application/json', 'x/y']))), 0.95),
    maybe(() => field(3, payload()), 0.5),
    maybe(() => field(4, payload())),
  ]);

/** Most messages stay as they are: broken bytes go no further than the decoder. */
function broken(message: Buffer): Buffer {
  if (!oneIn(12) || message.length === 0) return message;
  const copy = Buffer.from(message);
  return pick([
    () => copy.subarray(0, below(copy.length)),
    () => (copy.writeUInt8(below(256), below(copy.length)), copy),
    () => Buffer.concat([copy, bytes(below(6))]),
  ])();
}

const appended = () => [
  broken(
    maybe(
      () =>
        field(
          1,
          maybe(() => stream(1)),
          expected(),
        ),
      0.95,
    ),
  ),
  ...Array.from({ length: below(3) }, () => broken(oneIn(30) ? empty(1) : field(2, proposed()))),
];
const deleted = () =>
  broken(
    maybe(
      () =>
        field(
          1,
          maybe(() => stream(1)),
          expected(),
        ),
      0.97,
    ),
  );
const moment = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const batched = () =>
  broken(
    Buffer.concat([
      maybe(() => field(1, uuid()), 0.97),
      maybe(() =>
        field(
          2,
          maybe(() => stream(1)),
          expected(),
          pick([
            () => Buffer.alloc(0),
            () => field(6, number(1, BigInt(moment(pick([-9, 9]))))),
            () => field(7, number(1)),
          ])(),
        ),
      ),
      ...Array.from({ length: below(3) }, () => field(3, proposed())),
      maybe(() => number(4, 1n)),
    ]),
  );
const expression = () =>
  pick([
    () => text(1, pick(['', '(', '^s', '^(?!\\$)', '[', '(a+)+$'.slice(0, below(6))])),
    () => text(2, pick(['s', '$', ''])),
    () => Buffer.alloc(0),
  ])();
const readOptions = () => {
  const revisionOrPosition = () =>
    pick([() => number(2), () => empty(3), () => empty(4), () => Buffer.alloc(0)])();
  const position = () => pick([() => field(1, number(1), number(2)), () => empty(2), () => empty(3)])();
  return Buffer.concat([
    pick([
      () =>
        field(
          1,
          maybe(() => stream(1)),
          revisionOrPosition(),
        ),
      () => field(2, position()),
      () => Buffer.alloc(0),
    ])(),
    maybe(() => number(3, BigInt(below(3))), 0.5),
    maybe(() => number(4, BigInt(below(2))), 0.5),
    pick([() => number(5, BigInt(below(4))), () => number(5), () => empty(6), () => Buffer.alloc(0)])(),
    pick([
      () => empty(8),
      () => empty(8),
      () =>
        field(
          7,
          maybe(() => field(pick([1, 2]), expression())),
          maybe(() => pick([() => number(3, u64() & 0xffffffffn), () => empty(4)])()),
          number(5, u64() & 0xffffffffn),
        ),
    ])(),
    maybe(() => field(9, pick([empty(1), empty(2), Buffer.alloc(0)]))),
  ]);
};

// ---- Asking

const folder = temporaryFolder();
let server: ChildProcess;
let exited: Promise<number | null>;
let client: Client;

beforeAll(async () => {
  server = spawn(process.execPath, [program, '--port', '0', '--data', folder.path, '--exit-with-parent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  exited = new Promise((resolve) => server.once('exit', resolve));
  const port = await new Promise<string>((resolve) =>
    server.stdout!.on('data', (lines: Buffer) => {
      const listening = /"port":(\d+)/.exec(lines.toString())?.[1];
      if (listening) resolve(listening);
    }),
  );
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
});
afterAll(() => {
  client.close();
  server.kill('SIGKILL');
  folder?.remove();
});

const path = (method: string) => `/event_store.client.streams.Streams/${method}`;
const asIs = (each: Buffer) => each;
const within = () => ({ deadline: Date.now() + 20_000 });
const TRANSPORT = ['date', 'content-type', 'server'];

/** What is odd about the end of a call; nothing, if it ended as the real server ends calls. */
function oddEnd({ code, metadata }: StatusObject): string[] {
  const trailers = Object.fromEntries(
    Object.entries(metadata.getMap()).filter(([key]) => !TRANSPORT.includes(key)),
  );
  const form = formOf(code, trailers);
  return UNARY.has(form) ? [] : [`ended with ${form}`];
}

type Odd = Promise<string[]>;

const ask = (method: string, message: Buffer): Odd =>
  new Promise((resolve) => {
    let odd: string[] = [];
    const call = client.makeUnaryRequest(
      path(method),
      asIs,
      asIs,
      message,
      new Metadata(),
      within(),
      (_, answer) => {
        if (answer && answer.length === 0) odd.push('an empty answer');
      },
    );
    call.on('status', (end) => resolve((odd = [...odd, ...oddEnd(end)])));
  });

const append = (messages: readonly Buffer[]): Odd =>
  new Promise((resolve) => {
    const odd: string[] = [];
    const call = client.makeClientStreamRequest(
      path('Append'),
      asIs,
      asIs,
      new Metadata(),
      within(),
      (_, bytes) => {
        if (!bytes) return;
        const answer = streams.AppendResp.deserializeBinary(bytes);
        const [success, wrong] = [answer.getSuccess(), answer.getWrongExpectedVersion()];
        const isSuccess = success && (success.hasCurrentRevision() || success.hasNoStream());
        const isWrong = wrong && (wrong.hasCurrentRevision() || wrong.hasCurrentNoStream());
        if (!isSuccess && !isWrong) odd.push(`an answer without a result`);
      },
    );
    call.on('status', (end) => resolve([...odd, ...oddEnd(end)]));
    call.on('error', () => undefined);
    for (const message of messages) call.write(message);
    call.end();
  });

const batch = (messages: readonly Buffer[]): Odd =>
  new Promise((resolve) => {
    const odd: string[] = [];
    const call = client.makeBidiStreamRequest(path('BatchAppend'), asIs, asIs, new Metadata(), within());
    call.on('data', (bytes: Buffer) => {
      const answer = streams.BatchAppendResp.deserializeBinary(bytes);
      const failure = answer.getError() as InstanceType<typeof status.Status> | undefined;
      if (failure) {
        const details = failure.getDetails()?.getTypeName().replace('event_store.client.', '');
        const form = `${failure.getCode()} ${details}`;
        if (!BATCH.has(form)) odd.push(`answered with ${form}`);
      } else if (!answer.hasSuccess()) odd.push('an answer without a result');
    });
    call.on('error', () => undefined);
    call.on('status', (end) => resolve([...odd, ...oddEnd(end)]));
    for (const message of messages) call.write(message);
    call.end();
  });

const read = (message: Buffer): Odd =>
  new Promise((resolve) => {
    const odd: string[] = [];
    const call = client.makeServerStreamRequest(path('Read'), asIs, asIs, message, new Metadata(), within());
    const stop = setTimeout(() => call.cancel(), STANDS_STILL);
    call.on('data', (bytes: Buffer) => {
      stop.refresh();
      const answer = streams.ReadResp.deserializeBinary(bytes);
      const isKnown =
        answer.hasEvent() ||
        answer.hasConfirmation() ||
        answer.hasCheckpoint() ||
        answer.hasStreamNotFound() ||
        answer.hasCaughtUp();
      if (!isKnown) odd.push('a message of no kind');
    });
    call.on('error', () => undefined);
    call.on('status', (end) => {
      clearTimeout(stop);
      // Code 1: this test gave up a read that stands still.
      resolve(end.code === 1 ? odd : [...odd, ...oddEnd(end)]);
    });
  });

describe('messages that no client would send', () => {
  it('are answered as the real server answers, and do not end the process', async () => {
    const odd: string[] = [];
    let left = MESSAGES;
    const next = (): Promise<{ odd: string[]; about: string }> => {
      const kind = below(10);
      const told = async (about: string, asked: Odd) => ({ about, odd: await asked });
      if (kind < 3) {
        const messages = appended();
        left -= messages.length;
        return told(`Append ${messages.map((each) => each.toString('hex')).join(' ')}`, append(messages));
      }
      if (kind < 5) {
        const messages = Array.from({ length: 10 }, batched);
        left -= messages.length;
        return told(`BatchAppend ${messages.map((each) => each.toString('hex')).join(' ')}`, batch(messages));
      }
      left--;
      if (kind < 7) {
        const [method, message] = [oneIn(4) ? 'Tombstone' : 'Delete', deleted()];
        return told(`${method} ${message.toString('hex')}`, ask(method, message));
      }
      const message = broken(maybe(() => field(1, readOptions()), 0.98));
      return told(`Read ${message.toString('hex')}`, read(message));
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left > 0 && server.exitCode === null) {
          const answer = await next();
          for (const each of answer.odd) odd.push(`${each} | ${answer.about}`);
        }
      }),
    );
    expect(odd.slice(0, 10)).toEqual([]);
    expect(left).toBeLessThanOrEqual(0);
  }, 120_000);

  it('leave a server that appends, and stops when it is told to', async () => {
    expect(server.exitCode).toBeNull();
    const target = field(1, text(3, 'after'));
    const event = field(
      2,
      field(1, text(2, '01234567-89ab-4def-8123-456789abcdef')),
      ...['type', 'content-type'].map((key) => field(2, text(1, key), text(2, 'A'))),
    );
    expect(await append([field(1, target, empty(4)), event])).toEqual([]);
    server.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});
