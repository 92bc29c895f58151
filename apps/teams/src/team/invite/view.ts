import type { TeamInvite } from '@carillon/contracts';
import type { Invite } from '../invites';

/** As the API shows it to an admin. */
export const inviteView = (
  teamId: string,
  {
    inviteId,
    invitedBy,
    email,
    domain,
    role,
    expiresAt,
    createdAt,
    acceptedAt,
    revokedAt,
  }: Omit<Invite, 'codeHash' | 'form' | 'removed'>,
): TeamInvite => ({
  id: inviteId,
  teamId,
  invitedBy,
  email,
  domain,
  role,
  expiresAt,
  createdAt,
  acceptedAt,
  revokedAt,
});
