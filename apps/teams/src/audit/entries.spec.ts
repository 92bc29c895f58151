import type { AppEvent, ConnectorEvent, PageEvent, StreamEvents, TeamEvent } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { pageNotified, workplaceTeam } from '@carillon/testkit';
import { team } from '../team/team';
import { type Describe, type Described, entries, noAction } from './entries';

const at = '2026-11-20T10:00:00.000Z';
const teamId = 'team_1';

type OfType<Type extends TeamEvent['type']> = Extract<TeamEvent, { readonly type: Type }>;

/** The audit log's description of the last of these events, in a workplace team. */
function told<Type extends TeamEvent['type']>(
  ...events: readonly [...TeamEvent[], OfType<Type>]
): Described | undefined {
  const before = fold(team, [...workplaceTeam, ...events.slice(0, -1)]);
  const last = events.at(-1)!;
  const how = entries.team[last.type] as (event: TeamEvent, states: object) => Described | undefined;
  return how(last, { before, after: team.evolve(before, last) });
}

const group = {
  type: 'DeviceGroupCreated',
  teamId,
  groupId: 'dgr_1',
  name: 'On duty',
  accountIds: ['usr_member'],
  devices: [{ deviceId: 'dev_1', accountId: 'usr_admin', removals: 0 }],
  fingerprint: null,
  createdAt: at,
} as const;
const domain = { type: 'DomainSet', teamId, domain: 'acme.test', token: 'secret', setAt: at } as const;
const invite = {
  type: 'InviteCreated',
  teamId,
  inviteId: 'inv_1',
  invitedBy: 'usr_owner',
  form: 'email',
  email: 'new@example.test',
  domain: null,
  role: 'member',
  codeHash: 'secret',
  createdAt: at,
  expiresAt: '2026-11-27T10:00:00.000Z',
} as const;

describe('the audit log says', () => {
  it('which settings of a team changed, from what to what', () =>
    expect(told({ type: 'TeamChanged', teamId, name: 'Acme Ltd', retentionDays: 30, changedAt: at })).toEqual(
      {
        action: 'team.updated',
        at,
        target: { type: 'team', id: teamId },
        metadata: {
          changed: ['name', 'retentionDays'],
          before: { name: 'Acme', retentionDays: null },
          after: { name: 'Acme Ltd', retentionDays: 30 },
        },
      },
    ));
  it('what a team was when it was deleted', () =>
    expect(told({ type: 'TeamDeleted', teamId, deletedAt: at })).toMatchObject({
      action: 'team.deleted',
      metadata: { before: { name: 'Acme' } },
    }));
  it('the role of a member that left or was removed', () => {
    expect(told({ type: 'MemberLeft', teamId, accountId: 'usr_admin', leftAt: at })).toEqual({
      action: 'member.left',
      at,
      target: { type: 'member', id: 'usr_admin' },
      metadata: { before: { role: 'admin' } },
    });
    expect(
      told({ type: 'MemberRemoved', teamId, accountId: 'usr_member', removedBy: 'usr_admin', removedAt: at }),
    ).toMatchObject({ action: 'member.removed', metadata: { before: { role: 'member' } } });
  });
  it('how a role and the ownership changed', () => {
    const changed = { type: 'MemberRoleChanged', teamId, accountId: 'usr_member', changedAt: at } as const;
    expect(told({ ...changed, role: 'admin', formerRole: 'member' })).toMatchObject({
      action: 'member.role_changed',
      metadata: { changed: ['role'], before: { role: 'member' }, after: { role: 'admin' } },
    });
    const transferred = { type: 'OwnershipTransferred', teamId, transferredAt: at } as const;
    expect(told({ ...transferred, fromAccountId: 'usr_owner', toAccountId: 'usr_admin' })).toMatchObject({
      action: 'team.ownership_transferred',
      target: { type: 'member', id: 'usr_admin' },
      metadata: { before: { ownerId: 'usr_owner' }, after: { ownerId: 'usr_admin' } },
    });
  });
  it('the recipient of an invite, and never its code', () => {
    expect(told(invite)).toMatchObject({
      action: 'invite.created',
      metadata: { after: { email: 'new@example.test' } },
    });
    expect(JSON.stringify(told(invite))).not.toContain('secret');
    const { inviteId } = invite;
    expect(
      told(invite, { type: 'InviteAccepted', teamId, inviteId, accountId: 'usr_new', acceptedAt: at }),
    ).toMatchObject({ action: 'invite.accepted', target: { id: 'inv_1' }, metadata: { userId: 'usr_new' } });
    expect(told(invite, { type: 'InviteRevoked', teamId, inviteId, revokedAt: at })?.action).toBe(
      'invite.revoked',
    );
  });
  it('the members of a device group before and after', () => {
    const { groupId } = group;
    const all = { name: 'On duty', userIds: ['usr_member'], deviceIds: ['dev_1'] };
    expect(told(group)).toMatchObject({ action: 'device_group.created', metadata: { after: all } });
    expect(
      told(group, { type: 'DeviceGroupChanged', teamId, groupId, devices: [], changedAt: at })?.metadata,
    ).toEqual({ changed: ['deviceIds'], before: { deviceIds: ['dev_1'] }, after: { deviceIds: [] } });
    expect(
      told(group, { type: 'DeviceGroupDeleted', teamId, groupId, name: 'On duty', deletedAt: at }),
    ).toMatchObject({
      action: 'device_group.deleted',
      metadata: { before: all },
    });
    expect(
      told(group, { type: 'DeviceLeftGroups', teamId, deviceId: 'dev_1', removals: 1, leftAt: at }),
    ).toMatchObject({
      action: 'device_group.updated',
      target: { type: 'device', id: 'dev_1' },
      metadata: { removedFrom: ['dgr_1'] },
    });
  });
  it('which domain was set, verified or cleared, and never its token', () => {
    const { domain: name } = domain;
    expect(told(domain)).toMatchObject({
      action: 'domain.set',
      target: { type: 'domain', id: 'acme.test' },
      metadata: { changed: ['pendingDomain'], before: { pendingDomain: null } },
    });
    expect(JSON.stringify(told(domain))).not.toContain('secret');
    expect(
      told(domain, { type: 'DomainVerified', teamId, domain: name, verifiedAt: at })?.metadata,
    ).toMatchObject({ changed: ['verifiedDomain', 'pendingDomain'] });
    expect(told(domain, { type: 'DomainCleared', teamId, clearedAt: at })).toMatchObject({
      action: 'domain.cleared',
      metadata: { changed: ['pendingDomain'] },
    });
  });
  describe('of a page', () => {
    const of = { pageId: 'page_1', groupId: 'ocg_1', teamId };
    const target = { type: 'page', id: 'page_1' };
    const tell = (event: PageEvent): Described | undefined => {
      const how = entries.page[event.type];
      return how === noAction
        ? undefined
        : (how as Describe<PageEvent>)(event, { before: null, after: null });
    };

    it('the recipients and the reason of a page', () =>
      expect(
        tell({
          type: 'PageTriggered',
          ...of,
          groupName: 'Backend',
          title: 'Down',
          body: 'Secret',
          url: null,
          appId: null,
          dedupKey: null,
          source: 'api',
          escalation: [],
          byAccountId: 'usr_owner',
          tokenId: null,
          requestId: 'request',
          triggeredAt: at,
        }),
      ).toEqual({
        action: 'page.triggered',
        at,
        target,
        metadata: { after: { groupId: 'ocg_1', groupName: 'Backend', title: 'Down', source: 'api' } },
      }));

    it('the recipients of an escalation, and whether a person escalated', () => {
      const people = [{ accountId: 'usr_member', pushId: 'psh_1', deviceIds: [] }];
      const step = pageNotified({ ...of, step: 1, target: 'next', people, notifiedAt: at });
      const metadata = { step: 1, target: 'next', userIds: ['usr_member'] };
      expect(tell(step)).toEqual({ action: 'page.escalated', at, target, metadata, unattended: true });
      expect(tell({ ...step, by: 'usr_owner' })).toEqual({ action: 'page.escalated', at, target, metadata });
      expect(tell({ ...step, step: 0 })).toBeUndefined();
    });

    it('that somebody has taken it over, and how it ended', () => {
      expect(
        tell({ type: 'PageAcknowledged', ...of, by: 'usr_member', notified: [], acknowledgedAt: at }),
      ).toMatchObject({ action: 'page.acknowledged', at, target });
      const ended = { ...of, tokenId: null, notified: [], resolvedAt: at } as const;
      expect(
        tell({ type: 'PageResolved', ...ended, by: 'usr_member', reason: 'person', note: 'Restarted' }),
      ).toEqual({ action: 'page.resolved', at, target, metadata: { reason: 'person', note: 'Restarted' } });
      expect(
        tell({ type: 'PageResolved', ...ended, by: null, reason: 'group_deleted', note: null }),
      ).toMatchObject({ unattended: true });
    });
  });

  describe('of a web app', () => {
    const of = { appId: 'app_1', accountId: 'usr_owner' };
    const target = { type: 'app', id: 'app_1' };
    const tell = (event: AppEvent): Described | undefined => {
      const how = entries.app[event.type];
      return how === noAction ? undefined : (how as Describe<AppEvent>)(event, { before: null, after: null });
    };
    const move = {
      ...of,
      type: 'AppMoved',
      membership: '1',
      by: 'usr_owner',
      notify: true,
      movedAt: at,
    } as const;

    it('the account that moved it into the team, and that it left', () => {
      expect(tell({ ...move, formerTeamId: null, teamId })).toEqual({
        ...{ action: 'app.shared', at, target },
        metadata: { after: { addedBy: 'usr_owner' } },
      });
      expect(tell({ ...move, formerTeamId: teamId, teamId: null })).toEqual({
        ...{ action: 'app.unshared', at, target },
        metadata: { before: { addedBy: 'usr_owner' } },
      });
    });

    it('which fields of it changed, from what to what', () =>
      expect(
        tell({
          ...{ type: 'AppChanged', ...of, teamId, changedAt: at },
          ...{ name: 'Board', former: { name: 'Dash' } },
        }),
      ).toEqual({
        ...{ action: 'app.updated', at, target },
        metadata: { changed: ['name'], before: { name: 'Dash' }, after: { name: 'Board' } },
      }));

    it('no consents', () => {
      const consent = { ...of, userId: 'usr_member' };
      expect(tell({ type: 'ConsentRevoked', ...consent, revokedAt: at })).toBeUndefined();
    });
  });

  describe('of a connector', () => {
    const of = { connectorId: 'con_1', accountId: 'usr_owner', teamId };
    const target = { type: 'connector', id: 'con_1' };
    const tell = (event: ConnectorEvent): Described | undefined => {
      const how = entries.connector[event.type];
      return how === noAction
        ? undefined
        : (how as Describe<ConnectorEvent>)(event, { before: null, after: null });
    };

    it('what changed of it, and whether somebody has changed it', () => {
      const oncall = { groupId: 'ocg_1', teamId };
      const changed: ConnectorEvent = {
        type: 'ConnectorChanged',
        ...of,
        changes: { enabled: false, oncall: null },
        former: { enabled: true, oncall },
        reason: 'person',
        changedAt: at,
      };
      const told = {
        action: 'connector.updated',
        at,
        target,
        metadata: {
          changed: ['enabled', 'oncallGroupId'],
          before: { enabled: true, oncallGroupId: 'ocg_1' },
          after: { enabled: false, oncallGroupId: null },
        },
      };
      expect(tell(changed)).toEqual(told);
      expect(tell({ ...changed, reason: 'group_deleted' })).toEqual({ ...told, unattended: true });
    });

    it('that it was removed, unless it went with its team or never came to be', () => {
      const removed = { type: 'ConnectorRemoved', ...of, name: 'Home', removedAt: at } as const;
      expect(tell({ ...removed, reason: 'person' })).toMatchObject({ action: 'connector.deleted', target });
      expect(tell({ ...removed, reason: 'team_deleted' })).toBeUndefined();
      expect(tell({ ...removed, reason: 'never_made' })).toBeUndefined();
    });

    it('that its secret is another one, and never the secret', () => {
      const rotated = tell({
        type: 'ConnectorSecretRotated',
        ...of,
        sealedSecret: 'sealed',
        formerUntil: null,
        rotatedAt: at,
      });
      expect(rotated).toMatchObject({ action: 'connector.secret_rotated', target });
      expect(JSON.stringify(rotated)).not.toContain('sealed');
    });
  });

  it('that an on-call group pages nobody any more', () =>
    expect(
      told({
        type: 'OncallGroupEmptied',
        teamId,
        groupId: 'ocg_1',
        accountId: 'usr_member',
        emptiedAt: at,
      }),
    ).toMatchObject({ action: 'oncall_group.emptied', metadata: { lastUserId: 'usr_member' } }));
  it('nothing of an endpoint that was switched on', () => {
    const how = entries.webhook.WebhookChanged;
    if (how === noAction) throw new Error('it is an action when it is switched off');
    const event = { type: 'WebhookChanged', webhookId: 'whk_1', accountId: 'usr_1', changedAt: at } as const;
    const states = { before: null, after: null };
    expect(how({ ...event, enabled: true }, states)).toBeUndefined();
    expect(how({ ...event, name: 'x' }, states)).toBeUndefined();
    expect(how({ ...event, enabled: false }, states)).toMatchObject({ action: 'webhook.disabled' });
  });
});

describe('the table of entries', () => {
  it('has an action for every event of a team', () => {
    const types = Object.values(entries.team);
    expect(types.length).toBeGreaterThan(20);
    expect(types).not.toContain(noAction);
  });
  it('names all events of the streams that it follows', () => {
    const tokens: readonly StreamEvents['token']['type'][] = ['GrantWidened', 'TokenCreated', 'TokenRevoked'];
    expect(Object.keys(entries.token).sort()).toEqual(tokens);
  });
});

describe('the audit log says of a web app', () => {
  const app = { appId: 'app_1', accountId: 'usr_member' } as const;
  const moved = {
    ...app,
    type: 'AppMoved',
    membership: '1',
    by: 'usr_member',
    notify: true,
    movedAt: at,
  } as const;
  const nobody = { before: null, after: null };
  const said = (how: unknown, event: object) => (how as Describe<object>)(event, nobody);

  it('into which team it was moved, and that it went back', () => {
    const how = entries.app.AppMoved;
    expect(said(how, { ...moved, formerTeamId: null, teamId })).toEqual({
      action: 'app.shared',
      at,
      target: { type: 'app', id: 'app_1' },
      metadata: { after: { addedBy: 'usr_member' } },
    });
    expect(said(how, { ...moved, formerTeamId: teamId, teamId: null })).toEqual({
      action: 'app.unshared',
      at,
      target: { type: 'app', id: 'app_1' },
      metadata: { before: { addedBy: 'usr_member' } },
    });
  });

  it('what changed of it, from what to what, and what it was when it was removed', () => {
    const former = { name: 'Photos', url: 'https://photos.example.com/', iconUrl: null };
    const changed = {
      ...app,
      type: 'AppChanged',
      teamId,
      name: 'Ours',
      former: { name: 'Photos' },
      changedAt: at,
    };
    expect(said(entries.app.AppChanged, changed)).toMatchObject({
      action: 'app.updated',
      metadata: { changed: ['name'], before: { name: 'Photos' }, after: { name: 'Ours' } },
    });
    expect(
      said(entries.app.AppRemoved, { ...app, type: 'AppRemoved', teamId, former, removedAt: at }),
    ).toMatchObject({ action: 'app.removed', metadata: { before: former } });
  });

  it('nothing of what a person has agreed to', () => {
    const { ConsentGiven, DisclosureChanged, ConsentRevoked } = entries.app;
    expect([ConsentGiven, DisclosureChanged, ConsentRevoked]).toEqual([noAction, noAction, noAction]);
  });
});
