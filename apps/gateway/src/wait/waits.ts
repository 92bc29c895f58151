import { randomUUID } from 'node:crypto';
import { Bus } from '@carillon/bus';
import { Accounts, accountSuspended, type EndedSignal, type TokenIdentity } from '@carillon/contracts';
import { isPassing, Refused } from '@carillon/eventing';
import { Clock, logger, numberSetting } from '@carillon/runtime';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { bearer } from '../access/bearer';
import { failureOf, unauthenticated } from '../errors/challenge';
import { Tokens } from '../access/tokens';
import { ApiError } from '../errors/api-error';
import { metadataOf } from '../oauth/protected-resource';
import { Capacity } from '../rate/capacity';
import { systemContext } from '../request/context';
import type { EdgeRequest } from '../request/row';
import { Permits } from './permits';
import { type Over, Sleeper } from './sleeper';

/** A revocation whose signal was lost ends the waits of its token within this time. */
const tokenCheckMs = 5_000;
/** After this time a wait reads again when its service was unavailable. */
const againMs = 1_000;
/** How often a gateway renews its permits: a third of their lease at accounts. */
const renewMs = 10_000;
/** Timeout of the call to accounts that takes the permit of a new wait. */
const countTimeoutMs = 2_000;
/** Whether an error only says that the service was unavailable, and nothing about what is waited for. */
const saysNothing = (error: unknown): boolean =>
  isPassing(error) || (error instanceof Refused && error.reason === 'internal');

const log = logger('gateway');

/** Why a token is no longer good for a wait, if the error says that. */
const overBy = (error: unknown): Over | undefined =>
  error instanceof Refused && error.reason === 'account.suspended' ? 'ACCOUNT_SUSPENDED' : failureOf(error);

/** What a wait waits for. */
export interface WaitRequest<Seen> {
  readonly timeoutSeconds: number;
  /** Calls `wake` when it may have come, until the returned function is called. */
  readonly listen: (wake: () => void) => () => void;
  /** Reads what is there; the first time as its caller must see it at least. */
  readonly look: (isFirst: boolean) => Promise<Seen>;
  readonly isOver: (seen: Seen) => boolean;
  /** When to read again although nothing has woken the wait, in Unix milliseconds. */
  readonly until: (seen: Seen, now: number) => number;
}

export interface Waited<Seen> {
  readonly seen: Seen;
  readonly timedOut: boolean;
}

export const tooManyWaits = [
  429,
  'TOO_MANY_WAITS',
  'The token has as many waits open as it may have.',
] as const;

/** The open waits of one token at this gateway. */
interface OfToken {
  readonly accountId: string;
  readonly sleepers: Set<Sleeper>;
  /** The token's secret, to check again whether the token is still valid. */
  readonly secret: string;
}

/** The open waits of this gateway (ADR 18). */
@Injectable()
export class Waits
  implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly maxOfToken = numberSetting('CARILLON_WAITS_PER_TOKEN', 20);
  private readonly open = new Map<string, OfToken>();
  private closing = false;
  private checking: NodeJS.Timeout | undefined;
  private readonly gateway = randomUUID();
  private readonly permits = new Permits(
    this.maxOfToken,
    async (wants) => {
      const asked = { gateway: this.gateway, wants: [...wants] };
      const context = systemContext('gateway.waits', countTimeoutMs);
      return (await this.bus.ask(Accounts.holdWaitPermits, asked, context)).value.held;
    },
    (error) => log.warn({ err: error }, 'Failed to share wait permits: this gateway counts only its own'),
  );
  private stops: (() => void)[] = [];

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Tokens) private readonly tokens: Tokens,
    @Inject(Capacity) private readonly capacity: Capacity,
  ) {}

  onModuleInit(): void {
    const renewing = setInterval(() => this.permits.renew(), renewMs).unref();
    this.stops = [
      this.bus.onSignal<EndedSignal>('token.revoked', (tokenId) => {
        const told = this.open.get(tokenId);
        if (told) void this.checkToken(told, (secret) => this.tokens.identifyAgain(secret));
      }),
      this.bus.onSignal(accountSuspended, (accountId) => {
        for (const told of this.open.values())
          if (told.accountId === accountId)
            void this.checkToken(told, (secret) => this.tokens.identifyAgain(secret));
      }),
      this.clock.onAdvance(async () => {
        await this.checkTokens();
        const now = this.clock.ms();
        for (const sleeper of this.all()) if (sleeper.until <= now) sleeper.wake();
      }),
      () => clearInterval(renewing),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
    clearInterval(this.checking);
  }

  /** Ends all waits so that their clients retry: another gateway, or the next process of this one, continues them. */
  beforeApplicationShutdown(): void {
    this.closing = true;
    for (const sleeper of this.all()) sleeper.end('closing');
  }

  /** Resolves once accounts has released the permits of the ended waits. */
  async onApplicationShutdown(): Promise<void> {
    await this.permits.told();
  }

  /** How many waits are open. */
  get size(): number {
    return [...this.all()].length;
  }

  async serve<Seen>(request: EdgeRequest, wanted: WaitRequest<Seen>): Promise<Waited<Seen>> {
    if (this.closing) throw this.errorOf('closing', request);
    const release = this.capacity.take(request.reply);
    try {
      return await this.begun(request, wanted);
    } finally {
      release();
    }
  }

  private async begun<Seen>(request: EdgeRequest, wanted: WaitRequest<Seen>): Promise<Waited<Seen>> {
    const { token, http, reply } = request;
    const secret = bearer(http);
    if (!token || secret === undefined) throw new Error('A wait was asked for without a token');
    if (!(await this.permits.take(token.tokenId)))
      throw new ApiError(...tooManyWaits, { retryAfter: 1, limit: this.maxOfToken }, { 'retry-after': '1' });
    const sleeper = new Sleeper();
    const leave = this.enter(token, secret, sleeper);
    const gone = (): void => sleeper.end('left');
    reply.raw.once('close', gone);
    // The wait first listens, then reads, so that it misses nothing.
    const stop = wanted.listen(sleeper.wake);
    try {
      if (reply.raw.destroyed) gone();
      if (this.closing) sleeper.end('closing');
      // The token may have ended since the access guard checked it.
      await this.tokens.identify(secret, request.http).catch((error: unknown) => {
        const over = overBy(error);
        if (!over) throw error;
        sleeper.end(over);
      });
      return await this.wait(request, wanted, sleeper);
    } finally {
      stop();
      leave();
      reply.raw.off('close', gone);
    }
  }

  private async wait<Seen>(
    request: EdgeRequest,
    { timeoutSeconds, look, isOver, until }: WaitRequest<Seen>,
    sleeper: Sleeper,
  ): Promise<Waited<Seen>> {
    const deadline = this.clock.ms() + timeoutSeconds * 1_000;
    for (let isFirst = true; ; isFirst = false) {
      if (sleeper.over) throw this.errorOf(sleeper.over, request);
      const isLate = this.clock.ms() >= deadline;
      const looked = await look(isFirst).then(
        (seen) => ({ seen }),
        (error: unknown) => {
          // A client that waits for a person can also wait for the restart of a service.
          if (isFirst || isLate || !saysNothing(error)) throw error;
          return undefined;
        },
      );
      if (sleeper.over) throw this.errorOf(sleeper.over, request);
      if (looked && isOver(looked.seen)) return { seen: looked.seen, timedOut: false };
      if (looked && isLate) return { seen: looked.seen, timedOut: true };
      const now = this.clock.ms();
      sleeper.until = Math.min(deadline, looked ? until(looked.seen, now) : now + againMs);
      await sleeper.sleep(Math.max(0, sleeper.until - now));
    }
  }

  /**
   * Registers an open wait that has taken a permit of its token. Returns a function that ends the wait and its permit.
   */
  private enter(token: TokenIdentity, secret: string, sleeper: Sleeper): () => void {
    const { tokenId } = token;
    const { sleepers } = this.open.get(tokenId) ?? this.begin(token, secret);
    sleepers.add(sleeper);
    return () => {
      this.permits.give(tokenId);
      sleepers.delete(sleeper);
      if (sleepers.size > 0) return;
      this.open.delete(tokenId);
      if (this.open.size > 0) return;
      clearInterval(this.checking);
      this.checking = undefined;
    };
  }

  private begin({ tokenId, accountId }: TokenIdentity, secret: string): OfToken {
    const begun: OfToken = { accountId, sleepers: new Set(), secret };
    this.open.set(tokenId, begun);
    this.checking ??= setInterval(() => void this.checkTokens(), tokenCheckMs).unref();
    return begun;
  }

  /** Ends the waits of tokens that are no longer valid. While accounts is unavailable, a token stays valid. */
  private async checkTokens(): Promise<void> {
    const open = [...this.open.values()];
    const invalid = await this.tokens.invalidAmong(open.map(({ secret }) => secret));
    for (const each of open)
      if (invalid.has(each.secret))
        await this.checkToken(each, (secret) => this.tokens.identifyAgain(secret));
  }

  private async checkToken(
    { sleepers, secret }: OfToken,
    identify: (secret: string) => Promise<unknown>,
  ): Promise<void> {
    await identify(secret).catch((error: unknown) => {
      const over = overBy(error);
      if (over) for (const sleeper of sleepers) sleeper.end(over);
    });
  }

  private *all(): Iterable<Sleeper> {
    for (const { sleepers } of this.open.values()) yield* sleepers;
  }

  private errorOf(over: Over, request: EdgeRequest): Error {
    switch (over) {
      case 'TOKEN_REVOKED':
      case 'TOKEN_EXPIRED':
      case 'TOKEN_INVALID':
        return unauthenticated(over, metadataOf(request.row.path));
      case 'ACCOUNT_SUSPENDED':
        return new Refused('account.suspended');
      case 'closing':
        // A connection that stays open would send its next request to this gateway, which accepts none any more.
        void request.reply.header('connection', 'close');
        return new Refused('bus.unavailable');
      case 'left':
        return new Refused('bus.unavailable');
    }
  }
}
