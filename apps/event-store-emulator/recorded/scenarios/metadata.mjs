// Metadata of streams.
export const metadata = {
  'metadata is set and read': async ({ when, stream }) => {
    const s = stream();
    const all = {
      $maxCount: 5,
      $maxAge: 3600,
      $tb: 1,
      $cacheControl: 60,
      $acl: { $r: 'a', $w: ['b', 'c'], $d: 'd', $mr: 'e', $mw: 'f' },
      unknown: { deep: [1, null] },
    };
    await when.setMetadata(s, all);
    await when.metadata(s);
    await when.metadataByClient(s);
  },
  'metadata of a stream that never existed': async ({ when, stream }) => {
    const s = stream();
    await when.metadata(s);
    await when.metadataByClient(s);
    await when.read(`$$${s}`, { from: 'end', backwards: true, max: 1 });
  },
  'metadata at expected revisions': async ({ when, stream }) => {
    const s = stream();
    await when.setMetadata(s, { is: 1 }, { expected: 'stream_exists' });
    await when.setMetadata(s, { is: 2 }, { expected: 0n });
    await when.setMetadata(s, { is: 3 }, { expected: 'no_stream' });
    await when.setMetadata(s, { is: 4 }, { expected: 'no_stream' });
    await when.setMetadata(s, { is: 5 }, { expected: 0n });
    await when.setMetadata(s, { is: 6 }, { expected: 0n });
    await when.setMetadata(s, { is: 7 }, { expected: 7n });
    await when.metadata(s);
  },
  'only the newest metadata can be read': async ({ given, when, stream }) => {
    const s = stream();
    for (const is of [1, 2, 3]) await given.setMetadata(s, { is });
    await when.read(`$$${s}`);
    await when.read(`$$${s}`, { from: 0n });
    await when.read(`$$${s}`, { from: 0n, backwards: true });
    await when.read(`$$${s}`, { from: 'end', backwards: true });
  },
  'empty metadata after other metadata': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 3);
    await given.setMetadata(s, { $maxCount: 1 });
    await when.setMetadata(s, {});
    await when.metadata(s);
    await when.read(s);
  },
  'a stream with only metadata does not exist for readers': async ({ given, when, stream }) => {
    const s = stream();
    await given.setMetadata(s, { is: 1 });
    await when.read(s);
    await when.read(s, { from: 'end', backwards: true });
  },
  'metadata with an event of another type': async ({ given, when, stream, event }) => {
    const s = stream();
    await given.append(s, 3);
    await when.append(`$$${s}`, [event('not-metadata', { data: { $maxCount: 1 } })]);
    await when.read(s);
    await when.metadata(s);
  },
  'metadata with an event of another type, over real metadata': async ({ given, when, stream, event }) => {
    const s = stream();
    await given.append(s, 3);
    await given.setMetadata(s, { $maxCount: 2 });
    await when.append(`$$${s}`, [event('not-metadata', { data: { $maxCount: 1 } })]);
    await when.read(s);
  },
  'metadata as a binary event': async ({ given, when, stream, event }) => {
    const s = stream();
    await given.append(s, 3);
    await when.append(`$$${s}`, [event('$metadata', { data: Buffer.from('{"$maxCount":1}') })]);
    await when.read(s);
    await when.metadataByClient(s);
  },
  'several metadata events in one append': async ({ given, when, stream, event }) => {
    const s = stream();
    await given.append(s, 3);
    await when.append(`$$${s}`, [
      event('$metadata', { data: { $maxCount: 1 } }),
      event('$metadata', { data: { $maxCount: 2 } }),
    ]);
    await when.read(s);
  },
  'a $maxCount that is lowered and raised': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 5);
    for (const $maxCount of [2, 4]) {
      await given.setMetadata(s, { $maxCount });
      await when.read(s);
    }
  },
  'appends to a stream with $maxCount': async ({ given, when, stream }) => {
    const s = stream();
    await given.setMetadata(s, { $maxCount: 2 });
    for (const types of [['A'], ['B'], ['C', 'D', 'E']]) {
      await given.append(s, types);
      await when.read(s);
    }
    await when.read(s, { from: 0n, backwards: true });
    await when.read(s, { from: 'end', backwards: true });
  },
  'metadata survives appends': async ({ given, when, stream }) => {
    const s = stream();
    await given.setMetadata(s, { $maxCount: 2, custom: 'kept' });
    await given.append(s, 5);
    await when.metadata(s);
  },
  '$maxAge hides what is old': async ({ given, when, stream, sleep }) => {
    const s = stream();
    await given.append(s, ['old', 'older']);
    await given.setMetadata(s, { $maxAge: 1 });
    await sleep(2200);
    await when.read(s);
    await when.read(s, { from: 'end', backwards: true, max: 1 });
    await given.append(s, ['new']);
    await when.read(s);
    await when.read(s, { from: 'end', backwards: true });
    await when.append(s, ['next'], { expected: 2n });
  },
  'a generous $maxAge hides nothing': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    await given.setMetadata(s, { $maxAge: 3600 });
    await when.read(s);
  },
  '$maxCount and $tb together': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 6);
    for (const metadata of [
      { $maxCount: 2, $tb: 1 },
      { $maxCount: 5, $tb: 4 },
    ]) {
      await given.setMetadata(s, metadata);
      await when.read(s);
    }
  },
  'a $tb that is taken back': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 4);
    await given.setMetadata(s, { $tb: 3 });
    await when.read(s);
    await given.setMetadata(s, { $tb: 1 });
    await when.read(s);
    await given.setMetadata(s, {});
    await when.read(s);
  },
  'a $tb beyond the end': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 2);
    await given.setMetadata(s, { $tb: 10 });
    await when.read(s);
    await when.read(s, { from: 'end', backwards: true });
    await when.append(s, ['C'], { expected: 1n });
    await when.read(s);
  },
  'a $tb of a stream without events': async ({ given, when, stream }) => {
    const s = stream();
    await given.setMetadata(s, { $tb: 2 });
    await when.append(s, ['A', 'B', 'C'], { expected: 'no_stream' });
    await when.read(s);
  },
  '$acl that names nobody on a server without users': async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 1);
    await given.setMetadata(s, { $acl: { $r: [], $w: [], $d: [], $mr: [], $mw: [] } });
    await when.read(s);
    await when.append(s, ['B']);
    await when.metadata(s);
    await when.setMetadata(s, { is: 2 });
    await when.delete(s);
  },
  'metadata of a metastream': async ({ when, stream }) => {
    const s = `$$${stream()}`;
    await when.append(s, ['$metadata']);
    await when.append(`$$${s}`, ['$metadata']);
    await when.read(`$$${s}`);
  },
  'metadata of a stream that starts with $': async ({ given, when, stream }) => {
    const s = `$${stream()}`;
    await given.append(s, 3);
    await when.setMetadata(s, { $maxCount: 1 });
    await when.metadata(s);
    await when.read(s);
  },
  'metadata writes in $all': async ({ given, when, stream }) => {
    const s = stream();
    const { position } = await given.append(s, 1);
    await given.setMetadata(s, { is: 1 });
    await given.setMetadata(s, { is: 2 });
    await when.readAll({ from: { ...position, called: 'its event' }, whole: true });
  },
};

const odd = {
  'a $maxCount of 0': '{"$maxCount":0}',
  'a negative $maxCount': '{"$maxCount":-1}',
  'a $maxCount as text': '{"$maxCount":"1"}',
  'a fractional $maxCount': '{"$maxCount":1.5}',
  'a $maxCount of null': '{"$maxCount":null}',
  'a $maxCount above 2^63': '{"$maxCount":9223372036854775808}',
  'a $maxCount twice': '{"$maxCount":1,"$maxCount":2}',
  'a $maxAge of 0': '{"$maxAge":0}',
  'a negative $maxAge': '{"$maxAge":-1}',
  'a $tb of 0': '{"$tb":0}',
  'a negative $tb': '{"$tb":-1}',
  'a $tb as text': '{"$tb":"1"}',
  'a $tb one below the mark of a deletion': '{"$tb":9223372036854775806}',
  'a $tb above 2^53': '{"$tb":9007199254740993}',
  'a $tb rounded up from the mark of a deletion': '{"$tb":9223372036854775808}',
  'a negative $cacheControl': '{"$maxCount":1,"$cacheControl":-1}',
  'an $acl that is no object': '{"$maxCount":1,"$acl":7}',
  'metadata that is no JSON': '{"$maxCount":1',
  'metadata that is an array': '[{"$maxCount":1}]',
  'metadata that is a number': '7',
  'metadata that is null': 'null',
  'metadata without a byte': '',
  'metadata with spaces and line breaks': ' {\n  "$maxCount" : 1\n} ',
  'metadata after a byte order mark': '\ufeff{"$maxCount":1}',
  'metadata with a comment': '{/* one */"$maxCount":1}',
  'metadata with a comma too many': '{"$maxCount":1,}',
};

for (const [name, text] of Object.entries(odd))
  metadata[`${name}: what can be read and appended`] = async ({ given, when, stream }) => {
    const s = stream();
    await given.append(s, 3);
    await when.setMetadata(s, text);
    await when.read(s);
    await when.append(s, ['D'], { expected: 2n });
    await when.read(s, { from: 'end', backwards: true });
  };
