import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Accounts,
  Nothing,
  type RequestOptions,
  type SignedIn,
  SignInWithPasskey,
} from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger, networkOf } from '@carillon/runtime';
import { isId, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, challengeMs, insistOnActive, type Opened } from '../account/account';
import { AccountOpening, selfMetadata } from '../account/opening.service';
import { Failures } from '../rate/failures.service';
import { Sessions } from '../session/sessions.service';
import { accountIdOf, usePasskey } from './passkey';
import { PasskeyParty } from './passkey-party.service';
import { verifyUse } from './webauthn';

/** What the challenges of sign-ins are for; those of new passkeys are for an account. */
const purpose = 'sign-in';
/** Failures in 15 minutes, as with passwords. */
const perNetwork = 30;

/** Signs people in with a passkey, which its authenticator names together with the account. */
@Controller()
export class PasskeySignInHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(PasskeyParty) private readonly party: PasskeyParty,
  ) {}

  @Handles(Accounts.passkeyOptions)
  async options(_input: Nothing): Promise<Answer<RequestOptions>> {
    const { id: rpId } = this.party.party;
    return answer({
      challenge: this.party.challenge(purpose),
      rpId,
      timeout: challengeMs,
      userVerification: 'required',
    });
  }

  @Handles(Accounts.signInWithPasskey)
  async signIn(input: SignInWithPasskey, context: Context): Promise<Answer<SignedIn>> {
    const opened = await this.failures.counted(
      `passkey:${networkOf(context.caller.ip)}`,
      'passkey.login_failed',
      context,
      () => this.holderOf(input, context),
      perNetwork,
    );
    insistOnActive(opened);
    // Its session would have no row.
    this.projections.insist('sessions', opened.accountId);
    return this.sessions.start(opened, input.client, context);
  }

  /** The account whose passkey has signed. Refused `passkey.login_failed` for whatever is wrong with it. */
  private async holderOf({ response }: SignInWithPasskey, context: Context): Promise<Opened> {
    const verification = this.party.verification(purpose);
    const accountId = accountIdOf(response.response.userHandle ?? '');
    const opened = isId(accountId, 'usr') ? await this.opening.find(accountId) : null;
    const passkey = opened?.passkeys.find(({ credentialId }) => credentialId === response.id);
    if (!passkey) throw new Refused('passkey.login_failed');
    const { challenge, ...verified } = await verifyUse(response, passkey.publicKey, verification).catch(
      (error: unknown) => {
        this.logger.info(
          { reason: String(error), accountId },
          'Refused a sign-in with a passkey: its response is not valid',
        );
        throw new Refused('passkey.login_failed');
      },
    );
    const decide = usePasskey({
      ...verified,
      challengeHash: this.party.hash(challenge),
      at: this.clock.now(),
    });
    const { state, events } = await this.log.transact(account, streamTail(accountId), decide, {
      ...selfMetadata(context, accountId),
      // A session of the same command has events of its own, whose ids derive from the command.
      commandId: uuidV5(context.commandId, 'passkey'),
    });
    const [used] = events;
    if (used?.type !== 'PasskeyUsed' || !state) {
      this.logger.warn(
        { accountId, passkeyId: passkey.id },
        'Disabled a passkey: its counter did not go up, so that two authenticators may have its key',
      );
      throw new Refused('passkey.login_failed');
    }
    return state;
  }
}
