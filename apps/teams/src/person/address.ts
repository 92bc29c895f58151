import { domainToASCII } from 'node:url';

/** Whether both name the same mailbox. Letter case and ways to write the same letters do not count. */
export const sameAddress = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (address: string): string => address.normalize('NFKC').toLowerCase();

/** A domain in the form that is compared, in lower case and A-labels; an empty text for what is none. */
export const asciiDomain = (domain: string): string => domainToASCII(domain.replace(/\.$/, '')).toLowerCase();

/** What follows the `@` of an address. */
export const domainOf = (address: string): string => asciiDomain(address.slice(address.lastIndexOf('@') + 1));
