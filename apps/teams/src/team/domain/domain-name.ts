import { Refused } from '@carillon/eventing';
import mailboxDomains from 'email-providers';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

/** Names reserved for documentation (RFC 2606), which the list of mailbox providers also contains. */
const reserved = /(^|\.)example\.(com|net|org)$/;
const publicMailboxes: ReadonlySet<string> = new Set(mailboxDomains);

/**
 * Normalizes a domain name to lower case and its A-label form. Refused `input.invalid` for a name that cannot be
 * registered.
 */
export function domainName(given: string): string {
  const name = domainToASCII(given.trim().toLowerCase().replace(/\.$/, ''));
  if (!/^([a-z0-9_]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/.test(name) || name.length < 4 || name.length > 253)
    refuse('must be a domain name with at least one dot');
  if (name.split('.').some((label) => label.length > 63))
    refuse('has a part that is longer than 63 characters');
  if (name.startsWith('www.')) refuse('must be the domain of e-mail addresses, without www');
  const { domain, publicSuffix, isIp } = parse(name, { allowPrivateDomains: true });
  if (isIp || /^[0-9.]+$/.test(name)) refuse('must not be an address');
  if (domain === null || publicSuffix === name) refuse('must not be a public suffix');
  return name;
}

/** Takes a name from `domainName`. Refused `domain.public_mailbox` for the domain of a public mailbox provider. */
export function insistOnOwnMailboxes(name: string): void {
  const { domain } = parse(name, { allowPrivateDomains: true });
  const isPublic = publicMailboxes.has(name) || (domain !== null && publicMailboxes.has(domain));
  if (isPublic && !reserved.test(name)) throw new Refused('domain.public_mailbox');
}

function refuse(message: string): never {
  throw new Refused('input.invalid', { issues: [{ path: 'domain', message, code: 'invalid_value' }] });
}
