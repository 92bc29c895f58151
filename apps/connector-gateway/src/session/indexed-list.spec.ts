import { IndexedList } from './indexed-list';

it('an indexed list holds what was added until it is removed, in whatever order', () => {
  const list = new IndexedList<string>();
  const [a, b, c] = ['a', 'b', 'c'].map((each) => list.add(each));
  a!();
  expect([...list.all].sort()).toEqual(['b', 'c']);
  a!();
  expect(list.size).toBe(2);
  const d = list.add('d');
  c!();
  expect([...list.all].sort()).toEqual(['b', 'd']);
  b!();
  d!();
  b!();
  expect(list.size).toBe(0);
});
