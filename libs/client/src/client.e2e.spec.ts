import { eventually, freePort, type House, startHouse } from '@carillon/testkit';
import { createClient, createSessionClient } from './client';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook';

let house: House;
beforeAll(async () => {
  // The same address after a restart, as an installation has it.
  house = await startHouse({ receivers: true, limits: 'off', env: { PORT: String(await freePort()) } });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const clientOf = (token = house.owner.apiToken) => createClient({ url: house.state.baseUrl, token });
const signedIn = async () =>
  createSessionClient({ url: house.state.baseUrl, token: await house.owner.signIn() });
const answer = async (id: string) => {
  const session = await signedIn();
  const { interaction } = await session.get('/prompts/{id}', { params: { path: { id } } });
  const { actionDigest } = interaction;
  await session.post('/prompts/{id}/answer', {
    params: { path: { id } },
    body: { answer: 'approved', actionDigest },
  });
};

describe('the client', () => {
  it('sends a notification once with a key, and reads the inbox page by page', async () => {
    house.ignorePushes();
    const client = clientOf();
    const params = { header: { 'Idempotency-Key': 'nightly-1' } };
    const body = { title: 'Backup', body: 'Finished' };
    const sent = await client.post('/notifications', { body, params });
    expect(sent.accepted).toBe(2);
    expect(await client.post('/notifications', { body, params })).toMatchObject({ idempotent: true });
    await client.post('/notifications', { body: { ...body, title: 'Second' } });
    const titles: string[] = [];
    for await (const page of client.pages('/inbox/notifications', { params: { query: { limit: 1 } } }))
      titles.push(...page.items.map(({ title }) => title));
    expect(titles).toEqual(['Second', 'Backup']);
  });

  it('throws the issues of the server', async () => {
    await expect(clientOf().post('/notifications', { body: { title: '', body: 'x' } })).rejects.toMatchObject(
      {
        status: 400,
        code: 'VALIDATION_FAILED',
        issues: [{ path: 'title', code: expect.any(String), message: expect.any(String) }],
        requestId: expect.any(String),
      },
    );
    await expect(clientOf('carillon_pat_wrong').get('/devices')).rejects.toMatchObject({ status: 401 });
  });

  it('verifies a delivery of a reply webhook', async () => {
    const client = clientOf();
    const receiver = await house.receiver();
    const { webhook, signingSecret } = await client.post('/webhooks', {
      body: { name: 'Bot', url: receiver.url },
    });
    const question = {
      title: 'Deploy',
      prompt: 'Ship it?',
      kind: 'approval',
      webhookId: webhook.id,
    } as const;
    await client.ask(question, { onAsked: ({ id }) => void answer(id) });
    const [reply] = await receiver.expect(1);
    const { headers, text } = reply!;
    expect(await verifyWebhook(signingSecret, headers, text)).toMatchObject({ type: 'interaction.answered' });
    await expect(verifyWebhook(signingSecret, headers, `${text} `)).rejects.toThrow(WebhookVerificationError);
  });

  it('waits for an answer through a crash of the server, and after its own with the same key', async () => {
    const question = { title: 'Deploy', prompt: 'Ship 1.3?', kind: 'approval' } as const;
    const options = { idempotencyKey: 'deploy-1.3' };
    let id = '';
    const first = clientOf().ask(question, { ...options, onAsked: (asked) => (id = asked.id) });
    await eventually(
      () => id || undefined,
      () => 'the prompt was not asked',
    );
    const restarted = clientOf().ask(question, options);
    await house.kill9();
    await house.start();
    house.ignorePushes();
    await answer(id);
    expect(await first).toMatchObject({ id, status: 'approved' });
    expect(await restarted).toMatchObject({ id, status: 'approved' });
  }, 180_000);
});
