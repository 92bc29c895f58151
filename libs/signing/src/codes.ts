import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 26;

/** A new code that a person may type: 26 characters of Crockford's base32, 130 random bits. */
export const mintCode = (): string => Array.from(randomBytes(length), (byte) => alphabet[byte % 32]).join('');
