import { listLimit } from './list-page';

it('a page has 50 entries unless the caller says otherwise', () => {
  expect(listLimit({})).toBe(50);
  expect(listLimit({ limit: 7 })).toBe(7);
});
