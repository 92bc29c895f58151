import { IndexedList } from './indexed-list';

it('a bag holds what was put in until it is taken out, in whatever order', () => {
  const bag = new IndexedList<string>();
  const [a, b, c] = ['a', 'b', 'c'].map((each) => bag.add(each));
  a!();
  expect([...bag.all].sort()).toEqual(['b', 'c']);
  a!();
  expect(bag.size).toBe(2);
  const d = bag.add('d');
  c!();
  expect([...bag.all].sort()).toEqual(['b', 'd']);
  b!();
  d!();
  b!();
  expect(bag.size).toBe(0);
});
