import type { GroupDevice, TeamEvent } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import { madeAs } from '../made';
import { insistOnMembers } from '../naming';
import { type TeamRequest, asMember, insistOn, type TeamState } from '../team';
import { devicesOf, insistOnFreeName } from './naming';

const maxGroups = 100;

export interface Creating extends TeamRequest {
  readonly groupId: string;
  readonly name: string;
  readonly accountIds: readonly string[];
  readonly deviceIds: readonly string[];
  /** Push's answer about those devices. */
  readonly known: readonly GroupDevice[];
  readonly fingerprint: string | null;
}

/**
 * Creates a group of people and devices of the team. An id creates one group only, even after that is deleted (ADR 30).
 */
export const createGroup: Decision<TeamState, TeamEvent, Creating> =
  ({ groupId, name, accountIds, deviceIds, known, fingerprint, ...asked }) =>
  (state) => {
    const { team, role } = asMember(state, asked);
    insistOn(role, 'admin');
    const made = madeAs(team, groupId);
    if (made) {
      if (made.fingerprint !== fingerprint) throw new Refused('idempotency.key_reused');
      return [];
    }
    insistOnMembers(team, accountIds);
    const devices = devicesOf(team, deviceIds, known);
    insistOnFreeName(team, name);
    if (team.groups.length >= maxGroups) throw new Refused('resource.limit_reached', { limit: maxGroups });
    return [
      {
        type: 'DeviceGroupCreated',
        teamId: asked.teamId,
        groupId,
        name,
        accountIds,
        devices,
        fingerprint,
        createdAt: asked.at,
      },
    ];
  };
