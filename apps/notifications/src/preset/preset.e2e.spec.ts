import { eventually, type House, type HouseAccount, startHouse } from '@carillon/testkit';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newService } from '../testbed';

let house: House;
let account: HouseAccount;
beforeAll(async () => {
  house = await startHouse();
  account = await house.anotherAccount();
}, 120_000);
afterAll(() => house?.close(), 90_000);

const recorded = (name: string): { headers: Record<string, string>; body: any } =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'payloads', `${name}.json`), 'utf8'));

const serviceWith = (more: object = {}) => newService(house, account, { title: 'Monitoring', ...more });

describe('a service without a preset', () => {
  it('is plain, and recognises what says none of its names', async () => {
    const { service, send, titles } = await serviceWith();
    expect(service).toMatchObject({ preset: 'plain', eventsPer: 'group' });
    expect((await send(recorded('alertmanager-firing').body)).status).toBe(200);
    expect((await send(recorded('alertmanager-resolved').body)).status).toBe(200);
    const { headers, body } = recorded('github-workflow-run');
    expect((await send(body, headers)).status).toBe(200);
    expect((await send({ temperature: 41 })).status).toBe(200);
    expect((await send({ text: 'as ever', alerts: [] })).status).toBe(200);
    expect(await titles()).toEqual([
      'Firing: DiskFull (2)',
      'Resolved: DiskFull (2)',
      'test in octo-org/octo-repo: failure',
      'Monitoring',
      'Monitoring',
    ]);
  });

  it('makes one event of the same group in the same state, whoever sends it again', async () => {
    const { send, titles } = await serviceWith();
    const { body } = recorded('alertmanager-firing');
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(body)));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const again = await send({ ...body, externalURL: 'http://second-of-the-cluster:9093' });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await titles()).toEqual(['Firing: DiskFull (2)']);
    body.alerts[0].startsAt = '2026-11-27T00:00:00Z';
    expect((await send(body)).body.eventId).not.toBe(again.body.eventId);
  });
});

describe('a preset', () => {
  it('is chosen, changed, and shown', async () => {
    const { id, service, send } = await serviceWith({ preset: 'alertmanager', eventsPer: 'alert' });
    expect(service).toMatchObject({ preset: 'alertmanager', eventsPer: 'alert' });
    const changed = await account.api('PATCH', `/services/${id}`, { body: { preset: 'gatus' } });
    expect(changed.body.service).toMatchObject({ preset: 'gatus', eventsPer: 'alert' });
    const { services } = (await account.api('GET', '/services')).body;
    expect(services.find((each: any) => each.id === id)).toEqual(changed.body.service);
    expect((await send({ endpoint: 'a', state: 'TRIGGERED' }, { 'content-type': '' })).status).toBe(200);
    const refused = await account.api('PATCH', `/services/${id}`, { body: { preset: 'nagios' } });
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: 'preset' }] } });
  });

  it('refuses what does not fit with its path, and makes no event of it', async () => {
    const { send, titles } = await serviceWith({ preset: 'alertmanager' });
    expect(await send({ receiver: 'a', alerts: [{}, 'b'] })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', issues: [{ path: 'alerts[1]' }] },
    });
    expect(await send('{"alerts":[', { 'content-type': 'application/json' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_JSON' },
    });
    expect(await titles()).toEqual([]);
  });

  it('makes an event of each alert, once, where the service says so', async () => {
    const { send, titles } = await serviceWith({ preset: 'alertmanager', eventsPer: 'alert' });
    const { body } = recorded('alertmanager-firing');
    for (let turn = 0; turn < 2; turn += 1) expect((await send(body)).status).toBe(200);
    expect(await titles()).toEqual(['Firing: DiskFull', 'Firing: DiskFull']);
    body.alerts[0].status = 'resolved';
    expect((await send(body)).status).toBe(200);
    expect((await titles()).at(-1)).toBe('Resolved: DiskFull');
    expect(await titles()).toHaveLength(3);
  });

  it('makes an event of each alert once when all dies while it does, and the sender tries again', async () => {
    const { id, send } = await serviceWith({ preset: 'alertmanager', eventsPer: 'alert' });
    const alerts = Array.from({ length: 200 }, (_, n) => ({
      fingerprint: n,
      labels: { alertname: `a${n}` },
    }));
    const titles = async (): Promise<string[]> => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const more: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
        const { body } = await account.api('GET', `/events?serviceId=${id}&limit=100${more}`);
        found.push(...body.events.map(({ title }: { title: string }) => title));
        cursor = body.nextCursor;
      }
      return found.sort();
    };
    const dying = send({ groupKey: 'many', alerts }).catch(() => undefined);
    await eventually(
      async () => (await titles()).length > 0 || undefined,
      () => 'no event came',
    );
    await house.kill9();
    await dying;
    await house.start();
    expect((await send({ groupKey: 'many', alerts })).status).toBe(200);
    expect(await titles()).toEqual(
      ['Firing: Alerts (180)', ...alerts.map(({ labels }) => `Firing: ${labels.alertname}`)].sort(),
    );
  }, 120_000);
});
