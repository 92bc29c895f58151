import { behindSecret } from './secret';

describe('the secret in a path', () => {
  it.each([
    ['/s3cret/phones', '/phones'],
    ['/s3cret/phones/1/received?after=2', '/phones/1/received?after=2'],
    ['/s3cret/', '/'],
    ['/s3cret', ''],
    ['/s3cret?after=2', '?after=2'],
  ])('is taken from %s', (url, rest) => expect(behindSecret('s3cret', url)).toBe(rest));

  it.each([
    '/',
    '',
    '/phones',
    '/s3cre/phones',
    '/s3crets/phones',
    '//s3cret/phones',
    '/%733cret/phones',
    '*',
  ])('is not in %j', (url) => expect(behindSecret('s3cret', url)).toBeUndefined());
});
