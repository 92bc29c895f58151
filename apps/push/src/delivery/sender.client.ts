import type { Platform, PushEnvironment, ReceiptStatus } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { pushAttemptSeconds, secondsSince } from '@carillon/metrics';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { KeyRing, streamTail, uuidV5 } from '@carillon/signing';
import { beginSpan } from '@carillon/tracing';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { deactivate, device } from '../device/device';
import { pushTokenContext } from '../device/devices.projection';
import { probeEveryMs } from '../transport/breaker';
import { Slots } from '../transport/slots';
import { type Credential, Credentials } from '../transport/credentials';
import { isOfBrowser } from '../transport/subscription';
import type { PushMessage, PushOutcome, Provider } from '../transport/transport';
import { DeadTokens } from './dead-tokens';
import { isApple, notClearable } from './clearing';
import { expired, next, orSettled, type TaskProgress, type NextStep } from './delivery';
import { isForeign, Suspects } from './suspects';

/** The address at which the provider can reach a device. */
export interface PushAddress {
  readonly deviceId: string;
  readonly accountId: string;
  readonly platform: Platform;
  readonly environment: PushEnvironment;
  readonly sealedToken: string;
  readonly tokenSinceMs: number;
  /** The context that the token is sealed for, if it is not the device's own push token context. */
  readonly sealedFor?: string;
  /** The token is not the device's push token: its death says nothing about the device. */
  readonly isOfActivities?: true;
}

/** One message to one device. */
export interface Task {
  /** The task's id and the token form the request id, by which the provider could recognize a retry. */
  readonly id: string;
  readonly address: PushAddress;
  readonly message: PushMessage;
  readonly expiresAtMs: number;
  readonly progress: TaskProgress;
  /** The trace of the cause of this message. */
  readonly traceparent: string | undefined;
  /** Called before each attempt: another process may have leased the task, or the message may be withdrawn. */
  readonly stop: (progress: TaskProgress) => SendResult | undefined;
}

export type SendResult =
  | {
      readonly to: 'settled';
      readonly status: Exclude<ReceiptStatus, 'pending'>;
      readonly errorCode: string | null;
      /** The address is dead or was never valid. */
      readonly dead?: true;
      /** The message expired before the provider accepted it. */
      readonly late?: true;
    }
  | {
      readonly to: 'wait';
      readonly untilMs: number;
      /** What the next attempt waits for besides time, for example a credential that the provider rejects. */
      readonly held: string | null;
      readonly progress: TaskProgress;
      readonly errorCode: string | null;
    }
  | { readonly to: 'lost' };

const openedTokens = 10_000;
/** The maximum number of devices remembered as having had a push accepted. */
const provenDevices = 50_000;
const givenUpTokens = 20_000;
/** The maximum number of devices deactivated concurrently: hundreds would delay the pushes to other devices. */
const retirementsAtOnce = 4;

/** Sends messages to devices, and acts on what the answers say about devices and credentials. */
@Injectable()
export class PushSender implements OnApplicationShutdown {
  private readonly deadTokens = new DeadTokens();
  private readonly suspects = new Suspects();
  private readonly proven = new LRUCache<string, true>({ max: provenDevices });
  /** Sealed tokens whose devices were deactivated: remaining messages to them are not sent. */
  private readonly givenUp = new LRUCache<string, true>({ max: givenUpTokens });
  private readonly retirements = new Slots(retirementsAtOnce);
  private readonly tokens = new LRUCache<string, string>({ max: openedTokens });
  private disbelieving = false;
  private readonly listeners = new Set<(credential: string) => void>();

  constructor(
    @Inject(Credentials) private readonly credentials: Credentials,
    @Inject(Log) private readonly log: Log,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Calls `listener` with the name of a credential that is accepted again. Returns a function that removes the
   * listener.
   */
  onTaken(listener: (credential: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Retries until the message is settled or its next attempt requires a longer wait. */
  async send(task: Task): Promise<SendResult> {
    const { address } = task;
    const token = this.token(task);
    if (token === undefined) return { to: 'settled', status: 'error', errorCode: tokenUnreadable };
    const credential = this.credentials.of(address.platform, address.environment, token);
    if (!credential) return { to: 'settled', status: 'error', errorCode: 'provider_not_configured' };
    if (task.message.kind === 'silent' && address.platform === 'web' && isApple(token))
      return { to: 'settled', status: 'error', errorCode: notClearable };
    const requestId = uuidV5(task.id, token);
    for (let { progress } = task; ;) {
      const slots =
        task.message.kind === 'activity' ? [credential.activitySlots, credential.slots] : [credential.slots];
      for (const each of slots) {
        const slot = each.take(address.accountId);
        if (slot) await slot;
      }
      let outcome: PushOutcome;
      try {
        const stopped = task.stop(progress);
        if (stopped) return stopped;
        if (this.givenUp.has(address.sealedToken))
          return { to: 'settled', status: 'error', errorCode: 'device_inactive', dead: true };
        const now = this.clock.ms();
        if (now >= task.expiresAtMs) return this.settled(expired(progress, null));
        const rests = this.suspects.restsUntil(address.sealedToken, now);
        if (rests !== undefined)
          return this.waits(progress, rests - now, null, { nowMs: now, expiresAtMs: task.expiresAtMs });
        const { accountId, deviceId } = address;
        const admitted = credential.breaker.admit(now, { accountId, isProven: this.proven.has(deviceId) });
        if (admitted !== true)
          return { to: 'wait', untilMs: admitted.until, held: credential.name, progress, errorCode: null };
        const began = performance.now();
        const { provider } = credential.transport;
        const span = beginSpan(task.traceparent, () => pushing(provider, task.message.kind));
        outcome = await credential.transport.send({
          requestId,
          deviceId: address.deviceId,
          token,
          environment: address.environment,
          message: task.message,
          expiresAtSeconds: Math.floor(task.expiresAtMs / 1000),
          timeToLiveMs: task.expiresAtMs - now,
        });
        pushAttemptSeconds.observe({ provider, outcome: outcome.class }, secondsSince(began));
        span?.end(
          {
            'carillon.outcome': outcome.class,
            ...(outcome.status !== undefined && { 'http.response.status_code': outcome.status }),
          },
          outcome.class === 'accepted' ? undefined : outcome.class,
        );
      } finally {
        for (const each of slots) each.give();
      }
      const nowMs = this.clock.ms();
      const { expiresAtMs } = task;
      const step = next(progress, outcome, {
        provider: credential.transport.provider,
        tokenSinceMs: address.tokenSinceMs,
        nowMs,
        expiresAtMs,
        chance: Math.random(),
      });
      this.judge(credential, task, outcome, step, this.isOurs(address, token));
      switch (step.to) {
        case 'settled':
          if (step.alarm)
            this.logger[this.isOurs(address, token) ? 'error' : 'info'](
              {
                credential: credential.name,
                status: outcome.status,
                reason: outcome.reason,
                delivery: task.id,
                traceparent: task.traceparent,
              },
              'A push provider rejected a request as malformed: the push is not retried',
            );
          if (step.retire && !address.isOfActivities)
            await this.retire(credential, task, token, outcome, step.retire);
          return this.settled(step);
        case 'hold':
          return {
            to: 'wait',
            untilMs: nowMs + probeEveryMs,
            held: credential.name,
            progress,
            errorCode: outcome.reason ?? null,
          };
        case 'doubt': {
          const suspicion = this.suspects.doubted(address.sealedToken, nowMs);
          const { until, since } = suspicion;
          const reason = outcome.reason ?? null;
          // Of a browser it is never the fault, as far as anybody can tell: it stays.
          const isTheirs = isForeign(suspicion, credential.breaker.tookOthers(address.accountId, since));
          if (address.platform === 'web' || !isTheirs)
            return this.waits(step.progress, until - nowMs, reason, { nowMs, expiresAtMs });
          if (!address.isOfActivities) await this.retire(credential, task, token, outcome, 'bad_token');
          return { to: 'settled', status: 'error', errorCode: reason, dead: true };
        }
        case 'wait':
          return this.waits(step.progress, step.afterMs, outcome.reason ?? null, { nowMs, expiresAtMs });
        case 'try_again':
          progress = step.progress;
          if (step.afterMs > 0) await sleep(step.afterMs);
      }
    }
  }

  /** Runs after the last message was sent. */
  async onApplicationShutdown(): Promise<void> {
    await this.credentials.close();
  }

  private waits(
    progress: TaskProgress,
    afterMs: number,
    errorCode: string | null,
    facts: { readonly nowMs: number; readonly expiresAtMs: number },
  ): SendResult {
    const step = orSettled(progress, afterMs, errorCode, facts);
    if (step.to !== 'wait') return this.settled(step);
    return { to: 'wait', untilMs: facts.nowMs + afterMs, held: null, progress, errorCode };
  }

  private settled(step: NextStep): SendResult {
    if (step.to !== 'settled') throw new Error('An end was expected');
    const { status, errorCode, retire, late } = step;
    return { to: 'settled', status, errorCode, ...(retire && { dead: true }), ...(late && { late }) };
  }

  /** What an answer says about our credential, and about this phone. */
  private judge(
    credential: Credential,
    { address, traceparent }: Task,
    outcome: PushOutcome,
    step: NextStep,
    isOurs: boolean,
  ): void {
    const { breaker, name, transport } = credential;
    const { deviceId, accountId } = address;
    const now = this.clock.ms();
    let opened = false;
    if (step.to === 'hold') opened = breaker.refused(now);
    else if (step.to === 'doubt') {
      this.proven.delete(deviceId);
      opened = breaker.doubted(accountId, now);
    } else if (
      outcome.class === 'accepted' ||
      (transport.provider === 'apns' && aboutThePush.has(outcome.class))
    ) {
      if (outcome.class === 'accepted') this.accepted(credential, address);
      if (breaker.taken(accountId, now)) {
        this.logger.info({ credential: name, traceparent }, 'A push credential is accepted again');
        for (const listener of this.listeners) listener(name);
      }
    } else breaker.unclear(now);
    if (opened)
      this.logger[isOurs ? 'error' : 'warn'](
        { credential: name, status: outcome.status, reason: outcome.reason, traceparent },
        'A push credential is rejected: its pushes wait, one probe per minute',
      );
  }

  /** Whether a refusal concerns our configuration: a push service that is none of the browsers' may say anything. */
  private isOurs({ platform }: PushAddress, token: string): boolean {
    return platform !== 'web' || isOfBrowser(token);
  }

  private accepted({ name }: Credential, { deviceId, accountId, sealedToken }: PushAddress): void {
    this.deadTokens.taken(name, accountId, Date.now());
    this.suspects.forget(sealedToken);
    this.proven.set(deviceId, true);
  }

  private async retire(
    credential: Credential,
    { address, traceparent }: Task,
    token: string,
    outcome: PushOutcome,
    reason: 'unregistered' | 'bad_token' | 'moved' | 'removed',
  ): Promise<void> {
    const { deviceId, accountId } = address;
    // Apple includes the time since when a token is dead; the other answers could result from a wrong project or
    // environment.
    const isCertain = outcome.deadSince !== undefined;
    if (!isCertain && !this.deadTokens.believe(credential.name, address, Date.now())) {
      if (!this.disbelieving)
        this.logger.error(
          { credential: credential.name, reason: outcome.reason, traceparent },
          'A provider reports most push tokens as dead: no token is deactivated until that changes',
        );
      this.disbelieving = true;
      return;
    }
    this.disbelieving = false;
    if (this.givenUp.has(address.sealedToken)) return;
    this.givenUp.set(address.sealedToken, true);
    const commandId = uuidV5(deviceId, `${reason} ${address.tokenSinceMs} ${uuidV5('token', token)}`);
    const turn = this.retirements.take(accountId);
    if (turn) await turn;
    await this.log
      .transact(device, streamTail(deviceId), deactivate({ token, reason, at: this.clock.now() }), {
        commandId,
        correlationId: commandId,
        accountId,
        actor: { process: 'push.delivery' },
      })
      .catch((error: unknown) => {
        this.givenUp.delete(address.sealedToken);
        this.logger.warn(
          { err: error, deviceId, traceparent },
          'Failed to deactivate a device with a dead push token: the next push tries again',
        );
      })
      .finally(() => this.retirements.give());
    this.logger.info(
      { deviceId, reason: outcome.reason, traceparent },
      'Deactivated a device: its push token is dead',
    );
  }

  /**
   * A sealed token always decrypts to the same value, so each is decrypted once. A token that cannot be decrypted ends
   * only its own push; the device is kept, since the missing key may become available.
   */
  private token({ address, traceparent }: Task): string | undefined {
    const { deviceId, sealedToken, sealedFor = pushTokenContext(deviceId) } = address;
    let token = this.tokens.get(sealedToken);
    if (token === undefined) {
      try {
        token = this.keyRing.open(sealedToken, sealedFor).toString('utf8');
      } catch (error) {
        this.logger.error(
          { err: error, deviceId, traceparent },
          'Failed to decrypt the push token of a device: the device is skipped',
        );
        return undefined;
      }
      this.tokens.set(sealedToken, token);
    }
    return token;
  }
}

/** The span of one request to a provider; it does not identify the phone. */
const pushing = (provider: Provider, kind: PushMessage['kind']) => ({
  name: `push ${provider}`,
  kind: 'client' as const,
  attributes: {
    'http.request.method': 'POST',
    'carillon.push.provider': provider,
    'carillon.push.kind': kind,
  },
});

/** The error code for a token sealed with a key that we do not have, or altered since. */
const tokenUnreadable = 'token_unreadable';

/** Apple gives these answers only after it has accepted the credential. */
const aboutThePush = new Set<PushOutcome['class']>(['throttled', 'token_dead', 'token_suspect', 'rejected']);
