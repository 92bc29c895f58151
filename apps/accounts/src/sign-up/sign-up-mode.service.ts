import { Log } from '@carillon/event-store';
import { setting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { AccountOpening } from '../account/opening.service';
import { bootstrap, bootstrapId } from '../bootstrap/bootstrap';

type Mode = 'closed' | 'invite' | 'open';

/** Whom the installation lets make an account. */
@Injectable()
export class SignUpMode {
  private readonly configured = configuredMode();
  private begun = false;

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
  ) {}

  /** Closed until the first account was opened, which needs the bootstrap secret. */
  async now(): Promise<Mode> {
    return this.configured !== 'closed' && (await this.hasFirstAccount()) ? this.configured : 'closed';
  }

  private async hasFirstAccount(): Promise<boolean> {
    if (this.begun) return true;
    const { state } = await this.log.load(bootstrap, bootstrapId);
    this.begun = state.accountId !== null && (await this.opening.wasOpened(state.accountId));
    return this.begun;
  }
}

function configuredMode(): Mode {
  const mode = setting('SIGNUP_MODE', 'closed');
  if (mode === 'closed' || mode === 'invite' || mode === 'open') return mode;
  throw new Error(`The setting SIGNUP_MODE must be closed, invite or open, not "${mode}"`);
}
