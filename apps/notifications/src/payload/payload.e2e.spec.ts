import { createHmac } from 'node:crypto';
import { eventually, type House, type HouseAccount, startHouse } from '@carillon/testkit';
import { newService } from '../testbed';

let house: House;
let account: HouseAccount;
beforeAll(async () => {
  house = await startHouse();
  account = await house.anotherAccount();
}, 120_000);
afterAll(() => house?.close(), 90_000);
beforeEach(() => house.advance(61));

const serviceWith = async (more: object = {}) => {
  const made = await newService(house, account, { title: 'Monitoring', ...more });
  return {
    ...made,
    payloads: async (): Promise<any[]> => {
      const { status, body: list } = await account.api('GET', `/services/${made.id}/payloads`);
      expect([status, list.nextCursor]).toEqual([200, null]);
      return list.payloads;
    },
  };
};
const json = { 'content-type': 'application/json' };

describe('the payloads of a service', () => {
  it('are listed with the events that they have made, the newest first', async () => {
    const { send, payloads } = await serviceWith({ preset: 'gatus' });
    expect(await payloads()).toEqual([]);
    const alert = { endpoint: 'frontend', state: 'TRIGGERED' };
    const { eventId } = (await send(alert)).body;
    await send({ ...alert, state: 'RESOLVED' });
    const [resolved, fired, ...others] = await payloads();
    expect(others).toEqual([]);
    expect(fired).toEqual({
      receivedAt: expect.any(String),
      contentType: expect.stringContaining('application/json'),
      bytes: JSON.stringify(alert).length,
      body: JSON.stringify(alert),
      outcome: 'event',
      events: [
        {
          id: eventId,
          title: 'Firing: frontend',
          state: 'firing',
          dedupKey: 'endpoint frontend',
          severity: 'critical',
        },
      ],
      error: null,
      issues: [],
    });
    expect(resolved).toMatchObject({ outcome: 'event', events: [{ state: 'resolved' }] });
  });

  it('are listed with why they were refused, whatever came, and nothing is made of them', async () => {
    const { send, payloads } = await serviceWith({ preset: 'alertmanager' });
    const deep = `{"alerts":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const names = { alerts: [{ labels: { alertname: 'a\u202eb\u0000c' } }, 'not an alert'] };
    for (const [sent, status, code, path] of [
      ['{"alerts":[', 400, 'INVALID_JSON'],
      [JSON.stringify({ receiver: 'another tool' }), 400, 'VALIDATION_FAILED', 'alerts'],
      [deep, 400, 'VALIDATION_FAILED', ''],
      [JSON.stringify(names), 400, 'VALIDATION_FAILED', 'alerts[1]'],
    ] as const) {
      expect(await send(sent, json)).toMatchObject({ status, body: { code } });
      expect((await payloads())[0]).toMatchObject({
        outcome: 'refused',
        body: sent.slice(0, 16_000),
        bytes: Buffer.byteLength(sent),
        events: [],
        error: code,
        issues: path === undefined ? [] : [{ path }],
      });
    }
    expect(await send('x'.repeat(65_537), json)).toMatchObject({ status: 413 });
    await eventually(
      async () => (await payloads())[0].error === 'PAYLOAD_TOO_LARGE' || undefined,
      () => 'the payload that was too large is not listed',
    );
    expect((await account.api('GET', '/events')).body.events.map((event: any) => event.title)).not.toContain(
      'Firing: abc',
    );
    const refusals = house
      .logs()
      .filter(({ text }) => text.includes('Refused a payload of a webhook service'));
    expect(refusals).toHaveLength(5);
  });

  it('must be signed where the service has the secret of its sender, which is shown nowhere', async () => {
    const senderSecret = 'a secret of GitHub';
    const { id, service, send, payloads } = await serviceWith({ preset: 'github', senderSecret });
    expect(service).toMatchObject({ hasSenderSecret: true });
    expect(JSON.stringify((await account.api('GET', '/services')).body)).not.toContain(senderSecret);
    const body = JSON.stringify({ zen: 'Keep it logically awesome.' });
    const signed = (secret: string) => ({
      ...json,
      'x-github-event': 'ping',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    });
    for (const headers of [{ ...json, 'x-github-event': 'ping' }, signed('another secret')]) {
      expect(await send(body, headers)).toMatchObject({ status: 401, body: { code: 'SIGNATURE_INVALID' } });
      expect((await payloads())[0]).toMatchObject({ outcome: 'refused', error: 'SIGNATURE_INVALID', body });
    }
    expect((await send(body, signed(senderSecret))).status).toBe(200);
    expect((await payloads())[0]).toMatchObject({ outcome: 'event', events: [{ title: 'ping in GitHub' }] });
    const changed = await account.api('PATCH', `/services/${id}`, { body: { senderSecret: null } });
    expect(changed.body.service).toMatchObject({ hasSenderSecret: false });
    expect((await send(body, { ...json, 'x-github-event': 'ping' })).status).toBe(200);
    expect(house.output() + house.logs().map(({ text }) => text)).not.toContain(senderSecret);
  });

  it('of 10,000 alerts in a group make one event', async () => {
    const { send, payloads } = await serviceWith({ preset: 'alertmanager' });
    const group = { groupKey: 'many', alerts: Array.from({ length: 10_000 }, () => ({})) };
    expect((await send(group)).status).toBe(200);
    expect(await payloads()).toMatchObject([
      { events: [{ title: 'Firing: Alerts (10000)', dedupKey: 'many' }] },
    ]);
  });

  it('of more alerts than are pushed are listed with 25 of their events and what became none', async () => {
    const { send, payloads, titles } = await serviceWith({ preset: 'alertmanager', eventsPer: 'alert' });
    const alerts = Array.from({ length: 2_500 }, (_, n) => ({ fingerprint: n }));
    expect((await send({ groupKey: 'many', alerts })).status).toBe(200);
    const [payload] = await payloads();
    expect(payload.events).toHaveLength(25);
    expect(payload.issues).toEqual([
      { path: 'alerts[500]', message: 'The last 2000 alerts have no event and no page of their own.' },
      { path: '', message: 'has made 476 more events' },
    ]);
    expect(await titles()).toContain('Firing: Alerts (2480)');
  }, 60_000);

  it('are twenty, of seven days', async () => {
    const { send, payloads } = await serviceWith();
    for (let n = 0; n < 23; n += 1) await send({ text: `number ${n}` });
    expect((await payloads()).map(({ body }) => JSON.parse(body).text)).toEqual(
      Array.from({ length: 20 }, (_, n) => `number ${22 - n}`),
    );
    await house.advance(7 * 86_400 + 60);
    expect(await payloads()).toEqual([]);
  });
});
