import { randomUUID } from 'node:crypto';
import type { Bus, Context } from '@carillon/bus';
import { type Contract, Services } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type RunningService, sharedBus, startService } from '@carillon/service';
import { hashSecret, newId, streamTail } from '@carillon/signing';
import { startParts } from '@carillon/testkit';
import { NotificationsModule } from '../notifications.module';

let parts: Awaited<ReturnType<typeof startParts>>;
let running: RunningService;
let bus: Bus;
let database: Database;
let pepper: Buffer;

beforeAll(async () => {
  parts = await startParts({ CARILLON_BASE_URL: 'https://bells.test/' });
  pepper = Buffer.from(parts.env['CARILLON_PEPPER'] as string, 'base64');
  running = await startService({ name: 'notifications', module: NotificationsModule });
  bus = await sharedBus.take();
  database = running.get(Database);
}, 60_000);
afterAll(async () => {
  await running.close();
  await sharedBus.release();
  await parts.stop();
}, 60_000);

const newAccount = () => newId('usr', Date.now());
const ask = async <Input, Output>(
  accountId: string,
  contract: Contract<Input, Output>,
  input: Input,
): Promise<Output> => {
  const context: Context = {
    commandId: randomUUID(),
    correlationId: 'test',
    caller: { accountId },
    deadline: Date.now() + 10_000,
  };
  return (await bus.ask(contract, input, context)).value;
};
const secretOf = (webhookUrl: string): string => webhookUrl.slice('https://bells.test/hooks/'.length);
const hashOf = (webhookUrl: string): string => hashSecret(pepper, secretOf(webhookUrl));

describe('a service', () => {
  it('has a URL whose secret is nowhere but in the answer', async () => {
    const account = newAccount();
    const { service, webhookUrl } = await ask(account, Services.create, { title: 'CI' });
    const secret = secretOf(webhookUrl);
    expect(secret).toMatch(/^carillon_hook_[0-9A-Za-z]{38}$/);
    expect(await ask('', Services.hookOwner, { hash: hashOf(webhookUrl) })).toEqual({
      serviceId: service.id,
      accountId: account,
    });
    const rows = await database.query(`SELECT * FROM services WHERE service_id = $1`, [service.id]);
    const events = await running.get(Log).store.read(`service-${streamTail(service.id)}`);
    expect(rows).toHaveLength(1);
    expect(events).toHaveLength(1);
    const kept = JSON.stringify([rows, events], (_, value) =>
      typeof value === 'bigint' ? String(value) : (value as unknown),
    );
    expect(kept).not.toContain(secret);
    expect(kept).toContain(hashOf(webhookUrl));
    expect(JSON.stringify(events[0]?.data)).not.toContain('CI');
  });

  it('takes nothing at its old URL even where the rows are late', async () => {
    const account = newAccount();
    const { service, webhookUrl } = await ask(account, Services.create, { title: 'CI' });
    const rotated = await ask(account, Services.rotate, { id: service.id });
    const point = (url: string) =>
      database.query(`UPDATE services SET hook_hash = $2 WHERE service_id = $1`, [service.id, hashOf(url)]);
    await point(webhookUrl);
    await expect(
      ask('', Services.receive, { hash: hashOf(webhookUrl), body: 'hello' }),
    ).rejects.toMatchObject({ reason: 'hook.not_found' });
    await point(rotated.webhookUrl);
  });

  it('rebuilt from the log is equal to what it was', async () => {
    const account = newAccount();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1)
      ids.push((await ask(account, Services.create, { title: `n${n}`, url: 'https://ci.test' })).service.id);
    for (const [n, id] of ids.entries()) {
      if (n % 3 === 0) await ask(account, Services.change, { id, title: 'other', url: null });
      if (n % 3 === 1) await ask(account, Services.rotate, { id });
      if (n % 4 === 0) await ask(account, Services.remove, { id });
    }
    const rows = () => database.query(`SELECT * FROM services ORDER BY service_id`);
    const before = await rows();
    expect(before.length).toBeGreaterThanOrEqual(9);
    await running.get(Projections).rebuild('services');
    expect(await rows()).toEqual(before);
    const { items } = await ask(account, Services.list, {});
    expect(items).toHaveLength(9);
    for (const item of items)
      expect((await ask(account, Services.get, { id: item.id })).service).toEqual(item);
  });
});
