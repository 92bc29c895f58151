// Subscriptions on the wire, message by message; at the end those of the client.
import { excludeSystemEvents } from '../connection.mjs';
import { errorOf } from '../errors.mjs';
import { shortEvent } from '../verbs.mjs';

const where = (position, called) => ({ ...position, called });
const beyond = ({ commit, prepare }, by) => ({ commit: commit + by, prepare: prepare + by });

export const subscriptions = {};

// ---- To a stream

for (const from of ['start', 0n, 1n, 2n, 'end'])
  subscriptions[
    `a stream with three events from ${from === 'start' || from === 'end' ? `its ${from}` : `revision ${from}`}, then a new one`
  ] = async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 3);
    const heard = await when.subscribe({ to: s, from });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, ['live', 'and live']);
    await when.heard(heard, { until: 'and live' });
  };

for (const from of ['start', 5n, 'end'])
  subscriptions[`a stream that never existed, from ${from}`] = async ({ given, when, stream }) => {
    const s = stream();
    const heard = await when.subscribe({ to: s, from });
    await when.heard(heard, { until: 'caught up' });
    for (const types of [['A'], ['B', 'C', 'D', 'E', 'F'], ['G', 'H']]) await given.append(s, types);
    // Where it says so depends on when it looks.
    await when.heard(heard, { until: ' H ', without: 'caught up' });
  };

Object.assign(subscriptions, {
  'a stream from a revision beyond its end': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    const heard = await when.subscribe({ to: s, from: 3n });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, ['C', 'D', 'E', 'F']);
    await when.heard(heard, { until: ' F ' });
  },
  'a stream from the largest revision': async ({ given, when, stream }) => {
    for (const from of [2n ** 63n - 1n, 2n ** 64n - 1n]) {
      const s = stream();
      await given.append(s, 2);
      const heard = await when.subscribe({ to: s, from });
      await given.append(s, ['C']);
      await when.heard(heard, { until: ' C ' });
    }
  },
  'a soft-deleted stream, then recreated': async ({ given, when, stream }) => {
    for (const from of ['start', 'end', 0n]) {
      const s = stream();
      await given.append(s, 3);
      await given.delete(s);
      const heard = await when.subscribe({ to: s, from });
      await when.heard(heard, { until: 'caught up' });
      await given.append(s, ['D']);
      await when.heard(heard, { until: ' D ' });
    }
  },
  'a live stream is soft-deleted, then recreated': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    const heard = await when.subscribe({ to: s, from: 'start' });
    await when.heard(heard, { until: 'caught up' });
    await given.delete(s);
    await given.append(s, ['C']);
    await when.heard(heard, { until: ' C ' });
  },
  'a stream that was recreated': async ({ given, when, stream }) => {
    for (const from of ['start', 0n, 'end']) {
      const s = stream();
      await given.append(s, 2);
      await given.delete(s);
      await given.append(s, ['C', 'D']);
      const heard = await when.subscribe({ to: s, from });
      await when.heard(heard, { until: 'caught up' });
    }
  },
  'a tombstoned stream': async ({ given, when, stream }) => {
    for (const from of ['start', 0n, 'end']) {
      const s = stream();
      await given.append(s, 2);
      await given.tombstone(s);
      const heard = await when.subscribe({ to: s, from });
      await when.heard(heard, { during: 300 });
    }
  },
  'a live stream is tombstoned': async ({ given, when, stream }) => {
    for (const from of ['start', 'end']) {
      const s = stream();
      await given.append(s, 2);
      const heard = await when.subscribe({ to: s, from });
      await when.heard(heard, { until: 'caught up' });
      await given.tombstone(s);
      await when.heard(heard, { during: 500 });
    }
  },
  'a live stream that never existed is tombstoned': async ({ given, when, stream }) => {
    const s = stream();
    const heard = await when.subscribe({ to: s, from: 'start' });
    await when.heard(heard, { until: 'caught up' });
    await given.tombstone(s);
    await when.heard(heard, { during: 500 });
  },
  'a truncated stream': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 4);
    await given.setMetadata(s, { $tb: 2 });
    for (const from of ['start', 0n, 1n, 2n])
      await when.heard(await when.subscribe({ to: s, from }), { until: 'caught up' });
  },
  'a live stream is truncated': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    const heard = await when.subscribe({ to: s, from: 'start' });
    await when.heard(heard, { until: 'caught up' });
    await given.setMetadata(s, { $tb: 10 });
    await given.append(s, ['C', 'D']);
    await when.heard(heard, { until: ' D ' });
  },
  'a stream with $maxCount': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 4);
    await given.setMetadata(s, { $maxCount: 1 });
    const heard = await when.subscribe({ to: s, from: 'start' });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, ['E', 'F', 'G']);
    await when.heard(heard, { until: ' G ' });
  },
  'a metastream': async ({ given, when, stream }) => {
    const s = stream();
    for (const is of [1, 2]) await given.setMetadata(s, { is });
    const heard = await when.subscribe({ to: `$$${s}`, from: 'start' });
    await when.heard(heard, { until: 'caught up' });
    await given.setMetadata(s, { is: 3 });
    await when.heard(heard, { until: '$metadata' });
  },
  'a stream of links': async ({ given, when, stream, event }) => {
    const [target, s] = [stream('target'), stream('links')];
    await given.append(target, 2);
    const link = (revision) => event('$>', { data: Buffer.from(`${revision}@${target}`) });
    await given.append(s, [link(0), link(7)]);
    const heard = await when.subscribe({ to: s, from: 'start', links: true });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, [link(1), link(8), 'after']);
    await when.heard(heard, { until: ' after ' });
  },
  'more events than fit in a page': async ({ given, stream, event, record, when }) => {
    const s = stream();
    for (let i = 0; i < 3; i += 1)
      await given.append(
        s,
        Array.from({ length: 300 }, () => event('many')),
      );
    const heard = await when.subscribe({ to: s, from: 'start' });
    await record('count the events before it is caught up', async () => {
      const { recorded } = await given.heard(heard, { until: 'caught up' });
      return recorded.filter((item) => item.includes(' many ')).length;
    });
  },
  'a stream backwards': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    await when.heard(await when.subscribe({ to: s, from: 'end', backwards: true }), { during: 200 });
  },
  'a stream with a filter': async ({ given, when, stream, prefix }) => {
    const s = stream();
    await given.append(s, 2);
    await when.heard(await when.subscribe({ to: s, from: 'start', filter: { prefixes: [prefix] } }), {
      during: 200,
    });
  },
});

// ---- To $all

/** An event to begin behind, so that nothing of other scenarios is heard. */
const before = async ({ given, stream }) =>
  where((await given.append(stream('before'), 1)).position, 'the event before');

Object.assign(subscriptions, {
  '$all from a position, then a new event': async (kit) => {
    const { given, when, stream } = kit;
    const s = stream();
    const from = await before(kit);
    await given.append(s, 2);
    const heard = await when.subscribe({ from });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, ['live', 'and live']);
    await given.append(stream(), ['elsewhere']);
    await when.heard(heard, { until: ' elsewhere ' });
  },
  '$all from its end': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    const heard = await when.subscribe({ from: 'end' });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, ['live']);
    await when.heard(heard, { until: ' live ' });
  },
  '$all from its end, with a filter': async ({ given, when, stream, prefix }) => {
    const s = stream();
    await given.append(s, 2);
    const heard = await when.subscribe({ from: 'end', filter: { prefixes: [prefix] } });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, ['live']);
    await when.heard(heard, { until: ' live ' });
  },
  '$all from its start, with a filter': async ({ given, stream, prefix, record, when }) => {
    const s = stream();
    await given.append(s, 2);
    const heard = await when.subscribe({ from: 'start', filter: { prefixes: [prefix], window: 100_000 } });
    await record('the events and when it is caught up', async () => {
      const { recorded } = await given.heard(heard, { until: 'caught up' });
      return recorded.filter((item) => !item.includes('checkpoint'));
    });
  },
  '$all from position zero is $all from its start': async ({ given, stream, prefix, record, when }) => {
    const s = stream();
    await given.append(s, 2);
    const heard = await when.subscribe({
      from: { commit: 0n, prepare: 0n, called: 'zero' },
      filter: { prefixes: [prefix], window: 100_000 },
    });
    await record('the events and when it is caught up', async () => {
      const { recorded } = await given.heard(heard, { until: 'caught up' });
      return recorded.filter((item) => typeof item !== 'string' || !item.includes('checkpoint'));
    });
  },
});

const oddPositions = {
  'a position inside an event': (position) => beyond(position, 1n),
  'a position just before an event': (position) => beyond(position, -1n),
  'a position just behind the last event': (position) => beyond(position, 1n),
  'a position beyond the end': (position) => beyond(position, 1_000_000_000n),
  'minus one as a position': () => ({ commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n }),
  'a position above the signed range': () => ({ commit: 2n ** 64n - 2n, prepare: 2n ** 64n - 2n }),
  'a prepare position of zero': ({ commit }) => ({ commit, prepare: 0n }),
  'a prepare position behind the commit position': ({ commit, prepare }) => ({
    commit,
    prepare: prepare + 1n,
  }),
};

for (const [name, odd] of Object.entries(oddPositions))
  for (const filtered of [false, true])
    subscriptions[`$all from ${name}${filtered ? ', with a filter' : ''}`] = async ({
      given,
      when,
      stream,
      prefix,
    }) => {
      const s = stream();
      const positions = [];
      for (const type of ['A', 'B', 'C']) positions.push((await given.append(s, [type])).position);
      const from = where(odd(positions[name.includes('last') || name.includes('the end') ? 2 : 1]), name);
      const heard = await when.subscribe({
        from,
        ours: true,
        ...(filtered && { filter: { prefixes: [prefix] } }),
      });
      await when.heard(heard, { during: 300, without: 'checkpoint' });
      await given.append(s, ['live']);
      await when.heard(heard, { during: 300, without: 'checkpoint' });
    };

Object.assign(subscriptions, {
  'metadata, deletions and tombstones in $all': async (kit) => {
    const { given, when, stream } = kit;
    const s = stream();
    const from = await before(kit);
    const heard = await when.subscribe({ from });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, 2);
    await given.setMetadata(s, { is: 1 });
    await given.delete(s);
    await given.append(s, ['C']);
    await given.tombstone(s);
    await when.heard(heard, { until: '$streamDeleted' });
  },
  'metadata, deletions and tombstones in $all, caught up later': async (kit) => {
    const { given, when, stream } = kit;
    const s = stream();
    const from = await before(kit);
    await given.append(s, 2);
    await given.setMetadata(s, { $maxCount: 1 });
    await given.delete(s);
    await given.append(s, ['C']);
    await given.tombstone(s);
    await when.heard(await when.subscribe({ from }), { until: 'caught up' });
  },
  'links in $all': async (kit) => {
    const { given, when, stream, event } = kit;
    const [target, s] = [stream('target'), stream('links')];
    const from = await before(kit);
    await given.append(target, 1);
    const link = (text) => event('$>', { data: Buffer.from(text) });
    await given.append(s, [link(`0@${target}`), link(`5@${target}`)]);
    const heard = await when.subscribe({ from, links: true });
    await when.heard(heard, { until: 'caught up' });
    await given.append(s, [link(`0@${target}`), 'after']);
    await when.heard(heard, { until: ' after ' });
  },
  '$all backwards': async (kit) => {
    const from = await before(kit);
    await kit.when.heard(await kit.when.subscribe({ from, backwards: true }), { during: 200 });
  },
});

// ---- Filters

const filters = {
  'a prefix of streams': (prefix) => ({ prefixes: [`${prefix}order-`] }),
  'two prefixes of streams': (prefix) => ({ prefixes: [`${prefix}order-`, `${prefix}user-`] }),
  'an expression for streams': (prefix) => ({ regex: `^${prefix}(order|user)-\\d+$` }),
  'an expression for streams that is not anchored': (prefix) => ({ regex: `${prefix}order` }),
  'a prefix of types': () => ({ on: 'type', prefixes: ['created'] }),
  'an expression for types': () => ({ on: 'type', regex: 'ed-[ab]$' }),
  'no system events': () => ({ on: 'type', regex: '^[^$].*' }),
  'a lookahead for types': () => ({ on: 'type', regex: '^(?!\\$|created).*' }),
  'letters of either case': (prefix) => ({ regex: `^(?i)${prefix}ORDER` }),
  'a named group': (prefix) => ({ regex: `^(?<name>${prefix}order)` }),
  'a class of unicode letters': (prefix) => ({ regex: `^${prefix}\\p{L}+-1` }),
  'streams of metadata': (prefix) => ({ prefixes: [`$$${prefix}order`] }),
  'an empty prefix': () => ({ prefixes: [''] }),
  'an expression and prefixes': (prefix) => ({ regex: `^${prefix}user`, prefixes: [`${prefix}order`] }),
};

for (const [name, filterOf] of Object.entries(filters))
  subscriptions[`$all filtered by ${name}`] = async (kit) => {
    const { given, when, stream, prefix } = kit;
    const from = await before(kit);
    await given.append(stream('order-1'), ['created-a', 'changed-a']);
    await given.append(stream('user-1'), ['created-b', 'seen-c']);
    await given.setMetadata(stream('order-1'), { is: 1 });
    await given.append(stream('other'), ['created-a']);
    const heard = await when.subscribe({ from, filter: { window: 1000, ...filterOf(prefix) } });
    await when.heard(heard, { until: 'caught up', without: 'checkpoint' });
    await given.append(stream('order-2'), ['created-a', 'changed-b']);
    await given.append(stream('user-2'), ['deleted-b']);
    await given.append(stream('order-last'), ['created-b']);
    await when.heard(heard, { during: 250 });
  };

const badFilters = {
  'neither expression nor prefix': {},
  'an empty expression': { regex: '' },
  'a broken expression': { regex: '(' },
  'neither streams nor types': { on: 'nothing', prefixes: ['a'] },
  'a window of 0': { prefixes: ['a'], window: 0 },
  'an interval of 0': { prefixes: ['a'], interval: 0 },
  'no window': { prefixes: ['a'], window: 'none' },
  'a window that is as large as can be': { prefixes: ['a'], window: 2 ** 32 - 1 },
  'an interval that is as large as can be': { prefixes: ['a'], interval: 2 ** 32 - 1, window: 2 },
};

for (const [name, filter] of Object.entries(badFilters))
  subscriptions[`$all with a filter that has ${name}`] = async (kit) => {
    const { when } = kit;
    const from = await before(kit);
    await when.heard(await when.subscribe({ from, filter, ours: true }), { during: 250 });
  };

// ---- Checkpoints. The appends show where the positions are that the checkpoints name.

const checkpoints = {
  'a window of 1': { window: 1 },
  'a window of 2': { window: 2 },
  'a window of 3, every second time': { window: 3, interval: 2 },
  'a window of 1, every third time': { window: 1, interval: 3 },
  'a window of 5': { window: 5 },
  'a window that is larger than the log': { window: 1000 },
  'the usual window': {},
  'no window': { window: 'none' },
};

for (const [name, options] of Object.entries(checkpoints)) {
  const both = (matching) => async (kit) => {
    const { when, stream, prefix } = kit;
    const from = await before(kit);
    const [s, other] = [stream('order'), stream('other')];
    const filter = { prefixes: [`${prefix}order`], ...options };
    const write = async (types) => {
      for (const type of types) await when.append(type === 'match' ? s : other, [type], { positions: true });
    };
    await write(
      matching
        ? ['match', 'no', 'no', 'match', 'no', 'no', 'no']
        : ['no', 'no', 'no', 'no', 'no', 'no', 'no'],
    );
    const heard = await when.subscribe({ from, filter });
    await when.heard(heard, { until: 'caught up' });
    await write(
      matching
        ? ['no', 'match', 'no', 'no', 'match', 'no', 'no']
        : ['no', 'no', 'no', 'no', 'no', 'no', 'no'],
    );
    await when.heard(heard, { during: 250 });
  };
  subscriptions[`checkpoints with ${name}, when some events match`] = both(true);
  subscriptions[`checkpoints with ${name}, when none match`] = both(false);
}

Object.assign(subscriptions, {
  'checkpoints of a filter that everything passes': async (kit) => {
    const { given, when, stream, prefix } = kit;
    const from = await before(kit);
    const s = stream('order');
    for (let i = 0; i < 4; i += 1) await when.append(s, ['match'], { positions: true });
    const heard = await when.subscribe({ from, filter: { prefixes: [prefix], window: 2 } });
    await when.heard(heard, { until: 'caught up' });
    for (let i = 0; i < 4; i += 1) await given.append(s, ['live']);
    await when.heard(heard, { during: 250 });
  },
  'checkpoints within one append': async (kit) => {
    const { when, stream, prefix } = kit;
    const from = await before(kit);
    await when.append(stream('other'), ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'], { positions: true });
    const heard = await when.subscribe({ from, filter: { prefixes: [`${prefix}order`], window: 3 } });
    await when.heard(heard, { until: 'caught up' });
    await when.append(stream('other'), ['I', 'J', 'K', 'L', 'M', 'N', 'O', 'P'], { positions: true });
    await when.heard(heard, { during: 250 });
    await when.readAll({ from });
  },
  'a filtered subscription that has nothing to catch up with': async (kit) => {
    const from = await before(kit);
    await kit.when.heard(await kit.when.subscribe({ from, filter: { prefixes: [kit.prefix] } }), {
      until: 'caught up',
    });
  },
  'every position that a checkpoint names can be subscribed and read from': async (kit) => {
    const { given, when, stream, prefix, record, connection } = kit;
    const from = await before(kit);
    for (let i = 0; i < 6; i += 1) await given.append(stream('other'), [`O${i}`]);
    await given.append(stream('order'), ['A', 'B']);
    await given.setMetadata(stream('order'), { is: 1 });
    const heard = await when.subscribe({ from, filter: { prefixes: [`${prefix}order`], window: 1 } });
    const { recorded: catchingUp } = await given.heard(heard, { until: 'caught up' });
    for (let i = 0; i < 6; i += 1) await given.append(stream('other'), [`P${i}`, `Q${i}`]);
    const { recorded: live } = await given.heard(heard, { during: 250 });
    for (const [name, items] of Object.entries({ catchingUp, live }))
      await record(`subscribe and read from each checkpoint, ${name}`, async () => {
        const answers = new Set();
        for (const item of items) {
          const [, commit, prepare] = /^checkpoint @\{(\d+)\/(\d+)\}/.exec(item) ?? [];
          if (commit === undefined) continue;
          // As it is, and as somebody uses it who keeps only its commit position.
          for (const at of [
            { commit: BigInt(commit), prepare: BigInt(prepare) },
            { commit: BigInt(commit), prepare: BigInt(commit) },
          ]) {
            const again = await given.subscribe({ from: at, filter: { prefixes: [`${prefix}order`] } });
            const [first] = (await given.heard(again, { during: 30 })).recorded;
            again.cancel();
            let read = 'read';
            try {
              for await (const _ of connection.client.readAll({ fromPosition: at, maxCount: 2 }));
            } catch (error) {
              read = errorOf(error).code;
            }
            answers.add(`${typeof first === 'string' ? first : 'refused'}, ${read}`);
          }
        }
        return [...answers];
      });
  },
  'resuming from each event hears exactly what follows': async (kit) => {
    const { given, stream, record } = kit;
    const s = stream();
    await before(kit);
    const positions = [];
    for (const types of [['A'], ['B', 'C'], ['D']]) positions.push((await given.append(s, types)).position);
    for (const position of positions)
      await record('subscribe from the position of an append', async () => {
        const heard = await given.subscribe({ from: position });
        return given.heard(heard, { until: 'caught up' });
      });
  },
  'resuming from the first event of an append hears its second': async (kit) => {
    const { given, when, stream, connection } = kit;
    const s = stream();
    await before(kit);
    await given.append(s, ['A', 'B']);
    for await (const { event } of connection.client.readStream(s, { maxCount: 1 }))
      await when.heard(await when.subscribe({ from: where(event.position, 'the first event') }), {
        until: 'caught up',
      });
  },
});

// ---- By the client

/** What the client says of a subscription: its events and signs, and how it ends. */
function listen(subscription, show = ({ event }) => shortEvent(event)) {
  const said = { events: [], signs: [], ended: undefined };
  for (const sign of ['confirmation', 'caughtUp', 'fellBehind', 'end', 'close'])
    subscription.on(sign, () => said.signs.push(sign));
  subscription.on('data', (each) => said.events.push(show(each)));
  subscription.on('error', (error) => (said.ended = errorOf(error)));
  return said;
}

Object.assign(subscriptions, {
  'the client subscribes to a stream and leaves': async ({ given, record, stream, connection, sleep }) => {
    const s = stream();
    await given.append(s, 2);
    await record('subscribe, hear, unsubscribe', async () => {
      const subscription = connection.client.subscribeToStream(s, { fromRevision: 'start' });
      const said = listen(subscription);
      await sleep(250);
      await given.append(s, ['C']);
      await sleep(250);
      await subscription.unsubscribe();
      await given.append(s, ['D']);
      await sleep(250);
      return said;
    });
  },
  'the client subscribes to a tombstoned stream': async ({ given, record, stream, connection, sleep }) => {
    for (const fromRevision of ['start', 'end']) {
      const s = stream();
      await given.append(s, 2);
      await given.tombstone(s);
      await record(`subscribe from ${fromRevision}`, async () => {
        const said = listen(connection.client.subscribeToStream(s, { fromRevision }));
        await sleep(300);
        return said;
      });
    }
  },
  'the client hears a tombstone': async ({ given, record, stream, connection, sleep }) => {
    const s = stream();
    await given.append(s, 2);
    await record('subscribe, then tombstone the stream', async () => {
      const said = listen(connection.client.subscribeToStream(s, { fromRevision: 'start' }));
      await sleep(250);
      await given.tombstone(s);
      await sleep(400);
      return said;
    });
  },
  'the client subscribes to $all without system events': async (kit) => {
    const { given, record, stream, connection, sleep } = kit;
    const fromPosition = await before(kit);
    const s = stream();
    await given.append(s, 1);
    await given.setMetadata(s, { is: 1 });
    await record('subscribe, hear, unsubscribe', async () => {
      let checkpoints = 0;
      const filter = excludeSystemEvents({ checkpointReached: async () => void (checkpoints += 1) });
      const subscription = connection.client.subscribeToAll({ fromPosition, filter });
      const said = listen(subscription);
      await sleep(250);
      await given.append(s, ['B']);
      await given.tombstone(s);
      await given.append(stream(), ['after']);
      await sleep(250);
      await subscription.unsubscribe();
      return { ...said, checkpoints };
    });
  },
  'the client subscribes to $all from a position inside an event': async (kit) => {
    const { record, connection, sleep } = kit;
    const position = await before(kit);
    await record('subscribe', async () => {
      const said = listen(
        connection.client.subscribeToAll({ fromPosition: beyond(position, 1n) }),
        () => 'an event',
      );
      await sleep(300);
      return said;
    });
  },
});
