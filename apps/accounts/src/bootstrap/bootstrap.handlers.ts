import { type Answer, type Context, Handles } from '@carillon/bus';
import { Accounts, Bootstrap, type SignedIn } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { plus, Refused } from '@carillon/eventing';
import { cell, Clock, isSet, type Logger, LOGGER, secret, setting } from '@carillon/runtime';
import { hashSecret, mintSecret, newId } from '@carillon/signing';
import { Controller, Inject, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { AccountOpening, selfMetadata } from '../account/opening.service';
import { Sessions } from '../session/sessions.service';
import { bootstrap, bootstrapId, offer, offerHoldsMs, use } from './bootstrap';

const chosenSecret = 'CARILLON_BOOTSTRAP_SECRET';

/** Opens the first account of an installation with a secret that only its operator has. */
@Controller()
export class BootstrapHandlers implements OnModuleInit {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!(await this.wasFirstOpened())) await this.offerBootstrap();
  }

  @Handles(Accounts.bootstrap)
  async bootstrap(input: Bootstrap, context: Context): Promise<Answer<SignedIn>> {
    const { email, name, password, client } = input;
    if (await this.wasFirstOpened()) throw new Refused('account.bootstrap_closed');
    const secretHash = this.hash(input.secret);
    // The secret is checked first, so that a wrong guess costs next to nothing.
    use({ secretHash, accountId: '', at: this.clock.now() })(
      (await this.log.load(bootstrap, bootstrapId)).state,
    );
    const reserveId = async (): Promise<string> => {
      const accountId = newId('usr', this.clock.ms());
      const { state } = await this.log.transact(
        bootstrap,
        bootstrapId,
        use({ secretHash, accountId, at: this.clock.now() }),
        selfMetadata(context, accountId),
      );
      return state.accountId ?? accountId;
    };
    const opened = await this.opening.open({ email, name, password, operator: true, reserveId }, context);
    if (!opened) throw new Refused('account.bootstrap_closed');
    return this.sessions.start(opened, client, context, { atOpening: true });
  }

  private async offerBootstrap(): Promise<void> {
    const chosen = isSet(chosenSecret);
    const offered = chosen ? setting(chosenSecret) : mintSecret('carillon_boot_', this.cell).secret;
    const at = this.clock.now();
    const expiresAt = plus(at, offerHoldsMs);
    const commandId = randomUUID();
    const { events } = await this.log.transact(
      bootstrap,
      bootstrapId,
      offer({ secretHash: this.hash(offered), expiresAt, chosen, at }),
      { commandId, correlationId: commandId, accountId: '', actor: { process: 'accounts.bootstrap' } },
    );
    if (events.length > 0 && !chosen)
      this.logger.info(
        { bootstrapSecret: offered, expiresAt },
        'There is no account yet: make the first one with this secret at POST /api/session/bootstrap',
      );
  }

  /** Whether the first account was opened. It may be deleted by now: its id must not be used again. */
  private async wasFirstOpened(): Promise<boolean> {
    const { state } = await this.log.load(bootstrap, bootstrapId);
    return state.accountId !== null && (await this.opening.wasOpened(state.accountId));
  }

  private hash(text: string): string {
    return hashSecret(this.pepper, text);
  }
}
