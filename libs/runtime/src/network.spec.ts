import { networkOf, siteOf } from './network';

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7::1', '2001:db8:0:7'],
    ['2001:DB8:0000:0007:ffff:1:2:3', '2001:db8:0:7'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    [undefined, 'unknown'],
    // What a proxy made of it.
    ['unknown\u0000', 'unknown'],
    ['not an address', 'unknown'],
  ])('%s is %s', (ip, network) => expect(networkOf(ip)).toBe(network));

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7::1', '2001:db8:0'],
    [undefined, 'unknown'],
  ])('%s is in %s', (ip, site) => expect(siteOf(ip)).toBe(site));
});
