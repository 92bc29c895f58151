import { type EventStore, openEventStore } from '@carillon/event-store';
import {
  type Cost,
  type House,
  type HouseAccount,
  Meter,
  type NatsServer,
  startHouse,
  startNats,
} from '@carillon/testkit';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, 'costs.json');
const table: Record<string, Cost> = JSON.parse(readFileSync(file, 'utf8'));
const mayWrite = process.env['COSTS'] === 'write';
const command = 'COSTS=write node tools/jest.mjs e2e apps/standalone/src/costs';
/** What idle parts do every five seconds or more often is seen in this time. */
const idleMs = 6_000;
/**
 * A lapse, such as of what is kept for five seconds, falls into some of them and not into all; on a busy machine things
 * come together and cost less. So the least is compared, and what is usual written down.
 */
const times = 5;
/**
 * Messages and events are what they are. How many projections find the same events to commit together hangs on who is
 * first at them, so that a busy machine commits a little more often, and wakes them once more for what came apart.
 */
const atMost = (cost: Cost): Cost => ({
  ...cost,
  statements: Math.ceil(cost.statements * 1.1),
  transactions: cost.transactions + 1,
  checkpoints: Math.ceil(cost.checkpoints * 1.1),
  wakes: Math.ceil(cost.wakes * 1.1) + 1,
});

let nats: NatsServer;
let house: House;
let store: EventStore;
let meter: Meter;
let phoneless: HouseAccount;
let shower: HouseAccount;
let activity: string;
let step = 0;
beforeAll(async () => {
  nats = await startNats({ jetstream: true });
  house = await startHouse({ clock: 'system', limits: 'off', env: { NATS_URL: nats.url } });
  house.ignorePushes();
  store = openEventStore(house.state.eventStoreUrl);
  phoneless = await house.anotherAccount();
  shower = await house.anotherAccount();
  await shower.addPhone('android');
  const started = await shower.api('POST', '/activities', { body: { props: { title: 'Build' } } });
  activity = started.body.activity.id;
  meter = await Meter.of(house, nats.url, countEvents, idleMs);
}, 120_000);
afterAll(async () => {
  await meter?.close();
  await store?.close();
  await house?.close();
  await nats?.stop();
}, 90_000);

let counted = 0;
let countedTo: bigint | undefined;
async function countEvents(): Promise<number> {
  for (;;) {
    const { events, last, end } = await store.readAll(countedTo, 500);
    counted += events.length;
    countedTo = last ?? countedTo;
    if (end || last === undefined) return counted;
  }
}

const body = { title: 'Build finished', body: 'main is green', projectId: 'web' };
/** The caller's identity is cached for five seconds: its renewal is no cost of the measured request. */
const known = async (): Promise<void> => {
  for (const each of [phoneless, shower, house.owner]) await each.api('GET', '/inbox/projects');
};
const works: Record<string, () => Promise<{ status: number }>> = {
  'a notification without a device': () => phoneless.api('POST', '/notifications', { body }),
  'a notification to two phones, with their receipts': () =>
    house.owner.api('POST', '/notifications', { body }),
  'a prompt and its answer': async () => {
    const asked = await phoneless.api('POST', '/interactions', {
      body: { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' },
    });
    const { id, actionDigest } = asked.body.interaction;
    return phoneless.session('POST', `/prompts/${id}/answer`, {
      body: { answer: 'approved', actionDigest },
    });
  },
  'a change of an activity on a phone': () =>
    shower.api('PATCH', `/activities/${activity}`, { body: { props: { status: `Step ${(step += 1)}` } } }),
  'a page of the inbox': () => phoneless.api('GET', '/inbox/notifications?limit=20'),
};

describe('what a request costs, until all is quiet again', () => {
  it.each(Object.keys(works))('%s', async (name) => {
    const work = async (): Promise<void> => {
      const { status } = await works[name]!();
      expect([200, 201]).toContain(status);
    };
    await work();
    const before = mayWrite ? undefined : atMost(table[name]!);
    const { least, usual } = await meter.cost(work, times, known, before);
    if (mayWrite) {
      table[name] = usual;
      writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
    }
    const limits = table[name]!;
    const told = (which: (each: keyof Cost) => boolean): string[] =>
      counts(least)
        .filter(which)
        .map((each) => `${each}: ${least[each]} to ${usual[each]}, not ${limits[each]}`);
    const fallen = told((each) => usual[each] < limits[each]);
    if (fallen.length > 0)
      process.stdout.write(
        `${name} costs less than the table says (${fallen.join('; ')}). Write it down: ${command}\n`,
      );
    // A commit that raises a cost gives the reason and changes the table.
    const most = atMost(limits);
    expect(told((each) => least[each] > most[each])).toEqual([]);
  });
});

const counts = (cost: Cost): (keyof Cost)[] => Object.keys(cost) as (keyof Cost)[];
