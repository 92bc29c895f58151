import { domainToASCII } from 'node:url';

/** Whether both addresses name the same mailbox. Ignores case and Unicode normalization. */
export const sameAddress = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (address: string): string => address.normalize('NFKC').toLowerCase();

/** A domain in its comparable form, in lower case and A-labels; empty if it is invalid. */
export const asciiDomain = (domain: string): string => domainToASCII(domain.replace(/\.$/, '')).toLowerCase();

/** The domain of an address. */
export const domainOf = (address: string): string => asciiDomain(address.slice(address.lastIndexOf('@') + 1));
