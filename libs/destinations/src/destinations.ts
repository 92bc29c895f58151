import { Refused } from '@carillon/eventing';
import { setting } from '@carillon/settings';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AllowedRanges, allowedRanges, destinationOf, mayBeCalled, notAllowed } from './destination';

/** The addresses that a request may connect to now, and no others. */
export interface Reachable {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly ResolvedAddress[];
}

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** The DNS lookup found nothing or timed out. */
export class NameNotFound extends Error {
  override readonly name = 'NameNotFound';
}

const answerMs = 1_000;
const timeoutMs = 2_500;

/** Looks up where callers' URLs lead, and allows only permitted addresses. No cache, since DNS records change. */
export class Destinations {
  private readonly allowed: AllowedRanges;
  private readonly servers: readonly string[];

  /** With the origin of a stand-in, by its address, which is allowed whatever the rules say. */
  constructor(private readonly standIn = '') {
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
    const { hostname, origin, port: standInPort } = new URL(url);
    if (origin === this.standIn && isIP(hostname) === 4)
      return { host: hostname, port: Number(standInPort), addresses: [{ address: hostname, family: 4 }] };
    const { host, port, address } = destinationOf(url);
    const found = address === null ? await this.addressesOf(host) : [address];
    if (!found.every((each) => mayBeCalled(each, this.allowed))) throw notAllowed();
    return { host, port, addresses: found.map((each) => ({ address: each, family: isIP(each) as 4 | 6 })) };
  }

  /** As `find`, for saving a URL: an unknown name passes, since it may be registered later. */
  async check(url: string): Promise<void> {
    try {
      await this.find(url);
    } catch (error) {
      if (!(error instanceof NameNotFound)) throw error;
    }
  }

  /**
   * Not through `lookup`, which blocks one of the four threads of Node's pool for as long as a name server is slow. One
   * resolver per lookup, since a resolver can only cancel all of its queries.
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

/** A `lookup` for a connection that returns the checked addresses for any name. */
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
