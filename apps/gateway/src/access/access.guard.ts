import { Bus, timedOut } from '@carillon/bus';
import { Accounts, type Scope, type SessionIdentity, type TokenIdentity } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { logger, networkOf, numberSetting, secret, setting, siteOf } from '@carillon/runtime';
import { hashSecret, looksLikeSecret } from '@carillon/signing';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, appRequired, noRoute, tooMany } from '../errors/api-error';
import { Failures } from '../rate/failures';
import { PageRateReserve } from '../rate/page-rate-reserve';
import { type Policy, rateHeaders, type PolicyState } from '../rate/policy';
import { Rates } from '../rate/rates';
import { refundSend } from '../rate/refund';
import { isOwnRequest, systemContext } from '../request/context';
import { accountIdOf, type EdgeRequest, type HttpRequest, type Row, setEdge } from '../request/row';
import { traceOf } from '../trace/trace';
import { browserOf, sessionCookie } from '../session/cookie';
import { crossSite } from '../session/csrf';
import { readRequest } from '../request/input';
import { rowOf } from '../request/carries';
import { gives } from '../request/gives';
import { bearer } from './bearer';
import { failureOf, insufficientScope, unauthenticated } from '../errors/challenge';
import { metadataOf, resourceOf } from '../oauth/protected-resource';
import { accessPrefix, Tokens } from './tokens';

const log = logger('gateway');
const perMinute = { windowSeconds: 60 };
/** How many networks' worth a whole /48 of IPv6 may sign up. */
const networksOfSite = 4;

/** An access token is good at its resource alone. The request of a tool to its route shows the one of the endpoint. */
const isFor = ({ resource }: TokenIdentity, asked: string, http: FastifyRequest): boolean =>
  resource === undefined || resource === asked || isOwnRequest(http);

/**
 * Lets a request pass only with a row, a valid credential of its kind, a free rate limit, and the scopes of the row.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly baseUrl = setting('CARILLON_BASE_URL');
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly limits = {
    sends: numberSetting('CARILLON_ACCOUNT_PER_MINUTE', 300),
    token: numberSetting('CARILLON_TOKEN_REQUESTS_PER_MINUTE', 600),
    account: numberSetting('CARILLON_ACCOUNT_REQUESTS_PER_MINUTE', 1200),
    session: numberSetting('CARILLON_SESSION_REQUESTS_PER_MINUTE', 1200),
    public: numberSetting('CARILLON_PUBLIC_REQUESTS_PER_MINUTE', 600),
    signUps: numberSetting('CARILLON_SIGNUPS_PER_HOUR', 30),
  };

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Tokens) private readonly tokens: Tokens,
    @Inject(Rates) private readonly rates: Rates,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(PageRateReserve) private readonly reserve: PageRateReserve,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const row = rowOf(this.reflector, execution.getHandler());
    if (!row) throw noRoute();
    const http = execution.switchToHttp().getRequest<HttpRequest>();
    const reply = execution.switchToHttp().getResponse<FastifyReply>();
    const request: EdgeRequest = { http, reply, requestId: http.id, row, byCookie: false };
    setEdge(http, request);
    if (row.path.startsWith('/api/session') || row.fromForm) this.refuseCrossSite(request);
    if (row.access === 'public') {
      await this.limitNetwork(request);
      if (row.rotates) {
        request.browser = browserOf(http.cookies);
        await this.findFormer(request);
      }
      return true;
    }

    try {
      if (row.access === 'token') request.token = await this.token(http, row);
      else request.session = await this.session(request);
    } catch (error) {
      // The request has changed nothing yet, so a timeout here must not be reported as an unknown outcome.
      if (error instanceof Refused && error.reason === timedOut) throw new Refused('bus.unavailable');
      throw error instanceof ApiError && error.status === 401
        ? await this.failures.count(http, error)
        : error;
    }
    return this.admit(request);
  }

  /** Lets the request of a known caller pass, with the scopes of its row and within the limits. */
  async admit(request: EdgeRequest): Promise<boolean> {
    const { row } = request;
    const held = request.token?.scopes;
    const isAllowed = !held || row.scopes.every((scope) => held.includes(scope));
    const wrong = isAllowed
      ? this.faultOf(request)
      : insufficientScope([...row.scopes, ...this.alsoNeeded(request)]);
    if (row.counts?.(request) === false) {
      request.isUncounted = true;
      return true;
    }
    await this.limit(request, row, { isSend: row.rate === 'send' && wrong === undefined });
    if (wrong !== undefined) throw wrong;
    return true;
  }

  /** Counts a request that was let through uncounted, unless a part of it has been counted for it. */
  async count(request: EdgeRequest): Promise<void> {
    if (!request.isUncounted) return;
    request.isUncounted = false;
    await this.limit(request, request.row, { isSend: false });
  }

  /** The error of an invalid send. Only valid sends count against the limit, so a send is read before it is counted. */
  private faultOf(request: EdgeRequest): unknown {
    if (request.row.operatorsOnly && !request.session?.operator) return noRoute();
    if (request.row.rate !== 'send') return undefined;
    try {
      request.read = readRequest(request);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** The scopes that fields of the body need, as far as that is known before the body is read. */
  private alsoNeeded({ row, http }: EdgeRequest): readonly Scope[] {
    return Object.entries(row.alsoNeeds ?? {}).flatMap(([field, scopes]) =>
      gives(http, field) ? scopes : [],
    );
  }

  private async token(http: FastifyRequest, { path }: Row) {
    const presented = bearer(http);
    if (presented === undefined) throw unauthenticated('UNAUTHENTICATED', metadataOf(path));
    if (!looksLikeSecret(presented, 'carillon_pat_') && !looksLikeSecret(presented, accessPrefix))
      throw unauthenticated('TOKEN_INVALID', metadataOf(path));
    try {
      const identity = await this.tokens.identify(presented, http);
      if (!isFor(identity, resourceOf(path), http)) throw new Refused('token.unknown');
      return identity;
    } catch (error) {
      throw this.asUnauthenticated(error, metadataOf(path));
    }
  }

  private async session(request: EdgeRequest): Promise<SessionIdentity> {
    const { http, row } = request;
    const byBearer = bearer(http);
    if (byBearer !== undefined && /^carillon_(pat|oat)_/.test(byBearer))
      throw new ApiError(403, 'HUMAN_SESSION_REQUIRED', 'Only a signed-in person can do this, not a token.');
    const presented = byBearer ?? http.cookies[sessionCookie];
    if (presented === undefined) throw unauthenticated('UNAUTHENTICATED');
    if (!looksLikeSecret(presented, 'carillon_ses_')) throw unauthenticated('TOKEN_INVALID');
    request.byCookie = byBearer === undefined;
    const hash = hashSecret(this.pepper, presented);
    request.sessionHash = hash;
    try {
      const { value } = await this.bus.ask(
        Accounts.identifySession,
        { hash },
        systemContext('gateway.sessions', 5_000, http),
      );
      // A stolen cookie must not work as an app's token, nor the other way round.
      if ((value.kind === 'cookie') !== request.byCookie) throw new Refused('session.unknown');
      if (row.access === 'app' && value.kind !== 'app') throw appRequired();
      return value;
    } catch (error) {
      throw this.asUnauthenticated(error);
    }
  }

  private asUnauthenticated(error: unknown, metadata?: string): unknown {
    const failure = failureOf(error);
    return failure ? unauthenticated(failure, metadata) : error;
  }

  /** A new sign-in, such as a step-up, ends the session of the cookie. An ended session is ignored. */
  private async findFormer(request: EdgeRequest): Promise<void> {
    const { http } = request;
    if (bearer(http) !== undefined || http.cookies[sessionCookie] === undefined) return;
    try {
      request.session = await this.session(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  private refuseCrossSite({ http }: EdgeRequest): void {
    const byCookie = bearer(http) === undefined && http.cookies[sessionCookie] !== undefined;
    if (
      bearer(http) === undefined &&
      crossSite({ method: http.method, headers: http.headers, byCookie, baseUrl: this.baseUrl })
    )
      throw new ApiError(403, 'CSRF_REJECTED', 'The request came from another site.');
  }

  private async limit(request: EdgeRequest, row: Row, { isSend }: { isSend: boolean }): Promise<void> {
    const { http, token, session } = request;
    const accountId = accountIdOf(request);
    const policies: Policy[] = [];
    const add = (name: string, key: string, limit: number): void =>
      void policies.push({ name, key: `${key}:${accountId}`, limit, ...perMinute });
    const pages = row.rate === 'page' || (row.pagesWith !== undefined && gives(http, row.pagesWith));
    const counts = isSend && !pages;
    if (counts) add('account', 'sends', this.limits.sends);
    if (token) {
      policies.push({ name: 'token', key: `token:${token.tokenId}`, limit: this.limits.token, ...perMinute });
      add('requests', 'requests', this.limits.account);
    }
    // Requests of a person in the console or the app do not use up the limits of the account's agents.
    if (session) add('session', 'session-requests', this.limits.session);
    const states = await this.take(policies, request, { accountId });
    // Taken early and refunded on refusal, so that an accepted send costs one call.
    if (counts) request.release = () => refundSend(this.rates, states, request.reply);
    if (pages) request.beforeReply = () => this.reserve.tell(accountId, request.reply, states);
  }

  /** The caller is not known yet, so all callers of a network share one limit. */
  private async limitNetwork(request: EdgeRequest): Promise<void> {
    const { http, row } = request;
    if (row.rate === undefined) return;
    const network = networkOf(http.ip);
    const policies: Policy[] = [
      { name: 'public', key: `public:${network}`, limit: this.limits.public, ...perMinute },
    ];
    if (row.rate === 'sign-up') {
      const signUps = { name: 'sign-up', windowSeconds: 3_600 };
      const site = siteOf(http.ip);
      policies.push({ ...signUps, key: `sign-up:${network}`, limit: this.limits.signUps });
      if (site !== network)
        policies.push({
          ...signUps,
          name: 'sign-up-site',
          key: `sign-up:${site}`,
          limit: this.limits.signUps * networksOfSite,
        });
    }
    // Guessing and signing up must not become free because nobody can count.
    await this.take(policies, request, { closed: row.contract !== undefined });
  }

  private async take(
    policies: readonly Policy[],
    request: EdgeRequest,
    { closed = false, accountId }: { closed?: boolean; accountId?: string } = {},
  ): Promise<readonly PolicyState[]> {
    let states;
    const writes = request.row.method !== 'GET';
    try {
      const taken = await this.rates.takeFor(
        accountId === undefined ? undefined : { accountId, writes },
        policies,
      );
      if (!writes && taken.isWrittenElsewhere) request.readsNewest = true;
      ({ states } = taken);
    } catch (error) {
      if (!writes) request.readsNewest = true;
      if (closed) throw new Refused('store.unavailable');
      // Better an uncounted request than a lost notification: limits protect us, not the caller.
      log.warn(
        { err: error, traceparent: traceOf(request.http) },
        'Failed to count rate limits: the request is let through',
      );
      return [];
    }
    void request.reply.headers(rateHeaders(states));
    const full = states.find((state) => !state.granted);
    if (full) throw tooMany(full.limit, full.resetSeconds);
    return states;
  }
}
