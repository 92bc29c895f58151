import { Bus } from '@carillon/bus';
import { Accounts, accountSuspended, type TokenIdentity, type EndedSignal } from '@carillon/contracts';
import { Clock, secret } from '@carillon/runtime';
import { hashSecret } from '@carillon/signing';
import { isAfter, Refused } from '@carillon/eventing';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { systemContext } from '../request/context';
import { invalidAmong } from './invalid';

/** OAuth access tokens; they are looked for elsewhere than API tokens. */
export const accessPrefix = 'carillon_oat_';

/** A revocation takes effect here within this time even when its signal was lost. */
const keptMs = 5_000;
const keptTokens = 20_000;

/** Identifies tokens, with a cache of a few seconds. */
@Injectable()
export class Tokens implements OnModuleInit, OnModuleDestroy {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly known = new LRUCache<string, Promise<TokenIdentity>>({ max: keptTokens, ttl: keptMs });
  private stops: (() => void)[] = [];

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.stops = [
      this.bus.onSignal<EndedSignal>('token.revoked', (tokenId) => void this.forget(tokenId)),
      this.bus.onSignal(accountSuspended, (id) => void this.drop(({ accountId }) => accountId === id)),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  /** Refused `token.unknown`, `token.revoked`, `token.expired`. */
  async identify(presented: string, http?: FastifyRequest): Promise<TokenIdentity> {
    const hash = hashSecret(this.pepper, presented);
    const identity = await (this.known.get(hash) ?? this.ask(presented, hash, http));
    if (identity.expiresAt && !isAfter(identity.expiresAt, this.clock.now()))
      throw new Refused('token.expired');
    return identity;
  }

  /** As `identify`, but asks accounts instead of the cache. */
  identifyAgain(presented: string): Promise<TokenIdentity> {
    this.known.delete(hashSecret(this.pepper, presented));
    return this.identify(presented);
  }

  /** Those of these tokens that accounts does not call valid, in one question for 500. */
  async invalidAmong(presented: Iterable<string>): Promise<ReadonlySet<string>> {
    const secrets = new Map([...presented].map((each) => [hashSecret(this.pepper, each), each]));
    const invalid = await invalidAmong(secrets.keys(), async (hashes) => {
      const context = systemContext('gateway.tokens', 5_000);
      return (await this.bus.ask(Accounts.validTokens, { hashes }, context)).value.valid;
    });
    return new Set(invalid.flatMap((hash) => secrets.get(hash) ?? []));
  }

  /** Drops a token from the cache. */
  forget(id: string): Promise<void> {
    return this.drop(({ tokenId }) => tokenId === id);
  }

  private async drop(which: (identity: TokenIdentity) => boolean): Promise<void> {
    for (const [hash, identity] of this.known)
      identity.then(
        (found) => which(found) && this.known.delete(hash),
        () => {},
      );
    await Promise.resolve();
  }

  private async ask(presented: string, hash: string, http?: FastifyRequest): Promise<TokenIdentity> {
    const asked = presented.startsWith(accessPrefix) ? { hash, access: true } : { hash };
    const identity = this.bus
      .ask(Accounts.identifyToken, asked, systemContext('gateway.tokens', 5_000, http))
      .then(({ value }) => value);
    this.known.set(hash, identity);
    try {
      return await identity;
    } catch (error) {
      this.known.delete(hash);
      throw error;
    }
  }
}
