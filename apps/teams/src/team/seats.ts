import { type Instant, Refused } from '@carillon/eventing';
import { openInvites } from './invites';
import type { Team } from './team';

/** The maximum number of members of a team. */
export const seatsOf = ({ kind }: Pick<Team, 'kind'>): number => (kind === 'family' ? 4 : 500);

/**
 * Refused `family.capacity_exceeded` or `team.seat_limit_reached` when no seat is free. In a family an open invite for
 * an address reserves a seat, which the acceptance with its `inviteId` may use.
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
