import {
  About,
  bool,
  count,
  Email,
  Id,
  id,
  NotBoth,
  Nullable,
  nullable,
  object,
  OneOf,
  oneOf,
  Opaque,
  Optional,
  resource,
  type Static,
  Text,
  text,
  when,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';
import { Team, teamKinds, teamRoles } from './teams.contracts';

export const TeamInvite = resource(
  'TeamInvite',
  {
    id: id('inv'),
    teamId: id('team'),
    invitedBy: id('usr'),
    email: nullable(text('The address that it is for; null when it is for more than one person.')),
    domain: nullable(text('Whose addresses it is for.')),
    role: oneOf(teamRoles),
    expiresAt: when(),
    createdAt: when(),
    acceptedAt: nullable(when('When it was used up; one that is for more than one person never is.')),
    revokedAt: nullable(when()),
  },
  'An invitation into a team.',
);
export type TeamInvite = Static<typeof TeamInvite>;

export const TeamInviteCreated = resource(
  'TeamInviteCreated',
  {
    invite: TeamInvite,
    code: text('Shown this once.'),
    url: text('A page that says how a person accepts it.'),
  },
  'An invite, and how to accept it.',
);
export type TeamInviteCreated = Static<typeof TeamInviteCreated>;

const inviteStates = ['open', 'accepted', 'revoked', 'expired'] as const;
export type InviteState = (typeof inviteStates)[number];

export class ListInvites extends ListQuery {
  @Id('team') id!: string;
  @About('`open` unless said.') @Optional() @OneOf([...inviteStates, 'all']) state?: InviteState | 'all';
}

@NotBoth('email', 'domain')
export class CreateInvite {
  @Id('team') id!: string;
  @About('For the account with this verified address, once.') @Optional() @Nullable() @Email() email?:
    string | null;
  @About('For every account with a verified address in it; must be the verified domain of the team.')
  @Optional()
  @Nullable()
  @Text(1, 253)
  domain?: string | null;
  @About('`member` unless said; `admin` is for the owner to give.')
  @Optional()
  @OneOf(['admin', 'member'])
  role?: 'admin' | 'member';
}

export class InviteById {
  @Id('team') id!: string;
  @Id('inv') inviteId!: string;
}

export class InviteByCode {
  @Opaque(1, 200) code!: string;
}

export const InvitePreview = resource(
  'InvitePreview',
  {
    team: object({ id: id('team'), name: text(), kind: oneOf(teamKinds), memberCount: count() }),
    role: oneOf(teamRoles, 'The role in the team after acceptance.'),
    invitedBy: object({ userId: id('usr'), name: text() }),
    domain: nullable(text('Whose addresses it is for.')),
    addressFits: bool('Whether the verified address of the account is one that it is for.'),
    expiresAt: when(),
  },
  'The invite, as the invited person sees it.',
);
export type InvitePreview = Static<typeof InvitePreview>;

/** A new person who wants to create an account with the code of an invite. */
export class AdmitNewcomer {
  @Text(1, 64) code!: string;
  @Email() email!: string;
}

const dead = ['invite.unknown', 'invite.expired', 'invite.revoked', 'invite.used'] as const;

export const Invites = {
  list: answers<ListPage<TeamInvite>>()(
    'teams.invite.list',
    ListInvites,
    ['team.unknown', 'team.forbidden_role', 'list.invalid_cursor'],
    'always',
  ),
  create: answers(TeamInviteCreated)('teams.invite.create', CreateInvite, [
    'team.unknown',
    'team.forbidden_role',
    'team.feature_unavailable',
    'domain.not_verified',
    'member.exists',
    'family.capacity_exceeded',
    'team.seat_limit_reached',
    'resource.limit_reached',
    'invite.made_too_often',
  ]),
  revoke: answers(Ok)('teams.invite.revoke', InviteById, [
    'team.unknown',
    'team.forbidden_role',
    'invite.unknown',
    'invite.already_accepted',
  ]),
  preview: answers(object({ invite: InvitePreview }))(
    'teams.invite.preview',
    InviteByCode,
    ['session.required', ...dead],
    'always',
  ),
  accept: answers(object({ team: Team }))('teams.invite.accept', InviteByCode, [
    'session.required',
    ...dead,
    'invite.other_address',
    'member.exists',
    'family.exists',
    'family.capacity_exceeded',
    'team.seat_limit_reached',
  ]),
  /** For the accounts service: whether an open invite admits this new person. */
  admits: answers<{ admitted: boolean }>()('teams.invite.admits', AdmitNewcomer, [], 'always'),
};
