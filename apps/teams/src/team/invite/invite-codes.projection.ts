import {
  deviceGroupEventTypes,
  domainEventTypes,
  oncallGroupEventTypes,
  type Streams,
} from '@carillon/contracts';
import { type EventsOf, ignoring, type On, Projection } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';
import { forgottenAt } from '../invites';

type Followed = Streams<'team'>;
const ignored = ignoring(
  'TeamCreated',
  'TeamChanged',
  'TeamDeleted',
  'MemberJoined',
  'MemberLeft',
  'MemberRemoved',
  'MemberRoleChanged',
  'OwnershipTransferred',
  'InviteAccepted',
  'InviteRevoked',
  ...deviceGroupEventTypes,
  ...oncallGroupEventTypes,
  ...domainEventTypes,
);

/** The maximum of old codes that one event deletes. Later ones delete the rest, which their teams have forgotten. */
const atOnce = 5_000;

/** Maps codes to invites. Codes of deleted teams stay, so that they are refused as revoked and not as unknown. */
@Injectable()
export class InviteCodesProjection extends Projection<Followed> {
  readonly name = 'invite_codes';
  readonly tables = ['invite_codes'];
  readonly on: On<Followed> = {
    team: {
      ...ignored,
      InviteCreated: async (sql, { event }) => {
        const { teamId, inviteId, codeHash, createdAt, expiresAt } = event;
        await sql.query(
          `DELETE FROM invite_codes WHERE code_hash IN (
             SELECT code_hash FROM invite_codes WHERE team_id = $1 AND expires_at <= $2
             ORDER BY expires_at LIMIT $3)`,
          [teamId, forgottenAt(createdAt), atOnce],
        );
        await sql.query(
          `INSERT INTO invite_codes (code_hash, team_id, invite_id, expires_at) VALUES ($1, $2, $3, $4)`,
          [codeHash, teamId, inviteId, expiresAt],
        );
      },
    },
  };

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.teamId;
  }
}
