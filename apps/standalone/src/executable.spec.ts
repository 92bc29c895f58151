import { isAtLeast } from './executable';

describe('comparing versions', () => {
  it.each([
    ['2.9.10', '2.9'],
    ['2.10.0', '2.9'],
    ['3.0', '2.9'],
    ['15.18', '15'],
    ['17beta1', '15'],
  ])('%s is at least %s', (version, least) => expect(isAtLeast(version, least)).toBe(true));

  it.each([
    ['2.8.4', '2.9'],
    ['1.99', '2.9'],
    ['14.22', '15'],
    ['2', '2.9'],
  ])('%s is less than %s', (version, least) => expect(isAtLeast(version, least)).toBe(false));
});
