import type { Context } from '@carillon/bus';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { newId } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { NewIdentity, Opened } from '../account/account';
import type { Holder } from '../account/claim';
import { AccountOpening, selfMetadata } from '../account/opening.service';
import { claim, hasIdentity, identityClaim, identityKey } from './identity';

const tries = 3;

/** Finds the account of an identity, and claims identities for accounts. */
@Injectable()
export class IdentityClaims {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
  ) {}

  /** The account that has this identity. */
  async accountOf(identity: NewIdentity): Promise<Opened | undefined> {
    const { state: held } = await this.log.load(identityClaim, identityKey(this.pepper, identity));
    const opened = held && (await this.opening.find(held.accountId));
    return opened && hasIdentity(opened, identity) ? opened : undefined;
  }

  /**
   * Claims the identity for an account: `wantedId`, else the id of a claim that was never used, else a new one. Gives
   * the id. Refused `identity.taken`.
   */
  async claim(identity: NewIdentity, wantedId: string | undefined, context: Context): Promise<string> {
    const key = identityKey(this.pepper, identity);
    for (let attempt = 1; ; attempt += 1) {
      const holder = await this.holder(key, identity);
      const unused = holder?.uses === 'nothing' && !holder.wasOpened ? holder.accountId : undefined;
      const accountId = wantedId ?? unused ?? newId('usr', this.clock.ms());
      try {
        const decide = claim({ accountId, ...(holder && { holder }), at: this.clock.now() });
        await this.log.transact(identityClaim, key, decide, selfMetadata(context, accountId));
        return accountId;
      } catch (error) {
        const moved = error instanceof Refused && error.reason === 'stream.concurrent_update';
        if (!moved || attempt === tries) throw error;
      }
    }
  }

  private async holder(key: string, identity: NewIdentity): Promise<Holder | undefined> {
    const { state: held } = await this.log.load(identityClaim, key);
    if (!held) return undefined;
    const { accountId } = held;
    const opened = await this.opening.find(accountId);
    if (opened) return { accountId, uses: hasIdentity(opened, identity) ? 'this' : 'another' };
    // The id of a deleted account is never used again.
    return { accountId, uses: 'nothing', wasOpened: await this.opening.wasOpened(accountId) };
  }
}
