import type { Context } from '@carillon/bus';
import type { SecondFactorEvent } from '@carillon/contracts';
import { Log, type Transacted } from '@carillon/event-store';
import { type Decide, Refused } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { selfMetadata } from '../account/opening.service';
import { hashRecoveryCode, recoveryCodesOf } from './recovery-codes';
import {
  giveRecoveryCodes,
  hasMade,
  secondFactor,
  type SecondFactor,
  useRecoveryCode,
  useTotp,
} from './second-factor';

/** What a person gives besides the password. */
export interface GivenFactors {
  readonly totp?: string;
  readonly recoveryCode?: string;
}

/** Checks the second factor of people who have given the right password. */
@Injectable()
export class SecondFactors {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async hasTotp(accountId: string): Promise<boolean> {
    return (await this.log.load(secondFactor, streamTail(accountId))).state.totp !== null;
  }

  /** Whether what was given is enough; used codes are used up. Refused `session.second_factor_required` for nothing. */
  async accepts(accountId: string, given: GivenFactors, context: Context): Promise<boolean> {
    const { state } = await this.log.load(secondFactor, streamTail(accountId));
    if (!state.totp) return true;
    if (given.totp === undefined && given.recoveryCode === undefined)
      throw new Refused('session.second_factor_required');
    return given.totp === undefined
      ? this.acceptsRecoveryCode(accountId, given.recoveryCode ?? '', context)
      : this.isRight(
          useTotp({ accountId, code: given.totp, at: this.clock.now() }),
          accountId,
          'totp.wrong_code',
          context,
        );
  }

  /** Also where nothing but the password is asked for. */
  async acceptsRecoveryCode(accountId: string, code: string, context: Context): Promise<boolean> {
    const recoveryHash = hashRecoveryCode(this.pepper, accountId, code);
    const decide = useRecoveryCode({ accountId, recoveryHash, at: this.clock.now() });
    return this.isRight(decide, accountId, 'recovery_code.wrong', context);
  }

  /** The recovery codes that a command makes for an account, and their stored form. */
  codesOf(accountId: string, { commandId }: Context) {
    const recoveryCodes = recoveryCodesOf(this.pepper, commandId);
    const recoveryHashes = recoveryCodes.map((code) => hashRecoveryCode(this.pepper, accountId, code));
    return { recoveryCodes, recoveryHashes };
  }

  /** Makes recovery codes where the account has none; else undefined. */
  async firstRecoveryCodes(accountId: string, context: Context): Promise<string[] | undefined> {
    const { recoveryCodes, recoveryHashes } = this.codesOf(accountId, context);
    const decide = giveRecoveryCodes({ accountId, recoveryHashes, at: this.clock.now() });
    const { state } = await this.change(accountId, decide, context);
    return hasMade(state, recoveryHashes) ? recoveryCodes : undefined;
  }

  private async isRight(
    decide: Decide<SecondFactor, SecondFactorEvent>,
    accountId: string,
    wrong: string,
    context: Context,
  ): Promise<boolean> {
    // A session of the same command has events of its own, whose ids derive from the command.
    const commandId = uuidV5(context.commandId, 'second factor');
    try {
      await this.change(accountId, decide, { ...context, commandId });
      return true;
    } catch (error) {
      if (error instanceof Refused && error.reason === wrong) return false;
      throw error;
    }
  }

  change(
    accountId: string,
    decide: Decide<SecondFactor, SecondFactorEvent>,
    context: Context,
  ): Promise<Transacted<SecondFactor, SecondFactorEvent>> {
    return this.log.transact(secondFactor, streamTail(accountId), decide, selfMetadata(context, accountId));
  }
}
