import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import {
  eventually,
  type House,
  type HouseAccount,
  type NatsCluster,
  startHouse,
  startNatsCluster,
} from '@carillon/testkit';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let cluster: NatsCluster;
let house: House;
let account: HouseAccount;
beforeAll(async () => {
  cluster = await startNatsCluster(3);
  house = await startHouse({
    limits: 'off',
    env: {
      NATS_URL: cluster.url,
      CARILLON_EVENTS_REPLICAS: '3',
    },
  });
  // That a server was away is said, at the level that the client's frame chooses.
  house.expectLog(/NatsError: type: \\?"disconnect/);
  account = await house.anotherAccount();
}, 120_000);
afterAll(async () => {
  await house?.close();
  await cluster?.stop();
});

/** Sends without an end, some at once, and keeps what it was told of each. */
class Sender {
  readonly told = new Map<string, { status: number; id?: string }>();
  private stopped = false;
  private readonly lanes: Promise<void>[];

  constructor(lanes: number) {
    this.lanes = Array.from({ length: lanes }, (_, lane) => this.run(lane));
  }

  private async run(lane: number): Promise<void> {
    for (let n = 0; !this.stopped; n += 1) {
      const title = `lane ${lane} number ${n}`;
      const { status, body } = await account.api('POST', '/notifications', {
        body: { title, body: 'while servers come and go' },
      });
      this.told.set(title, { status, id: body.notification?.id });
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.lanes);
  }

  /** Resolves when something that was sent from now on was acknowledged. */
  async acknowledged(): Promise<void> {
    const before = this.told.size;
    await eventually(
      () =>
        [...this.told.values()].slice(before + this.lanes.length).some(({ status }) => status === 201) ||
        undefined,
      () => 'nothing is acknowledged any more',
      30_000,
    );
  }
}

/** Titles and ids of all that is in the inbox, page by page. */
async function inbox(): Promise<{ title: string; id: string }[]> {
  const items: { title: string; id: string }[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await account.api('GET', `/inbox/notifications?limit=100${cursor}`);
    expect(status).toBe(200);
    items.push(...body.items);
    if (!body.nextCursor) return items;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

/** The ids of the notifications that were told to other programs. Each comes at least once. */
async function published(): Promise<string[]> {
  const connection = await connect({ servers: cluster.urls.map((url) => url.replace('nats://', '')) });
  try {
    const { streams } = await jetstreamManager(connection);
    const { state } = await streams.info('EVT');
    const ids = new Set<string>();
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await streams.getMessage('EVT', { seq });
      if (message?.subject === 'evt.notifications.notification.sent')
        ids.add(message.header.get('ce-subject'));
    }
    return [...ids];
  } finally {
    await connection.close();
  }
}

it('loses nothing and does nothing twice while each of three servers, then all, are killed or frozen', async () => {
  const sender = new Sender(8);
  await sender.acknowledged();
  for (let index = 0; index < cluster.size; index += 1) {
    await cluster.kill(index);
    await sender.acknowledged();
    await cluster.start(index);
    await sender.acknowledged();
  }
  for (let index = 0; index < cluster.size; index += 1) {
    cluster.signal(index, 'SIGSTOP');
    await sleep(5_000);
    await sender.acknowledged();
    cluster.signal(index, 'SIGCONT');
    await sender.acknowledged();
  }
  const all = Array.from({ length: cluster.size }, (_, index) => index);
  await Promise.all(all.map((index) => cluster.kill(index)));
  await sleep(5_000);
  await Promise.all(all.map((index) => cluster.start(index)));
  await sender.acknowledged();
  await sender.stop();

  const told = [...sender.told];
  const acknowledged = told.filter(([, { status }]) => status === 201);
  expect(told.filter(([, { status }]) => ![201, 503, 504].includes(status))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(100);

  const items = await eventually(
    async () => {
      const found = await inbox();
      return found.length >= acknowledged.length ? found : undefined;
    },
    () => 'the inbox lacks something that was acknowledged',
    20_000,
  );
  const titles = items.map(({ title }) => title);
  const refused = told.filter(([, { status }]) => status === 503).map(([title]) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(acknowledged.map(([title]) => title).filter((title) => !titles.includes(title))).toEqual([]);
  // 503 says that nothing was done; 504 leaves that open.
  expect(refused.filter((title) => titles.includes(title))).toEqual([]);

  const wanted = items.map(({ id }) => id.replace(/^notification:/, '')).sort();
  const events = await eventually(
    async () => {
      // JetStream elects its leaders again first.
      const found = await published().catch(() => []);
      return found.length >= wanted.length ? found : undefined;
    },
    () => 'the stream of events lacks something',
    60_000,
  );
  expect(events.sort()).toEqual(wanted);
}, 240_000);
