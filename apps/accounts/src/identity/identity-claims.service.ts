import type { Context } from '@carillon/bus';
import type { IdentityClaimed } from '@carillon/contracts';
import { secret } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountState, NewIdentity } from '../account/account';
import type { Claimable } from '../account/claim';
import { AccountOpening } from '../account/opening.service';
import { claim, hasIdentity, identityClaim, identityKey } from './identity';

/** Finds the account of an identity, and claims identities for accounts. */
@Injectable()
export class IdentityClaims {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(@Inject(AccountOpening) private readonly opening: AccountOpening) {}

  /** The account that has this identity. */
  accountOf(identity: NewIdentity): Promise<AccountState> {
    return this.opening.accountOf(this.claimable(identity));
  }

  /** As `AccountOpening.claimOne`. Gives the id of the account. Refused `identity.taken`. */
  async claim(identity: NewIdentity, wantedId: string | undefined, context: Context): Promise<string> {
    return (await this.opening.claimOne(this.claimable(identity), wantedId, context)).accountId;
  }

  private claimable(identity: NewIdentity): Claimable<IdentityClaimed> {
    const isOf: Claimable<IdentityClaimed>['isOf'] = (opened) => hasIdentity(opened, identity);
    return { decider: identityClaim, claim, key: identityKey(this.pepper, identity), isOf };
  }
}
