import { type Answer, Bus, type Context, Handles } from '@carillon/bus';
import { Accounts, Invites, type SignedIn, SignUp } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { setting } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { bootstrap, bootstrapId } from '../bootstrap/bootstrap';
import { Sessions } from '../session/sessions.service';

/** Opens accounts for people who sign up. */
@Controller()
export class SignUpHandlers {
  private readonly signupMode = signupMode();
  private begun = false;

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @Handles(Accounts.signUp)
  async signUp(
    { email, name, password, inviteCode, client }: SignUp,
    context: Context,
  ): Promise<Answer<SignedIn>> {
    if (this.signupMode === 'closed' || !(await this.hasFirstAccount()))
      throw new Refused('account.signup_closed');
    if (this.signupMode === 'invite') await this.insistOnInvite(email, inviteCode, context);
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

  /** Sign-up is closed until the first account was opened, which needs the bootstrap secret. */
  private async hasFirstAccount(): Promise<boolean> {
    if (this.begun) return true;
    const { state } = await this.log.load(bootstrap, bootstrapId);
    this.begun = state.accountId !== null && (await this.opening.wasOpened(state.accountId));
    return this.begun;
  }
}

function signupMode(): 'closed' | 'invite' | 'open' {
  const mode = setting('SIGNUP_MODE', 'closed');
  if (mode === 'closed' || mode === 'invite' || mode === 'open') return mode;
  throw new Error(`The setting SIGNUP_MODE must be closed, invite or open, not "${mode}"`);
}
