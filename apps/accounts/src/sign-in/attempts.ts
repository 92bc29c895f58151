import type { RateGrant, RateTake } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';

const windowSeconds = 15 * 60;
const perAccount = 10;
const perNetwork = 30;
/** Of one whole /48, so that nobody fills the queue of passwords from its 65,536 networks. */
const perSite = 120;

export interface SignInAttempt {
  readonly emailKey: string;
  readonly network: string;
  /** The larger network of IPv6 that this one is a part of. */
  readonly site: string;
  /**
   * The network, when the person has signed in from there before: its failures are counted separately, so that failures
   * from elsewhere cannot lock the person out.
   */
  readonly knownNetwork: string | undefined;
}

/** What an attempt to sign in takes; it is released when it was no failure. */
export const takesOf = ({ emailKey, network, site, knownNetwork }: SignInAttempt): RateTake[] => [
  {
    key: knownNetwork ? `sign-in:${emailKey}:${knownNetwork}` : `sign-in:${emailKey}`,
    limit: perAccount,
    windowSeconds,
    count: 1,
  },
  { key: `sign-in:${network}`, limit: perNetwork, windowSeconds, count: 1 },
  // An address of IPv4 is a network of its own.
  ...(site === network ? [] : [{ key: `sign-in:${site}`, limit: perSite, windowSeconds, count: 1 }]),
];

/** Refused when one of the takes was not granted; the longest retry time counts. */
export function insistOnGrants(takes: readonly RateTake[], grants: readonly RateGrant[]): void {
  const full = takes
    .map(({ limit }, index) => ({ limit, grant: grants[index] }))
    .flatMap(({ limit, grant }) => (grant?.granted === 0 ? [{ limit, retryAfter: grant.resetSeconds }] : []));
  if (full.length > 0)
    throw new Refused(
      'session.too_many_failures',
      full.reduce((longest, each) => (each.retryAfter > longest.retryAfter ? each : longest)),
    );
}
