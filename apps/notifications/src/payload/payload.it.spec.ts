import type { Bus } from '@carillon/bus';
import { Services } from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { type RunningService, sharedBus, startService } from '@carillon/runtime';
import { askOn, eventually, newAccount, outcomeOf, startParts } from '@carillon/testkit';
import { NotificationsModule } from '../notifications.module';
import { baseUrl, tellOfAccount } from '../testbed';
import { Payloads } from './payloads.service';

let parts: Awaited<ReturnType<typeof startParts>>;
let running: RunningService;
let bus: Bus;
let database: Database;
beforeAll(async () => {
  parts = await startParts({ CARILLON_BASE_URL: baseUrl });
  running = await startService({ name: 'notifications', module: NotificationsModule });
  bus = await sharedBus.take();
  database = running.get(Database);
}, 60_000);
afterAll(async () => {
  await running?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);
const ask = askOn(() => bus);

describe('the payloads of a service', () => {
  it('are sealed with the key of its account, and there for as long as that is', async () => {
    const account = newAccount();
    const { service } = await ask(account, Services.create, { title: 'CI' });
    const { id } = service;
    const came = { contentType: 'text/plain', payload: Buffer.from('a secret of the sender') };
    const refusal = new Refused('hook.not_json');
    await running.get(Payloads).note({ id, accountId: account }, came, { refusal });
    const stored = () =>
      database.query<{ sealed: string }>(`SELECT sealed FROM service_payloads WHERE service_id = $1`, [id]);
    expect((await stored())[0]?.sealed).toMatch(/^v1\.[^ ]+$/);
    const listed = async () => (await ask(account, Services.payloads, { id })).items;
    expect(await listed()).toMatchObject([{ body: 'a secret of the sender', error: 'INVALID_JSON' }]);
    expect(await outcomeOf(ask(newAccount(), Services.payloads, { id }))).toBe('service.unknown');

    const log = running.get(Log);
    await log.keys.shred(account);
    const forgottenAt = new Date().toISOString();
    await tellOfAccount(log, { type: 'AccountForgotten', accountId: account, forgottenAt });
    await eventually(
      async () => (await stored()).length === 0 || undefined,
      () => 'the payloads of the account are there',
    );
    await running.get(Payloads).note({ id, accountId: account }, came, { refusal });
    expect([await stored(), await listed()]).toEqual([[], []]);
  });
});
