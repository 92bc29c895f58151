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

type Options = Awaited<ReturnType<typeof askForOptions>>;
const askForOptions = () => api.post('/login/passkey/options');

/** Signs in with whatever passkey the person chooses. */
export async function signInWithPasskey(): Promise<void> {
  offered?.abort();
  const options = await askForOptions();
  await signInWith(await choose(options));
}

/** A browser waits for one passkey at a time. */
let offered: AbortController | undefined;

/**
 * Offers passkeys among the suggestions for the address, where the browser can, until what it gives is called. `failed`
 * gets why the server refuses the chosen one.
 */
export function offerPasskeys(failed: (error: unknown) => void): () => void {
  const over = new AbortController();
  offered = over;
  // Nobody has asked for them: where the browser offers none, there are the other ways.
  const chosen = offer(over.signal).catch(() => undefined);
  void chosen.then((used) => used && signInWith(used)).catch(failed);
  return () => over.abort();
}

async function offer(over: AbortSignal): Promise<PublicKeyCredential | undefined> {
  if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return undefined;
  for (;;) {
    const options = await askForOptions();
    over.throwIfAborted();
    // The challenge is good for this time: a new one replaces it before.
    const renewed = AbortSignal.timeout(options.timeout - 30_000);
    try {
      return await choose(options, { mediation: 'conditional', signal: AbortSignal.any([over, renewed]) });
    } catch (error) {
      if (!renewed.aborted) throw error;
    }
  }
}

const choose = async (options: Options, how: CredentialRequestOptions = {}): Promise<PublicKeyCredential> =>
  (await navigator.credentials.get({
    ...how,
    publicKey: { ...options, challenge: bytesOf(options.challenge) },
  })) as PublicKeyCredential;

async function signInWith(used: PublicKeyCredential): Promise<void> {
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
