import type { Context } from '@carillon/bus';
import { Inbox, operationsOf } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { instant } from '@carillon/eventing';
import { newId, streamTail } from '@carillon/signing';
import { contextOf, eventually, notificationSent, rowsReach } from '@carillon/testkit';
import { randomUUID } from 'node:crypto';
import { append, begin, bus, end, service } from '../testbed';

beforeAll(() => begin({ keepDays: 0 }), 60_000);
afterAll(end, 60_000);

let clock = Date.parse('2026-11-20T09:00:00.000Z');
const send = (accountId: string, title: string, recipients: readonly string[] = []): Promise<string> => {
  const event = notificationSent({
    notificationId: newId('anot', (clock += 1_000)),
    accountId,
    title,
    recipients,
    sentAt: instant(clock),
  });
  return append('notification', streamTail(event.notificationId), accountId, event);
};
const titles = async (accountId: string, after?: string): Promise<string[]> =>
  (await bus.ask(Inbox.list, {}, contextOf(accountId, after))).value.items.map(({ title }) => title);
const operator = (): Context => ({
  ...contextOf(''),
  commandId: randomUUID(),
  caller: { accountId: '', process: 'operator' },
});

it('an account whose item cannot be written is refused its inbox alone, until the operator has it retried', async () => {
  const database = service.get(Database);
  const projections = service.get(Projections);
  const [anna, ben] = [newId('usr', clock), newId('usr', clock)];
  await send(anna, 'first');
  await database.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.title = 'bad' THEN RAISE 'no such item'; END IF; RETURN NEW; END $$`);
  await database.query(
    `CREATE TRIGGER refuse BEFORE INSERT ON inbox_items FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  await send(anna, 'bad', [ben]);
  await send(anna, 'third');
  const position = await send(ben, 'hello');
  await rowsReach(projections, 'inbox', position);

  expect(await titles(ben, position)).toEqual(['hello']);
  const behind = { reason: 'projection.behind' };
  await expect(titles(anna)).rejects.toMatchObject(behind);
  await expect(titles(anna, position)).rejects.toMatchObject(behind);
  expect(projections.statuses().filter(({ current }) => !current)).toEqual([]);

  const { deadLetters, retryDeadLetter } = operationsOf('read-models');
  const letters = async (): Promise<readonly unknown[]> =>
    (await bus.ask(deadLetters, {}, operator())).value.deadLetters;
  const id = `inbox/${anna}`;
  expect(await letters()).toEqual([
    {
      service: 'read-models',
      queue: 'inbox',
      id,
      accountId: anna,
      attempts: 3,
      reason: expect.stringMatching(/^cannot apply NotificationSent at \d+: error P0001$/),
      since: expect.any(String),
    },
  ]);
  await expect(bus.ask(retryDeadLetter, { id }, operator())).rejects.toMatchObject({
    reason: 'dead_letter.failed_again',
  });
  await database.query(`DROP FUNCTION refuse() CASCADE`);
  await bus.ask(retryDeadLetter, { id }, operator());
  expect(await letters()).toEqual([]);

  const last = await send(anna, 'last');
  await rowsReach(projections, 'inbox', last);
  const shown = await eventually(
    () => titles(anna, last).catch(() => undefined),
    () => 'her inbox is still refused',
  );
  expect(shown).toEqual(['last', 'third', 'bad', 'first']);
  // What she sent to him came late.
  expect(await titles(ben, last)).toEqual(['hello', 'bad']);
  const rows = (): Promise<unknown[]> =>
    database.query(`SELECT * FROM inbox_items ORDER BY account_id, item_id`);
  const counts = (): Promise<unknown[]> =>
    database.query(`SELECT * FROM inbox_projects ORDER BY account_id, project_id`);
  const healed = [await rows(), await counts()];
  await projections.rebuild('inbox');
  expect([await rows(), await counts()]).toEqual(healed);
}, 60_000);
