import type { Context } from '@carillon/bus';
import type { EmailEvent } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { type DomainEvent, type EventMetadata, Refused } from '@carillon/eventing';
import { Clock, metadataOf, secret } from '@carillon/runtime';
import { newId, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { account, type AccountState, type NewIdentity, open, type Opened } from './account';
import type { Claim, Claimable, Holder } from './claim';
import { claim, email, emailKey, release } from './email';
import { Passwords } from './passwords';

const tries = 3;

/** What is stored beside the events of a person who is only now getting an account or a session. */
export const selfMetadata = (context: Context, accountId: string): EventMetadata => ({
  ...metadataOf(context, accountId),
  actor: { accountId },
});

export interface Newcomer {
  readonly email: string;
  readonly name: string;
  /** Without a password the person has an identity. */
  readonly password?: string;
  readonly identity?: NewIdentity;
  readonly operator: boolean;
  /** Asked once the password is hashed: the id of the account, when it is not for the address to name it. */
  readonly reserveId?: () => Promise<string>;
}

/**
 * Opens accounts. First the address is claimed for an account's id, then the account of that id is opened; the first
 * command to open it gets it. After a crash in between, the next attempt continues with the claimed id.
 */
@Injectable()
export class AccountOpening {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Passwords) private readonly passwords: Passwords,
  ) {}

  /** The opened account; undefined when another was opened under the same id. Refused `account.email_taken`. */
  async open(newcomer: Newcomer, context: Context): Promise<Opened | undefined> {
    const wanted = (): boolean => Date.now() < context.deadline;
    const { email: address, name, password, identity, operator } = newcomer;
    const passwordHash = password === undefined ? undefined : await this.passwords.hash(password, wanted);
    const reserved = await newcomer.reserveId?.();
    const claimed = await this.claim(address, reserved, context);
    const id = claimed.accountId;
    // A claim expires after a minute: no account is opened on a claim that may have been taken over.
    if (!wanted()) throw new Refused('bus.timeout');
    const { state, events, position } = await this.log.transact(
      account,
      streamTail(id),
      open({
        id,
        email: address,
        name,
        ...(passwordHash !== undefined && { passwordHash }),
        ...(identity && { identity }),
        operator,
        at: this.clock.now(),
      }),
      selfMetadata(context, id),
      { expectNew: true },
    );
    if (events.length === 0 || !state) {
      await this.release(address, claimed, context);
      return undefined;
    }
    await this.projections.caughtUp('accounts', position);
    return state;
  }

  /** As `claimOne`. Refused `account.email_taken`. */
  claim(address: string, wantedId: string | undefined, context: Context): Promise<Claim> {
    return this.claimOne(this.claimable(address), wantedId, context);
  }

  /** Claims for an account: `wantedId`, else the id of a claim that was never used, else a new one. */
  async claimOne<Event extends DomainEvent>(
    claimable: Claimable<Event>,
    wantedId: string | undefined,
    context: Context,
  ): Promise<Claim> {
    const { decider, claim, key } = claimable;
    for (let attempt = 1; ; attempt += 1) {
      const holder = await this.holder(claimable);
      const unused = holder?.uses === 'nothing' && !holder.wasOpened ? holder.accountId : undefined;
      const accountId = wantedId ?? unused ?? newId('usr', this.clock.ms());
      try {
        const decide = claim({ accountId, ...(holder && { holder }), at: this.clock.now() });
        const { state } = await this.log.transact(decider, key, decide, selfMetadata(context, accountId));
        if (!state) throw new Error('Something was claimed without a trace');
        return state;
      } catch (error) {
        const moved = error instanceof Refused && error.reason === 'stream.concurrent_update';
        if (!moved || attempt === tries) throw error;
      }
    }
  }

  async find(accountId: string): Promise<AccountState> {
    const { state } = await this.log.load(account, streamTail(accountId));
    return state?.accountId === accountId ? state : null;
  }

  /** Whether an account was ever opened under this id. */
  async wasOpened(accountId: string): Promise<boolean> {
    return (await this.log.load(account, streamTail(accountId))).revision !== undefined;
  }

  /** The account that has this address. */
  byAddress(address: string): Promise<AccountState> {
    return this.accountOf(this.claimable(address));
  }

  /** The account that has claimed this, and has it. */
  async accountOf<Event extends DomainEvent>(claimable: Claimable<Event>): Promise<AccountState> {
    const holder = await this.holder(claimable);
    return holder?.uses === 'this' ? this.find(holder.accountId) : null;
  }

  private claimable(address: string): Claimable<EmailEvent> {
    const key = emailKey(this.pepper, address);
    const isOf = (opened: Opened): boolean =>
      opened.email !== '' && emailKey(this.pepper, opened.email) === key;
    return { decider: email, claim, key, isOf };
  }

  private async holder<Event extends DomainEvent>({
    decider,
    key,
    isOf,
  }: Claimable<Event>): Promise<Holder | undefined> {
    const { state: held } = await this.log.load(decider, key);
    if (!held) return undefined;
    const { accountId } = held;
    const { state: found, revision } = await this.log.load(account, streamTail(accountId));
    // The id of a deleted account is never used again.
    if (!found) return { accountId, uses: 'nothing', wasOpened: revision !== undefined };
    return { accountId, uses: isOf(found) ? 'this' : 'another' };
  }

  /** Releases the claim of an address that its account does not use, such as after a crash or a change of address. */
  async release(address: string, held: Claim, context: Context): Promise<void> {
    const key = emailKey(this.pepper, address);
    const opened = await this.find(held.accountId);
    if (opened && this.claimable(address).isOf(opened)) return;
    const decide = release({ held, at: this.clock.now() });
    // Event ids derive from the command and the stream, and this command may have claimed the address in that stream.
    const commandId = uuidV5(context.commandId, 'releases');
    await this.log.transact(email, key, decide, { ...selfMetadata(context, held.accountId), commandId });
  }
}
