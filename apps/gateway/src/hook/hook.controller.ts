import { Bus } from '@carillon/bus';
import { hookHeaders, type HookLimit, type HookOwner, Services } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { logger, numberSetting, secret } from '@carillon/runtime';
import { hashSecret, looksLikeSecret } from '@carillon/signing';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { tooMany } from '../errors/api-error';
import { fromRefusal, isForCaller } from '../errors/refusals';
import { Failures } from '../rate/failures';
import { type Policy, rateHeaders, type PolicyState } from '../rate/policy';
import { Rates } from '../rate/rates';
import { refundSend } from '../rate/refund';
import { contextOf, systemContext } from '../request/context';
import { edgeOf, type EdgeRequest, type HttpRequest, type Row } from '../request/row';
import { idempotencyKey, refuseEncoded } from '../request/input';
import { Positions } from '../request/positions';
import { Carries } from '../request/carries';
import { traceOf } from '../trace/trace';

/** The secret in the path is the only credential. */
export const hookRow: Row = { method: 'POST', path: '/hooks/:secret', access: 'public', scopes: [] };

const log = logger('gateway');
const hookPrefix = 'carillon_hook_';
const timeoutMs = 20_000;

/**
 * Receives what external tools send to a service's URL. The path holds a secret: it must not be logged, and only its
 * hash is passed on.
 */
@Controller()
export class HookController {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly limits = {
    service: numberSetting('CARILLON_SERVICE_PER_MINUTE', 60),
    account: numberSetting('CARILLON_ACCOUNT_PER_MINUTE', 300),
  };

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Rates) private readonly rates: Rates,
    @Inject(Positions) private readonly positions: Positions,
    @Inject(Failures) private readonly failures: Failures,
  ) {}

  @Post(hookRow.path)
  @HttpCode(200)
  @Carries(hookRow)
  async receive(@Req() http: HttpRequest): Promise<{ ok: true; eventId: string | null; accepted: number }> {
    const request = edgeOf(http);
    const { secret: presented = '' } = http.params;
    const hash = hashSecret(this.pepper, presented);
    const owner = await this.ownerOf(presented, hash, http);
    // The service's limit comes first, so that a noisy service does not use up the account's limit.
    const ofService = await this.take(request, this.limitOf('service', owner), []);
    await this.insistOnGrants(request, hash, owner, ofService);
    const key = idempotencyKey(request);
    refuseEncoded(http);
    const ofAccount = await this.take(request, this.limitOf('account', owner), ofService);
    await this.insistOnGrants(request, hash, owner, ofAccount);
    try {
      const { eventId, accepted, idempotent } = await this.file(request, hash, owner, key);
      if (idempotent) void request.reply.header('idempotency-replayed', 'true');
      return { ok: true, eventId, accepted };
    } catch (error) {
      if (isForCaller(error)) await refundSend(this.rates, [...ofService, ...ofAccount], request.reply);
      throw error;
    }
  }

  /** Tells the creator of a service that a request was too large to be read, up to the service's limit per minute. */
  async noteTooLarge(http: HttpRequest): Promise<void> {
    try {
      const { secret: presented = '' } = http.params;
      if (!looksLikeSecret(presented, hookPrefix)) return;
      const hash = hashSecret(this.pepper, presented);
      const asked = systemContext('gateway.hooks', timeoutMs, http);
      const { value: owner } = await this.bus.ask(Services.hookOwner, { hash }, asked);
      if (await this.mayDrop(owner))
        await this.bus.ask(Services.refuseTooLarge, { hash, ...typeOf(http) }, asked);
    } catch (error) {
      log.debug(
        { err: error, traceparent: traceOf(http) },
        'Failed to record a webhook request that is too large: the sender still gets its error',
      );
    }
  }

  /** The owner of the URL. A request for an unknown URL counts as a failed credential. */
  private async ownerOf(presented: string, hash: string, http: HttpRequest): Promise<HookOwner> {
    try {
      if (!looksLikeSecret(presented, hookPrefix)) throw new Refused('hook.not_found');
      const asked = systemContext('gateway.hooks', timeoutMs, http);
      return (await this.bus.ask(Services.hookOwner, { hash }, asked)).value;
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== 'hook.not_found') throw error;
      throw await this.failures.count(http, fromRefusal(error));
    }
  }

  private async file(
    request: EdgeRequest,
    hash: string,
    { accountId }: HookOwner,
    key?: string,
    limitedBy?: HookLimit,
  ) {
    const { value, position } = await this.bus.ask(
      Services.receive,
      { ...sentIn(request.http), hash, ...(limitedBy && { limitedBy }) },
      contextOf(request, timeoutMs, {
        caller: { accountId, process: 'gateway.hooks', ip: request.http.ip },
        // The service compares what the payloads say.
        ...(key !== undefined && { idempotency: { key, fingerprint: '' } }),
      }),
    );
    if (position !== undefined) this.positions.advance(accountId, position);
    this.positions.tell(request, accountId);
    return value;
  }

  private limitOf(name: HookLimit, { accountId, serviceId }: HookOwner): Policy {
    const key = name === 'service' ? `hooks:${serviceId}` : `sends:${accountId}`;
    return { name, key, limit: this.limits[name], windowSeconds: 60 };
  }

  /** The state of the limit; empty when it cannot be counted, in which case the request passes. */
  private async take(
    { reply }: EdgeRequest,
    policy: Policy,
    before: readonly PolicyState[],
  ): Promise<readonly PolicyState[]> {
    try {
      const taken = await this.rates.take([policy]);
      void reply.headers(rateHeaders([...before, ...taken]));
      return taken;
    } catch (error) {
      log.warn(
        { err: error, traceparent: traceOf(reply.request) },
        'Failed to count rate limits: the request is let through',
      );
      return [];
    }
  }

  private async insistOnGrants(
    request: EdgeRequest,
    hash: string,
    owner: HookOwner,
    [state]: readonly PolicyState[],
  ): Promise<void> {
    if (!state || state.granted) return;
    await this.fileDropped(request, hash, owner, state.name as HookLimit);
    throw tooMany(state.limit, state.resetSeconds);
  }

  /**
   * Records a request that a limit drops, so that its owner can see it, up to the service's limit per minute. When that
   * fails, the sender still gets the answer of the limit.
   */
  private async fileDropped(
    request: EdgeRequest,
    hash: string,
    owner: HookOwner,
    limitedBy: HookLimit,
  ): Promise<void> {
    try {
      const { http } = request;
      refuseEncoded(http);
      if (await this.mayDrop(owner)) await this.file(request, hash, owner, undefined, limitedBy);
    } catch (error) {
      log.debug(
        { err: error, requestId: request.requestId, traceparent: traceOf(request.http) },
        'Failed to record a dropped webhook request: the sender still gets the rate limit error',
      );
    }
  }

  /** Counts what is recorded of a service's requests that are dropped. */
  private async mayDrop({ serviceId }: HookOwner): Promise<boolean> {
    const limit = this.limits.service;
    const [state] = await this.rates.take([
      { name: 'dropped', key: `dropped:${serviceId}`, limit, windowSeconds: 60 },
    ]);
    return state?.granted === true;
  }
}

const typeOf = ({ headers }: Pick<HttpRequest, 'headers'>): { contentType?: string } => {
  const contentType = headers['content-type'];
  return contentType === undefined ? {} : { contentType: printable(contentType) };
};

/** The request as it came: its body, and the headers that tell tools from each other. */
function sentIn({ headers, body }: HttpRequest) {
  return {
    ...typeOf({ headers }),
    headers: hookHeaders.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [{ name, value: printable(value) }] : [];
    }),
    payload: (body ?? Buffer.alloc(0)).toString('base64'),
  };
}

/** Header values of strangers, within what the bus takes. */
const printable = (value: string): string => value.replace(/[^\x20-\x7e]/g, '').slice(0, 1024);
