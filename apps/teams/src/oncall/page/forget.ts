import type { PageEvent } from '@carillon/contracts';
import { type Decision, type Instant, isAfter, plus } from '@carillon/eventing';
import type { Team } from '../../team/team';
import { namesOf, type OncallPageFacts, type PageState } from './page';

const dayMs = 24 * 60 * 60 * 1000;

/** How many days closed pages are kept: the fewer of the team's and the installation's. */
export interface PageRetentionDays extends Pick<Team, 'retentionDays'> {
  /** 0 for ever. */
  readonly keepDays: number;
}

/** Pages closed up to this time are no longer kept; null while everything is kept. */
export function keptSince({ retentionDays, keepDays }: PageRetentionDays, now: Instant): Instant | null {
  const days = Math.min(retentionDays ?? Infinity, keepDays || Infinity);
  return days === Infinity ? null : plus(now, -days * dayMs);
}

/** Whether it was closed so long ago that it is no longer kept. An open page always is. */
export function isForgotten({ resolved }: OncallPageFacts, of: PageRetentionDays, now: Instant): boolean {
  const since = keptSince(of, now);
  return resolved !== null && since !== null && !isAfter(resolved.at, since);
}

export interface Forgetting extends Pick<Team, 'retentionDays'> {
  readonly at: Instant;
}

/** Forgets a closed page at the end of its team's retention, and never an open one. */
export const forget: Decision<PageState, PageEvent, Forgetting> =
  ({ retentionDays, at }) =>
  (state) =>
    state && isForgotten(state, { retentionDays, keepDays: 0 }, at)
      ? [{ type: 'PageForgotten', ...namesOf(state), forgottenAt: at }]
      : [];
