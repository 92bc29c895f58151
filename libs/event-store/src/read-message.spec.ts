import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import type { RawEvent } from './event-store';
import { framed, Messages } from './frames';
import { positionOf, raw } from './official-reader';
import { readMessage } from './read-message';

/** What the official client makes of a message. */
function officially(bytes: Uint8Array): ReturnType<typeof readMessage> {
  const message = streams.ReadResp.deserializeBinary(bytes);
  if (message.hasConfirmation()) return 'confirmation';
  const checkpoint = message.getCheckpoint();
  if (checkpoint) return BigInt(checkpoint.getCommitPosition());
  const event = message.getEvent();
  if (!event) return undefined;
  const resolved = convertGrpcEvent(event);
  return resolved.event && raw(resolved.event as never, positionOf(resolved as never)!);
}

/** An event with all that is read of it when it is asked for. */
function told(message: ReturnType<typeof readMessage>): unknown {
  if (typeof message !== 'object') return message;
  const { id, type, stream, revision, position, at, data, metadata }: RawEvent = message;
  return { id, type, stream, revision, position, at, data, metadata };
}

function outcome(of: () => unknown): unknown {
  try {
    return { value: of() };
  } catch {
    return 'an error';
  }
}

/** A varint, which may have more bytes than it needs. */
function varint(value: bigint, padding = 0): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push(Number(rest % 128n) + 128);
    rest /= 128n;
  } while (rest > 0n);
  for (let more = Math.min(padding, 10 - bytes.length); more > 0; more -= 1) bytes.push(128);
  bytes[bytes.length - 1]! -= 128;
  return Buffer.from(bytes);
}

const tag = (number: number, wire: number): Buffer => varint(BigInt(number) * 8n + BigInt(wire));
const bytesField = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([tag(number, 2), varint(BigInt(bytes.length)), bytes]);

const numbers = fc
  .tuple(fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 40n)), fc.nat(3))
  .map(([value, padding]) => varint(value, padding));
const numberField = (number: number) => numbers.map((value) => Buffer.concat([tag(number, 0), value]));
const texts = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => Buffer.from(text));
const textField = (number: number, text: fc.Arbitrary<Uint8Array> = texts) =>
  text.map((value) => bytesField(number, value));
/** A message without fields. */
const nothing = (number: number) => textField(number, fc.constant(Buffer.alloc(0)));

/** A field that nobody knows yet, of any kind. */
const { unknown } = fc.letrec<{ unknown: Buffer }>((tie) => {
  const number = fc.oneof(fc.integer({ min: 10, max: 60 }), fc.constant(2 ** 29 - 1));
  const fixed = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes });
  return {
    unknown: fc.oneof(
      { maxDepth: 3 },
      number.chain(numberField),
      fc.tuple(number, fixed(8)).map(([field, value]) => Buffer.concat([tag(field, 1), value])),
      fc.tuple(number, fixed(4)).map(([field, value]) => Buffer.concat([tag(field, 5), value])),
      number.chain((field) => textField(field)),
      fc
        .tuple(number, fc.array(tie('unknown'), { maxLength: 3 }))
        .map(([field, inside]) => Buffer.concat([tag(field, 3), ...inside, tag(field, 4)])),
    ),
  };
});

/** Fields in any order, any number of times, with unknown ones among them; those of `always` are there. */
const messageOf = (
  fields: readonly fc.Arbitrary<Buffer>[],
  always: readonly fc.Arbitrary<Buffer>[] = [],
): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.array(fc.oneof(unknown, ...fields), { maxLength: 12 }), fc.tuple(...always))
    .chain(([some, sure]) => {
      const all = [...some, ...sure];
      return fc.shuffledSubarray(all, { minLength: all.length });
    })
    .map((all) => Buffer.concat(all));

const json = fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text));
const content = fc.oneof(json, json, fc.uint8Array({ maxLength: 20 }), fc.constant(Buffer.from('null')));
const structured = messageOf([numberField(1), numberField(2)]);
const id = textField(
  1,
  fc.oneof(
    textField(
      2,
      fc.uuid().map((uuid) => Buffer.from(uuid)),
    ),
    messageOf([textField(1, structured), textField(2)]),
  ),
);
const stream = textField(2, messageOf([textField(3)]));
const properties: fc.Arbitrary<Buffer> = fc
  .constantFrom('type', 'content-type', 'created', 'other')
  .chain((key) => {
    const values: Record<string, fc.Arbitrary<Uint8Array>> = {
      'content-type': fc
        .constantFrom('application/json', 'application/octet-stream')
        .map((text) => Buffer.from(text)),
      created: fc
        .oneof(fc.bigInt(0n, 10n ** 18n).map(String), fc.constantFrom('', 'x', '-5'))
        .map((text) => Buffer.from(text)),
    };
    // No unknown fields: the official client does not pass over them in an entry of a map.
    const [keyed, valued] = [textField(1, fc.constant(Buffer.from(key))), textField(2, values[key] ?? texts)];
    const entry = fc.tuple(fc.array(valued, { maxLength: 2 }), fc.boolean(), keyed);
    return textField(
      6,
      entry.map(([all, isFirst, name]) => Buffer.concat(isFirst ? [name, ...all] : [...all, name])),
    );
  });
const eventFields = [
  id,
  stream,
  numberField(3),
  numberField(4),
  numberField(5),
  properties,
  properties,
  properties,
  textField(7, content),
  textField(8, content),
];
const recorded = fc.oneof(
  { weight: 15, arbitrary: messageOf(eventFields, [id, stream]) },
  { weight: 1, arbitrary: messageOf(eventFields) },
);
const readEvents = fc.oneof(
  messageOf([textField(2, recorded), numberField(3), nothing(4)], [textField(1, recorded)]),
  messageOf([textField(1, recorded), textField(2, recorded), numberField(3)]),
);
const event = textField(1, readEvents);
const checkpoint = textField(3, messageOf([numberField(1), numberField(2)]));
const responses = fc.oneof(
  event,
  messageOf([event, checkpoint, textField(2, messageOf([textField(1)])), nothing(4)]),
  messageOf([event, numberField(5), numberField(6), nothing(8)]),
);

it('a message says what it says to the official client', () => {
  const seen = { events: 0, errors: 0 };
  fc.assert(
    fc.property(responses, (bytes) => {
      const [ours, theirs] = [
        outcome(() => told(readMessage(bytes))),
        outcome(() => told(officially(bytes))),
      ];
      expect(ours).toEqual(theirs);
      if (ours === 'an error') seen.errors += 1;
      else if (typeof (ours as { value: unknown }).value === 'object') seen.events += 1;
    }),
    { numRuns: 1_000 },
  );
  expect(seen.events).toBeGreaterThan(100);
  expect(seen.errors).toBeGreaterThan(10);
});

it('a message that is cut short, or no message, is an error or another message, and nothing else', () => {
  fc.assert(
    fc.property(event, fc.nat(), (bytes, cut) => {
      expect(outcome(() => readMessage(bytes.subarray(0, 1 + (cut % (bytes.length - 1)))))).toBe('an error');
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        told(readMessage(Buffer.from(bytes)));
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
    { numRuns: 3_000 },
  );
});

it('messages come out whole, however the connection cuts them', () => {
  const whole = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
  fc.assert(
    fc.property(whole, fc.array(fc.nat(), { maxLength: 20 }), (sent, cuts) => {
      const bytes = Buffer.concat(sent.map(framed));
      const at = [
        0,
        ...cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other),
        bytes.length,
      ];
      const messages = new Messages();
      const came = at.slice(1).flatMap((end, index) => messages.in(bytes.subarray(at[index], end)));
      expect(came.map((each) => [...each])).toEqual(sent.map((each) => [...each]));
    }),
    { numRuns: 1_000 },
  );
});

it('a message that is compressed or too large is refused before it is complete', () => {
  const compressed = framed(Buffer.from('x'));
  compressed[0] = 1;
  expect(() => new Messages().in(compressed)).toThrow('compressed or too large');
  const large = Buffer.alloc(5);
  large.writeUInt32BE(17 * 1024 * 1024 + 1, 1);
  expect(() => new Messages().in(large)).toThrow('compressed or too large');
});
