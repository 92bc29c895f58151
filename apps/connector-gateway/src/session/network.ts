import { BlockList, isIP } from 'node:net';

/** Where a tunnel's program connects from. */
const near = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  near.addSubnet(network, bits, 'ipv4');
near.addAddress('::1', 'ipv6');
near.addSubnet('fc00::', 7, 'ipv6');
near.addSubnet('fe80::', 10, 'ipv6');

/**
 * The network that a visitor comes from: an address of IPv4, a /64 of IPv6. Behind a tunnel that is what its program
 * has added to `X-Forwarded-For` last; what stands before that may be anything.
 */
export function networkOf(peer: string | undefined, forwardedFor: string | undefined): string {
  const own = plain(peer ?? '');
  const told = plain(forwardedFor?.split(',').at(-1)?.trim() ?? '');
  const isNear = isIP(own) !== 0 && near.check(own, isIP(own) === 4 ? 'ipv4' : 'ipv6');
  const address = isNear && isIP(told) !== 0 ? told : own;
  return isIP(address) === 6 ? prefixOf(address) : address;
}

/** Without a zone, and of an IPv4 address in the dress of IPv6 what it is. */
const plain = (address: string): string => address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');

function prefixOf(address: string): string {
  // As a URL has it: in lower case, without leading zeros, and an IPv4 ending as two groups.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [front, back] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`;
}
