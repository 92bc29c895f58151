import { Refused } from '@carillon/eventing';
import { setting } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AllowedRanges, allowedRanges, destinationOf, mayBeCalled, notAllowed } from './destination';

/** Where a request may go now: connect to one of these addresses and to no other. */
export interface Reachable {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly ResolvedAddress[];
}

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Nobody knows the name, or nobody said so in time. */
export class NameNotFound extends Error {
  override readonly name = 'NameNotFound';
}

const answerMs = 1_000;
const timeoutMs = 2_500;

/** Asks for the addresses of receivers and lets only those pass that may be called. Nothing is kept: names move. */
@Injectable()
export class Destinations {
  private readonly allowed: AllowedRanges;
  private readonly servers: readonly string[];

  constructor() {
    this.allowed = allowedRanges(setting('CARILLON_WEBHOOK_ALLOW_CIDRS', ''));
    this.servers = setting('CARILLON_WEBHOOK_DNS', '')
      .split(',')
      .map((server) => server.trim())
      .filter((server) => server !== '');
  }

  /**
   * Refused `destination.not_allowed` unless every address of the host may be called; throws `NameNotFound` when it
   * has none.
   */
  async find(url: string): Promise<Reachable> {
    const { host, port, address } = destinationOf(url);
    const found = address === null ? await this.addressesOf(host) : [address];
    if (!found.every((each) => mayBeCalled(each, this.allowed))) throw notAllowed();
    return { host, port, addresses: found.map((each) => ({ address: each, family: isIP(each) as 4 | 6 })) };
  }

  /** As `find`, for who saves a URL: a name may come to be later, so that one that nobody knows yet passes. */
  async check(url: string): Promise<void> {
    try {
      await this.find(url);
    } catch (error) {
      if (!(error instanceof NameNotFound)) throw error;
    }
  }

  /**
   * Not through `lookup`: that takes one of four threads which all of Node shares for as long as a name server keeps it
   * waiting. A resolver of its own, since only as a whole can it be told to give up.
   */
  private async addressesOf(host: string): Promise<string[]> {
    const resolver = new Resolver({ timeout: answerMs, tries: 2 });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length === 0) throw new NameNotFound('A receiver has no address');
      return found;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** For the `lookup` of a connection: gives what was checked, whatever name is asked for. */
export const pinnedTo =
  ({ addresses }: Reachable): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error('There is no address'), '', 0);
  };

export const isNotAllowed = (error: unknown): boolean =>
  error instanceof Refused && error.reason === 'destination.not_allowed';
