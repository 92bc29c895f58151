import type { AccountEvent, CreationOptions, Passkey as PasskeyView } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { type AccountState, challengeMs, insistOnWayIn, type Opened, type Passkey } from '../account/account';

/** ES256, EdDSA and RS256 of COSE: what authenticators have. */
export const algorithms = [-7, -8, -257];
const maxPasskeys = 20;
export const defaultName = 'Passkey';

/** The name under which browsers keep passkeys. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** Undefined where the installation is known by an address in digits, which a relying party cannot have as its id. */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const { hostname, origin } = new URL(baseUrl);
  return /^(\[.*\]|[\d.]+)$/.test(hostname) ? undefined : { id: hostname, origin };
}

/** What an authenticator keeps as the person's handle, and shows at each sign-in. */
const userHandleOf = (accountId: string): string => Buffer.from(accountId).toString('base64url');
export const accountIdOf = (userHandle: string): string => Buffer.from(userHandle, 'base64url').toString();

export const creationOptions = (party: RelyingParty, opened: Opened, challenge: string): CreationOptions => ({
  challenge,
  rp: { id: party.id, name: 'Carillon' },
  user: { id: userHandleOf(opened.accountId), name: opened.email, displayName: opened.name },
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout: challengeMs,
  excludeCredentials: opened.passkeys.map(({ credentialId }) => ({ id: credentialId, type: 'public-key' })),
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  },
  attestation: 'none',
});

export interface NewPasskey {
  readonly id: string;
  readonly name: string;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly challengeHash: string;
  readonly at: Instant;
}

const isSpent = ({ spentChallenges }: Opened, hash: string): boolean =>
  spentChallenges.some((each) => each.hash === hash);

/** Adds a passkey whose registration is verified. Refused `passkey.refused` at a used challenge or a known key. */
export const addPasskey: Decision<AccountState, AccountEvent, NewPasskey> =
  ({ id: passkeyId, at, ...added }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    const { accountId, passkeys } = state;
    const known = passkeys.find(({ credentialId }) => credentialId === added.credentialId);
    // A repeated command derives the same tail at another time.
    if (known && streamTail(known.id) === streamTail(passkeyId)) return [];
    if (known || isSpent(state, added.challengeHash)) throw new Refused('passkey.refused');
    if (passkeys.length >= maxPasskeys) throw new Refused('resource.limit_reached', { limit: maxPasskeys });
    return [{ type: 'PasskeyAdded', accountId, passkeyId, ...added, addedAt: at }];
  };

export interface PasskeyUse {
  readonly credentialId: string;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly challengeHash: string;
  readonly at: Instant;
}

/**
 * Uses a passkey whose signature is verified. A counter that does not go up disables the passkey; most authenticators
 * do not count, and say 0 each time. Refused `passkey.login_failed` at a used challenge or a passkey that is not good.
 */
export const usePasskey: Decision<AccountState, AccountEvent, PasskeyUse> =
  ({ credentialId, counter, backedUp, challengeHash, at }) =>
  (state) => {
    const passkey = state?.passkeys.find((each) => each.credentialId === credentialId);
    if (!state || !passkey || passkey.disabled || isSpent(state, challengeHash))
      throw new Refused('passkey.login_failed');
    const { accountId } = state;
    const counts = counter > 0 || passkey.counter > 0;
    return counts && counter <= passkey.counter
      ? [{ type: 'PasskeyDisabled', accountId, passkeyId: passkey.id, disabledAt: at }]
      : [
          {
            type: 'PasskeyUsed',
            accountId,
            passkeyId: passkey.id,
            counter,
            backedUp,
            challengeHash,
            usedAt: at,
          },
        ];
  };

/** Refused `sign_in.last_method` when nothing else lets the person in. */
export const removePasskey: Decision<
  AccountState,
  AccountEvent,
  { readonly id: string; readonly at: Instant }
> =
  ({ id: passkeyId, at }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    const passkey = state.passkeys.find(({ id }) => id === passkeyId);
    if (!passkey) throw new Refused('passkey.not_found');
    const passkeys = state.passkeys.filter((each) => each !== passkey);
    if (!passkey.disabled) insistOnWayIn({ ...state, passkeys });
    return [{ type: 'PasskeyRemoved', accountId: state.accountId, passkeyId, removedAt: at }];
  };

export const passkeyView = ({ id, name, addedAt, lastUsedAt, backedUp, disabled }: Passkey): PasskeyView => ({
  id,
  name: name ?? defaultName,
  createdAt: addedAt,
  lastUsedAt,
  backedUp,
  disabled,
});
