import type { PageEvent } from '@carillon/contracts';
import { type Decision, type Instant, isAfter, plus } from '@carillon/eventing';
import type { Team } from '../../team/team';
import { namesOf, type OncallPageFacts, type PageState } from './page';

const dayMs = 24 * 60 * 60 * 1000;

/** Pages closed up to this time are no longer kept; null while a team keeps everything. */
export const keptSince = ({ retentionDays }: Pick<Team, 'retentionDays'>, now: Instant): Instant | null =>
  retentionDays === null ? null : plus(now, -retentionDays * dayMs);

/** Whether the team has wanted to forget it by now. */
export function isForgotten(
  { resolved }: OncallPageFacts,
  of: Pick<Team, 'retentionDays'>,
  now: Instant,
): boolean {
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
    state && isForgotten(state, { retentionDays }, at)
      ? [{ type: 'PageForgotten', ...namesOf(state), forgottenAt: at }]
      : [];
