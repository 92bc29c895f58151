import { Refused } from '@carillon/eventing';
import { BlockList, isIP } from 'node:net';

/** The host and port of a URL, before the DNS lookup. */
export interface Destination {
  /** As the certificate must name it: no dot at the end, no brackets. */
  readonly host: string;
  readonly port: number;
  /** What the host is without a DNS query; null for a name. */
  readonly address: string | null;
}

/**
 * Reads a URL as WHATWG has it, which turns `0x7f.1`, `2130706433` and full-width digits into plain addresses.
 * Refused `destination.not_allowed` for a port or a host that no receiver has.
 */
export function destinationOf(url: string): Destination {
  const { protocol, hostname, port: written } = new URL(url);
  const port = written === '' ? 443 : Number(written);
  if (protocol !== 'https:' || !isOpenPort(port)) throw notAllowed();
  if (hostname.startsWith('[')) {
    const address = hostname.slice(1, -1);
    return { host: address, port, address };
  }
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (isIP(host) === 4) return { host, port, address: host };
  if (!isName(host)) throw notAllowed();
  return { host, port, address: isLocalhost(host) ? '127.0.0.1' : null };
}

export const notAllowed = (): Refused => new Refused('destination.not_allowed');

// --------------------------------------------------------------------------------------------------- ports

/** Ports above 1023 of databases and mail servers. They do not speak HTTP, but may execute lines of a request. */
const servicePorts: ReadonlySet<number> = new Set([
  1433, 1434, 1521, 1522, 1526, 1527, 1830, 2113, 2379, 2380, 2483, 2484, 2525, 3050, 3306, 4190, 4333, 5432,
  5433, 5984, 6379, 6380, 6432, 6984, 7199, 7473, 7474, 7687, 8086, 8087, 8091, 8529, 9042, 9142, 9160, 9200,
  9300, 11210, 11211, 16379, 26257, 26379, 27017, 27018, 27019, 28015, 28017, 33060, 50000,
]);

export const isOpenPort = (port: number): boolean =>
  port === 443 || (port >= 1024 && port <= 65_535 && !servicePorts.has(port));

// --------------------------------------------------------------------------------------------------- names

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const isName = (host: string): boolean =>
  host.length <= 253 && host.split('.').every((part) => label.test(part));

/** Names that always mean the local machine (RFC 6761), so they are not looked up. */
const localNames = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost4.localdomain4',
  'localhost6',
  'localhost6.localdomain6',
  'ip6-localhost',
  'ip6-loopback',
]);
const isLocalhost = (host: string): boolean => localNames.has(host) || host.endsWith('.localhost');

// ----------------------------------------------------------------------------------------------- addresses

function listOf(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

/** The IANA registry of special-purpose IPv4 addresses, all of it, and multicast. */
const special4 = listOf('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, also where clouds keep their metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and the broadcast address
]);

/** The only range of global IPv6 addresses; loopback, private and mapped addresses are outside of it. */
const global6 = listOf('ipv6', ['2000::/3']);
/** The ranges within it from the IANA registry of special-purpose IPv6 addresses. */
const special6 = listOf('ipv6', [
  '2001::/23', // protocol assignments: Teredo, benchmarks, AMT, AS112, ORCHID, drones
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which leads to any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]);
const nat64 = listOf('ipv6', ['64:ff9b::/96']);

const mapped = listOf('ipv6', ['::ffff:0:0/96']);

/** Ranges that the operator of an installation allows in addition to public addresses. */
export interface AllowedRanges {
  readonly v4: BlockList;
  readonly v6: BlockList;
}

/** From `10.0.0.0/8, fd00::/8, 192.168.1.7`. Throws when it is malformed: better no service than an open one. */
export function allowedRanges(text: string): AllowedRanges {
  // Two lists: in one, a range of IPv6 that holds the mapped addresses would allow IPv4 too.
  const v4 = new BlockList();
  const v6 = new BlockList();
  for (const entry of text.split(/[\s,]+/).filter((each) => each !== '')) {
    const [network = '', bits, ...more] = entry.split('/');
    const family = network.includes('%') ? 0 : isIP(network);
    const most = family === 4 ? 32 : 128;
    const wrong = bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most);
    if (family === 0 || wrong || more.length > 0)
      throw new Error(`"${entry}" is no address and no range such as 10.0.0.0/8`);
    const prefix = bits === undefined ? most : Number(bits);
    if (family === 4) v4.addSubnet(network, prefix, 'ipv4');
    else v6.addSubnet(network, prefix, 'ipv6');
  }
  return { v4, v6 };
}

/** Whether a request may go to this address: public unicast, or allowed by the operator. */
export function mayBeCalled(address: string, allowed: AllowedRanges): boolean {
  switch (address.includes('%') ? 0 : isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4') || allowed.v4.check(address, 'ipv4');
    case 6:
      if (global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')) return true;
      // The request goes to an IPv4 address, also behind a translator: a range of IPv6 must not allow more than that.
      if (mapped.check(address, 'ipv6')) return allowed.v4.check(lastFour(address), 'ipv4');
      if (nat64.check(address, 'ipv6') && !mayBeCalled(lastFour(address), allowed)) return false;
      return allowed.v6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** The last 32 bits of an IPv6 address as an IPv4 address. */
function lastFour(address: string): string {
  // Normalized by URL, so that both notations become one: `::ffff:1.2.3.4` is `::ffff:102:304`.
  const [high = '0', low = '0'] = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const parts = [high, low].map((part) => parseInt(part || '0', 16));
  return parts.flatMap((part) => [part >> 8, part & 255]).join('.');
}
