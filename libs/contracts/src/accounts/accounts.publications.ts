import { id, instant, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type {
  AccountEvent,
  BootstrapEvent,
  EmailEvent,
  IdentityClaimed,
  SecondFactorEvent,
  SessionEvent,
  SessionUsed,
  TokenEvent,
  TokenUsed,
} from './accounts.events';
import type { MailLinkEvent } from './mail.events';

export const accountPublications: Publications<
  | AccountEvent
  | EmailEvent
  | IdentityClaimed
  | SecondFactorEvent
  | MailLinkEvent
  | BootstrapEvent
  | TokenEvent
  | TokenUsed
  | SessionEvent
  | SessionUsed
> = {
  AccountOpened: {
    name: 'accounts.account.opened',
    id: 'accountId',
    time: 'openedAt',
    summary: 'An account was opened.',
    data: { accountId: id, openedAt: instant },
  },
  TokenCreated: {
    name: 'accounts.token.created',
    id: 'tokenId',
    time: 'createdAt',
    summary: 'An API token was created.',
    data: {
      tokenId: id,
      accountId: id,
      kind: oneOf('token', 'oauth'),
      expiresAt: nullable(instant),
      createdAt: instant,
    },
  },
  TokenRevoked: {
    name: 'accounts.token.revoked',
    id: 'tokenId',
    time: 'revokedAt',
    summary: 'An API token was revoked.',
    data: { tokenId: id, accountId: id, revokedAt: instant },
  },
  OperatorChanged: unpublished,
  MailLinkRequested: unpublished,
  MailLinkUsed: unpublished,
  AccountSuspended: {
    name: 'accounts.account.suspended',
    id: 'accountId',
    time: 'suspendedAt',
    summary: 'An account was suspended: its credentials are refused until it is resumed.',
    data: { accountId: id, suspendedAt: instant },
  },
  AccountResumed: {
    name: 'accounts.account.resumed',
    id: 'accountId',
    time: 'resumedAt',
    summary: 'A suspended account was resumed.',
    data: { accountId: id, resumedAt: instant },
  },
  AccountDeleted: {
    name: 'accounts.account.deleted',
    id: 'accountId',
    time: 'deletedAt',
    summary: 'An account was deleted: nothing that was kept of it may be kept any longer.',
    data: { accountId: id, deletedAt: instant },
  },
  ProfileChanged: unpublished,
  PasswordChanged: unpublished,
  PasswordRemoved: unpublished,
  PasskeyAdded: unpublished,
  PasskeyUsed: unpublished,
  PasskeyDisabled: unpublished,
  PasskeyRemoved: unpublished,
  IdentityLinked: unpublished,
  IdentityUnlinked: unpublished,
  EmailVerified: unpublished,
  AccountForgotten: unpublished,
  EmailClaimed: unpublished,
  EmailReleased: unpublished,
  IdentityClaimed: unpublished,
  TotpPrepared: unpublished,
  TotpConfirmed: unpublished,
  TotpUsed: unpublished,
  TotpRemoved: unpublished,
  RecoveryCodesReplaced: unpublished,
  RecoveryCodeUsed: unpublished,
  BootstrapOffered: unpublished,
  BootstrapUsed: unpublished,
  GrantWidened: unpublished,
  TokenUsed: unpublished,
  SessionStarted: unpublished,
  SessionRefreshed: unpublished,
  SessionEnded: unpublished,
  SessionUsed: unpublished,
};
