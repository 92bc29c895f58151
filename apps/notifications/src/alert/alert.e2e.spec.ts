import { checkout, eventually } from '@carillon/testkit';
import { load } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ann, begin, creator, end, groupId, house, newService, teamId } from '../testbed';

beforeAll(begin, 120_000);
afterAll(end, 90_000);

const pagingService = async (more: object = {}) => {
  const made = { title: 'Monitoring', preset: 'gatus', oncallGroupId: groupId, ...more };
  const { id, service, send } = await newService(house, creator, made);
  const pages = async (): Promise<any[]> =>
    (await creator.api('GET', `/teams/${teamId}/pages`)).body.pages.filter((page: any) =>
      page.dedupKey?.startsWith(`${id}:`),
    );
  return {
    id,
    service,
    pages,
    send: async (state: 'TRIGGERED' | 'RESOLVED', endpoint = 'frontend') =>
      expect((await send({ endpoint, state })).status).toBe(200),
    sendBody: send,
    /** Waits for the pages, the newest first. */
    comes: async (expected: readonly object[]) => {
      let found: any[] = [];
      await eventually(
        async () => {
          found = await pages();
          return (
            (found.length === expected.length && found.every((page, n) => matches(page, expected[n]))) ||
            undefined
          );
        },
        () => `the pages are ${JSON.stringify(found)}`,
      );
    },
  };
};
const matches = (page: any, expected: any): boolean =>
  Object.entries(expected).every(([name, value]) => page[name] === value);

describe('what fires at a service with an on-call group', () => {
  it('opens a page that rings, absorbs repetitions, and is resolved with it', async () => {
    const { id, service, send, comes, pages } = await pagingService();
    expect(service).toMatchObject({ oncallGroupId: groupId, oncallFrom: 'info', oncallGroupGone: false });
    await send('TRIGGERED');
    await comes([{ status: 'triggered', title: 'Firing: frontend', source: 'service', repeatCount: 0 }]);
    const [push] = await house.expectPushes(ann.phone, 1);
    expect(push).toMatchObject({ payload: { carillon: { type: 'page', groupId } } });
    expect(await pages()).toMatchObject([{ dedupKey: `${id}:endpoint frontend`, groupId }]);
    await send('TRIGGERED');
    await comes([{ status: 'triggered', repeatCount: 1 }]);
    await send('RESOLVED');
    await comes([{ status: 'resolved', resolvedBy: null }]);
    await house.expectPushes(ann.phone, 1);
    await send('RESOLVED');
    await send('TRIGGERED');
    await comes([{ status: 'triggered' }, { status: 'resolved' }]);
    await send('RESOLVED');
    await comes([{ status: 'resolved' }, { status: 'resolved' }]);
    await house.expectPushes(ann.phone, 2);
  });

  it('may be what Grafana sends, as its page sets it up', async () => {
    const page = readFileSync(join(checkout, 'docs/integrations/grafana.md'), 'utf8');
    const [, asked = ''] = /-d '([^']*)'/.exec(page) ?? [];
    const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
    expect(load(yaml)).toMatchObject({
      contactPoints: [
        {
          receivers: [
            {
              type: 'webhook',
              disableResolveMessage: false,
              settings: { url: 'http://127.0.0.1:8080/hooks/carillon_hook_…', httpMethod: 'POST' },
            },
          ],
        },
      ],
    });
    const { service, sendBody, comes } = await pagingService(JSON.parse(asked));
    expect(service).toMatchObject({ title: 'Grafana', preset: 'grafana' });
    const file = join(import.meta.dirname, '../preset/payloads/grafana-firing.json');
    const { body } = JSON.parse(readFileSync(file, 'utf8'));
    const send = async (status: 'firing' | 'resolved') => {
      const alerts = body.alerts.map((alert: object) => ({ ...alert, status }));
      expect((await sendBody({ ...body, status, alerts })).status).toBe(200);
    };
    await send('firing');
    await comes([{ status: 'triggered', title: 'Firing: My Super Webhook (2)' }]);
    await send('firing');
    await send('resolved');
    await comes([{ status: 'resolved', repeatCount: 0 }]);
    await house.expectPushes(ann.phone, 2);
  });

  it('has a page for each thing that fires', async () => {
    const { send, comes } = await pagingService();
    await Promise.all(['a', 'b', 'c'].map((endpoint) => send('TRIGGERED', endpoint)));
    await comes(Array.from({ length: 3 }, () => ({ status: 'triggered' })));
    await Promise.all(['a', 'b', 'c'].map((endpoint) => send('RESOLVED', endpoint)));
    await comes(Array.from({ length: 3 }, () => ({ status: 'resolved' })));
    await house.expectPushes(ann.phone, 6);
  });

  it('pages from a severity on', async () => {
    const { sendBody, comes, pages } = await pagingService({ preset: 'alertmanager', oncallFrom: 'error' });
    const group = (groupKey: string, severity: string, status: string) => ({
      groupKey,
      alerts: [{ status, labels: { alertname: groupKey, severity }, startsAt: '2026-11-26T09:00:00Z' }],
    });
    await sendBody(group('mild', 'warning', 'firing'));
    await sendBody(group('bad', 'critical', 'firing'));
    await comes([{ status: 'triggered', title: 'Firing: bad' }]);
    await sendBody(group('mild', 'warning', 'resolved'));
    await sendBody(group('bad', 'critical', 'resolved'));
    await comes([{ status: 'resolved' }]);
    expect(await pages()).toHaveLength(1);
    await house.expectPushes(ann.phone, 2);
  });

  it('is one page, resolved once, when all dies between any two steps', async () => {
    house.ignorePushes(ann.phone);
    const { send, comes } = await pagingService();
    await send('TRIGGERED');
    await house.kill9();
    await house.start();
    await comes([{ status: 'triggered', repeatCount: 0 }]);
    await send('RESOLVED');
    await house.kill9();
    await house.start();
    await comes([{ status: 'resolved' }]);
  });
});

describe('the on-call group of a service', () => {
  it('is one that the creator may page', async () => {
    const stranger = await house.anotherAccount();
    for (const [method, path] of [
      ['POST', '/services'],
      [
        'PATCH',
        `/services/${(await stranger.api('POST', '/services', { body: { title: 'a' } })).body.service.id}`,
      ],
    ] as const)
      expect(
        await stranger.api(method, path, { body: { title: 'b', oncallGroupId: groupId } }),
      ).toMatchObject({
        status: 404,
        body: { code: 'ONCALL_GROUP_NOT_FOUND' },
      });
  });

  it('is said to be gone once it could not be paged, and what fires is an event', async () => {
    const { body } = await ann.account.api('POST', `/teams/${teamId}/oncall`, {
      body: {
        name: 'Short-lived',
        rotation: { userIds: [ann.account.id], period: 'daily', handoffAt: '00:00', timezone: 'UTC' },
      },
    });
    const goneId = body.id;
    const { id, send, pages } = await pagingService({ oncallGroupId: goneId });
    expect((await ann.account.api('DELETE', `/oncall/${goneId}`)).status).toBe(200);
    await send('TRIGGERED');
    const shown = async () => (await creator.api('GET', `/services/${id}`)).body.service;
    await eventually(
      async () => (await shown()).oncallGroupGone || undefined,
      () => 'the service does not say that its group is gone',
    );
    expect(await shown()).toMatchObject({ oncallGroupId: goneId });
    expect(await pages()).toEqual([]);
    const { events } = (await creator.api('GET', `/events?serviceId=${id}`)).body;
    expect(events).toMatchObject([{ title: 'Firing: frontend' }]);

    const changed = await creator.api('PATCH', `/services/${id}`, { body: { oncallGroupId: groupId } });
    expect(changed.body.service).toMatchObject({ oncallGroupId: groupId, oncallGroupGone: false });
    const { services } = (await creator.api('GET', '/services')).body;
    expect(services.find((each: any) => each.id === id)).toEqual(changed.body.service);
  });
});
