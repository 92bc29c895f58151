import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type AddedPasskey,
  AddPasskey,
  type CreationOptions,
  Nothing,
  type Passkey,
  PasskeyById,
  Passkeys,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { account, type Opened } from '../account/account';
import { AccountOpening } from '../account/opening.service';
import { SecondFactors } from '../second-factor/second-factors.service';
import { Sessions } from '../session/sessions.service';
import { addPasskey, creationOptions, defaultName, passkeyView, removePasskey } from './passkey';
import { PasskeyParty } from './passkey-party.service';
import { verifyRegistration } from './webauthn';

/** Adds, lists and removes passkeys. Changes need a recent sign-in. */
@Controller()
export class PasskeyHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(SecondFactors) private readonly factors: SecondFactors,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(PasskeyParty) private readonly party: PasskeyParty,
  ) {}

  @Handles(Passkeys.options)
  async options(_input: Nothing, context: Context): Promise<Answer<CreationOptions>> {
    const { party } = this.party;
    const opened = await this.recent(context);
    return answer(creationOptions(party, opened, this.party.challenge(opened.accountId)));
  }

  @Handles(Passkeys.add)
  async add({ response, name }: AddPasskey, context: Context): Promise<Answer<AddedPasskey>> {
    const { accountId } = context.caller;
    const verification = this.party.verification(accountId);
    await this.recent(context);
    const { challenge, ...verified } = await verifyRegistration(response, verification).catch(
      (error: unknown) => {
        this.logger.info(
          { reason: String(error), accountId },
          'Refused a new passkey: its registration is not valid',
        );
        throw new Refused('passkey.refused');
      },
    );
    const id = deriveId('pky', this.clock.ms(), context.commandId);
    const { state, position } = await this.log.transact(
      account,
      streamTail(accountId),
      addPasskey({
        ...verified,
        id,
        name: name ?? defaultName,
        challengeHash: this.party.hash(challenge),
        at: this.clock.now(),
      }),
      metadataOf(context),
    );
    const added = state?.passkeys.find((each) => each.credentialId === verified.credentialId);
    if (!added) throw new Error('A passkey was added without a trace');
    // After the passkey: codes that nobody got to see would keep the next passkey from giving some.
    const recoveryCodes = await this.factors.firstRecoveryCodes(accountId, context);
    return answer({ passkey: passkeyView(added), ...(recoveryCodes && { recoveryCodes }) }, position);
  }

  @Handles(Passkeys.list)
  async list(_input: Nothing, { caller }: Context): Promise<Answer<{ passkeys: Passkey[] }>> {
    const opened = await this.opening.find(caller.accountId);
    if (!opened) throw new Refused('account.not_found');
    return answer({ passkeys: opened.passkeys.map(passkeyView) });
  }

  @Handles(Passkeys.remove)
  async remove({ id }: PasskeyById, context: Context): Promise<Answer<{ ok: true }>> {
    const { accountId } = await this.recent(context);
    const decide = removePasskey({ id, at: this.clock.now() });
    const { position } = await this.log.transact(account, streamTail(accountId), decide, metadataOf(context));
    return answer({ ok: true }, position);
  }

  private async recent(context: Context): Promise<Opened> {
    const opened = await this.opening.find(context.caller.accountId);
    if (!opened) throw new Refused('account.not_found');
    await this.sessions.insistOnRecent(context);
    return opened;
  }
}
