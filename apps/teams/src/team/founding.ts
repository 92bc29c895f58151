import type { TeamEvent, TeamKind } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import type { TeamState } from './team';

export interface Founding {
  readonly teamId: string;
  readonly kind: TeamKind;
  readonly name: string;
  readonly ownerId: string;
  readonly at: Instant;
}

/** Creates a team with its owner as the first member. */
export const found: Decision<TeamState, TeamEvent, Founding> =
  ({ teamId, kind, name, ownerId, at }) =>
  (state) =>
    state
      ? []
      : [
          { type: 'TeamCreated', teamId, kind, name, ownerId, createdAt: at },
          { type: 'MemberJoined', teamId, accountId: ownerId, role: 'owner', by: 'creation', joinedAt: at },
        ];
