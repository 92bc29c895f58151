import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type { WriteRequest, WriteOutcome } from './writes';
import { serve, type ReadOrder } from './reads';
import { decode, type RecordedEvent } from './record';
import {
  ANY,
  Fallen,
  NO_STREAM,
  ReferenceServer,
  STREAM_EXISTS,
  type Proposed,
  type Recorded,
  type Written,
} from './reference-server';
import { Store } from './store';
import { temporaryFolder } from './testbed';

/**
 * Random programs of appends, deletions, metadata and reads over two streams, their metadata's streams and those of
 * these: the emulator answers each step as the real server's rules have it.
 */
let reference: ReferenceServer;
let store: Store;
let close = async (): Promise<void> => undefined;
let programs = 0;

/** A new server of either kind: after a difference, and where the real one would have fallen. */
async function renew(): Promise<void> {
  await close();
  const folder = temporaryFolder();
  reference = new ReferenceServer();
  const onFatal = (error: Error) => {
    throw error;
  };
  const opened = await Store.open(folder.path, { now: () => Date.now(), onFatal });
  store = opened;
  close = async () => {
    await opened.close();
    folder.remove();
  };
}
beforeAll(renew);
afterAll(() => close());

type Which = 'a' | 'b' | '$$a' | '$$b' | '$$$$a';
/** Relative to the last revision, or one of the named ones. */
type Expecting = { behind: bigint } | { named: bigint };
type Step =
  | {
      do: 'append';
      to: Which;
      expecting: Expecting;
      ids: number[];
      metadata: { data: string; json: boolean };
    }
  | { do: 'delete' | 'tombstone'; to: Which; expecting: Expecting }
  | { do: 'read'; of: Which; backwards: boolean; from: bigint | 'edge'; count: number };

const which = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<Which>('a', 'b') },
  { weight: 4, arbitrary: fc.constantFrom<Which>('$$a', '$$b') },
  { weight: 1, arbitrary: fc.constant<Which>('$$$$a') },
);
const expecting = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ named: ANY }) },
  { weight: 3, arbitrary: fc.constantFrom({ named: NO_STREAM }, { named: STREAM_EXISTS }) },
  { weight: 3, arbitrary: fc.constantFrom(0n, 1n, 2n, -1n, -5n).map((behind) => ({ behind })) },
);
const metadata = fc.record({
  data: fc.constantFrom(
    '{"custom":1}',
    '{"$maxCount":2}',
    '{"$maxCount":1,"custom":"x"}',
    '{"$tb":1}',
    '{"$tb":7}',
    '{"$tb":9223372036854775807,"custom":3}',
    '{"$maxCount":0}',
    '{"$maxCount":"many","$tb":2}',
    '{"$acl":{"$r":"$all"}}',
    '{}',
    '[1]',
    'nonsense',
    '',
  ),
  json: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});
const append = fc.record({
  do: fc.constant('append' as const),
  to: which,
  expecting,
  // Few of them, so that they come again: whole, in part, and in another stream.
  ids: fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4, max: 1000 })), {
    maxLength: 3,
  }),
  metadata,
});
const end = fc.record({ do: fc.constantFrom('delete' as const, 'tombstone' as const), to: which, expecting });
const softEnd = fc.record({ do: fc.constant('delete' as const), to: which, expecting });
const read = fc.record({
  do: fc.constant('read' as const),
  of: which,
  backwards: fc.boolean(),
  from: fc.constantFrom<(bigint | 'edge')[]>('edge', 0n, 1n, 2n, 4n, 40n),
  count: fc.constantFrom(1, 2, 3, 100),
});
const program = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: append },
    { weight: 2, arbitrary: softEnd },
    { weight: 1, arbitrary: end },
    { weight: 4, arbitrary: read },
  ) as fc.Arbitrary<Step>,
  { minLength: 3, maxLength: 14 },
);

const line = (stream: string, revision: unknown, type: string, data: string) =>
  `${stream}#${String(revision)} ${type} ${data}`;
const ofReference = ({ stream, revision, type, data }: Recorded) => line(stream, revision, type, data);
const ofEmulator = ({ stream, revision, type, data }: RecordedEvent) =>
  line(stream, type === '$streamDeleted' ? 2n ** 63n - 1n : revision, type, data.toString());

const written = (result: Written): unknown => {
  switch (result.is) {
    case 'success': {
      const { revision, record } = result;
      return {
        is: 'success',
        revision: Number(revision),
        record: typeof record === 'object' ? ofReference(record) : record,
      };
    }
    case 'wrong':
      return { is: 'wrong', current: Number(result.current) };
    default:
      return result;
  }
};

function answered(outcome: WriteOutcome): unknown {
  switch (outcome.outcome) {
    case 'success': {
      const { revision, position } = outcome;
      const [first] = position === undefined ? [] : store.reader.forwards(position, 1);
      const isThere = first !== undefined && first.position === position;
      const record = position === undefined ? undefined : isThere ? ofEmulator(decode(first.bytes)) : 'blank';
      return { is: 'success', revision, record };
    }
    case 'wrong-expected-version':
      return { is: 'wrong', current: outcome.current };
    case 'stream-deleted':
      return { is: 'deleted' };
    default:
      return outcome;
  }
}

const ask = (
  order: Pick<WriteRequest, 'stream' | 'expected'> &
    ({ kind: 'append'; events: Proposed[] } | { kind: 'delete' | 'tombstone' }),
) =>
  new Promise<unknown>((resolve) => {
    const done = (outcome: WriteOutcome) => resolve(answered(outcome));
    if (order.kind !== 'append')
      return store.submit({ ...order, kind: order.kind, deadline: Infinity, done });
    const events = order.events.map(({ id, json, data }) => ({
      id,
      type: order.stream.startsWith('$$') ? '$metadata' : 'Happened',
      json,
      data: Buffer.from(data),
      metadata: Buffer.alloc(0),
    }));
    store.submit({ ...order, kind: 'append', events, deadline: Infinity, done });
  });

async function readStream(
  stream: string,
  { backwards, from, count }: Step & { do: 'read' },
): Promise<unknown> {
  const events: string[] = [];
  let isFound = true;
  const order: ReadOrder = {
    stream,
    from: from === 'edge' ? (backwards ? 'end' : 'start') : { at: Number(from), prepare: Number(from) },
    backwards,
    subscribes: false,
    count,
    resolveLinks: false,
    structuredIds: false,
    window: 32,
    checkpointEvery: 32,
  };
  const failure = await serve(store.reader, order, {
    signal: new AbortController().signal,
    drained: () => Promise.resolve(),
    send: (bytes) => {
      // An event, or that there is no such stream.
      if (bytes[0] === 0x0a) events.push(ofEmulator(decode(bytes)));
      else isFound = false;
      return true;
    },
  });
  if (failure) return { is: failure.failure === 'stream-deleted' ? 'deleted' : failure };
  return isFound ? { is: 'read', events } : { is: 'not found' };
}

function readReference(stream: string, { backwards, from, count }: Step & { do: 'read' }): unknown {
  const result = backwards
    ? reference.readBackwards(stream, from === 'edge' ? 'end' : from, count)
    : reference.readForwards(stream, from === 'edge' ? 0n : from, count);
  return result.is === 'read' ? { ...result, events: result.events.map(ofReference) } : result;
}

/** Asks both, and expects the same answer. */
async function run(step: Step, name: (which: Which) => string, idOf: (id: number) => string): Promise<void> {
  if (step.do === 'read') {
    expect(await readStream(name(step.of), step)).toEqual(readReference(name(step.of), step));
    return;
  }
  const { do: kind, expecting: how } = step;
  const stream = name(step.to);
  const least = (revision: bigint) => (revision < NO_STREAM ? NO_STREAM : revision);
  const expected = 'named' in how ? how.named : least(reference.versionOf(stream) - how.behind);
  let wanted: Written;
  let got: unknown;
  if (kind === 'append') {
    const events = step.ids.map((id) => ({ id: idOf(id), ...step.metadata }));
    wanted = reference.append(stream, expected, events);
    got = await ask({ kind, stream, expected: Number(expected), events });
  } else {
    wanted = reference.delete(stream, expected, kind === 'tombstone');
    got = await ask({ kind, stream, expected: Number(expected) });
  }
  if (wanted.is === 'unanswered') return;
  // A deletion says no revision.
  const told = (answer: unknown) =>
    kind === 'append' ? answer : { ...(answer as object), revision: undefined };
  expect({ step, answer: told(got) }).toEqual({ step, answer: told(written(wanted)) });
}

it('answers random programs over two streams by the rules of the real server', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (steps) => {
      const suffix = `-${++programs}`;
      const name = (stream: Which) => `${stream}${suffix}`;
      const ids = new Map<number, string>();
      const idOf = (id: number) => ids.get(id) ?? ids.set(id, randomUUID()).get(id)!;
      const from = { position: store.reader.end, record: reference.log.length };
      let isNew = true;
      try {
        for (const step of steps) await run(step, name, idOf);
        isNew = false;
      } catch (error) {
        if (!(error instanceof Fallen)) throw error;
      } finally {
        if (isNew) await renew();
      }
      if (isNew) return;
      const log = store.reader.forwards(from.position, 1000).map(({ bytes }) => ofEmulator(decode(bytes)));
      expect(log).toEqual(reference.log.slice(from.record).map(ofReference));
    }),
    { seed: 231007, numRuns: 250 },
  );
});
