import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ConfirmProviderSignIn,
  Identities,
  Nothing,
  ProviderById,
  type ProviderOutcome,
  type ProviderRequest,
  ProviderResponse,
  type SignedIn,
} from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf, networkOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, insistOnActive, type NewIdentity, type Opened } from '../account/account';
import { AccountOpening } from '../account/opening.service';
import { Failures } from '../rate/failures.service';
import { SecondFactors } from '../second-factor/second-factors.service';
import { Sessions } from '../session/sessions.service';
import { SignUpMode } from '../sign-up/sign-up-mode.service';
import { IdentityClaims } from './identity-claims.service';
import { insistOnNone, isSame, linkIdentity } from './identity';
import { type KnownPerson, personOf } from './person';
import { ProviderRequests } from './provider-requests.service';
import { Upstream } from './upstream.client';

/** Failures in 15 minutes, as with passwords. */
const perNetwork = 30;

/** Signs people in with other OpenID Connect providers, and links the identities that they have there. */
@Controller()
export class IdentitySignInHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(SignUpMode) private readonly signUps: SignUpMode,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(SecondFactors) private readonly factors: SecondFactors,
    @Inject(IdentityClaims) private readonly claims: IdentityClaims,
    @Inject(ProviderRequests) private readonly requests: ProviderRequests,
    @Inject(Upstream) private readonly upstream: Upstream,
  ) {}

  @Handles(Identities.providers)
  async providers(_input: Nothing): Promise<Answer<{ providers: { id: string; name: string }[] }>> {
    return answer({ providers: this.upstream.providers.map(({ id, name }) => ({ id, name })) });
  }

  @Handles(Identities.begin)
  async begin({ provider }: ProviderById): Promise<Answer<ProviderRequest>> {
    return answer(await this.request(provider, null));
  }

  @Handles(Identities.link)
  async link({ provider }: ProviderById, context: Context): Promise<Answer<ProviderRequest>> {
    const opened = await this.opening.find(context.caller.accountId);
    if (!opened) throw new Refused('account.not_found');
    await this.sessions.insistOnRecent(context);
    insistOnNone(opened, this.upstream.provider(provider).id);
    return answer(await this.request(provider, opened.accountId));
  }

  @Handles(Identities.finish)
  finish({ secret, query }: ProviderResponse, context: Context): Promise<Answer<ProviderOutcome>> {
    return this.failures.counted(
      `identity:${networkOf(context.caller.ip)}`,
      'identity.login_failed',
      context,
      async () => {
        const { provider: id, accountId } = await this.requests.take(secret, query);
        const provider = this.upstream.provider(id);
        const person = personOf(id, await this.upstream.identify(provider, secret, query));
        if (accountId !== null) return this.linkTo(accountId, person.identity, context);
        const known = await this.claims.accountOf(person.identity);
        const opened = known ?? (await this.newcomer(person, context));
        this.insistOnSessions(opened);
        await this.insistOnOneFactor(opened, person.identity, secret, context);
        const { value, position } = await this.sessions.start(opened, 'browser', context, {
          atOpening: !known,
        });
        return answer({ signedIn: value }, position);
      },
      perNetwork,
    );
  }

  @Handles(Identities.confirm)
  async confirm({ secret, totp }: ConfirmProviderSignIn, context: Context): Promise<Answer<SignedIn>> {
    const { accountId, provider } = await this.requests.findProof(secret);
    const opened = await this.opening.find(accountId);
    // It may be deleted, or the identity unlinked, since the provider has named it.
    if (!opened?.identities.some((each) => each.provider === provider))
      throw new Refused('identity.request_invalid');
    this.insistOnSessions(opened);
    await this.failures.counted(`identity:${accountId}`, 'session.login_failed', context, async () => {
      if (!(await this.factors.accepts(accountId, { totp }, context)))
        throw new Refused('session.login_failed');
    });
    await this.requests.useProof(secret);
    return this.sessions.start(opened, 'browser', context);
  }

  private async request(id: string, accountId: string | null): Promise<ProviderRequest> {
    const provider = this.upstream.provider(id);
    const secret = await this.requests.begin({ provider: id, accountId });
    return { redirectTo: await this.upstream.authorizationUrl(provider, secret), secret };
  }

  private insistOnSessions(opened: Opened): void {
    insistOnActive(opened);
    // Its session would have no row.
    this.projections.insist('sessions', opened.accountId);
  }

  /** A provider stands for a password: an account with an authenticator app is asked for its code as well. */
  private async insistOnOneFactor(
    opened: Opened,
    identity: NewIdentity,
    secret: string,
    context: Context,
  ): Promise<void> {
    const { accountId } = opened;
    try {
      await this.factors.accepts(accountId, {}, context);
    } catch (error) {
      const isAsked = error instanceof Refused && error.reason === 'session.second_factor_required';
      // Its provider may have had another id when it was linked.
      const linked = opened.identities.find((each) => isSame(each, identity));
      if (isAsked && linked) await this.requests.saveProof(secret, { accountId, provider: linked.provider });
      throw error;
    }
  }

  /** The person must still be signed in to the account that has begun this, in the same browser. */
  private async linkTo(
    accountId: string,
    identity: NewIdentity,
    context: Context,
  ): Promise<Answer<ProviderOutcome>> {
    if (context.caller.accountId !== accountId) throw new Refused('session.required');
    await this.claims.claim(identity, accountId, context);
    // A claim expires after a minute: nothing is linked on a claim that may have been taken over.
    if (Date.now() >= context.deadline) throw new Refused('bus.timeout');
    const decide = linkIdentity({ ...identity, at: this.clock.now() });
    const { position } = await this.log.transact(account, streamTail(accountId), decide, metadataOf(context));
    return answer({}, position);
  }

  /**
   * Makes an account for somebody who has none. An address that belongs to an account is never linked here: whoever
   * has it at the provider may not be who has the account.
   */
  private async newcomer({ identity, address, name }: KnownPerson, context: Context): Promise<Opened> {
    if (address !== undefined && (await this.opening.byAddress(address)))
      throw new Refused('account.email_taken');
    if ((await this.signUps.now()) !== 'open') throw new Refused('account.signup_closed');
    if (address === undefined) throw new Refused('identity.email_unverified');
    const reserveId = (): Promise<string> => this.claims.claim(identity, undefined, context);
    const newcomer = { email: address, name, identity, operator: false, reserveId };
    // Another request of the same person at the same moment may have opened it.
    const opened = (await this.opening.open(newcomer, context)) ?? (await this.claims.accountOf(identity));
    if (!opened) throw new Refused('account.email_taken');
    return opened;
  }
}
