import type { PhoneClock } from './clock.js';
import type { Fault, Subject } from './fault/fault.js';
import type { Faults } from './fault/faults.js';
import { ageActivities, isRunning } from './phone/activity.js';
import { arrive, reconnect, type ArrivalOutcome } from './phone/arrival.js';
import type { Phone, Push } from './phone/phone.js';
import type { Phones } from './phone/phones.js';
import type { SessionApi } from './phone/session.js';
import type { Received, ReceivedLog } from './received.js';

/** The part that both providers share: from an accepted push to the phone, its record and its replies. */
export class Exchange {
  constructor(
    readonly phones: Phones,
    readonly received: ReceivedLog,
    readonly faults: Faults,
    readonly session: SessionApi,
    readonly clock: PhoneClock,
    readonly log: (event: Record<string, unknown>) => void,
  ) {}

  now(): number {
    return this.clock.ms();
  }

  /** Does on all phones what falls due with time alone. */
  age(): void {
    let changed = false;
    for (const phone of this.phones.list()) changed = ageActivities(phone, this.now()) || changed;
    if (changed) this.phones.changed();
  }

  takeFault(subject: Subject): Fault | undefined {
    return this.faults.take(subject);
  }

  /** Gives an accepted push to a phone and records it. */
  deliver(phone: Phone, push: Push, record: Received): void {
    const outcome = arrive(phone, push, this.now());
    record.shown = outcome.shown;
    record.why = outcome.why;
    this.received.add(phone.id, record);
    this.follow(phone, outcome);
    this.phones.changed();
  }

  /** Records a push that reached no phone. */
  refuse(phone: Phone | undefined, record: Received): void {
    this.received.add(phone?.id, record);
  }

  /** The phone is back: what the providers kept for it arrives now. */
  online(phone: Phone): void {
    for (const { push, outcome } of reconnect(phone, this.now())) {
      const record = this.received.find(phone.id, push.n);
      if (record) {
        record.shown = outcome.shown;
        record.why = `after the phone came online${outcome.why ? `: ${outcome.why}` : ''}`;
      }
      this.follow(phone, outcome);
    }
    this.registerWaiting(phone);
    this.phones.changed();
  }

  /** Sends the update tokens that were held back. */
  registerWaiting(phone: Phone): void {
    if (phone.settings.registerUpdateTokens !== 'auto') return;
    for (const activity of phone.activities)
      if (activity.updateToken && !activity.updateTokenRegistered && isRunning(activity))
        this.session.keepRegistering(phone, activity);
  }

  private follow(phone: Phone, outcome: ArrivalOutcome): void {
    for (const n of outcome.replaced ?? []) {
      const record = this.received.find(phone.id, n);
      if (record) record.why = 'dropped: a newer push replaced it while the phone was offline';
    }
    if (outcome.receiptFor) this.session.receipt(phone, outcome.receiptFor);
    if (outcome.started) {
      this.phones.mintUpdateToken(phone, outcome.started);
      this.session.keepRegistering(phone, outcome.started);
    }
  }
}
