import { hkdfSync } from 'node:crypto';
import { hashSecret } from '@carillon/signing';

const count = 10;
const length = 10;
/** Crockford's base32, so a code has 50 bits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The ten codes of a command, such as `7h2kq-0xw9d`: the same when the command is repeated. */
export function recoveryCodesOf(pepper: Buffer, commandId: string): string[] {
  const bytes = Buffer.from(hkdfSync('sha256', pepper, commandId, 'recovery codes', count * length));
  const letters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
  return (letters.match(/.{10}/g) ?? []).map((code) => `${code.slice(0, 5)}-${code.slice(5)}`);
}

/** The form in which a code is stored. Case, blanks and hyphens do not count, and `o`, `i`, `l` are read as digits. */
export function hashRecoveryCode(pepper: Buffer, accountId: string, code: string): string {
  const read = code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
  return hashSecret(pepper, `recovery code ${accountId} ${read}`);
}
