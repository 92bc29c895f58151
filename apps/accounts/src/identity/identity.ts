import type { AccountEvent, IdentityClaimed, LinkedIdentity } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';
import { createHmac } from 'node:crypto';
import {
  type AccountState,
  type Identity,
  insistOnWayIn,
  type NewIdentity,
  type Opened,
} from '../account/account';
import { claiming, type ClaimState } from '../account/claim';

/** Who has claimed an identity. */
export const identityClaim: Decider<ClaimState, IdentityClaimed> = {
  category: 'identity',
  initial: null,
  evolve: (_state, { accountId, claimedAt }) => ({ accountId, claimedAt }),
  personal: { IdentityClaimed: [] },
};

/** Refused `identity.taken`. */
export const claim = claiming('IdentityClaimed', 'identity.taken');

type Named = Pick<Identity, 'issuer' | 'subject'>;

/** The stream key of an identity, which does not reveal it. */
export const identityKey = (pepper: Buffer, { issuer, subject }: Named): string =>
  createHmac('sha256', pepper)
    .update(`identity ${JSON.stringify([issuer, subject])}`)
    .digest('hex');

export const isSame = (one: Named, other: Named): boolean =>
  one.issuer === other.issuer && one.subject === other.subject;

export const hasIdentity = ({ identities }: Opened, identity: Named): boolean =>
  identities.some((each) => isSame(each, identity));

/** Links an identity that is proved and claimed. Refused `identity.provider_linked` beside another of its provider. */
export const linkIdentity: Decision<AccountState, AccountEvent, NewIdentity & { readonly at: Instant }> =
  ({ at, ...identity }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    if (hasIdentity(state, identity)) return [];
    insistOnNone(state, identity.provider);
    return [{ type: 'IdentityLinked', accountId: state.accountId, ...identity, linkedAt: at }];
  };

/** Refused `identity.provider_linked`: an account has one identity of each provider. */
export function insistOnNone({ identities }: Opened, provider: string): void {
  if (identities.some((each) => each.provider === provider)) throw new Refused('identity.provider_linked');
}

/** Refused `sign_in.last_method` when nothing else lets the person in. */
export const unlinkIdentity: Decision<
  AccountState,
  AccountEvent,
  { readonly provider: string; readonly at: Instant }
> =
  ({ provider, at }) =>
  (state) => {
    if (!state) throw new Refused('account.not_found');
    const identities = state.identities.filter((each) => each.provider !== provider);
    if (identities.length === state.identities.length) throw new Refused('identity.not_found');
    insistOnWayIn({ ...state, identities });
    return [{ type: 'IdentityUnlinked', accountId: state.accountId, provider, unlinkedAt: at }];
  };

/** The identity as the API shows it. */
export const identityView = ({ provider, subject, email, linkedAt }: Identity): LinkedIdentity => ({
  provider,
  subject,
  email,
  linkedAt,
});
