import type { TeamEvent } from '@carillon/contracts';
import { type Decision, type Instant, isBefore, Refused } from '@carillon/eventing';
import type { TimeWindow } from '../../rotation/shifts';
import { madeAs } from '../../team/made';
import { insistOnMembers } from '../../team/naming';
import type { TeamState } from '../../team/team';
import { foundGroup, type GroupAsked } from './found-group';
import { overrideWindow } from './override-window';

interface Overriding extends GroupAsked, TimeWindow {
  readonly overrideId: string;
  /** The member who is on call in the window. */
  readonly memberId: string;
  readonly fingerprint: string | null;
  readonly at: Instant;
}

/** Puts a member on call for a window: admins any member, members only themselves. An id creates one override only. */
export const createOverride: Decision<TeamState, TeamEvent, Overriding> =
  ({ overrideId, memberId, startsAt, endsAt, fingerprint, at, ...asked }) =>
  (state) => {
    const { team, role, group } = foundGroup(state, asked);
    const made = madeAs(team, overrideId);
    if (made) {
      if (made.fingerprint !== fingerprint) throw new Refused('idempotency.key_reused');
      return [];
    }
    const window = overrideWindow({ startsAt, endsAt }, at);
    if (role === 'member' && memberId !== asked.accountId) throw new Refused('override.self_only');
    insistOnMembers(team, [memberId]);
    if (
      group.overrides.some(
        (other) => isBefore(other.startsAt, window.endsAt) && isBefore(window.startsAt, other.endsAt),
      )
    )
      throw new Refused('override.overlap');
    return [
      {
        type: 'OverrideCreated',
        teamId: asked.teamId,
        groupId: asked.groupId,
        overrideId,
        accountId: memberId,
        ...window,
        fingerprint,
        createdAt: at,
      },
    ];
  };
