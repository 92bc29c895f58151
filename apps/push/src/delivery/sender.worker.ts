import type { Platform, PushEnvironment, ReceiptStatus } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, LOGGER, type Logger } from '@carillon/service';
import { KeyRing, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { deactivate, device } from '../device/device';
import { tokenPlace } from '../device/devices.projection';
import { probeEveryMs } from '../transport/breaker';
import { type Lane, Lanes } from '../transport/lanes';
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
    }
  | {
      readonly to: 'wait';
      readonly untilMs: number;
      /** The lane whose credential is not taken. */
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
  /** Called with the name of a lane whose credential is taken again. */
  onTaken: (lane: string) => void = () => {};

  constructor(
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(Log) private readonly log: Log,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Tries until it is settled or has to wait longer than a moment. */
  async send(task: Task): Promise<Sent> {
    const { address } = task;
    const lane = this.lanes.of(address.platform, address.environment);
    if (!lane) return { to: 'settled', status: 'error', errorCode: 'provider_not_configured' };
    const token = this.token(address);
    const requestId = uuidV5(task.id, token);
    for (let { progress } = task; ;) {
      const slot = lane.slots.take();
      if (slot) await slot;
      let outcome: Outcome;
      try {
        const stopped = task.stop(progress);
        if (stopped) return stopped;
        const now = this.clock.ms();
        if (now >= task.expiresAtMs) return this.settled(expired(progress, null));
        const admitted = lane.breaker.admit(now);
        if (admitted !== true)
          return { to: 'wait', untilMs: admitted.until, held: lane.name, progress, errorCode: null };
        outcome = await lane.transport.send({
          requestId,
          token,
          environment: address.environment,
          message: task.message,
          expiresAtSeconds: Math.floor(task.expiresAtMs / 1000),
          timeToLiveMs: task.expiresAtMs - now,
        });
      } finally {
        lane.slots.give();
      }
      const nowMs = this.clock.ms();
      const step = next(progress, outcome, {
        provider: lane.transport.provider,
        tokenSinceMs: address.tokenSinceMs,
        nowMs,
        expiresAtMs: task.expiresAtMs,
        chance: Math.random(),
      });
      this.judge(lane, address, outcome, step);
      switch (step.to) {
        case 'settled':
          if (step.alarm)
            this.logger.error(
              { lane: lane.name, status: outcome.status, reason: outcome.reason, delivery: task.id },
              'A push provider refused what we sent',
            );
          if (step.retire) await this.retire(lane, address, token, outcome, step.retire);
          return this.settled(step);
        case 'hold':
          return {
            to: 'wait',
            untilMs: nowMs + probeEveryMs,
            held: lane.name,
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
    return this.lanes.close();
  }

  private settled(step: Step): Sent {
    if (step.to !== 'settled') throw new Error('An end was expected');
    return { to: 'settled', status: step.status, errorCode: step.errorCode };
  }

  /** What an answer says about our credential. */
  private judge(lane: Lane, { deviceId }: Address, outcome: Outcome, step: Step): void {
    const { breaker, name, transport } = lane;
    let opened = false;
    if (step.to === 'hold') opened = breaker.refused(this.clock.ms());
    else if (outcome.class === 'config_doubtful') opened = breaker.doubted(deviceId, this.clock.ms());
    else if (
      outcome.class === 'accepted' ||
      (transport.provider === 'apns' && aboutThePush.has(outcome.class))
    ) {
      if (outcome.class === 'accepted') this.deadTokens.taken(name, Date.now());
      if (breaker.taken()) {
        this.logger.info({ lane: name }, 'A push credential is taken again');
        this.onTaken(name);
      }
    }
    if (opened)
      this.logger.error(
        { lane: name, status: outcome.status, reason: outcome.reason },
        'A push credential is not taken: its pushes wait, and one tries every minute',
      );
  }

  private async retire(
    lane: Lane,
    address: Address,
    token: string,
    outcome: Outcome,
    reason: 'unregistered' | 'bad_token' | 'moved' | 'removed',
  ): Promise<void> {
    const { deviceId, accountId } = address;
    // Apple says since when a token is dead; the other answers could come from a wrong project or environment.
    const isCertain = outcome.deadSince !== undefined;
    if (!isCertain && !this.deadTokens.believe(lane.name, deviceId, Date.now())) {
      if (!this.disbelieving)
        this.logger.error(
          { lane: lane.name, reason: outcome.reason },
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
  private token({ deviceId, sealedToken }: Address): string {
    let token = this.tokens.get(sealedToken);
    if (token === undefined) {
      token = this.keyRing.open(sealedToken, tokenPlace(deviceId)).toString('utf8');
      if (this.tokens.size >= openedTokens) this.tokens.delete(this.tokens.keys().next().value!);
      this.tokens.set(sealedToken, token);
    }
    return token;
  }
}

/** Apple looks at these only after it has taken the credential. */
const aboutThePush = new Set<Outcome['class']>(['throttled', 'token_dead', 'token_suspect', 'rejected']);
