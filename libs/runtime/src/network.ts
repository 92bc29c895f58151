import { isIP } from 'node:net';

/** Whose address it is: one of IPv4, the /64 of one of IPv6, since a single line has all addresses of that. */
export const networkOf = (ip: string | undefined): string => networkIn(ip, 4);

/** Whose line of lines it is: the /48 of one of IPv6, which a site or a customer of a host may have for itself. */
export const siteOf = (ip: string | undefined): string => networkIn(ip, 3);

function networkIn(ip: string | undefined, groupsOfIt: number): string {
  if (ip === undefined || isIP(ip) === 0) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped) return mapped[1]!;
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.toLowerCase().split('%')[0]!.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail ? tail.split(':') : [];
  const all =
    tail === undefined
      ? groups
      : [...groups, ...Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest];
  return all
    .slice(0, groupsOfIt)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
