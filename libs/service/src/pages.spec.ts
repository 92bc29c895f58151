import { Refused } from '@carillon/eventing';
import { readPageKey, writeCursor } from './pages';

describe('a cursor', () => {
  const key = Buffer.alloc(32, 1);
  const last = { at: '2026-11-20T09:00:00.123Z', id: 'tok_1' };
  const cursor = writeCursor(key, ['usr_1', null, 'active'], last);
  const refusal = new Refused('page.invalid_cursor');

  it('goes on where the page before ended', () =>
    expect(readPageKey(key, ['usr_1', null, 'active'], cursor)).toEqual(last));

  it('is refused for another list, with another key, and when it was touched', () => {
    expect(() => readPageKey(key, ['usr_2', null, 'active'], cursor)).toThrow(refusal);
    expect(() => readPageKey(key, ['usr_1', null, 'all'], cursor)).toThrow(refusal);
    expect(() => readPageKey(Buffer.alloc(32, 2), ['usr_1', null, 'active'], cursor)).toThrow(refusal);
    expect(() => readPageKey(key, ['usr_1', null, 'active'], `A${cursor.slice(1)}`)).toThrow(refusal);
    expect(() => readPageKey(key, ['usr_1', null, 'active'], 'nonsense')).toThrow(refusal);
  });
});
