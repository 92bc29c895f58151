import { DELETED_METADATA, parseMetadata, withTruncateBefore } from './metadata';
import { isVisible, visible } from './retention';

const now = Date.UTC(2026, 0, 1);
/** Which of the revisions 0 to 4 of a stream can be read; event n is n seconds older than the last. */
const readable = (json: string) => {
  const rule = visible(parseMetadata(json), 4, now);
  return [0, 1, 2, 3, 4].filter((revision) => isVisible(rule, revision, () => now - (4 - revision) * 1000));
};

describe('what retention leaves of a stream', () => {
  it('is everything without metadata', () => expect(readable('{}')).toEqual([0, 1, 2, 3, 4]));
  it('is the last n with $maxCount', () => expect(readable('{"$maxCount":2}')).toEqual([3, 4]));
  it('is everything when $maxCount is more than there is', () =>
    expect(readable('{"$maxCount":9}')).toEqual([0, 1, 2, 3, 4]));
  it('is what is from $tb on', () => expect(readable('{"$tb":3}')).toEqual([3, 4]));
  it('is what is young enough with $maxAge', () => expect(readable('{"$maxAge":2}')).toEqual([2, 3, 4]));
  it('is what all rules leave', () =>
    expect(readable('{"$maxCount":4,"$tb":2,"$maxAge":1}')).toEqual([3, 4]));
  it('is everything when the metadata is nonsense', () => {
    expect(readable('nonsense')).toEqual([0, 1, 2, 3, 4]);
    expect(readable('[1]')).toEqual([0, 1, 2, 3, 4]);
    expect(readable('{"$maxCount":-1,"$tb":"x","$maxAge":0}')).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('the mark of a soft deletion', () => {
  it('is the largest 64-bit number, to the digit', () => {
    expect(DELETED_METADATA).toBe('{"$tb":9223372036854775807}');
    expect(parseMetadata(DELETED_METADATA).softDeleted).toBe(true);
    expect(parseMetadata('{"$tb":9223372036854775806}').softDeleted).toBe(false);
    expect(parseMetadata('{"$tb":9223372036854775808}').softDeleted).toBe(false);
    expect(parseMetadata('{"$tb":5}').softDeleted).toBe(false);
  });
});

describe('metadata that the server writes again', () => {
  it('keeps everything else, in its order and to the digit', () =>
    expect(withTruncateBefore('{ "$maxCount": 3, "$tb": 1, "mine": [9007199254740993, "x", null] }', 7)).toBe(
      '{"$maxCount":3,"$tb":7,"mine":[9007199254740993,"x",null]}',
    ));
  it('may be written as the server reads it', () =>
    expect(withTruncateBefore("{/* one */mine: 'x',}", 7)).toBe('{"mine":"x","$tb":7}'));
  it('is left alone when it is no object', () => {
    expect(withTruncateBefore('[1]', 7)).toBeUndefined();
    expect(withTruncateBefore('nonsense', 7)).toBeUndefined();
    expect(withTruncateBefore('{} {}', 7)).toBeUndefined();
  });
});

describe('metadata in odd forms', () => {
  it.each([
    ['a comma too many', '{"$maxCount":1,}', 1],
    ['a byte order mark', '\ufeff{"$maxCount":1}', 1],
    ['the same member twice', '{"$maxCount":1,"$maxCount":2}', 2],
    ['a comment', '{/* one */"$maxCount":1}', undefined],
    ['a fraction', '{"$maxCount":1.5}', undefined],
    ['more than 64 bits', '{"$maxCount":9223372036854775808}', undefined],
    ['an access list that is none', '{"$maxCount":1,"$acl":7}', undefined],
    ['an access list with an unknown role', '{"$maxCount":1,"$acl":{"$x":"a"}}', undefined],
    ['something nested without an end', '['.repeat(100_000), undefined],
  ])('with %s', (_, text, maxCount) => expect(parseMetadata(text).maxCount).toBe(maxCount));
});
