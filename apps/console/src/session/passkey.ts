import { api } from '../api/api';
import { signedIn } from './session';

// Browsers of 2023 cannot read and write these forms themselves.
const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0));
const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');

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
          clientDataJSON: textOf(clientDataJSON),
          attestationObject: textOf(attestationObject),
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
          clientDataJSON: textOf(clientDataJSON),
          authenticatorData: textOf(authenticatorData),
          signature: textOf(signature),
          ...(userHandle && { userHandle: textOf(userHandle) }),
        },
      },
    },
  });
  signedIn(account);
}
