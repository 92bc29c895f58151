import type { AppPlaceClaimed } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis } from '@carillon/eventing';
import type { App, AppState } from './app';
import { placeOf } from './url';

/** Which app has the place of a URL with an owner, or is about to; null before anybody claimed it. */
export type PlaceState = Claimed | null;

interface Claimed {
  /** Null when it was given up. */
  readonly appId: string | null;
  readonly at: Instant;
  /** How often it was claimed. */
  readonly claims: number;
}

export const appPlace: Decider<PlaceState, AppPlaceClaimed> = {
  category: 'app_place',
  initial: null,
  evolve: (state, { appId, claimedAt }) => ({ appId, at: claimedAt, claims: (state?.claims ?? 0) + 1 }),
  personal: { AppPlaceClaimed: [] },
};

export interface Claim {
  readonly place: string;
  readonly accountId: string;
  readonly appId: string | null;
  /** How often it had been claimed when who claims it looked who has it. */
  readonly seen: number;
  readonly at: Instant;
}

/** It is this app's from now on, unless somebody was faster. Claimed anew even by who has it: others see that it is needed. */
export const claim: Decision<PlaceState, AppPlaceClaimed, Claim> =
  ({ place, accountId, appId, seen, at }) =>
  (state) =>
    (state?.claims ?? 0) === seen
      ? [{ type: 'AppPlaceClaimed', place, accountId, appId, claimedAt: at }]
      : [];

/** What is about to have a place and has not come there after this time will not come any more. */
const graceMs = 60_000;
/** It must be there well before that, so that nobody comes while another takes the place. */
const withinMs = graceMs / 2;

/** The place where an app stands. */
export const placeOfApp = ({ teamId, addedBy, url }: Pick<App, 'teamId' | 'addedBy' | 'url'>): string =>
  placeOf(teamId ?? addedBy, url);

/**
 * How the app that has claimed a place is to it, given its state as it stands now: it is there, it is about to come, it
 * is about to be added, or none of these, so that anybody may have the place.
 */
export function relationTo(
  place: string,
  claimed: Pick<Claimed, 'at'>,
  state: AppState,
  now: Instant,
): 'there' | 'coming' | 'to be added' | 'none' {
  const isYoung = (at: Instant): boolean => millis(now) - millis(at) < graceMs;
  if (state === 'removed') return 'none';
  if (state === null) return isYoung(claimed.at) ? 'to be added' : 'none';
  if (placeOfApp(state) === place) return 'there';
  return state.seeking?.place === place && isYoung(state.seeking.at) ? 'coming' : 'none';
}

/** Whether what has sought a place then may still come there. */
export const isInTime = (soughtAt: Instant, now: Instant): boolean =>
  millis(now) - millis(soughtAt) < withinMs;
