import { randomBytes } from 'node:crypto';
import { Refused } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { setting } from '@carillon/settings';
import { hashSecret } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { challengeFor, isGood } from './challenge';
import { type RelyingParty, relyingPartyOf } from './passkey';
import type { Verification } from './webauthn';

/** This installation as authenticators know it, and the challenges that it gives out. */
@Injectable()
export class PasskeyParty {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly known = relyingPartyOf(setting('CARILLON_BASE_URL'));

  constructor(@Inject(Clock) private readonly clock: Clock) {}

  /** Refused `passkey.unavailable`. */
  get party(): RelyingParty {
    if (!this.known) throw new Refused('passkey.unavailable');
    return this.known;
  }

  challenge(purpose: string): string {
    return challengeFor(this.pepper, purpose, this.clock.ms(), randomBytes(16));
  }

  /** What a response is checked against. */
  verification(purpose: string): Verification {
    const { party } = this;
    return { party, isGood: (challenge) => isGood(this.pepper, purpose, challenge, this.clock.ms()) };
  }

  hash(challenge: string): string {
    return hashSecret(this.pepper, `passkey challenge ${challenge}`);
  }
}
