import { api } from '../api/api';
import { base64urlOf, bytesOf } from '../api/base64url';
import { signedIn } from './session';

/** Asks an authenticator for a new passkey, and hands it to the server. */
export async function addPasskey(name: string): Promise<{ recoveryCodes?: string[] }> {
  const options = await api.post('/passkeys/options');
  const made = (await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      user: { ...options.user, id: bytesOf(options.user.id) },
      excludeCredentials: options.excludeCredentials.map((each) => ({ ...each, id: bytesOf(each.id) })),
    },
  })) as PublicKeyCredential;
  const { clientDataJSON, attestationObject } = made.response as AuthenticatorAttestationResponse;
  return api.post('/passkeys', {
    body: {
      response: {
        id: made.id,
        rawId: made.id,
        type: 'public-key',
        response: {
          clientDataJSON: base64urlOf(clientDataJSON),
          attestationObject: base64urlOf(attestationObject),
        },
      },
      ...(name && { name }),
    },
  });
}

/** Signs in with whatever passkey the person chooses. */
export async function signInWithPasskey(): Promise<void> {
  const options = await api.post('/login/passkey/options');
  const used = (await navigator.credentials.get({
    publicKey: { ...options, challenge: bytesOf(options.challenge) },
  })) as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    used.response as AuthenticatorAssertionResponse;
  const { account } = await api.post('/login/passkey', {
    body: {
      response: {
        id: used.id,
        rawId: used.id,
        type: 'public-key',
        response: {
          clientDataJSON: base64urlOf(clientDataJSON),
          authenticatorData: base64urlOf(authenticatorData),
          signature: base64urlOf(signature),
          ...(userHandle && { userHandle: base64urlOf(userHandle) }),
        },
      },
    },
  });
  signedIn(account);
}
