import { pageLimit } from './page';

it('a page has 50 entries unless the caller says otherwise', () => {
  expect(pageLimit({})).toBe(50);
  expect(pageLimit({ limit: 7 })).toBe(7);
});
