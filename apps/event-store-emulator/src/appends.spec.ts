import { ANY, NO_STREAM, STREAM_EXISTS } from './expected';
import { decide, type StreamFacts } from './appends';

const none: StreamFacts = { last: -1, tombstoned: false, softDeleted: false, hasMetadata: false };
/** A stream of events a, b, c at revisions 0, 1, 2. */
const abc: StreamFacts = { ...none, last: 2 };
const softDeleted: StreamFacts = { ...abc, softDeleted: true, hasMetadata: true };
const tombstoned: StreamFacts = { ...abc, tombstoned: true };

const revisions: Record<string, number> = { a: 0, b: 1, c: 2 };
const on = (stream: StreamFacts, remembers = true) => ({
  append: (expected: number, ...ids: string[]) =>
    decide(expected, ids, stream, {
      revisionOf: (id) => (remembers ? revisions[id] : undefined),
      isAt: (id, revision) => revisions[id] === revision,
    }),
});
const append = { verdict: 'append', recreates: false };
const recreate = { verdict: 'append', recreates: true };
const wrong = { verdict: 'wrong-expected-version' };
const deleted = { verdict: 'stream-deleted' };
const already = (revision: number) => ({ verdict: 'already-appended', revision });

describe('appending to a stream that is not there', () => {
  it('is fine for any revision and for no stream', () => {
    expect(on(none).append(ANY, 'x')).toEqual(append);
    expect(on(none).append(NO_STREAM, 'x')).toEqual(append);
  });
  it('is the wrong version for an exact revision and for an existing stream', () => {
    expect(on(none).append(0, 'x')).toEqual(wrong);
    expect(on(none).append(STREAM_EXISTS, 'x')).toEqual(wrong);
  });
  it('is fine for an existing stream if there is metadata for it', () =>
    expect(on({ ...none, hasMetadata: true }).append(STREAM_EXISTS, 'x')).toEqual(append));
});

describe('appending to a stream', () => {
  it('is fine at its last revision, and for the named ones', () => {
    expect(on(abc).append(2, 'x')).toEqual(append);
    expect(on(abc).append(ANY, 'x')).toEqual(append);
    expect(on(abc).append(STREAM_EXISTS, 'x')).toEqual(append);
  });
  it('is the wrong version before and behind it', () => {
    expect(on(abc).append(NO_STREAM, 'x')).toEqual(wrong);
    expect(on(abc).append(1, 'x')).toEqual(wrong);
    expect(on(abc).append(3, 'x')).toEqual(wrong);
  });
});

describe('appending the same events twice', () => {
  it('happens once at an exact revision, whether the ids are remembered or not', () => {
    expect(on(abc).append(0, 'b', 'c')).toEqual(already(2));
    expect(on(abc, false).append(0, 'b', 'c')).toEqual(already(2));
  });
  it('happens once when no stream was expected', () =>
    expect(on(abc).append(NO_STREAM, 'a', 'b')).toEqual(already(1)));
  it('happens once for the named revisions while the ids are remembered', () => {
    expect(on(abc).append(ANY, 'b')).toEqual(already(1));
    expect(on(abc).append(STREAM_EXISTS, 'a', 'b', 'c')).toEqual(already(2));
    expect(on(abc, false).append(ANY, 'b')).toEqual(append);
  });
  it('is the wrong version when only the beginning is the same', () => {
    expect(on(abc).append(ANY, 'b', 'x')).toEqual(wrong);
    expect(on(abc).append(0, 'b', 'x')).toEqual(wrong);
    expect(on(abc).append(0, 'b', 'c', 'd')).toEqual(wrong);
  });
  it('is the wrong version when they are elsewhere in the stream', () =>
    expect(on(abc).append(0, 'c')).toEqual(wrong));
  it('is an append again when the first is unknown', () =>
    expect(on(abc).append(ANY, 'x', 'b')).toEqual(append));
});

describe('appending no events', () => {
  it('is fine where an append would be', () => {
    expect(on(abc).append(ANY)).toEqual(append);
    expect(on(abc).append(2)).toEqual(append);
    expect(on(none).append(NO_STREAM)).toEqual(append);
  });
  it('is the wrong version elsewhere', () => expect(on(abc).append(0)).toEqual(wrong));
});

describe('appending to a soft-deleted stream', () => {
  it('recreates it for no stream, any revision and its last revision', () => {
    expect(on(softDeleted).append(NO_STREAM, 'x')).toEqual(recreate);
    expect(on(softDeleted).append(ANY, 'x')).toEqual(recreate);
    expect(on(softDeleted).append(2, 'x')).toEqual(recreate);
  });
  it('is refused as deleted for an existing stream', () =>
    expect(on(softDeleted).append(STREAM_EXISTS, 'x')).toEqual(deleted));
  it('is the wrong version for another revision', () => {
    expect(on(softDeleted).append(1, 'x')).toEqual(wrong);
    expect(on(softDeleted).append(3, 'x')).toEqual(wrong);
  });
});

describe('appending to a tombstoned stream', () => {
  it('is refused as deleted, whatever is expected', () => {
    for (const expected of [NO_STREAM, ANY, STREAM_EXISTS, 0, 2, 7])
      expect(on(tombstoned).append(expected, 'x')).toEqual(deleted);
  });
});
