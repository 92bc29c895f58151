import { networkOf } from './network';

describe('the network of a visitor', () => {
  it.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['2001:DB8::1', undefined, '2001:db8:0:0::/64'],
    ['2001:db8:1:2::', undefined, '2001:db8:1:2::/64'],
    [undefined, undefined, ''],
  ])('is that of the connection where there is no tunnel: %s', (peer, forwarded, expected) =>
    expect(networkOf(peer, forwarded)).toBe(expected),
  );

  it.each([
    ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['::ffff:127.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['::1', 'nonsense, 2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['10.1.2.3', '203.0.113.7', '203.0.113.7'],
    ['fd00::1', '203.0.113.7', '203.0.113.7'],
  ])('is what the program of the tunnel has added last: %s, %s', (peer, forwarded, expected) =>
    expect(networkOf(peer, forwarded)).toBe(expected),
  );

  it.each([
    ['somebody far away says something', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['the tunnel says nothing', '127.0.0.1', undefined, '127.0.0.1'],
    ['what it says is no address', '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
  ])('is that of the connection where %s', (_, peer, forwarded, expected) =>
    expect(networkOf(peer, forwarded)).toBe(expected),
  );
});
