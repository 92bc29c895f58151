import type {
  InviteAccepted,
  InviteCreated,
  InviteForm,
  InviteRevoked,
  InviteState,
} from '@carillon/contracts';
import { type Instant, isAfter, plus } from '@carillon/eventing';

/** Also those that are over, for some time, so that their codes tell why they are dead. */
export type Invites = readonly Invite[];

export interface Invite {
  readonly inviteId: string;
  readonly invitedBy: string;
  readonly form: InviteForm;
  /** Null also for one whose address can no longer be read: it fits nobody. */
  readonly email: string | null;
  readonly domain: string | null;
  readonly role: 'admin' | 'member';
  readonly codeHash: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** When it was used up; one that is not for an address never is. */
  readonly acceptedAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Who was removed from the team since it was made: it does not take them in again. */
  readonly removed: readonly string[];
}

const rememberedMs = 90 * 24 * 60 * 60 * 1000;

/** What had expired by then is remembered no more. */
export const forgottenAt = (at: Instant): Instant => plus(at, -rememberedMs);

export function evolveInvites(
  invites: Invites,
  event: InviteCreated | InviteAccepted | InviteRevoked,
): Invites {
  switch (event.type) {
    case 'InviteCreated': {
      const { type: _, teamId: __, ...made } = event;
      const forgotten = forgottenAt(event.createdAt);
      return [
        ...invites.filter(({ expiresAt }) => isAfter(expiresAt, forgotten)),
        { ...made, acceptedAt: null, revokedAt: null, removed: [] },
      ];
    }
    case 'InviteAccepted':
      return changed(invites, event.inviteId, (invite) =>
        invite.form === 'email' ? { ...invite, acceptedAt: event.acceptedAt } : invite,
      );
    case 'InviteRevoked':
      return changed(invites, event.inviteId, (invite) => ({ ...invite, revokedAt: event.revokedAt }));
  }
}

/** What became of it by then. */
export const inviteStateAt = (
  { acceptedAt, revokedAt, expiresAt }: Pick<Invite, 'acceptedAt' | 'revokedAt' | 'expiresAt'>,
  at: Instant,
): InviteState =>
  acceptedAt !== null
    ? 'accepted'
    : revokedAt !== null
      ? 'revoked'
      : !isAfter(expiresAt, at)
        ? 'expired'
        : 'open';

export const openInvites = (invites: Invites, at: Instant): Invites =>
  invites.filter((invite) => inviteStateAt(invite, at) === 'open');

/** The invites when somebody was removed: what is open then is closed to them. */
export const closedTo = (invites: Invites, accountId: string, at: Instant): Invites =>
  invites.map((invite) =>
    inviteStateAt(invite, at) === 'open' ? { ...invite, removed: [...invite.removed, accountId] } : invite,
  );

const changed = (invites: Invites, inviteId: string, change: (invite: Invite) => Invite): Invites =>
  invites.map((invite) => (invite.inviteId === inviteId ? change(invite) : invite));
