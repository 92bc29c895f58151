import { AccountChanges, ActivityFeed, Events, Inbox } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { type DomainEvent, instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import {
  activityProps,
  activityStarted,
  contextOf,
  eventReceived,
  eventually,
  interactionAsked,
  newAccount,
  notificationSent,
  pushReported,
} from '@carillon/testkit';
import { appendAndSee as append, begin, bus, clock, end, service } from './testbed';

beforeAll(() => begin({ keepDays: 0 }), 60_000);
afterAll(end, 60_000);

let moment = 0;
const nextMoment = () => instant((moment = Math.max(clock.ms(), moment + 1_000)));
const ann = newAccount();
const bob = newAccount();
const recipients = [bob];

const sent = async (said: Partial<ReturnType<typeof notificationSent>> = {}) => {
  const event = notificationSent({
    notificationId: newId('anot', clock.ms()),
    accountId: ann,
    recipients,
    deviceIds: ['dev_1', 'dev_2'],
    sentAt: nextMoment(),
    ...said,
  });
  const { notificationId: id, accountId } = event;
  return {
    id,
    item: `notification:${id}`,
    position: await append('notification', streamTail(id), accountId, event),
  };
};
/** Waits until nothing of a deleted account is left to be cleared. */
const notQueued = () =>
  eventually(
    async () => (await service.get(Database).query(`SELECT FROM timers`)).length === 0 || undefined,
    () => 'an account is queued',
  );
const read = async (accountId: string, item: string, after: string) =>
  (await bus.ask(Inbox.get, { id: item }, contextOf(accountId, after))).value;
const project = async (accountId: string, projectId: string | null, after: string) =>
  (await bus.ask(Inbox.projects, {}, contextOf(accountId, after))).value.projects.find(
    (each) => each.projectId === projectId,
  );
const feed = async (accountId: string, after: string) =>
  (await bus.ask(ActivityFeed.read, {}, contextOf(accountId, after))).value.items;
const position = async (accountId: string) =>
  (await bus.ask(AccountChanges.since, {}, contextOf(accountId))).value.position;
const changes = async (accountId: string, after: string) =>
  (await bus.ask(AccountChanges.since, { after }, contextOf(accountId))).value.changes.map(
    ({ topic, ...change }) => `${topic} ${'kind' in change ? change.kind : ''}`,
  );

describe('what reaches more accounts than one', () => {
  it('is in the inbox of each, with a read mark of its own', async () => {
    const { item, position: after } = await sent({ projectId: 'marks' });
    const marked = await bus.ask(Inbox.read, { id: item }, contextOf(bob, after));
    expect((await read(bob, item, marked.position!)).readAt).not.toBeNull();
    expect((await read(ann, item, marked.position!)).readAt).toBeNull();
    expect(await project(bob, 'marks', marked.position!)).toMatchObject({ unreadCount: 0, totalCount: 1 });
    expect(await project(ann, 'marks', marked.position!)).toMatchObject({ unreadCount: 1, totalCount: 1 });
  });

  it('is in the inbox of nobody else', async () => {
    const { item, position: after } = await sent();
    await expect(read(newAccount(), item, after)).rejects.toMatchObject({ reason: 'inbox_item.not_found' });
  });

  it('tells each how its push went, and only its sender on which devices', async () => {
    const { id, item } = await sent();
    const receipts = ['dev_1', 'dev_2'].map((deviceId) => ({
      id: `rcp_${deviceId}`,
      deviceId,
      status: 'accepted' as const,
      errorCode: null,
      checkedAt: nextMoment(),
    }));
    const after = await append(
      'delivery',
      id,
      ann,
      pushReported({
        subjectId: id,
        accountId: ann,
        recipients,
        reportedAt: nextMoment(),
        accepted: 2,
        receipts,
      }),
    );
    expect(await read(ann, item, after)).toMatchObject({ status: 'delivered', pushReceipts: receipts });
    const copy = await read(bob, item, after);
    expect(copy.status).toBe('delivered');
    expect(copy).not.toHaveProperty('pushReceipts');
  });

  it('is read in all inboxes when it is taken back', async () => {
    const { id, item } = await sent({ projectId: 'taken-back' });
    const after = await append('notification', streamTail(id), ann, {
      type: 'NotificationWithdrawn',
      notificationId: id,
      accountId: ann,
      recipients,
      status: 'withdrawn',
      accepted: 2,
      withdrawnAt: nextMoment(),
    } as DomainEvent);
    for (const account of [ann, bob]) {
      expect(await read(account, item, after)).toMatchObject({
        status: 'withdrawn',
        readAt: expect.any(String),
      });
      expect(await project(account, 'taken-back', after)).toMatchObject({ unreadCount: 0, totalCount: 1 });
    }
  });

  it("names a project that is new to a recipient, and renames none of the recipient's own", async () => {
    const own = { accountId: bob, recipients: [], deviceIds: [], projectId: 'shop' };
    await sent({ ...own, projectName: 'My shop' });
    await sent({ projectId: 'shop', projectName: 'Shop of Ann' });
    const { position: after } = await sent({ projectId: 'forge', projectName: 'Forge' });
    expect((await project(bob, 'shop', after))?.name).toBe('My shop');
    expect((await project(ann, 'shop', after))?.name).toBe('Shop of Ann');
    expect((await project(bob, 'forge', after))?.name).toBe('Forge');
  });

  it('is told on the screens of each, whatever becomes of it', async () => {
    const start = { ann: await position(ann), bob: await position(bob) };
    const { id } = await sent();
    await append(
      'delivery',
      id,
      ann,
      pushReported({ subjectId: id, accountId: ann, recipients, reportedAt: nextMoment() }),
    );
    const asked = interactionAsked({
      interactionId: newId('int', clock.ms()),
      accountId: ann,
      recipients,
      askedAt: nextMoment(),
    });
    const { interactionId, presentation } = asked;
    await append('interaction', streamTail(interactionId), ann, asked, {
      type: 'InteractionCanceled',
      interactionId,
      accountId: ann,
      recipients,
      presentation,
      liveActivityId: null,
      webhookIds: [],
      canceledAt: nextMoment(),
    } as DomainEvent);
    const all = ['inbox created', 'inbox updated', 'prompts created', 'prompts canceled'];
    expect(await changes(ann, start.ann)).toEqual(all);
    expect(await changes(bob, start.bob)).toEqual(all);
    const [line] = await feed(bob, await position(bob));
    expect(line).toMatchObject({ kind: 'response', result: 'canceled', title: asked.title });
  });

  it('has a line in the feed of each, also when an activity ends', async () => {
    const started = activityStarted({
      activityId: newId('act', clock.ms()),
      accountId: ann,
      recipients,
      startedAt: nextMoment(),
    });
    const { activityId } = started;
    const after = await append('activity', streamTail(activityId), ann, started, {
      type: 'ActivityEnded',
      activityId,
      accountId: ann,
      recipients,
      props: activityProps(),
      reason: 'ended',
      dismissAfterSeconds: 0,
      key: null,
      sequence: 2,
      endedAt: nextMoment(),
    } as DomainEvent);
    for (const account of [ann, bob])
      expect((await feed(account, after)).slice(0, 2)).toMatchObject([
        { kind: 'live_activity', result: 'ended' },
        { kind: 'live_activity', result: 'started' },
      ]);
  });

  it('is among the events of each, with what became of it', async () => {
    const eventId = newId('evt', clock.ms());
    const event = eventReceived({ eventId, accountId: ann, recipients, receivedAt: nextMoment() });
    await append('event', streamTail(eventId), ann, event);
    const after = await append(
      'delivery',
      eventId,
      ann,
      pushReported({
        subjectId: eventId,
        accountId: ann,
        recipients,
        reportedAt: nextMoment(),
        accepted: 1,
        targets: 1,
      }),
    );
    for (const account of [ann, bob]) {
      const { items } = (await bus.ask(Events.list, {}, contextOf(account, after))).value;
      expect(items).toMatchObject([{ id: eventId, status: 'delivered', deliveredCount: 1 }]);
      expect(await read(account, `event:${eventId}`, after)).toMatchObject({ origin: 'event', readAt: null });
    }
  });

  it("loses the names that a deleted account gave to others' projects, and no name of their own", async () => {
    const cid = newAccount();
    const byCid = (projectId: string) => sent({ accountId: cid, projectId, projectName: 'Of Cid' });
    const own = { accountId: bob, recipients: [], deviceIds: [] };
    await byCid('given');
    await byCid('also-own');
    await sent({ ...own, projectId: 'also-own', projectName: 'Of Bob' });
    await byCid('used');
    await sent({ ...own, projectId: 'used', projectName: null });
    const asked = { accountId: cid, recipients, projectId: 'asked', projectName: 'Of Cid' };
    const prompt = interactionAsked({ ...asked, askedAt: nextMoment() });
    await append('interaction', streamTail(prompt.interactionId), cid, prompt);
    const of = { accountId: cid, recipients, serviceTitle: 'Of Cid' };
    const received = eventReceived({ ...of, eventId: newId('evt', clock.ms()), receivedAt: nextMoment() });
    const { serviceId } = received;
    await append('event', streamTail(received.eventId), cid, received);
    const renamed = { type: 'ServiceChanged', serviceId, title: 'New of Cid', changedAt: nextMoment() };
    const before = await append('service', streamTail(serviceId), cid, {
      ...renamed,
      accountId: cid,
      recipients,
    } as DomainEvent);
    const ids = ['given', 'also-own', 'used', 'asked', serviceId];
    const names = (after: string) =>
      Promise.all(ids.map(async (projectId) => (await project(bob, projectId, after))?.name));
    expect(await names(before)).toEqual(['Of Cid', 'Of Bob', 'Of Cid', 'Of Cid', 'New of Cid']);
    const forgotten = { type: 'AccountForgotten', accountId: cid, forgottenAt: nextMoment() } as DomainEvent;
    const after = await append('account', streamTail(cid), cid, forgotten);
    expect(await names(after)).toEqual(['given', 'Of Bob', 'used', 'asked', serviceId]);
    await notQueued();
    expect(await names(after)).toEqual(['given', 'Of Bob', 'used', 'asked', serviceId]);
  });

  it('is the same after a rebuild from the log', async () => {
    const rows = () =>
      Promise.all(
        ['inbox_items', 'inbox_projects', 'events', 'feed_items'].map(async (table) =>
          service
            .get(Database)
            .query(
              `SELECT to_jsonb(t) AS row FROM ${table} t WHERE account_id = ANY($1) ORDER BY to_jsonb(t)::text`,
              [[ann, bob]],
            ),
        ),
      );
    const names = ['inbox', 'events', 'feed'];
    // Each story waits for what it reads itself.
    for (const name of names) await service.get(Projections).abreast(name);
    await notQueued();
    const before = await rows();
    expect(before.every((each) => each.length > 1)).toBe(true);
    for (const name of names) await service.get(Projections).rebuild(name);
    expect(await rows()).toEqual(before);
  }, 60_000);
});
