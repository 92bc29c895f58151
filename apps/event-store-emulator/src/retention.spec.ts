import { parseMetadata, withTruncateBefore } from './metadata';
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
  it('is the largest 64-bit number, to the digit', () =>
    expect(withTruncateBefore(undefined, 'deleted')).toBe('{"$tb":9223372036854775807}'));
  it('is recognised', () => {
    expect(parseMetadata('{"$tb":9223372036854775807}')?.softDeleted).toBe(true);
    expect(parseMetadata('{"$tb":5}')?.softDeleted).toBe(false);
  });
  it('keeps the other metadata', () => {
    const before = parseMetadata('{"$maxCount":3,"$tb":1,"mine":"x"}');
    expect(withTruncateBefore(before, 'deleted')).toBe(
      '{"$tb":9223372036854775807,"$maxCount":3,"mine":"x"}',
    );
    expect(withTruncateBefore(before, 7)).toBe('{"$tb":7,"$maxCount":3,"mine":"x"}');
  });
});
