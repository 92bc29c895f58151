import type {
  HookRotated,
  ServiceChanged,
  ServiceCreated,
  ServiceDeleted,
  ServiceShared,
} from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { change, forgetWebhook, remove, rotate } from './change-service';
import { create, type ServiceCreation, service, serviceView } from './service';
import { share } from './share';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';
const creation: ServiceCreation = {
  id: 'svc_1',
  accountId: 'usr_1',
  title: 'CI',
  url: 'https://ci.test',
  hookHash: 'aa',
  at,
};
const created: ServiceCreated = {
  type: 'ServiceCreated',
  serviceId: 'svc_1',
  accountId: 'usr_1',
  title: 'CI',
  imageUrl: null,
  url: 'https://ci.test',
  defaultReplyWebhookId: null,
  hookHash: 'aa',
  createdAt: at,
};
const mine = { id: 'svc_1', accountId: 'usr_1', at: later };
const by = { serviceId: 'svc_1', accountId: 'usr_1' };
const changed: ServiceChanged = { type: 'ServiceChanged', ...by, title: 'Builds', changedAt: later };
const shared: ServiceShared = { type: 'ServiceShared', ...by, familyId: 'team_1', sharedAt: later };
const rotated: HookRotated = { type: 'HookRotated', ...by, hookHash: 'bb', rotatedAt: later };
const deleted: ServiceDeleted = { type: 'ServiceDeleted', ...by, deletedAt: later };

describe('creating a service', () => {
  it('keeps only the hash of what is in its URL', () => given(service).when(create(creation)).then(created));
  it('does nothing the second time', () => given(service, created).when(create(creation)).thenNothing());
});

describe('the reply webhook of a service', () => {
  const withWebhook: ServiceCreated = { ...created, defaultReplyWebhookId: 'whk_1' };
  const forgot: ServiceChanged = {
    type: 'ServiceChanged',
    ...by,
    defaultReplyWebhookId: null,
    changedAt: later,
  };
  const forget = forgetWebhook({ ...mine, webhookId: 'whk_1' });
  it('is saved with it', () =>
    given(service)
      .when(create({ ...creation, defaultReplyWebhookId: 'whk_1' }))
      .then(withWebhook));
  it('is forgotten when it was deleted', () => given(service, withWebhook).when(forget).then(forgot));
  it('is forgotten once', () => given(service, withWebhook, forgot).when(forget).thenNothing());
  it('stays when another was deleted', () =>
    given(service, withWebhook)
      .when(forgetWebhook({ ...mine, webhookId: 'whk_2' }))
      .thenNothing());
  it('of a deleted service needs no forgetting', () =>
    given(service, withWebhook, deleted).when(forget).thenNothing());
});

describe('changing a service', () => {
  it('records what is different', () =>
    given(service, created)
      .when(change({ ...mine, changes: { title: 'Builds', url: 'https://ci.test' } }))
      .then(changed));
  it('does nothing the second time', () =>
    given(service, created, changed)
      .when(change({ ...mine, changes: { title: 'Builds' } }))
      .thenNothing());
  it('clears with null and keeps what is not named', () => {
    const cleared: ServiceChanged = { type: 'ServiceChanged', ...by, url: null, changedAt: later };
    given(service, created)
      .when(change({ ...mine, changes: { url: null } }))
      .then(cleared);
    const state = fold(service, [created, cleared]);
    expect(state && serviceView(state)).toEqual({
      id: 'svc_1',
      title: 'CI',
      imageUrl: null,
      url: null,
      familyId: null,
      preset: 'plain',
      eventsPer: 'group',
      oncallGroupId: null,
      oncallFrom: 'info',
      oncallGroupGone: false,
      expectEverySeconds: null,
      graceSeconds: 0,
      hasSenderSecret: false,
      defaultReplyWebhookId: null,
      createdAt: at,
      updatedAt: later,
    });
  });
});

describe('sharing a service', () => {
  it('names the family', () =>
    given(service, created)
      .when(share({ ...mine, familyId: 'team_1' }))
      .then(shared));
  it('does nothing the second time', () => {
    given(service, created, shared)
      .when(share({ ...mine, familyId: 'team_1' }))
      .thenNothing();
    given(service, created)
      .when(share({ ...mine, familyId: null }))
      .thenNothing();
  });
  it('ends with null', () =>
    given(service, created, shared)
      .when(share({ ...mine, familyId: null }))
      .then({ ...shared, familyId: null }));
});

describe('rotating the URL of a service', () => {
  it('replaces the old one by another', () =>
    given(service, created)
      .when(rotate({ ...mine, hookHash: 'bb' }))
      .then(rotated));
  it('does nothing the second time', () =>
    given(service, created, rotated)
      .when(rotate({ ...mine, hookHash: 'bb' }))
      .thenNothing());
});

describe('deleting a service', () => {
  it('ends it', () => given(service, created).when(remove(mine)).then(deleted));
  it('finds none the second time', () =>
    given(service, created, deleted).when(remove(mine)).thenRefused('service.unknown'));
});

describe('a service of another account', () => {
  const theirs = { ...mine, accountId: 'usr_2' };
  it.each([
    ['changed', change({ ...theirs, changes: { title: 'Mine' } })],
    ['shared', share({ ...theirs, familyId: null })],
    ['rotated', rotate({ ...theirs, hookHash: 'bb' })],
    ['deleted', remove(theirs)],
  ])('cannot be %s', (_what, decide) => given(service, created).when(decide).thenRefused('service.unknown'));

  it('is not met by an id that only ends alike', () =>
    given(service, created)
      .when(remove({ ...mine, id: 'svc_x1' }))
      .thenRefused('service.unknown'));
});
