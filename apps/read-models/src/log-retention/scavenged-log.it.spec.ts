import { ActivityFeed, Events, Inbox } from '@carillon/contracts';
import { Projections, startScavenges } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import {
  contextOf,
  eventReceived,
  newAccount,
  notificationSent,
  pushReported,
  rowsReach,
  scavenge,
} from '@carillon/testkit';
import { append, begin, bus, clock, end, log, service } from '../testbed';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

const dayMs = 24 * 60 * 60 * 1000;
const projections = ['inbox', 'events', 'feed', 'changes'];
const accountId = newAccount();
let newest = '0';

/** A notification with its report, and an event: what its lists name it by, and the streams. */
async function given(title: string): Promise<string[]> {
  const at = instant(clock.ms());
  const [notificationId, eventId] = [newId('anot', clock.ms()), newId('evt', clock.ms())];
  const [notification, event] = [streamTail(notificationId), streamTail(eventId)];
  const sent = notificationSent({ notificationId, accountId, title, sentAt: at });
  await append('notification', notification, accountId, sent);
  await append(
    'delivery',
    notificationId,
    accountId,
    pushReported({ subjectId: notificationId, accountId, reportedAt: at }),
  );
  newest = await append(
    'event',
    event,
    accountId,
    eventReceived({ eventId, accountId, title, receivedAt: at }),
  );
  for (const name of projections) await rowsReach(service.get(Projections), name, newest);
  return [`notification-${notification}`, `delivery-${notificationId}`, `event-${event}`];
}
/** What the lists of the account show, by title. */
async function lists(): Promise<Record<string, (string | null)[]>> {
  const context = contextOf(accountId, newest);
  const titlesOf = (items: readonly { readonly title: string | null }[]) => items.map(({ title }) => title);
  return {
    inbox: titlesOf((await bus.ask(Inbox.list, {}, context)).value.items),
    events: titlesOf((await bus.ask(Events.list, {}, context)).value.items),
    feed: titlesOf((await bus.ask(ActivityFeed.read, {}, context)).value.items),
  };
}

describe('after a scavenge', () => {
  it('rows are rebuilt as the live ones, without what the log no longer has, and follow on', async () => {
    const old = await given('Old');
    const positions = (await Promise.all(old.map((stream) => log.store.read(stream)))).flatMap((events) =>
      events.map(({ position }) => position),
    );
    expect(positions).toHaveLength(3);
    await clock.advance(92 * dayMs);
    await given('Young');
    const live = await lists();
    for (const titles of Object.values(live)) expect(titles).toContain('Young');

    await scavenge(startScavenges, log.store, positions);
    for (const name of projections) await service.get(Projections).rebuild(name);
    const rebuilt = await lists();
    for (const [name, titles] of Object.entries(live))
      expect([name, rebuilt[name]]).toEqual([name, titles.filter((title) => title !== 'Old')]);

    await given('Younger');
    for (const titles of Object.values(await lists()))
      expect(titles).toEqual(expect.arrayContaining(['Young', 'Younger']));
  });
});
