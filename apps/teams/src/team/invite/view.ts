import type { TeamInvite } from '@carillon/contracts';
import type { Invite } from '../invites';

/** An invite as the API shows it to admins. */
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
