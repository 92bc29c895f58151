import { encodingFor } from './encoding';

describe('the encoding of a file', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['BR;q=0.1, gzip', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0, *', 'gzip'],
    ['br;q=0.000', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for a caller that takes %s is %s', (accepted, encoding) =>
    expect(encodingFor(accepted)).toBe(encoding),
  );

  it('is one that the build has made', () => {
    expect(encodingFor('br, gzip', (encoding) => encoding === 'gzip')).toBe('gzip');
    expect(encodingFor('br, gzip', () => false)).toBeUndefined();
  });
});
