import type { ServiceCreated, ServiceEvent, ServiceShared } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import type { ServiceRequest, Family } from './access';
import { change, remove, rotate } from './change-service';
import { service } from './service';
import { share, takeBack } from './share';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';
const created: ServiceCreated = {
  type: 'ServiceCreated',
  serviceId: 'svc_1',
  accountId: 'usr_ann',
  title: 'CI',
  imageUrl: null,
  url: null,
  defaultReplyWebhookId: null,
  hookHash: 'aa',
  createdAt: at,
};
const by = { serviceId: 'svc_1', accountId: 'usr_ann' };
const sharedWith = (familyId: string | null): ServiceShared => ({
  type: 'ServiceShared',
  ...by,
  familyId,
  sharedAt: later,
});
const shared = [created, sharedWith('team_1')];
const asked = (accountId: string, family?: Family): ServiceRequest => ({
  id: 'svc_1',
  accountId,
  at: later,
  ...(family && { family }),
});
const familyOf = (role: Family['role'], familyId = 'team_1'): Family => ({
  familyId,
  role,
  memberIds: ['usr_ann', 'usr_bob', 'usr_owner'],
});
const creator = asked('usr_ann');
const member = asked('usr_bob', familyOf('member'));
const owner = asked('usr_owner', familyOf('owner'));

describe('the creator of a shared service', () => {
  it.each<[string, readonly ServiceEvent[], string | null]>([
    ['takes it back', shared, null],
    ['shares it with another family', shared, 'team_2'],
    ['shares it once more', [...shared, sharedWith(null)], 'team_1'],
  ])('%s', (_what, events, familyId) =>
    given(service, ...events)
      .when(share({ ...creator, familyId }))
      .then(sharedWith(familyId)),
  );

  it('shares it again with the same family when the former share has ended and was not revoked yet', () => {
    given(service, ...shared)
      .when(share({ ...creator, familyId: 'team_1', over: 1 }))
      .then(sharedWith('team_1'));
    given(service, ...shared, sharedWith('team_1'))
      .when(share({ ...creator, familyId: 'team_1', over: 1 }))
      .thenNothing();
  });
});

describe('the end of a share', () => {
  const end = takeBack({ id: 'svc_1', share: 1, at: later });
  it('takes the service back', () =>
    given(service, ...shared)
      .when(end)
      .then(sharedWith(null)));
  it.each<[string, readonly ServiceEvent[]]>([
    ['does nothing the second time', [...shared, sharedWith(null)]],
    ['leaves a service that was shared again', [...shared, sharedWith(null), sharedWith('team_1')]],
    [
      'leaves a service that was shared again before the former share was revoked',
      [...shared, sharedWith('team_1')],
    ],
    ['is nothing to a deleted service', [...shared, { type: 'ServiceDeleted', ...by, deletedAt: later }]],
  ])('%s', (_what, events) =>
    given(service, ...events)
      .when(end)
      .thenNothing(),
  );
});

describe('a family member', () => {
  it.each([
    ['change it', change({ ...member, changes: { title: 'Builds' } }), 'team.forbidden_role'],
    ['delete it', remove(member), 'team.forbidden_role'],
    ['share it', share({ ...member, familyId: null }), 'service.not_creator'],
    ['rotate its URL', rotate({ ...member, hookHash: 'bb' }), 'service.not_creator'],
  ] as const)('may not %s', (_what, decide, reason) =>
    given(service, ...shared)
      .when(decide)
      .thenRefused(reason),
  );
});

describe('the owner of the family', () => {
  it('renames it, for all who see it', () =>
    given(service, ...shared)
      .when(change({ ...owner, changes: { title: 'Builds' }, recipients: ['usr_bob', 'usr_owner'] }))
      .then({
        type: 'ServiceChanged',
        ...by,
        title: 'Builds',
        recipients: ['usr_bob', 'usr_owner'],
        changedAt: later,
      }));
  it('does so once', () =>
    given(service, ...shared)
      .when(change({ ...owner, changes: { title: 'CI' } }))
      .thenNothing());
  it.each([{ imageUrl: null }, { url: null }, { defaultReplyWebhookId: null }])(
    'changes nothing when there is more than the name, as in %j',
    (more) =>
      given(service, ...shared)
        .when(change({ ...owner, changes: { title: 'Builds', ...more } }))
        .thenRefused('team.forbidden_role'),
  );
  it('deletes it', () =>
    given(service, ...shared)
      .when(remove(owner))
      .then({ type: 'ServiceDeleted', ...by, deletedAt: later }));
  it.each([
    ['share it', share({ ...owner, familyId: null })],
    ['rotate its URL', rotate({ ...owner, hookHash: 'bb' })],
  ])('may not %s', (_what, decide) =>
    given(service, ...shared)
      .when(decide)
      .thenRefused('service.not_creator'),
  );
});

describe('a service is not there', () => {
  const decisions = (who: ServiceRequest) => [
    change({ ...who, changes: { title: 'Mine' } }),
    remove(who),
    share({ ...who, familyId: null }),
    rotate({ ...who, hookHash: 'bb' }),
  ];
  it.each<[string, readonly ServiceEvent[], ServiceRequest]>([
    ['for an account in no family with its creator', shared, asked('usr_eve')],
    ['for the owner of another family', shared, asked('usr_owner', familyOf('owner', 'team_2'))],
    ['for the family once it was taken back', [...shared, sharedWith(null)], owner],
    [
      'for the family that its creator has left',
      shared,
      asked('usr_owner', { ...familyOf('owner'), memberIds: ['usr_owner'] }),
    ],
    ['when it was never shared', [created], asked('usr_eve')],
  ])('%s', (_whom, events, who) => {
    for (const decide of decisions(who))
      given(service, ...events)
        .when(decide)
        .thenRefused('service.unknown');
  });
});
