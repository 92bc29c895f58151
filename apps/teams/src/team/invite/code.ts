import { hashSecret } from '@carillon/signing';

/** The stored form of an invite's code. Codes are case-insensitive. */
export const codeHashOf = (pepper: Buffer, code: string): string =>
  hashSecret(pepper, `invite ${code.toLowerCase()}`);
