import type {
  InviteAccepted,
  InviteCreated,
  InviteForm,
  InviteRevoked,
  InviteState,
} from '@carillon/contracts';
import { type Instant, isAfter, plus } from '@carillon/eventing';

/** Includes invites that ended recently, so that their codes are refused with the reason. */
export type Invites = readonly Invite[];

export interface Invite {
  readonly inviteId: string;
  readonly invitedBy: string;
  readonly form: InviteForm;
  /** Also null for an erased address: such an invite fits no account. */
  readonly email: string | null;
  readonly domain: string | null;
  readonly role: 'admin' | 'member';
  readonly codeHash: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** When the invite was used up. Only an invite for an address can be. */
  readonly acceptedAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Accounts removed from the team since the invite was created, which cannot use it to come back. */
  readonly removed: readonly string[];
}

const rememberedMs = 90 * 24 * 60 * 60 * 1000;

/** Invites that expired by this time are forgotten. */
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

/** The state of an invite at a time. */
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

/** The invites after a removal: the open ones are closed to the removed account. */
export const closedTo = (invites: Invites, accountId: string, at: Instant): Invites =>
  invites.map((invite) =>
    inviteStateAt(invite, at) === 'open' ? { ...invite, removed: [...invite.removed, accountId] } : invite,
  );

const changed = (invites: Invites, inviteId: string, change: (invite: Invite) => Invite): Invites =>
  invites.map((invite) => (invite.inviteId === inviteId ? change(invite) : invite));
