import { encodingFor } from './encoding';

describe('the form of a file', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['BR;q=0.1, gzip', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for "%s" is %s', (accepted, name) => expect(encodingFor(accepted)?.name).toBe(name));
});
