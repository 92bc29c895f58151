import { Refused } from '@carillon/eventing';
import { domainToASCII } from 'node:url';

const labels = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A hostname as people write it, in lower case and in its A-label form. Refused `input.invalid` when it is none. */
export function hostnameOf(given: string): string {
  // What is no host at all is not brought into a form: `1.1` would become an address, `a/b` a name.
  if (!/^[^\s/?#@:[\]\\%*]+$/.test(given)) refuse('must be a name, without scheme, port, path or wildcard');
  const name = domainToASCII(given.toLowerCase().replace(/\.$/, ''));
  // Also what becomes an address only in this form, such as `0x7f.1`.
  if (/(^|\.)[0-9]+$/.test(name)) refuse('must be a name, not an address');
  if (name.length < 4 || name.length > 253 || !labels.test(name))
    refuse('must be a host name with at least one dot');
  return name;
}

function refuse(message: string): never {
  throw new Refused('input.invalid', { issues: [{ path: 'hostname', message, code: 'invalid_format' }] });
}
