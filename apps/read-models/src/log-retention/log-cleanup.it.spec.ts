import type { AnyEvent } from '@carillon/contracts';
import { Database, StreamDeleted } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { newId } from '@carillon/signing';
import { eventReceived, interactionAsked, notificationSent, pushReported } from '@carillon/testkit';
import { serveMetrics } from '@carillon/metrics';
import { append, begin, clock, end, log, service } from '../testbed';

beforeAll(begin, 60_000);
afterAll(end, 60_000);

const dayMs = 24 * 60 * 60 * 1000;
/** A day more than lists show things. */
const keptDays = 91;
const accountId = 'acc_1';
let numbers = 0;
const tail = (): string => `s${(numbers += 1)}`;
const now = (): string => instant(clock.ms());
const days = (count: number): Promise<unknown> => clock.advance(count * dayMs + 1_000);

async function given(category: string, ...events: readonly AnyEvent[]): Promise<string> {
  const id = tail();
  await append(category, id, accountId, ...events);
  return `${category}-${id}`;
}
const notification = () =>
  notificationSent({ accountId, notificationId: newId('anot', clock.ms()), sentAt: now() });
const givenNotification = () => given('notification', notification());
/** The number of events in a stream, or that it was deleted for ever. */
const has = async (stream: string): Promise<number | 'deleted'> => {
  try {
    return (await log.store.read(stream)).length;
  } catch (error) {
    if (error instanceof StreamDeleted) return 'deleted';
    throw error;
  }
};
async function stands(...streams: string[]): Promise<(number | 'deleted')[]> {
  const found: (number | 'deleted')[] = [];
  for (let at = 0; at < streams.length; at += 20)
    found.push(...(await Promise.all(streams.slice(at, at + 20).map(has))));
  return found;
}
const position = async () => {
  const [row] = await service.get(Database).query<{ position: string }>(`SELECT position FROM log_cleanup`);
  return BigInt(row?.position ?? 0);
};
/** The sum of a metric's values, as Prometheus reads it. */
async function metric(name: string): Promise<number> {
  process.env['METRICS_PORT'] = '0';
  const { url, close } = await serveMetrics();
  const text = await (await fetch(new URL('/metrics', url))).text().finally(close);
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe('the log', () => {
  it('deletes what is older than the retention, and keeps what is younger, open or of another kind', async () => {
    const reportedAt = now();
    const old = [
      await givenNotification(),
      await given(
        'event',
        eventReceived({ accountId, eventId: newId('evt', clock.ms()), receivedAt: now() }),
      ),
      await given('delivery', pushReported({ accountId, reportedAt })),
    ];
    const open = await given('interaction', interactionAsked({ accountId, askedAt: now() }));
    const other = await given('service', { ...hookRotated(), rotatedAt: now() });
    await days(keptDays - 1);
    expect(await stands(...old)).toEqual([1, 1, 1]);
    const young = await givenNotification();
    await days(1);
    expect(await stands(...old)).toEqual(['deleted', 'deleted', 'deleted']);
    expect(await stands(open, other, young)).toEqual([1, 1, 1]);
    await days(keptDays - 2);
    expect(await has(young)).toBe(1);
    await days(2);
    expect(await stands(open, other, young)).toEqual([1, 1, 'deleted']);
  });

  it('keeps a stream whole until its newest event is too old', async () => {
    const stream = await givenNotification();
    await days(keptDays - 10);
    const id = stream.slice('notification-'.length);
    const withdrawn: AnyEvent = {
      type: 'NotificationWithdrawn',
      notificationId: id,
      accountId,
      status: 'withdrawn',
      accepted: 0,
      withdrawnAt: now(),
    };
    await append('notification', id, accountId, withdrawn);
    await days(10);
    expect(await has(stream)).toBe(2);
    await days(keptDays - 10);
    expect(await has(stream)).toBe('deleted');
  });

  it('truncates the marks of an inbox, and keeps the newest one', async () => {
    const id = tail();
    const marks = async () => {
      const read: AnyEvent = { type: 'InboxItemRead', accountId, itemId: 'anot_1', readAt: now() };
      await append('inbox', id, accountId, read);
    };
    await marks();
    await marks();
    await days(keptDays);
    const kept = await log.store.read(`inbox-${id}`);
    expect(kept.map(({ revision }) => revision)).toEqual([1n]);
    await marks();
    await days(keptDays);
    expect((await log.store.read(`inbox-${id}`)).map(({ revision }) => revision)).toEqual([2n]);
  });

  it('is cut by a process that goes on for one that was killed before it stored its position', async () => {
    const [cut, young] = [await givenNotification(), tail()];
    await days(keptDays);
    await append('notification', young, accountId, notification());
    const reached = await position();
    await service.get(Database).query(`UPDATE log_cleanup SET position = 0`);
    await days(0);
    expect(await stands(cut, `notification-${young}`)).toEqual(['deleted', 1]);
    expect(await position()).toBeGreaterThanOrEqual(reached);
  });

  it('is cut from its start when it does not have the stored position', async () => {
    const stream = await givenNotification();
    await service.get(Database).query(`UPDATE log_cleanup SET position = position + 7`);
    await days(keptDays);
    expect(await has(stream)).toBe('deleted');
  });

  it('tells for how long it keeps too much', async () => {
    const stream = await givenNotification();
    await days(1);
    expect(await metric('carillon_log_cleanup_lag_seconds')).toBe(0);
    clock.move((keptDays + 1) * dayMs);
    expect(await metric('carillon_log_cleanup_lag_seconds')).toBeGreaterThan(dayMs / 1_000);
    await clock.catchUp();
    expect(await has(stream)).toBe('deleted');
    expect(await metric('carillon_log_cleanup_lag_seconds')).toBe(0);
  });

  it('is cut in any number of batches, and no further by a second cleanup', async () => {
    const streams: string[] = [];
    for (let batch = 0; batch < 26; batch += 1)
      streams.push(...(await Promise.all(Array.from({ length: 20 }, givenNotification))));
    await days(keptDays);
    expect(new Set(await stands(...streams))).toEqual(new Set(['deleted']));
    const [cut, reached] = [await metric('carillon_log_streams_cut_total'), await position()];
    await days(0);
    expect(await metric('carillon_log_streams_cut_total')).toBe(cut);
    expect(await position()).toBe(reached);
  }, 60_000);
});

const hookRotated = () => ({
  type: 'HookRotated' as const,
  serviceId: 'svc_1',
  accountId,
  hookHash: 'hash',
});
