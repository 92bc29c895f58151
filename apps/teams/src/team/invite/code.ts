import { hashSecret } from '@carillon/signing';

/** The form of an invite's code that is stored. Who types it may write it in upper case. */
export const codeHashOf = (pepper: Buffer, code: string): string =>
  hashSecret(pepper, `invite ${code.toLowerCase()}`);
