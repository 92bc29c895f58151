import { type Instant, Refused } from '@carillon/eventing';
import { openInvites } from './invites';
import type { Team } from './team';

/** How many may be in it at once. */
export const seatsOf = ({ kind }: Pick<Team, 'kind'>): number => (kind === 'family' ? 4 : 500);

/**
 * Refused `family.capacity_exceeded` or `team.seat_limit_reached` when there is no slot for one more. In a family an
 * open invite for one address keeps a seat, for whoever comes with `inviteId`.
 */
export function insistOnSeat(team: Team, at: Instant, inviteId?: string): void {
  const limit = seatsOf(team);
  const kept =
    team.kind === 'family'
      ? openInvites(team.invites, at).filter((each) => each.form === 'email' && each.inviteId !== inviteId)
      : [];
  if (team.members.length + kept.length < limit) return;
  throw new Refused(team.kind === 'family' ? 'family.capacity_exceeded' : 'team.seat_limit_reached', {
    limit,
  });
}
