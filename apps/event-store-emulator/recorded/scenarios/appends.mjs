// Appends: every state of a stream, every expectation, both calls; then what the answers look like on the wire.
import { expectations, states } from './states.mjs';

export const appends = {};

const ways = [{}, { via: 'unary' }, { throws: false }, { via: 'unary', throws: false }];

for (const [state, { last, make }] of Object.entries(states))
  for (const [name, expected] of Object.entries(expectations(last)))
    appends[`an append to a stream ${state}, expecting ${name}`] = async ({ given, when, stream }) => {
      for (const way of ways) {
        const s = stream();
        await make(given, s);
        const result = await when.append(s, ['X', 'Y'], { expected, ...way });
        if (!result?.recorded.success) continue;
        await when.read(s);
        await when.metadata(s);
      }
    };

for (const via of ['wire batch', 'wire unary'])
  Object.assign(appends, {
    [`the answer to an append on the wire, by ${via}`]: async ({ when, stream }) => {
      const s = stream();
      await when.append(s, ['A'], { via, expected: 'no_stream' });
      await when.append(s, ['B', 'C'], { via, expected: 0n });
      await when.append(s, ['D'], { via, expected: 'any' });
      await when.append(s, ['E'], { via, expected: 'stream_exists' });
    },
    [`a wrong expectation on the wire, by ${via}`]: async ({ given, when, stream }) => {
      const s = stream();
      await when.append(s, ['A'], { via, expected: 5n });
      await when.append(s, ['A'], { via, expected: 'stream_exists' });
      await given.append(s, 2);
      await when.append(s, ['A'], { via, expected: 'no_stream' });
      await when.append(s, ['A'], { via, expected: 0n });
      await when.append(s, ['A'], { via, expected: 7n });
    },
    [`an append to a tombstoned stream on the wire, by ${via}`]: async ({ given, when, stream }) => {
      const s = stream();
      await given.append(s, 1);
      await given.tombstone(s);
      await when.append(s, ['B'], { via });
    },
    [`an append that says nothing about the revision, by ${via}`]: async ({ given, when, stream }) => {
      const s = stream();
      await when.append(s, ['A'], { via, expected: 'nothing' });
      await given.append(s, 1);
      await when.append(s, ['B'], { via, expected: 'nothing' });
    },
    [`an append expecting the revision of a tombstone, by ${via}`]: async ({ given, when, stream }) => {
      const [there, gone] = [stream(), stream()];
      await given.append(there, 1);
      await when.append(there, ['B'], { via, expected: 2n ** 63n - 1n });
      await given.append(gone, 1);
      await given.tombstone(gone);
      await when.append(gone, ['B'], { via, expected: 2n ** 63n - 1n });
    },
    [`an append expecting a revision above the signed range, by ${via}`]: async ({ when, stream }) => {
      const s = stream();
      await when.append(s, ['A'], { via, expected: 2n ** 64n - 1n });
      await when.append(s, ['B'], { via, expected: 2n ** 64n - 2n });
      await when.read(s);
    },
  });

Object.assign(appends, {
  'what a batch append repeats of the request': async ({ when, stream }) => {
    const s = stream();
    for (const expected of ['no_stream', 0n, 'any', 'stream_exists', 7n])
      await when.append(s, ['A'], { via: 'wire batch', expected, echoed: true });
  },
  'an append of no events to a stream that never existed': async ({ when, stream }) => {
    const s = stream();
    for (const via of ['wire batch', 'wire unary'])
      for (const expected of ['any', 'no_stream', 'stream_exists', 0n])
        await when.append(s, [], { via, expected });
    await when.read(s);
  },
  'an append of no events to a stream with two events': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    for (const via of ['wire batch', 'wire unary'])
      for (const expected of ['any', 'no_stream', 'stream_exists', 0n, 1n, 5n])
        await when.append(s, [], { via, expected });
    await when.read(s);
  },
  'an append of no events to a soft-deleted stream': async ({ given, when, stream }) => {
    for (const expected of ['any', 'no_stream', 1n]) {
      const s = stream();
      await given.append(s, 2);
      await given.delete(s);
      await when.append(s, [], { via: 'wire batch', expected });
      await when.read(s);
    }
  },
  'two appends on one call are answered in their order': async ({ when, stream, id }) => {
    const [s1, s2] = [stream(), stream()];
    await when.batch(
      'two appends, the second with a wrong expectation',
      [
        { stream: s1, events: ['A'], expected: 'no_stream', correlation: id('first') },
        { stream: s1, events: ['B'], expected: 7n, correlation: id('second') },
        { stream: s2, events: ['C'], expected: 'no_stream', correlation: id('third') },
      ],
      3,
    );
    await when.read(s1);
    await when.read(s2);
  },
  'an append in three messages is one append': async ({ when, stream, id }) => {
    const s = stream();
    await when.batch('three messages', [
      { stream: s, events: ['A'], expected: 'no_stream', correlation: id('one'), final: false },
      { stream: s, events: ['B'], correlation: id('one'), options: false, final: false },
      { stream: s, events: ['C'], correlation: id('one'), options: false },
    ]);
    await when.read(s);
  },
  'an append whose options come again in its second message': async ({ when, stream, id }) => {
    const [s1, s2] = [stream(), stream()];
    await when.batch('two messages, each with options', [
      { stream: s1, events: ['A'], expected: 'no_stream', correlation: id('one'), final: false },
      { stream: s2, events: ['B'], expected: 'no_stream', correlation: id('one') },
    ]);
    await when.read(s1);
    await when.read(s2);
  },
  'an append that is never finished is not written': async ({ when, stream, id }) => {
    const s = stream();
    await when.batch('an unfinished append and a whole one', [
      { stream: s, events: ['A'], correlation: id('one'), final: false },
      { stream: s, events: ['B'], correlation: id('two') },
    ]);
    await when.read(s);
  },
  'a message of an append whose options never came': async ({ when, stream, id }) => {
    const s = stream();
    await when.batch('a message without options, and a whole append', [
      { stream: s, events: ['A'], correlation: id('one'), options: false },
      { stream: s, events: ['B'], correlation: id('two') },
    ]);
    await when.read(s);
  },
  'an append without a deadline': async ({ when, stream }) => {
    await when.append(stream(), ['A'], { via: 'wire batch', deadline: null, about: 'that has no deadline' });
  },
  'the client divides a large append into several messages': async ({ when, stream, event }) => {
    const s = stream();
    const events = ['A', 'B', 'C', 'D'].map((type) => event(type, { data: { text: 'x'.repeat(1000) } }));
    await when.append(s, events, { expected: 'no_stream', batchAppendSize: 1500 });
    await when.read(s);
  },
});
