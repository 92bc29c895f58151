import type { AppUrlClaimed } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis } from '@carillon/eventing';
import type { App, AppState } from './app';
import { urlKeyOf } from './url';

/** The app that holds the urlKey, or is about to; null before the first claim. */
export type UrlClaimState = UrlClaim | null;

interface UrlClaim {
  /** Null when the claim was released. */
  readonly appId: string | null;
  readonly at: Instant;
  /** The number of claims so far. */
  readonly claims: number;
}

export const appUrlClaim: Decider<UrlClaimState, AppUrlClaimed> = {
  category: 'app_url_claim',
  initial: null,
  evolve: (state, { appId, claimedAt }) => ({ appId, at: claimedAt, claims: (state?.claims ?? 0) + 1 }),
  personal: { AppUrlClaimed: [] },
};

export interface UrlClaimInput {
  readonly urlKey: string;
  readonly accountId: string;
  readonly appId: string | null;
  /** The number of claims when the claimant read the state. */
  readonly seen: number;
  readonly at: Instant;
}

/** Claims the urlKey unless another claim was faster. A repeat by the holder shows others that it is needed. */
export const claim: Decision<UrlClaimState, AppUrlClaimed, UrlClaimInput> =
  ({ urlKey, accountId, appId, seen, at }) =>
  (state) =>
    (state?.claims ?? 0) === seen ? [{ type: 'AppUrlClaimed', urlKey, accountId, appId, claimedAt: at }] : [];

/** A claim whose app has not reached the urlKey within this time has expired. */
const graceMs = 60_000;
/** The app must arrive well before the claim expires, so that it cannot arrive while another app takes the urlKey. */
const withinMs = graceMs / 2;

/** The urlKey of the app's current owner and URL. */
export const urlKeyOfApp = ({ teamId, addedBy, url }: Pick<App, 'teamId' | 'addedBy' | 'url'>): string =>
  urlKeyOf(teamId ?? addedBy, url);

/**
 * The relation of the claiming app, in its current state, to the urlKey: the app is there, is moving there, is about
 * to be added, or none of these; with none, the urlKey is free.
 */
export function relationTo(
  urlKey: string,
  claimed: Pick<UrlClaim, 'at'>,
  state: AppState,
  now: Instant,
): 'there' | 'coming' | 'to be added' | 'none' {
  const isYoung = (at: Instant): boolean => millis(now) - millis(at) < graceMs;
  if (state === 'removed') return 'none';
  if (state === null) return isYoung(claimed.at) ? 'to be added' : 'none';
  if (urlKeyOfApp(state) === urlKey) return 'there';
  return state.claiming?.urlKey === urlKey && isYoung(state.claiming.at) ? 'coming' : 'none';
}

/** Whether an app that requested a urlKey at that time may still take it. */
export const isInTime = (requestedAt: Instant, now: Instant): boolean =>
  millis(now) - millis(requestedAt) < withinMs;
