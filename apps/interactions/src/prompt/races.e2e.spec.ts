import { eventually, type House, type HouseAccount, type HouseAnswer, startHouse } from '@carillon/testkit';

let house: House;
let person: HouseAccount;
let asked = 0;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  person = await house.anotherAccount();
}, 120_000);
afterAll(() => house?.close(), 90_000);

interface Prompt {
  readonly id: string;
  readonly actionDigest: string;
}
const deploy = { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' };
const ask = async (by = person, expiresInSeconds = 30): Promise<Prompt> => {
  const { status, body } = await by.api('POST', '/interactions', { body: { ...deploy, expiresInSeconds } });
  expect(status).toBe(201);
  if (by === person) asked += 1;
  return body.interaction;
};
const respond = ({ id, actionDigest }: Prompt, answer: string, by = person) =>
  by.session('POST', `/prompts/${id}/answer`, { body: { answer, actionDigest } });
const cancel = ({ id }: Prompt, by = person) => by.api('POST', `/interactions/${id}/cancel`);
const read = async ({ id }: Prompt, by = person) =>
  (await by.api('GET', `/interactions/${id}`)).body.interaction;

/** Every prompt has ended once: the feed has one outcome for each, and it is the one that reads tell. */
const endedOnce = async (prompts: readonly Prompt[], by: HouseAccount, count: number): Promise<void> => {
  const results: Record<string, number> = {};
  await eventually(
    async () => (await by.api('GET', '/activity-feed?kind=response')).body.total === count || undefined,
    () => `the feed has not ${count} outcomes`,
    30_000,
  );
  for (let page = 1; (page - 1) * 20 < count; page += 1)
    for (const { result } of (await by.api('GET', `/activity-feed?kind=response&page=${page}`)).body.items)
      results[result] = (results[result] ?? 0) + 1;
  const statuses: Record<string, number> = {};
  for (const prompt of prompts) {
    const { status } = await read(prompt, by);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  expect(results).toEqual(statuses);
};

type Contender = 'answer' | 'cancel' | 'expiry';
const contend: Record<Contender, (prompt: Prompt) => Promise<HouseAnswer | string>> = {
  answer: (prompt) => respond(prompt, 'approved'),
  cancel,
  expiry: () => house.advance(30),
};
const outcome: Record<Contender, string> = { answer: 'approved', cancel: 'canceled', expiry: 'expired' };
const all: Prompt[] = [];

describe('of two ends the first counts', () => {
  const pairs: [Contender, Contender][] = [
    ['answer', 'cancel'],
    ['cancel', 'answer'],
    ['answer', 'expiry'],
    ['expiry', 'answer'],
    ['cancel', 'expiry'],
    ['expiry', 'cancel'],
  ];

  it.each(pairs)('%s before %s', async (first, second) => {
    const prompt = await ask();
    all.push(prompt);
    const won = await contend[first](prompt);
    if (typeof won !== 'string') expect(won.status).toBe(200);
    const lost = await contend[second](prompt);
    if (typeof lost !== 'string')
      expect(lost).toMatchObject({
        status: 409,
        body: { code: 'INTERACTION_NOT_PENDING', status: outcome[first] },
      });
    expect((await read(prompt)).status).toBe(outcome[first]);
  });

  it.each(pairs)('%s and %s at once', async (one, other) => {
    for (let round = 0; round < 8; round += 1) {
      const prompt = await ask();
      all.push(prompt);
      const answers = await Promise.all([contend[one](prompt), contend[other](prompt)]);
      const { status } = await read(prompt);
      const winner = [one, other].find((contender) => outcome[contender] === status);
      expect([one, other]).toContain(winner);
      for (const [index, contender] of [one, other].entries()) {
        const given = answers[index]!;
        if (typeof given === 'string') continue;
        expect(given.status).toBe(contender === winner ? 200 : 409);
        if (contender !== winner) expect(given.body.status).toBe(status);
      }
    }
  });

  it('answer and answer at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const prompt = await ask();
      all.push(prompt);
      const answers = await Promise.all(
        ['approved', 'denied', 'approved', 'denied'].map((given) => respond(prompt, given)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      const winner = answers.find(({ status }) => status === 200)!.body.interaction;
      expect(winner).toMatchObject(await read(prompt));
    }
  });

  it('and everywhere it is told once, and alike', async () => {
    await house.advance(31);
    await endedOnce(all, person, asked);
    expect((await person.api('GET', '/interactions')).body.interactions).toEqual([]);
  });
});

describe('when everything is killed', () => {
  let killed: House;
  beforeAll(async () => {
    killed = await startHouse({ limits: 'off' });
  }, 120_000);
  afterAll(() => killed?.close(), 90_000);

  it('everything acknowledged before is there after the restart: questions, answers and keys', async () => {
    const by = await killed.anotherAccount();
    const asking: string[] = [];
    const answered: string[] = [];
    let over = false;
    const worker = async (name: number): Promise<void> => {
      for (let n = 0; !over; n += 1) {
        const headers = { 'idempotency-key': `${name}-${n}` };
        const made = await by.api('POST', '/interactions', { body: deploy, headers }).catch(() => undefined);
        if (made?.status !== 201) return;
        const { id, actionDigest } = made.body.interaction as Prompt;
        asking.push(id);
        const body = { answer: 'approved', actionDigest };
        const given = await by.session('POST', `/prompts/${id}/answer`, { body }).catch(() => undefined);
        if (given?.status === 200) answered.push(id);
      }
    };
    const workers = [1, 2, 3, 4].map(worker);
    await eventually(
      () => (answered.length >= 20 ? true : undefined),
      () => 'too little was answered',
      60_000,
    );
    await killed.kill9();
    over = true;
    await Promise.all(workers);
    await killed.start();
    for (const id of asking) {
      const { status } = (await by.api('GET', `/interactions/${id}`)).body.interaction;
      if (answered.includes(id)) expect(status).toBe('approved');
      else expect(['pending', 'approved']).toContain(status);
    }
    const again = await by.api('POST', '/interactions', {
      body: deploy,
      headers: { 'idempotency-key': '1-0' },
    });
    expect(again).toMatchObject({ status: 200, body: { idempotent: true } });
    expect(asking).toContain(again.body.interaction.id);
  }, 240_000);

  it('while prompts expire: each has expired once after the restart', async () => {
    const by = await killed.anotherAccount();
    const prompts: Prompt[] = [];
    for (let n = 0; n < 30; n += 1) prompts.push(await ask(by));
    const late = await ask(by, 3_600);
    await respond(prompts[0]!, 'approved', by);
    await cancel(prompts[1]!, by);
    // In the middle of it the power goes.
    const moving = killed.advance(31).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 15));
    await killed.kill9();
    await moving;
    await killed.start();
    // The clock starts again with the server.
    await killed.advance(31);
    await endedOnce(prompts, by, prompts.length);
    expect(await read(prompts[0]!, by)).toMatchObject({ status: 'approved' });
    expect(await read(prompts[1]!, by)).toMatchObject({ status: 'canceled' });
    for (const prompt of prompts.slice(2))
      expect(await read(prompt, by)).toMatchObject({ status: 'expired' });
    const waiting = by.api('GET', `/interactions/${late.id}/wait?timeoutSeconds=55`);
    expect((await respond(late, 'denied', by)).status).toBe(200);
    expect((await waiting).body).toMatchObject({ timedOut: false, interaction: { status: 'denied' } });
  }, 240_000);
});
