import { hashSecret } from '@carillon/signing';

/** The stored form of an invite's code. Codes are case-insensitive (ADR 31). */
export const codeHashOf = (pepper: Buffer, code: string): string =>
  hashSecret(pepper, `invite ${code.toLowerCase()}`);
