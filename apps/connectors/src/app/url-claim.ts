import type { AppUrlClaimed } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis } from '@carillon/eventing';
import type { App, AppState } from './app';
import { urlKeyOf } from './url';

/** Which app has the urlKey of a URL with an owner, or is about to; null before anybody claimed it. */
export type UrlClaimState = UrlClaim | null;

interface UrlClaim {
  /** Null when it was given up. */
  readonly appId: string | null;
  readonly at: Instant;
  /** How often it was claimed. */
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
  /** How often it had been claimed when who claims it looked who has it. */
  readonly seen: number;
  readonly at: Instant;
}

/** It is this app's from now on, unless somebody was faster. Claimed anew even by who has it: others see that it is needed. */
export const claim: Decision<UrlClaimState, AppUrlClaimed, UrlClaimInput> =
  ({ urlKey: urlKey, accountId, appId, seen, at }) =>
  (state) =>
    (state?.claims ?? 0) === seen
      ? [{ type: 'AppUrlClaimed', urlKey: urlKey, accountId, appId, claimedAt: at }]
      : [];

/** What is about to have a urlKey and has not come there after this time will not come any more. */
const graceMs = 60_000;
/** It must be there well before that, so that nobody comes while another takes the urlKey. */
const withinMs = graceMs / 2;

/** The urlKey where an app stands. */
export const urlKeyOfApp = ({ teamId, addedBy, url }: Pick<App, 'teamId' | 'addedBy' | 'url'>): string =>
  urlKeyOf(teamId ?? addedBy, url);

/**
 * How the app that has claimed a urlKey is to it, given its state as it stands now: it is there, it is about to come, it
 * is about to be added, or none of these, so that anybody may have the urlKey.
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

/** Whether what has sought a urlKey then may still come there. */
export const isInTime = (requestedAt: Instant, now: Instant): boolean =>
  millis(now) - millis(requestedAt) < withinMs;
