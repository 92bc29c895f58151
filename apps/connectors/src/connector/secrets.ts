import { type KeyRing, signingKeyOf, signingSecretOf } from '@carillon/signing';

/** How the secrets of a connector are kept: sealed with the key ring. */
const contextOf = (connectorId: string): string => `connector.secret ${connectorId}`;

/** The secret that random bytes are, and how it is kept. */
export function secretFrom(
  ring: KeyRing,
  connectorId: string,
  random: Buffer,
): { readonly secret: string; readonly sealedSecret: string } {
  const secret = signingSecretOf(random);
  return { secret, sealedSecret: ring.seal(secret, contextOf(connectorId)) };
}

/** The bytes of a kept secret that sign. */
export const signingKeyIn = (ring: KeyRing, connectorId: string, sealed: string): Buffer =>
  signingKeyOf(ring.open(sealed, contextOf(connectorId)).toString('utf8'));
