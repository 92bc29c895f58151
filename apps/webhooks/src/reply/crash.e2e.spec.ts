import { eventually, type House, type HouseAccount, type ReceivedReply, startHouse } from '@carillon/testkit';
import { Webhook } from 'standardwebhooks';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    receivers: true,
    limits: 'off',
  });
  house.ignorePushes();
}, 120_000);
afterAll(() => house?.close(), 90_000);

const answered = async (who: HouseAccount, title: string) => {
  const { body } = await who.api('POST', '/interactions', {
    body: { title, prompt: 'Ship it?', kind: 'approval' },
  });
  const { id, actionDigest } = body.interaction;
  const { status } = await who.session('POST', `/prompts/${id}/answer`, {
    body: { answer: 'approved', actionDigest },
  });
  if (status !== 200) throw new Error(`an answer was not taken: ${status}`);
  return id as string;
};

it('a crash in the middle loses no reply: each comes at least once, with its own id and number', async () => {
  const receiver = await house.receiver();
  const { body } = await house.api('POST', '/webhooks', {
    body: { name: 'Bot', url: receiver.url, isDefault: true },
  });
  const { signingSecret, webhook } = body;
  const acknowledged: string[] = [];
  // Some are answered at once, some during the crash, so that their outcome is unknown.
  receiver.says(() => new Promise((resolve) => setTimeout(() => resolve({}), 300)));
  let dying = false;
  const work = (async () => {
    for (let n = 0; !dying; n += 1) {
      try {
        acknowledged.push(await answered(house.owner, `Prompt ${n}`));
      } catch (error) {
        if (!dying) throw error;
      }
    }
  })();
  await eventually(
    () => receiver.count >= 12 || undefined,
    () => `${receiver.count} replies came`,
    60_000,
  );
  dying = true;
  await house.kill9();
  await work;
  const before = receiver.count;
  receiver.says({});
  await house.start();

  const replies: ReceivedReply[] = [];
  await eventually(
    () => {
      replies.push(...receiver.received());
      const told = new Set(replies.map((reply) => reply.body.data.interaction.id));
      return acknowledged.every((id) => told.has(id)) || undefined;
    },
    () => `of ${acknowledged.length} answers not all were told of`,
    90_000,
  );
  await eventually(
    async () => {
      const { deliveries } = (await house.api('GET', `/webhooks/${webhook.id}?limit=100`)).body;
      return deliveries.every(({ status }: { status: string }) => status === 'delivered') || undefined;
    },
    () => 'not all were delivered',
    90_000,
  );
  replies.push(...receiver.received());
  expect(before).toBeGreaterThanOrEqual(12);

  const numbers = new Map<string, Set<unknown>>();
  for (const { text, headers, body: reply } of replies) {
    new Webhook(signingSecret).verify(text, headers as Record<string, string>);
    const known = numbers.get(reply.data.interaction.id) ?? new Set();
    known.add(`${String(headers['webhook-id'])} ${String(headers['carillon-sequence'])}`);
    numbers.set(reply.data.interaction.id, known);
  }
  for (const ids of numbers.values()) expect(ids.size).toBe(1);
  const sequence = [...new Set(replies.map(({ headers }) => Number(headers['carillon-sequence'])))];
  expect(sequence.sort((a, b) => a - b)).toEqual(sequence.map((_, index) => index + 1));
}, 240_000);
