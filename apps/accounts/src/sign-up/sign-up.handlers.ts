import { type Answer, Bus, type Context, Handles } from '@carillon/bus';
import { Accounts, Invites, type SignedIn, SignUp } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Controller, Inject } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { Sessions } from '../session/sessions.service';
import { SignUpMode } from './sign-up-mode.service';

/** Opens accounts for people who sign up. */
@Controller()
export class SignUpHandlers {
  constructor(
    @Inject(SignUpMode) private readonly mode: SignUpMode,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @Handles(Accounts.signUp)
  async signUp(
    { email, name, password, inviteCode, client }: SignUp,
    context: Context,
  ): Promise<Answer<SignedIn>> {
    const mode = await this.mode.now();
    if (mode === 'closed') throw new Refused('account.signup_closed');
    if (mode === 'invite') await this.insistOnInvite(email, inviteCode, context);
    const opened = await this.opening.open({ email, name, password, operator: false }, context);
    if (!opened) throw new Refused('account.email_taken');
    return this.sessions.start(opened, client, context, { atOpening: true });
  }

  /** Accepting it is for later, when the account has proved that the address is its own. */
  private async insistOnInvite(email: string, code: string | undefined, context: Context): Promise<void> {
    const admitted =
      code !== undefined && (await this.bus.ask(Invites.admits, { code, email }, context)).value.admitted;
    if (!admitted) throw new Refused('account.invite_invalid');
  }
}
