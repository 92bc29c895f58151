import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Where clouds tell a machine its secrets, and what only this link knows: no private service is there. */
const neverMeant = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254', '100.100.100.200'];

/** The host of a URL without the brackets of an IPv6 address. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** The addresses that targets may be at, judged as they are connected to: names may lead anywhere by then. */
export class Targets {
  private readonly listed: BlockList;

  /** With no networks, all addresses but those that are never meant. Throws where one is no network. */
  constructor(private readonly networks?: readonly string[]) {
    this.listed = listOf(networks ?? neverMeant);
  }

  allows(address: string): boolean {
    const plain = address.replace(/%.*$/, '');
    const isListed = this.listed.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
    return this.networks ? isListed : !isListed;
  }

  /** False for a URL at an address that is not allowed; a name is judged by `lookup`. */
  allowsHost(hostname: string): boolean {
    const host = bareHost(hostname);
    return isIP(host) === 0 || this.allows(host);
  }

  /** Looks a name up, and fails when it leads to an address that is not allowed. */
  readonly lookup: LookupFunction = (hostname, options, callback) =>
    resolve(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((each) => each.address);
      if (!error && !addresses.every((each) => this.allows(each)))
        return callback(
          Object.assign(new Error('a target that is not allowed'), { code: 'TARGET_NOT_ALLOWED' }),
          '',
        );
      callback(error, address, family);
    });
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of networks) {
    const [address = '', bits, more] = each.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (isIP(address) === 0 || more !== undefined || !/^\d{1,3}$/.test(bits ?? '0'))
      throw new Error(`${each} is no network`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
