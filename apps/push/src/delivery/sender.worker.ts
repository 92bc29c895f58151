import type { Platform, PushEnvironment, ReceiptStatus } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, LOGGER, type Logger } from '@carillon/service';
import { KeyRing, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { deactivate, device } from '../device/device';
import { tokenPlace } from '../device/devices.projection';
import { probeEveryMs } from '../transport/breaker';
import { type Way, Ways } from '../transport/ways';
import type { Message, Outcome } from '../transport/transport';
import { DeadTokens } from './dead-tokens';
import { expired, next, type Progress, type Step } from './delivery';

/** Where a device can be reached. */
export interface Address {
  readonly deviceId: string;
  readonly accountId: string;
  readonly platform: Platform;
  readonly environment: PushEnvironment;
  readonly sealedToken: string;
  readonly tokenSinceMs: number;
  /** For what place the token is sealed, when it is not one of the device's own. */
  readonly sealedFor?: string;
  /** It is not the device's push token: its death says nothing about the device. */
  readonly isOfActivities?: true;
}

/** One message to one device. */
export interface Task {
  /** With the address it makes the id by which the provider could know a retry again. */
  readonly id: string;
  readonly address: Address;
  readonly message: Message;
  readonly expiresAtMs: number;
  readonly progress: Progress;
  /** Asked before each try: another may have taken the work over, or nobody wants it any more. */
  readonly stop: (progress: Progress) => Sent | undefined;
}

export type Sent =
  | {
      readonly to: 'settled';
      readonly status: Exclude<ReceiptStatus, 'pending'>;
      readonly errorCode: string | null;
      /** The address is dead, or was never one. */
      readonly dead?: true;
      /** Its time was over before it was accepted. */
      readonly late?: true;
    }
  | {
      readonly to: 'wait';
      readonly untilMs: number;
      /** The way whose credential is not taken. */
      readonly held: string | null;
      readonly progress: Progress;
      readonly errorCode: string | null;
    }
  | { readonly to: 'lost' };

const openedTokens = 10_000;

/** Sends messages to devices, and sees to what their answers say about devices and credentials. */
@Injectable()
export class Sender {
  private readonly deadTokens = new DeadTokens();
  private readonly tokens = new Map<string, string>();
  private disbelieving = false;
  private readonly listeners = new Set<(way: string) => void>();

  constructor(
    @Inject(Ways) private readonly ways: Ways,
    @Inject(Log) private readonly log: Log,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Calls `listener` with the name of a way whose credential is taken again. Returns how to stop that. */
  onTaken(listener: (way: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Tries until it is settled or has to wait longer than a moment. */
  async send(task: Task): Promise<Sent> {
    const { address } = task;
    const way = this.ways.of(address.platform, address.environment);
    if (!way) return { to: 'settled', status: 'error', errorCode: 'provider_not_configured' };
    const token = this.token(address);
    const requestId = uuidV5(task.id, token);
    for (let { progress } = task; ;) {
      const slots = task.message.kind === 'activity' ? [way.activitySlots, way.slots] : [way.slots];
      for (const each of slots) {
        const slot = each.take();
        if (slot) await slot;
      }
      let outcome: Outcome;
      try {
        const stopped = task.stop(progress);
        if (stopped) return stopped;
        const now = this.clock.ms();
        if (now >= task.expiresAtMs) return this.settled(expired(progress, null));
        const admitted = way.breaker.admit(now);
        if (admitted !== true)
          return { to: 'wait', untilMs: admitted.until, held: way.name, progress, errorCode: null };
        outcome = await way.transport.send({
          requestId,
          token,
          environment: address.environment,
          message: task.message,
          expiresAtSeconds: Math.floor(task.expiresAtMs / 1000),
          timeToLiveMs: task.expiresAtMs - now,
        });
      } finally {
        for (const each of slots) each.give();
      }
      const nowMs = this.clock.ms();
      const step = next(progress, outcome, {
        provider: way.transport.provider,
        tokenSinceMs: address.tokenSinceMs,
        nowMs,
        expiresAtMs: task.expiresAtMs,
        chance: Math.random(),
      });
      this.judge(way, address, outcome, step);
      switch (step.to) {
        case 'settled':
          if (step.alarm)
            this.logger.error(
              { way: way.name, status: outcome.status, reason: outcome.reason, delivery: task.id },
              'A push provider refused what we sent',
            );
          if (step.retire && !address.isOfActivities)
            await this.retire(way, address, token, outcome, step.retire);
          return this.settled(step);
        case 'hold':
          return {
            to: 'wait',
            untilMs: nowMs + probeEveryMs,
            held: way.name,
            progress,
            errorCode: outcome.reason ?? null,
          };
        case 'wait':
          return {
            to: 'wait',
            untilMs: nowMs + step.afterMs,
            held: null,
            progress: step.progress,
            errorCode: outcome.reason ?? null,
          };
        case 'try_again':
          progress = step.progress;
          if (step.afterMs > 0) await sleep(step.afterMs);
      }
    }
  }

  close(): Promise<void> {
    return this.ways.close();
  }

  private settled(step: Step): Sent {
    if (step.to !== 'settled') throw new Error('An end was expected');
    const { status, errorCode, retire, late } = step;
    return { to: 'settled', status, errorCode, ...(retire && { dead: true }), ...(late && { late }) };
  }

  /** What an answer says about our credential. */
  private judge(way: Way, { deviceId }: Address, outcome: Outcome, step: Step): void {
    const { breaker, name, transport } = way;
    let opened = false;
    if (step.to === 'hold') opened = breaker.refused(this.clock.ms());
    else if (outcome.class === 'config_doubtful') opened = breaker.doubted(deviceId, this.clock.ms());
    else if (
      outcome.class === 'accepted' ||
      (transport.provider === 'apns' && aboutThePush.has(outcome.class))
    ) {
      if (outcome.class === 'accepted') this.deadTokens.taken(name, Date.now());
      if (breaker.taken()) {
        this.logger.info({ way: name }, 'A push credential is taken again');
        for (const listener of this.listeners) listener(name);
      }
    }
    if (opened)
      this.logger.error(
        { way: name, status: outcome.status, reason: outcome.reason },
        'A push credential is not taken: its pushes wait, and one tries every minute',
      );
  }

  private async retire(
    way: Way,
    address: Address,
    token: string,
    outcome: Outcome,
    reason: 'unregistered' | 'bad_token' | 'moved' | 'removed',
  ): Promise<void> {
    const { deviceId, accountId } = address;
    // Apple says since when a token is dead; the other answers could come from a wrong project or environment.
    const isCertain = outcome.deadSince !== undefined;
    if (!isCertain && !this.deadTokens.believe(way.name, deviceId, Date.now())) {
      if (!this.disbelieving)
        this.logger.error(
          { way: way.name, reason: outcome.reason },
          'Most push tokens of a provider are said to be dead: none is given up until that changes',
        );
      this.disbelieving = true;
      return;
    }
    this.disbelieving = false;
    const commandId = uuidV5(deviceId, `${reason} ${address.tokenSinceMs} ${uuidV5('token', token)}`);
    await this.log
      .transact(device, streamTail(deviceId), deactivate({ token, reason, at: this.clock.now() }), {
        commandId,
        correlationId: commandId,
        accountId,
        actor: { process: 'push.delivery' },
      })
      .catch((error: unknown) =>
        this.logger.warn({ err: error, deviceId }, 'A dead device was not recorded'),
      );
    this.logger.info({ deviceId, reason: outcome.reason }, 'A device is not reachable any more');
  }

  /** A sealed token never changes its meaning, so that each is opened once. */
  private token({ deviceId, sealedToken, sealedFor = tokenPlace(deviceId) }: Address): string {
    let token = this.tokens.get(sealedToken);
    if (token === undefined) {
      token = this.keyRing.open(sealedToken, sealedFor).toString('utf8');
      if (this.tokens.size >= openedTokens) this.tokens.delete(this.tokens.keys().next().value!);
      this.tokens.set(sealedToken, token);
    }
    return token;
  }
}

/** Apple looks at these only after it has taken the credential. */
const aboutThePush = new Set<Outcome['class']>(['throttled', 'token_dead', 'token_suspect', 'rejected']);
