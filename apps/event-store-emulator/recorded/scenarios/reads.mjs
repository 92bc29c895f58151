// Reads of streams and of $all, links, and what an event is when it comes back.

/** Five events, of which the first two are truncated. */
const truncated = async ({ given, stream }) => {
  const s = stream();
  await given.append(s, 5);
  await given.setMetadata(s, { $tb: 2 });
  return s;
};
const where = (position, called) => ({ ...position, called });
const next = ({ commit, prepare }, by, called) => ({ commit: commit + by, prepare: prepare + by, called });

export const reads = {
  'a stream is read forwards': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 4);
    for (const from of ['start', 0n, 2n, 3n, 4n, 1000n, 'end']) await when.read(s, { from });
  },
  'a stream is read backwards': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 4);
    for (const from of ['end', 1000n, 4n, 3n, 1n, 0n, 'start']) await when.read(s, { from, backwards: true });
  },
  'a truncated stream is read forwards': async (kit) => {
    const s = await truncated(kit);
    for (const from of ['start', 0n, 1n, 2n, 3n, 5n]) await kit.when.read(s, { from });
  },
  'a truncated stream is read backwards': async (kit) => {
    const s = await truncated(kit);
    for (const from of ['end', 3n, 2n, 1n, 0n, 'start']) await kit.when.read(s, { from, backwards: true });
  },
  'a truncated stream is read in parts': async (kit) => {
    const s = await truncated(kit);
    for (const from of ['start', 0n, 1n, 2n]) await kit.when.read(s, { from, max: 1 });
    for (const from of ['end', 2n, 1n]) await kit.when.read(s, { from, backwards: true, max: 2 });
  },
  'a stream is read in parts': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 4);
    for (const max of [1, 3, 4, 5]) await when.read(s, { max });
    await when.read(s, { from: 2n, max: 1 });
    await when.read(s, { from: 'end', backwards: true, max: 1 });
    await when.read(s, { from: 2n, backwards: true, max: 2 });
  },
  'a read of no events': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    await when.read(s, { max: 0 });
    await when.read(s, { max: 0, from: 'end', backwards: true });
    await when.read(stream(), { max: 0 });
    await when.readAll({ max: 0, wire: true });
  },
  'a read of more than fits in a page': async ({ given, stream, event, record, connection }) => {
    const s = stream();
    for (let i = 0; i < 3; i += 1)
      await given.append(
        s,
        Array.from({ length: 500 }, () => event('many')),
      );
    for (const direction of ['forwards', 'backwards'])
      await record(`count what is read ${direction}`, async () => {
        const revisions = [];
        for await (const each of connection.client.readStream(s, {
          direction,
          fromRevision: direction === 'forwards' ? 'start' : 'end',
        }))
          revisions.push(Number(each.event.revision));
        const step = direction === 'forwards' ? 1 : -1;
        return {
          count: revisions.length,
          inOrder: revisions.every((each, i) => i === 0 || each === revisions[i - 1] + step),
        };
      });
  },
  'a revision as large as can be': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    for (const from of [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]) {
      await when.read(s, { from });
      await when.read(s, { from, backwards: true });
    }
  },
  'a maxCount as large as can be': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    for (const max of [2n ** 31n, 2n ** 63n - 1n, 2n ** 64n - 1n]) await when.read(s, { max });
  },
  'a stream that never existed is read': async ({ when, stream }) => {
    const s = stream();
    for (const from of ['start', 'end', 5n]) {
      await when.read(s, { from });
      await when.read(s, { from, backwards: true });
    }
    await when.read(s, { wire: true });
  },
  'a soft-deleted stream is read': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 3);
    await given.delete(s);
    for (const from of ['start', 'end', 1n]) {
      await when.read(s, { from });
      await when.read(s, { from, backwards: true });
    }
    await when.read(s, { wire: true });
  },
  'a tombstoned stream is read': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 3);
    await given.tombstone(s);
    for (const from of ['start', 'end', 1n]) {
      await when.read(s, { from });
      await when.read(s, { from, backwards: true });
    }
    await when.read(s, { wire: true });
  },
  'a recreated stream is read from below its truncation': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 3);
    await given.delete(s);
    await given.append(s, ['D', 'E']);
    for (const from of ['start', 0n, 2n, 3n]) await when.read(s, { from });
    for (const from of ['end', 3n, 2n, 0n]) await when.read(s, { from, backwards: true });
  },
  'a stream with $maxCount is read from everywhere': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 5);
    await given.setMetadata(s, { $maxCount: 2 });
    for (const from of ['start', 0n, 3n, 4n]) await when.read(s, { from, max: 1 });
    for (const from of ['end', 3n, 2n]) await when.read(s, { from, backwards: true });
  },
  'a read on the wire': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    await when.read(s, { wire: true });
    await when.read(s, { wire: true, backwards: true, from: 'end' });
    await when.read(s, { wire: true, from: 5n });
  },
  'a read on the wire of a truncated stream': async (kit) => {
    const s = await truncated(kit);
    await kit.when.read(s, { wire: true });
    await kit.when.read(s, { wire: true, max: 1 });
  },
  'a read on the wire that knows the newer messages': async (kit) => {
    const s = await truncated(kit);
    const newer = { wire: { compatibility: 1 }, about: 'and its ends' };
    await kit.when.read(s, newer);
    await kit.when.read(s, { ...newer, backwards: true, from: 'end' });
    await kit.when.read(s, { ...newer, from: 100n });
    await kit.when.read(kit.stream(), newer);
  },
  'a read with structured ids': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 1);
    await when.read(s, { wire: { structured: true }, about: 'and structured ids' });
  },
  'a read that does not say whether it filters': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 1);
    await when.read(s, { wire: { noFilter: false } });
  },
  'a filtered read of a stream': async ({ given, when, stream, prefix }) => {
    const s = stream();
    await given.append(s, 1);
    await when.read(s, { wire: { filter: { prefixes: [prefix] } }, about: 'with a filter' });
  },
  'positions in a stream read and in $all are the same': async ({ given, when, stream }) => {
    const s = stream();
    const { position } = await given.append(s, 3, { positions: true });
    await when.read(s, { positions: true });
    await when.readAll({ from: where(position, 'the last'), backwards: true, max: 3 });
    await when.readAll({ from: where(position, 'the last') });
  },
  'the answer to an append has the position of its last event': async ({ when, stream }) => {
    const s = stream();
    await when.append(s, 1, { positions: true });
    await when.append(s, ['B', 'C', 'D'], { positions: true });
    await when.append(s, ['E'], { positions: true, via: 'unary' });
    await when.read(s, { positions: true });
  },
};

// ---- $all

const three = async ({ given, stream }) => {
  const s = stream();
  const positions = [];
  for (const type of ['A', 'B', 'C']) positions.push((await given.append(s, [type])).position);
  return { s, positions };
};

const odd = (name, at) => ({
  [`$all is read from ${name}`]: async (kit) => {
    const made = await three(kit);
    const from = where(at(made), name);
    await kit.when.readAll({ from });
    await kit.when.readAll({ from, backwards: true, max: 2 });
  },
});

Object.assign(reads, {
  '$all is read forwards from an event': async (kit) => {
    const { positions } = await three(kit);
    await kit.when.readAll({ from: where(positions[0], 'the first') });
    await kit.when.readAll({ from: where(positions[1], 'the second'), max: 1 });
    await kit.when.readAll({ from: where(positions[2], 'the last') });
  },
  '$all is read backwards from an event': async (kit) => {
    const { positions } = await three(kit);
    await kit.when.readAll({ from: where(positions[2], 'the last'), backwards: true, max: 2 });
    await kit.when.readAll({ from: where(positions[1], 'the second'), backwards: true, max: 1 });
  },
  '$all is read from its end': async (kit) => {
    await three(kit);
    await kit.when.readAll({ from: 'end' });
    await kit.when.readAll({ from: 'end', backwards: true, max: 2 });
  },
  '$all is read from its start': async (kit) => {
    await kit.given.append(kit.stream(), 1);
    await kit.record('read one event of $all from the start, and one from position zero', async () => {
      const kinds = [];
      for (const fromPosition of ['start', { commit: 0n, prepare: 0n }])
        for await (const { event } of kit.connection.client.readAll({ fromPosition, maxCount: 1 }))
          kinds.push({
            type: event.type.startsWith('$') ? 'a system event' : event.type,
            position: event.position.commit === 0n ? 'zero' : 'above zero',
          });
      return kinds;
    });
    await kit.when.readAll({ from: 'start', backwards: true });
  },
  ...odd('a position inside an event', ({ positions }) => next(positions[1], 1n)),
  ...odd('a position just before an event', ({ positions }) => next(positions[1], -1n)),
  ...odd('a position beyond the end', ({ positions }) => next(positions[2], 1_000_000_000n)),
  ...odd('a position just beyond the last event', ({ positions }) => next(positions[2], 1n)),
  ...odd('the largest position', () => ({ commit: 2n ** 63n - 1n, prepare: 2n ** 63n - 1n })),
  ...odd('a position above the signed range', () => ({ commit: 2n ** 64n - 2n, prepare: 2n ** 64n - 2n })),
  ...odd('minus one as a position', () => ({ commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n })),
  ...odd('a prepare position before its commit position', ({ positions }) => ({
    commit: positions[1].commit,
    prepare: positions[0].commit,
  })),
  ...odd('a prepare position of zero', ({ positions }) => ({ commit: positions[1].commit, prepare: 0n })),
  ...odd('a prepare position behind its commit position', ({ positions }) => ({
    commit: positions[0].commit,
    prepare: positions[1].commit,
  })),
  'the newest events of $all follow an append at once': async ({ when, stream }) => {
    const s = stream();
    for (const type of ['A', 'B', 'C']) {
      await when.append(s, [type]);
      await when.readAll({ from: 'end', backwards: true, max: 1 });
    }
  },
  '$all shows what retention hides': async ({ given, when, stream }) => {
    const s = stream();
    const { position } = await given.append(stream('before'), 1);
    await given.append(s, 3);
    await given.setMetadata(s, { $maxCount: 1 });
    await when.readAll({ from: where(position, 'before') });
  },
  'truncated events in $all': async ({ given, when, stream }) => {
    const s = stream();
    const { position } = await given.append(stream('before'), 1);
    await given.append(s, 3);
    await given.setMetadata(s, { $tb: 3 });
    await when.readAll({ from: where(position, 'before') });
  },
  'events of a tombstoned stream in $all': async ({ given, when, stream }) => {
    const s = stream();
    const { position } = await given.append(stream('before'), 1);
    await given.append(s, 2);
    await given.tombstone(s);
    await when.readAll({ from: where(position, 'before') });
    await when.readAll({ from: 'end', backwards: true, max: 3 });
  },
  '$all on the wire': async (kit) => {
    const { positions } = await three(kit);
    await kit.when.readAll({ from: where(positions[0], 'the first'), wire: true });
    await kit.when.readAll({
      from: where(positions[0], 'the first'),
      wire: { compatibility: 1 },
      about: 'with compatibility 1',
    });
    await kit.when.readAll({
      from: where(positions[0], 'the first'),
      wire: { structured: true },
      about: 'with structured ids',
    });
  },
  'a filtered read of $all': async (kit) => {
    const { s, positions } = await three(kit);
    const other = kit.stream('other');
    await kit.given.append(other, ['A', `${kit.prefix}X`]);
    const from = where(positions[0], 'the first');
    for (const filter of [
      { prefixes: [s] },
      { prefixes: [other, s] },
      { regex: `^${kit.prefix}oth` },
      { on: 'type', prefixes: ['nothing', `${kit.prefix}X`] },
      { on: 'type', regex: `^${kit.prefix}.$` },
    ]) {
      await kit.when.readAll({ from, wire: { filter }, about: `filtered ${JSON.stringify(filter)}` });
      await kit.when.readAll({
        from: 'end',
        backwards: true,
        max: 2,
        wire: { filter },
        about: `filtered ${JSON.stringify(filter)}`,
      });
    }
  },
  'a filtered read of $all with a small window': async (kit) => {
    const { s, positions } = await three(kit);
    await kit.given.append(kit.stream('other'), 10);
    await kit.given.append(s, ['D', 'E']);
    await kit.when.readAll({
      from: where(positions[0], 'the first'),
      max: 4,
      wire: { filter: { prefixes: [s], window: 2 } },
      about: 'filtered',
    });
  },
  'a stream called $all': async ({ record, connection, event }) => {
    await record('append an event to $all', async () => {
      const { jsonEvent } = await import('../connection.mjs');
      const { success } = await connection.client.appendToStream(
        '$all',
        jsonEvent({ type: 'A', data: {}, id: event('A').id }),
      );
      return { success };
    });
  },
});

// ---- Links

const link = (event, text, more = {}) => event('$>', { data: Buffer.from(text), ...more });

const links = {
  'an event that is there': async ({ given, stream }) => {
    const s = stream('target');
    await given.append(s, 3);
    return `1@${s}`;
  },
  'a stream that never existed': async ({ stream }) => `0@${stream('target')}`,
  'a revision that is not there yet': async ({ given, stream }) => {
    const s = stream('target');
    await given.append(s, 1);
    return `7@${s}`;
  },
  'an event of a soft-deleted stream': async ({ given, stream }) => {
    const s = stream('target');
    await given.append(s, 3);
    await given.delete(s);
    return `1@${s}`;
  },
  'an event of a tombstoned stream': async ({ given, stream }) => {
    const s = stream('target');
    await given.append(s, 3);
    await given.tombstone(s);
    return `1@${s}`;
  },
  'a truncated event': async ({ given, stream }) => {
    const s = stream('target');
    await given.append(s, 3);
    await given.setMetadata(s, { $tb: 2 });
    return `1@${s}`;
  },
  'an event beyond $maxCount': async ({ given, stream }) => {
    const s = stream('target');
    await given.append(s, 3);
    await given.setMetadata(s, { $maxCount: 1 });
    return `1@${s}`;
  },
  'another link': async ({ given, stream, event }) => {
    const [s, between] = [stream('target'), stream('between')];
    await given.append(s, 1);
    await given.append(between, [link(event, `0@${s}`)]);
    return `0@${between}`;
  },
  'metadata of a stream': async ({ given, stream }) => {
    const s = stream('target');
    await given.setMetadata(s, { is: 1 });
    return `0@$$${s}`;
  },
  'a stream with an @ in its name': async ({ given, stream }) => {
    const s = stream('tar@get');
    await given.append(s, 1);
    return `0@${s}`;
  },
  'nothing: without an @': async () => 'nonsense',
  'nothing: without a revision': async ({ stream }) => `@${stream('target')}`,
  'nothing: with a word for a revision': async ({ stream }) => `first@${stream('target')}`,
  'nothing: with a negative revision': async ({ given, stream }) => {
    const s = stream('target');
    await given.append(s, 1);
    return `-1@${s}`;
  },
  'nothing: without a name': async () => '0@',
  'nothing: without a byte': async () => '',
};

for (const [name, target] of Object.entries(links))
  reads[`a link to ${name}`] = async (kit) => {
    const { given, when, stream, event } = kit;
    const s = stream('links');
    const text = await target(kit);
    const { position } = await given.append(s, [link(event, text), 'after']);
    await when.read(s);
    await when.read(s, { links: true, positions: true });
    await when.read(s, { links: true, from: 'end', backwards: true });
    await when.readAll({
      links: true,
      from: where(position, 'the event after the link'),
      backwards: true,
      max: 2,
    });
    await when.read(s, { links: true, wire: true });
  };

Object.assign(reads, {
  'a link of contentType json': async ({ given, when, stream, event }) => {
    const [target, s] = [stream('target'), stream('links')];
    await given.append(target, 1);
    await given.append(s, [link(event, `0@${target}`, { contentType: 'application/json' })], {
      via: 'wire batch',
    });
    await when.read(s, { links: true });
  },
  'links are resolved in parts': async ({ given, when, stream, event }) => {
    const [target, s] = [stream('target'), stream('links')];
    await given.append(target, 3);
    await given.append(
      s,
      [0, 1, 2].map((revision) => link(event, `${revision}@${target}`)),
    );
    await when.read(s, { links: true, max: 2 });
    await when.read(s, { links: true, from: 1n, max: 1 });
  },
});

// ---- Events as they come back

const forms = {
  'a json event': { data: { a: 1, b: 'two', c: [null, true] }, metadata: { by: 'somebody' } },
  'a json event without metadata': { data: { a: 1 } },
  'a json event with empty metadata': { data: { a: 1 }, metadata: {} },
  'a json event whose data is null': { data: null },
  'a json event whose data is a number': { data: 7 },
  'a json event whose data is text': { data: 'text' },
  'a json event whose data is an empty text': { data: '' },
  'a json event with unicode': { data: { text: 'Grüße, 世界, 🎐, \u0000, \ud83d' }, metadata: { text: '∑' } },
  'a json event with numbers that JavaScript rounds': { data: { large: 1e308, precise: 0.1 } },
  'a binary event': { data: Buffer.from([0, 1, 2, 255]), metadata: { by: 'somebody' } },
  'a binary event with binary metadata': { data: Buffer.from([0, 1]), metadata: Uint8Array.from([255, 254]) },
  'a binary event without a byte': { data: Buffer.alloc(0) },
  'a json event with binary metadata that is no json': {
    data: { a: 1 },
    metadata: Uint8Array.from([1, 2, 3]),
  },
};

for (const [name, form] of Object.entries(forms))
  reads[`${name} comes back as it was`] = async ({ when, stream, event }) => {
    const s = stream();
    await when.append(s, [event('A', { id: 'a', ...form })]);
    await when.read(s, { whole: true });
  };

Object.assign(reads, {
  'a json event whose data is no json comes back': async ({ when, stream, event }) => {
    const s = stream();
    await when.append(
      s,
      [event('A', { id: 'a', data: Buffer.from('{no json'), contentType: 'application/json' })],
      { via: 'wire batch' },
    );
    await when.read(s, { whole: true });
  },
  'a json event without a byte comes back': async ({ when, stream, event }) => {
    const s = stream();
    await when.append(s, [event('A', { id: 'a', data: Buffer.alloc(0), contentType: 'application/json' })], {
      via: 'wire batch',
    });
    await when.read(s, { whole: true });
  },
  'an event of another content type comes back': async ({ when, stream, event }) => {
    const s = stream();
    for (const contentType of ['text/plain', 'application/JSON', '', 'application/json; charset=utf-8'])
      await when.append(s, [event('A', { id: 'a', data: Buffer.from('{}'), contentType })], {
        via: 'wire batch',
        about: `of ${contentType}`,
      });
    await when.read(s, { whole: true });
  },
  'an event id in capital letters comes back': async ({ when, stream, event, id, record, connection }) => {
    const s = stream();
    await when.append(s, [{ ...event('A', { id: 'a' }), id: id('a').toUpperCase() }]);
    await record('the id as read', async () => {
      for await (const { event: read } of connection.client.readStream(s))
        return read.id === id('a') ? 'in small letters' : 'as written';
    });
  },
  'an event written with a structured id comes back': async ({ when, stream, event, record, connection }) => {
    const s = stream();
    await when.append(s, [event('A', { structured: ['81985529216486895', '-81985529216486896'] })], {
      via: 'wire batch',
    });
    await record('the id as read', async () => {
      for await (const { event: read } of connection.client.readStream(s))
        return read.id.replaceAll('-', ' ');
    });
  },
});
