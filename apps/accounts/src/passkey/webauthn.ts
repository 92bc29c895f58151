import type { AuthenticationResponse, RegistrationResponse } from '@carillon/contracts';
import { algorithms, type RelyingParty } from './passkey';

export interface Verified {
  readonly credentialId: string;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly challenge: string;
}

export interface Verification {
  readonly party: RelyingParty;
  readonly isGood: (challenge: string) => boolean;
}

/** Attestations that need no certificates. None is asked for; `packed` is what some authenticators sign themselves. */
const formats = ['none', 'packed'];

// Loaded at the first use: it costs some 15 MB, and many installations never have a passkey.
const loadVerifiers = () => import('@simplewebauthn/server');

/** Throws an Error that says what is wrong with the response. */
export async function verifyRegistration(
  { id, rawId, type, response: { clientDataJSON, attestationObject } }: RegistrationResponse,
  { party, isGood }: Verification,
): Promise<Verified & { readonly publicKey: string }> {
  const { verifyRegistrationResponse } = await loadVerifiers();
  const { decodeAttestationObject, decodeClientDataJSON, isoBase64URL } =
    await import('@simplewebauthn/server/helpers');
  const format = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('fmt');
  // The verifiers of the others read certificates, and look up whether these were revoked.
  if (!formats.includes(format)) throw new Error(`The attestation has the format ${format}`);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge: isGood,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  });
  if (!verified) throw new Error('The attestation is not valid');
  const { credential, credentialBackedUp } = registrationInfo;
  if (credential.id !== id)
    throw new Error('The response names another credential than the one that it holds');
  return {
    credentialId: credential.id,
    publicKey: isoBase64URL.fromBuffer(credential.publicKey),
    counter: credential.counter,
    backedUp: credentialBackedUp,
    challenge: decodeClientDataJSON(clientDataJSON).challenge,
  };
}

/** Throws an Error that says what is wrong with the response. The counter is for the decision to judge. */
export async function verifyUse(
  { id, rawId, type, response }: AuthenticationResponse,
  publicKey: string,
  { party, isGood }: Verification,
): Promise<Verified> {
  const { verifyAuthenticationResponse } = await loadVerifiers();
  const { decodeClientDataJSON, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    expectedChallenge: isGood,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    // With 0 it accepts every counter.
    credential: { id, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
    requireUserVerification: true,
  });
  if (!verified) throw new Error('The signature is wrong');
  return {
    credentialId: id,
    counter: authenticationInfo.newCounter,
    backedUp: authenticationInfo.credentialBackedUp,
    challenge: decodeClientDataJSON(clientDataJSON).challenge,
  };
}
