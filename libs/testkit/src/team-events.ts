import type {
  DeviceGroupCreated,
  InviteCreated,
  MemberJoined,
  OncallGroupCreated,
  OverrideCreated,
  TeamCreated,
  TeamEvent,
} from '@carillon/contracts';

type TeamEventFields<Event> = Partial<Omit<Event, 'type'>>;

const at = '2026-11-20T09:00:00.000Z';

const teamCreated = (said: TeamEventFields<TeamCreated> = {}): TeamCreated => ({
  type: 'TeamCreated',
  teamId: 'team_1',
  kind: 'team',
  name: 'Acme',
  ownerId: 'usr_owner',
  createdAt: at,
  ...said,
});

/** A member who was invited. */
const memberJoined = (said: TeamEventFields<MemberJoined> = {}): MemberJoined => ({
  type: 'MemberJoined',
  teamId: 'team_1',
  accountId: 'usr_member',
  role: 'member',
  by: 'invite',
  joinedAt: at,
  ...said,
});

const ownerJoined = memberJoined({ accountId: 'usr_owner', role: 'owner', by: 'creation' });

/** A workplace team `team_1` with `usr_owner`, the admins `usr_admin` and `usr_admin2`, and `usr_member`. */
export const workplaceTeam: readonly TeamEvent[] = [
  teamCreated(),
  ownerJoined,
  memberJoined({ accountId: 'usr_admin', role: 'admin' }),
  memberJoined({ accountId: 'usr_admin2', role: 'admin' }),
  memberJoined(),
];

/** A family `team_1` with `usr_owner` and `usr_member`. */
export const family: readonly TeamEvent[] = [
  teamCreated({ kind: 'family', name: 'The Smiths' }),
  ownerJoined,
  memberJoined(),
];

/** `dgr_1` of that team or family, which nobody and nothing is in. */
export const deviceGroupCreated = (said: TeamEventFields<DeviceGroupCreated> = {}): DeviceGroupCreated => ({
  type: 'DeviceGroupCreated',
  teamId: 'team_1',
  groupId: 'dgr_1',
  name: 'On call',
  accountIds: [],
  devices: [],
  fingerprint: null,
  createdAt: at,
  ...said,
});

/** `ocg_1` of that team: the owner and the member take turns every day at 9:00 in Berlin. */
export const oncallGroupCreated = (said: TeamEventFields<OncallGroupCreated> = {}): OncallGroupCreated => ({
  type: 'OncallGroupCreated',
  teamId: 'team_1',
  groupId: 'ocg_1',
  name: 'Backend',
  rotation: {
    accountIds: ['usr_owner', 'usr_member'],
    period: 'daily',
    handoffAt: '09:00',
    timezone: 'Europe/Berlin',
    anchor: '2026-11-20',
  },
  escalation: [{ afterMinutes: 5, target: 'next' }],
  fingerprint: null,
  createdAt: at,
  ...said,
});

/** `ovr_1` of that group: an admin takes the afternoon of the 20th over. */
export const overrideCreated = (said: TeamEventFields<OverrideCreated> = {}): OverrideCreated => ({
  type: 'OverrideCreated',
  teamId: 'team_1',
  groupId: 'ocg_1',
  overrideId: 'ovr_1',
  accountId: 'usr_admin',
  startsAt: '2026-11-20T12:00:00.000Z',
  endsAt: '2026-11-20T18:00:00.000Z',
  fingerprint: null,
  createdAt: at,
  ...said,
});

/** `inv_1` into that team or family, for anybody with its link, until the 27th. */
export const inviteCreated = (said: TeamEventFields<InviteCreated> = {}): InviteCreated => ({
  type: 'InviteCreated',
  teamId: 'team_1',
  inviteId: 'inv_1',
  invitedBy: 'usr_owner',
  form: 'open',
  email: null,
  domain: null,
  role: 'member',
  codeHash: 'hash_1',
  createdAt: at,
  expiresAt: '2026-11-27T09:00:00.000Z',
  ...said,
});
