import { isSameText } from './same-text';

it('tells texts apart by their characters and their length', () => {
  expect(isSameText('v1,abc', 'v1,abc')).toBe(true);
  for (const other of ['v1,abd', 'v1,ab', 'v1,abcd', '']) expect(isSameText('v1,abc', other)).toBe(false);
});
