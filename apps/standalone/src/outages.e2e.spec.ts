import { setTimeout as pause } from 'node:timers/promises';
import {
  eventually,
  type House,
  type HouseAccount,
  type HouseAnswer,
  type HouseRequest,
  type Receiver,
  signalAll,
  startHouse,
} from '@carillon/testkit';
import pg from 'pg';
let house: House;
let phoneless: HouseAccount;
let receiver: Receiver;
let session: string;
let hook: string;
beforeAll(async () => {
  house = await startHouse({
    // Retries and time-outs are what this is about: they come by themselves.
    clock: 'system',
    receivers: true,
    limits: 'off',
  });
  house.ignorePushes();
  phoneless = await house.anotherAccount();
  receiver = await house.receiver();
  session = await house.owner.signIn();
  await house.api('POST', '/webhooks', { body: { name: 'Bot', url: receiver.url, isDefault: true } });
  hook = new URL((await house.api('POST', '/services', { body: { title: 'CI' } })).body.webhookUrl).pathname;
}, 120_000);
afterAll(() => house?.close(), 120_000);

type Part = Parameters<House['pidsOf']>[0];
const kill = (part: Part, signal: NodeJS.Signals): void => void process.kill(house.pidsOf(part)[0]!, signal);
const freeze = async (part: Part, ms: number): Promise<void> => {
  const pids = house.pidsOf(part);
  signalAll(pids, 'SIGSTOP');
  await pause(ms);
  signalAll(pids, 'SIGCONT');
};

/** The outages of the parts, one after the other. */
const outages: readonly (readonly [name: string, happens: () => Promise<void> | void])[] = [
  [
    'every connection to Postgres is ended',
    async () => {
      const client = new pg.Client({ connectionString: house.state.databaseUrl });
      await client.connect();
      await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      await client.end();
    },
  ],
  ['Postgres is stopped fast', () => kill('postgres', 'SIGINT')],
  ['Postgres is killed', () => kill('postgres', 'SIGKILL')],
  ['Postgres is frozen for 6 s', () => freeze('postgres', 6_000)],
  ['NATS is killed', () => kill('nats', 'SIGKILL')],
  ['the event store is killed', () => kill('event-store', 'SIGKILL')],
  ['the event store is frozen for 14 s', () => freeze('event-store', 14_000)],
  ['the push providers are killed', () => kill('simulator', 'SIGKILL')],
];

/** The final outcome of each request, by its unique title. */
type Outcome = 'acknowledged' | 'refused' | 'unknown';
const ledger = new Map<HouseAccount, Map<string, Outcome>>();
const prompts = new Map<string, string>();
const progress = { activityId: '', acknowledged: 0, tried: 0 };
const unheardOf: string[] = [];
const seen = new Set<string>();
let ended = false;

/** Classifies an answer. During an outage every request gets an answer, and only these answers are allowed. */
function outcomeOf(what: string, { status, body }: HouseAnswer): Outcome {
  seen.add(`${status} ${body?.code ?? ''}`);
  if (status < 300) return 'acknowledged';
  if (status === 503 && body.code === 'UNAVAILABLE') return 'refused';
  if (status === 504 && body.code === 'DEADLINE_EXCEEDED') return 'unknown';
  if (status === 409 && /^(IDEMPOTENCY_IN_PROGRESS|CONCURRENT_UPDATE)$/.test(body.code)) return 'unknown';
  unheardOf.push(`${what}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  return 'unknown';
}

async function request(
  what: string,
  asked: Promise<HouseAnswer>,
): Promise<readonly [Outcome, HouseAnswer['body']]> {
  try {
    const answer = await asked;
    return [outcomeOf(what, answer), answer.body];
  } catch (error) {
    const { message, cause } = error as Error & { cause?: unknown };
    unheardOf.push(`${what}: no answer: ${message} ${String(cause)}`);
    return ['unknown', {}];
  }
}

/** Retries with the same key until the request is acknowledged, as agents do. */
async function insist(
  who: HouseAccount,
  path: string,
  body: object,
  method = 'POST',
): Promise<HouseAnswer['body']> {
  const headers = {
    'idempotency-key': `${path} ${JSON.stringify(body)}`.replace(/[^a-z0-9]+/gi, '-').slice(-200),
  };
  for (;;) {
    const [told, answer] = await request(`${method} ${path}`, who.api(method, path, { body, headers }));
    if (told === 'acknowledged') return answer;
    await pause(250);
  }
}

const asApp = (method: string, path: string, given: HouseRequest = {}): Promise<HouseAnswer> =>
  house.http(method, `/api/session${path}`, { ...given, token: session });

/** Repeats `work` with a running number until the outages have ended. */
async function over(pauseMs: number, work: (n: number) => Promise<void>): Promise<void> {
  for (let n = 1; !ended; n += 1) {
    await work(n);
    await pause(pauseMs);
  }
}

const clients = (): Promise<void>[] => [
  ...[house.owner, phoneless].flatMap((who) => {
    const told = new Map<string, Outcome>();
    ledger.set(who, told);
    return [
      ...['a', 'b'].map((client) =>
        over(100, async (n) => {
          const title = `with a key ${client} ${n}`;
          await insist(who, '/notifications', { title, body: 'x' });
          told.set(title, 'acknowledged');
        }),
      ),
      ...['a', 'b', 'c'].map((client) =>
        over(150, async (n) => {
          const title = `without a key ${client} ${n}`;
          const sent = who.api('POST', '/notifications', { body: { title, body: 'x' } });
          told.set(title, (await request('a send without a key', sent))[0]);
        }),
      ),
    ];
  }),
  over(150, async (n) => {
    const title = `called ${n}`;
    const sent = house.http('POST', hook, { body: { title, text: 'x' } });
    ledger.get(house.owner)!.set(title, (await request('a call of a hook', sent))[0]);
  }),
  over(200, async (n) => {
    const title = `asked ${n}`;
    const body = { title, prompt: 'Ship it?', kind: 'approval' };
    const { id, actionDigest } = (await insist(house.owner, '/interactions', body)).interaction;
    prompts.set(title, id);
    const answer = { body: { answer: 'approved', actionDigest } };
    for (let mayStand = false; ;) {
      const answered = await asApp('POST', `/prompts/${id}/answer`, answer);
      // After an unknown outcome, this refusal confirms that the first answer was stored.
      if (mayStand && answered.body.code === 'INTERACTION_NOT_PENDING' && answered.body.status === 'approved')
        return;
      const told = outcomeOf('an answer', answered);
      if (told === 'acknowledged' || ended) return;
      mayStand ||= told === 'unknown';
      await pause(250);
    }
  }),
  (async () => {
    const started = await insist(house.owner, '/activities', { key: 'build', props: { title: 'Build' } });
    progress.activityId = started.activity.id;
    await over(200, async (n) => {
      progress.tried = n;
      const path = `/activities/${progress.activityId}`;
      await insist(house.owner, path, { props: { title: 'Build', status: `step ${n}` } }, 'PATCH');
      progress.acknowledged = n;
    });
  })(),
  over(150, async () => {
    for (const path of ['/inbox/notifications', '/devices', '/interactions', '/events'])
      await request(`GET ${path}`, house.api('GET', path));
    await request('GET /me', asApp('GET', '/me'));
  }),
];

/** All entries of a list, page by page. */
async function all(read: (query: string) => Promise<HouseAnswer>, field: string): Promise<any[]> {
  const items = [];
  for (let query = '?limit=100'; ;) {
    const { status, body } = await read(query);
    if (status !== 200) throw new Error(`a list was answered ${status}: ${JSON.stringify(body)}`);
    items.push(...body[field]);
    if (body.nextCursor === null) return items;
    query = `?limit=100&cursor=${body.nextCursor}`;
  }
}

const twice = (names: readonly string[]): string[] =>
  [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].sort();
const titlesIn = async (who: HouseAccount): Promise<string[]> =>
  (await all((query) => who.api('GET', `/inbox/notifications${query}`), 'items')).map(({ title }) => title);
const trays = async (): Promise<string[][]> => {
  const { phones } = (await house.simulator('GET', '/phones')).body;
  return phones.map(({ tray }: { tray: { title: string }[] }) => tray.map(({ title }) => title));
};
/** Waits until a probe is acknowledged again, as all requests are once the outage is over. */
let probes = 0;
const works = () =>
  eventually(
    async () => {
      const title = `Fair again ${(probes += 1)}`;
      const sent = house.api('POST', '/notifications', { body: { title, body: 'x' } });
      const [told] = await request('a probe', sent);
      ledger.get(house.owner)!.set(title, told);
      return told === 'acknowledged' || undefined;
    },
    () => `it did not come back; ${[...seen].join(', ')}`,
    40_000,
  );

describe('each part goes away in turn, under load', () => {
  let load: Promise<unknown>;
  beforeAll(async () => {
    load = Promise.all(clients());
    await pause(1_500);
  });

  it.each(outages)(
    '%s: answers are 503 or 504 until it is back',
    async (_name, happens) => {
      await happens();
      await pause(1_000);
      await works();
      // A pause without an outage, so that the backlog drains.
      await pause(1_500);
      expect(unheardOf).toEqual([]);
      expect((await trays()).map(twice)).toEqual([[], []]);
    },
    90_000,
  );

  it('and then everything acknowledged is there, nothing is there twice, and nothing that was refused', async () => {
    ended = true;
    await load;
    await works();
    expect(unheardOf).toEqual([]);
    // The outages had an effect.
    expect([...seen]).toEqual(expect.arrayContaining(['201 ', '503 UNAVAILABLE', '504 DEADLINE_EXCEEDED']));
    for (const [who, told] of ledger) {
      const titles = await titlesIn(who);
      const of = (kind: Outcome): string[] =>
        [...told].filter(([, as]) => as === kind).map(([title]) => title);
      expect(of('acknowledged').length).toBeGreaterThan(10);
      expect(twice(titles)).toEqual([]);
      expect(of('acknowledged').filter((title) => !titles.includes(title))).toEqual([]);
      expect(of('refused').filter((title) => titles.includes(title))).toEqual([]);
      expect(titles.filter((title) => !told.has(title))).toEqual([]);
    }
  }, 60_000);

  it('every prompt was asked once and is answered as it was said', async () => {
    const listed = await all((query) => asApp('GET', `/prompts${query}`), 'interactions');
    expect(twice(listed.map(({ title }) => title))).toEqual([]);
    expect(prompts.size).toBeGreaterThan(5);
    expect(listed.map(({ id, status }) => [id, status]).sort()).toEqual(
      [...prompts.values()].map((id) => [id, 'approved']).sort(),
    );
  }, 30_000);

  it('the receiver of replies has heard of each answer, numbered without a gap', async () => {
    const heard = new Map<string, number>();
    await eventually(
      () => {
        for (const { headers, body } of receiver.received()) {
          const sequence = Number(headers['carillon-sequence']);
          // The same delivery may come again when nobody knows what became of it; as the same, with the same number.
          expect(heard.get(body.data.interaction.id) ?? sequence).toBe(sequence);
          heard.set(body.data.interaction.id, sequence);
        }
        return heard.size === prompts.size || undefined;
      },
      () => `${prompts.size} prompts were answered, ${heard.size} were told`,
      40_000,
    );
    expect([...heard.keys()].sort()).toEqual([...prompts.values()].sort());
    expect([...heard.values()].sort((a, b) => a - b)).toEqual([...heard.keys()].map((_, index) => index + 1));
  }, 60_000);

  it('the live activity stands where its last change put it', async () => {
    const { body } = await house.api('GET', `/activities/${progress.activityId}`);
    expect(progress.acknowledged).toBeGreaterThan(10);
    expect(body.activity).toMatchObject({
      props: { status: `step ${progress.acknowledged}` },
      sequence: progress.acknowledged + 1,
    });
  });

  it('and both phones have the newest of all', async () => {
    await house.api('POST', '/notifications', { body: { title: 'The sun', body: 'x' } });
    await eventually(
      async () => (await trays()).every((tray) => tray.includes('The sun')) || undefined,
      () => 'a phone does not show it',
      40_000,
    );
    expect((await trays()).map(twice)).toEqual([[], []]);
  }, 60_000);
});
