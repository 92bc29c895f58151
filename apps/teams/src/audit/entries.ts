import type { AuditAction, ConnectorSettings, Streams, TeamRole } from '@carillon/contracts';
import type { DomainEvent, Instant } from '@carillon/eventing';
import { change, type ChangedFields } from './change';
import type { Team, TeamState } from '../team/team';
import type { States } from '../team/team-history.service';

/** The audit log's description of an event. */
export interface Described {
  readonly action: AuditAction;
  readonly at: Instant;
  readonly target: { readonly type: string; readonly id: string };
  readonly metadata?: ChangedFields;
  /** The actor is the system, whatever the cause. */
  readonly unattended?: true;
}

/** Marks an event that is deliberately not in the audit log. */
export const noAction = 'no action';

/** Returns undefined for an event that is not an action in the sense of the audit log. */
export type Describe<Event> = { of(event: Event, states: States): Described | undefined }['of'];

/** The description of each event of these streams. A missing event type does not compile. */
type Entries<Followed extends object> = {
  readonly [Category in keyof Followed]: {
    readonly [Event in Extract<Followed[Category], DomainEvent> as Event['type']]:
      Describe<Event> | typeof noAction;
  };
};

/** The streams whose events are actions in a team. A service with further actions adds its stream here. */
export type Audited = Streams<'team' | 'token' | 'webhook' | 'page' | 'connector' | 'app'>;

export const entries: Entries<Audited> = {
  team: {
    TeamCreated: ({ teamId, kind, name, ownerId, createdAt }) =>
      made('team.created', createdAt, 'team', teamId, { kind, name, ownerId }),
    TeamChanged: ({ teamId, changedAt }, states) =>
      changed('team.updated', changedAt, 'team', teamId, states, settings),
    TeamDeleted: ({ teamId, deletedAt }, states) =>
      changed('team.deleted', deletedAt, 'team', teamId, states, settings),
    MemberJoined: ({ accountId, role, by, joinedAt }) =>
      made('member.joined', joinedAt, 'member', accountId, { role, by }),
    MemberLeft: ({ accountId, leftAt }, states) =>
      changed('member.left', leftAt, 'member', accountId, states, roleOf(accountId)),
    MemberRemoved: ({ accountId, removedAt }, states) =>
      changed('member.removed', removedAt, 'member', accountId, states, roleOf(accountId)),
    MemberRoleChanged: ({ accountId, role, formerRole, changedAt }) => ({
      ...made('member.role_changed', changedAt, 'member', accountId, {}),
      metadata: change({ role: formerRole }, { role }),
    }),
    OwnershipTransferred: ({ fromAccountId, toAccountId, transferredAt }) => ({
      ...made('team.ownership_transferred', transferredAt, 'member', toAccountId, {}),
      metadata: change({ ownerId: fromAccountId }, { ownerId: toAccountId }),
    }),
    InviteCreated: ({ inviteId, createdAt, form, email, domain, role, expiresAt }) =>
      made('invite.created', createdAt, 'invite', inviteId, { form, email, domain, role, expiresAt }),
    InviteAccepted: ({ inviteId, accountId, acceptedAt }) => ({
      ...made('invite.accepted', acceptedAt, 'invite', inviteId, {}),
      metadata: { userId: accountId },
    }),
    InviteRevoked: ({ inviteId, revokedAt }) => ({
      ...made('invite.revoked', revokedAt, 'invite', inviteId, {}),
      metadata: change({ revokedAt: null }, { revokedAt }),
    }),
    DeviceGroupCreated: ({ groupId, createdAt }, states) =>
      changed('device_group.created', createdAt, 'device_group', groupId, states, deviceGroup(groupId)),
    DeviceGroupChanged: ({ groupId, changedAt }, states) =>
      changed('device_group.updated', changedAt, 'device_group', groupId, states, deviceGroup(groupId)),
    DeviceGroupDeleted: ({ groupId, deletedAt }, states) =>
      changed('device_group.deleted', deletedAt, 'device_group', groupId, states, deviceGroup(groupId)),
    DeviceLeftGroups: ({ deviceId, leftAt }, { before }) => ({
      ...made('device_group.updated', leftAt, 'device', deviceId, {}),
      metadata: { removedFrom: groupsWith(before, deviceId) },
    }),
    OncallGroupCreated: ({ groupId, createdAt }, states) =>
      changed('oncall_group.created', createdAt, 'oncall_group', groupId, states, oncallGroup(groupId)),
    OncallGroupChanged: ({ groupId, changedAt }, states) =>
      changed('oncall_group.updated', changedAt, 'oncall_group', groupId, states, oncallGroup(groupId)),
    OncallGroupDeleted: ({ groupId, deletedAt }, states) =>
      changed('oncall_group.deleted', deletedAt, 'oncall_group', groupId, states, oncallGroup(groupId)),
    OncallGroupEmptied: ({ groupId, accountId, emptiedAt }) => ({
      ...made('oncall_group.emptied', emptiedAt, 'oncall_group', groupId, {}),
      metadata: { lastUserId: accountId },
    }),
    OverrideCreated: ({ groupId, overrideId, accountId: userId, startsAt, endsAt, createdAt }) =>
      made('override.created', createdAt, 'override', overrideId, { groupId, userId, startsAt, endsAt }),
    OverrideDeleted: ({ groupId, overrideId, accountId: userId, deletedAt }) => ({
      ...made('override.deleted', deletedAt, 'override', overrideId, {}),
      metadata: change({ groupId, userId }, null),
    }),
    DomainSet: ({ domain, setAt }, states) => changed('domain.set', setAt, 'domain', domain, states, domains),
    DomainVerified: ({ domain, verifiedAt }, states) =>
      changed('domain.verified', verifiedAt, 'domain', domain, states, domains),
    DomainCleared: ({ teamId, clearedAt }, states) =>
      changed('domain.cleared', clearedAt, 'team', teamId, states, domains),
  },
  page: {
    PageTriggered: ({ pageId, groupId, groupName, title, source, triggeredAt }) =>
      made('page.triggered', triggeredAt, 'page', pageId, { groupId, groupName, title, source }),
    PageNotified: ({ pageId, step, by, target, people, notifiedAt }) =>
      step === 0
        ? undefined
        : {
            ...made('page.escalated', notifiedAt, 'page', pageId, {}),
            metadata: { step, target, userIds: people.map(({ accountId }) => accountId) },
            ...(by === null && { unattended: true }),
          },
    PageRepeated: noAction,
    PageAcknowledged: ({ pageId, acknowledgedAt }) => ({
      ...made('page.acknowledged', acknowledgedAt, 'page', pageId, {}),
      metadata: change({ status: 'triggered' }, { status: 'acknowledged' }),
    }),
    PageWithdrawn: noAction,
    PageForgotten: noAction,
    PageResolved: ({ pageId, by, reason, note, resolvedAt }) => ({
      ...made('page.resolved', resolvedAt, 'page', pageId, {}),
      metadata: { reason, note },
      ...(by === null && { unattended: true }),
    }),
  },
  connector: {
    ConnectorRegistered: ({ connectorId, name, tunnelId, hostname, routes, enabled, oncall, registeredAt }) =>
      made('connector.created', registeredAt, 'connector', connectorId, {
        name,
        tunnelId,
        hostname,
        ...connectorSettings({ routes: routes ?? [], enabled, oncall }),
      }),
    ConnectorChanged: ({ connectorId, changes, former, reason, changedAt }) => ({
      ...made('connector.updated', changedAt, 'connector', connectorId, {}),
      metadata: change(former && connectorSettings(former), changes && connectorSettings(changes)),
      ...(reason !== 'person' && { unattended: true }),
    }),
    ConnectorSecretRotated: ({ connectorId, formerUntil, rotatedAt }) =>
      made('connector.secret_rotated', rotatedAt, 'connector', connectorId, { formerUntil }),
    // A deleted team has no audit log any more.
    ConnectorRemoved: ({ connectorId, name, reason, removedAt }) =>
      reason === 'person'
        ? {
            ...made('connector.deleted', removedAt, 'connector', connectorId, {}),
            metadata: change({ name }, null),
          }
        : undefined,
    ConnectorCameOnline: noAction,
    ConnectorAgentChanged: noAction,
    ConnectorWentOffline: noAction,
    ConnectorPaged: noAction,
    ConnectorPageResolved: noAction,
  },
  app: {
    AppAdded: noAction,
    AppUrlClaimRequested: noAction,
    AppMoved: ({ appId, accountId: addedBy, teamId, movedAt }) =>
      teamId === null
        ? { ...made('app.unshared', movedAt, 'app', appId, {}), metadata: change({ addedBy }, null) }
        : made('app.shared', movedAt, 'app', appId, { addedBy }),
    AppChanged: ({ appId, former, name, url, iconUrl, projectId, projectName, changedAt }) => ({
      ...made('app.updated', changedAt, 'app', appId, {}),
      metadata: change(former ?? {}, given({ name, url, iconUrl, projectId, projectName })),
    }),
    AppRemoved: ({ appId, former, removedAt }) => ({
      ...made('app.removed', removedAt, 'app', appId, {}),
      metadata: change(former ? { ...former } : {}, null),
    }),
    ConsentGiven: noAction,
    DisclosureChanged: noAction,
    ConsentRevoked: noAction,
  },
  token: {
    TokenCreated: noAction,
    GrantWidened: noAction,
    TokenRevoked: ({ tokenId, accountId: userId, revokedAt }) => ({
      ...made('token.revoked', revokedAt, 'token', tokenId, {}),
      metadata: { userId },
    }),
  },
  webhook: {
    WebhookCreated: noAction,
    WebhookSecretRotated: noAction,
    WebhookDeleted: noAction,
    WebhookChanged: ({ webhookId, accountId: userId, enabled, changedAt }) =>
      enabled === false
        ? {
            ...made('webhook.disabled', changedAt, 'webhook', webhookId, {}),
            metadata: { userId, reason: 'switched_off' },
          }
        : undefined,
    WebhookDisabled: ({ webhookId, accountId: userId, reason, disabledAt }) => ({
      ...made('webhook.disabled', disabledAt, 'webhook', webhookId, {}),
      metadata: { userId, reason },
    }),
  },
};

const made = (
  action: AuditAction,
  at: Instant,
  type: string,
  id: string,
  after: ChangedFields,
): Described => ({
  action,
  at,
  target: { type, id },
  metadata: change(null, after),
});

/** The recorded change of a part of the team. */
const changed = (
  action: AuditAction,
  at: Instant,
  type: string,
  id: string,
  { before, after }: States,
  view: (team: Team) => ChangedFields | null,
): Described => ({
  action,
  at,
  target: { type, id },
  metadata: change(before && view(before), after && view(after)),
});

/** The fields that are present. */
const given = (fields: ChangedFields): ChangedFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const settings = ({ name, autoJoinVerifiedDomain, retentionDays }: Team): ChangedFields => ({
  name,
  autoJoinVerifiedDomain,
  retentionDays,
});

const domains = ({ domain, autoJoinVerifiedDomain }: Team): ChangedFields => ({
  verifiedDomain: domain.verified,
  pendingDomain: domain.pending?.domain ?? null,
  autoJoinVerifiedDomain,
});

const roleOf =
  (accountId: string) =>
  ({ members }: Team): { role: TeamRole } | null => {
    const member = members.find((each) => each.accountId === accountId);
    return member ? { role: member.role } : null;
  };

const deviceGroup =
  (groupId: string) =>
  ({ groups }: Team): ChangedFields | null => {
    const group = groups.find((each) => each.groupId === groupId);
    if (!group) return null;
    const { name, accountIds: userIds, devices } = group;
    return { name, userIds, deviceIds: devices.map(({ deviceId }) => deviceId) };
  };

const connectorSettings = ({ oncall, ...settings }: Partial<ConnectorSettings>): ChangedFields => ({
  ...settings,
  ...(oncall !== undefined && { oncallGroupId: oncall?.groupId ?? null }),
});

const groupsWith = (team: TeamState, deviceId: string): readonly string[] =>
  (team?.groups ?? [])
    .filter(({ devices }) => devices.some((device) => device.deviceId === deviceId))
    .map(({ groupId }) => groupId);

const oncallGroup =
  (groupId: string) =>
  ({ oncall }: Team): ChangedFields | null => {
    const group = oncall.find((each) => each.groupId === groupId);
    if (!group) return null;
    const { accountIds: userIds, ...rotation } = group.rotation;
    return { name: group.name, rotation: { userIds, ...rotation }, escalation: group.escalation };
  };
