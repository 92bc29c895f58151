import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  eventually,
  type House,
  type HouseAccount,
  type ReceivedReply,
  type Receiver,
  startHouse,
} from '@carillon/testkit';
import { Webhook } from 'standardwebhooks';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    receivers: true,
    limits: 'off',
  });
}, 120_000);
afterAll(() => house?.close(), 90_000);

interface Endpoint {
  readonly id: string;
  readonly signingSecret: string;
}

const endpoint = async (who: HouseAccount, url: string, more: object = {}): Promise<Endpoint> => {
  const { status, body } = await who.api('POST', '/webhooks', { body: { name: 'Bot', url, ...more } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: body.webhook.id, signingSecret: body.signingSecret };
};
const asked = async (who: HouseAccount, more: object = {}) => {
  const { status, body } = await who.api('POST', '/interactions', {
    body: { title: 'Deploy', prompt: 'Ship it?', kind: 'approval', ...more },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.interaction as { id: string; actionDigest: string };
};
const answer = async (
  who: HouseAccount,
  { id, actionDigest }: { id: string; actionDigest: string },
  said = 'approved',
) => {
  const { status, body } = await who.session('POST', `/prompts/${id}/answer`, {
    body: { answer: said, actionDigest },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
};
const answered = async (who: HouseAccount, more: object = {}) => {
  const prompt = await asked(who, more);
  await answer(who, prompt, 'kind' in more && more.kind === 'reply' ? 'Tomorrow' : 'approved');
  return prompt.id;
};
const cancel = (who: HouseAccount, id: string) => who.api('POST', `/interactions/${id}/cancel`);
const read = async (who: HouseAccount, id: string) => (await who.api('GET', `/webhooks/${id}`)).body;
const deliveriesOf = async (who: HouseAccount, id: string) =>
  (await read(who, id)).deliveries as {
    id: string;
    status: string;
    attempts: number;
    attemptLog: any[];
    nextAttemptAt: string;
  }[];
const becomes = (who: HouseAccount, id: string, status: string, attempts = 1) =>
  eventually(
    async () => {
      const [newest] = await deliveriesOf(who, id);
      return newest?.status === status && newest.attempts === attempts ? newest : undefined;
    },
    () => `no delivery became ${status} after ${attempts} attempts`,
    40_000,
  );
const verified = (secret: string, { text, headers }: ReceivedReply): any =>
  new Webhook(secret).verify(text, headers as Record<string, string>);
const signaturesOf = ({ headers }: ReceivedReply) => String(headers['webhook-signature']).split(' ');

/** A failure after which nothing comes by itself for an hour, however slow the machine is. */
const later = { status: 503, headers: { 'retry-after': '3600' } };

describe('how a prompt ends', () => {
  it('is told signed, once to an endpoint that is both the default and chosen', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const other = await house.receiver();
    const chosen = await endpoint(person, receiver.url, { isDefault: true });
    const second = await endpoint(person, other.url);
    const id = await answered(person, { webhookId: chosen.id, projectId: 'web' });
    const [reply] = await receiver.expect(1);
    expect(verified(chosen.signingSecret, reply!)).toEqual({
      type: 'interaction.answered',
      timestamp: expect.any(String),
      data: {
        interaction: {
          id,
          kind: 'approval',
          status: 'approved',
          response: 'approved',
          title: 'Deploy',
          prompt: 'Ship it?',
          choices: ['approve', 'deny'],
          actionDigest: expect.stringMatching(/^sha256:/),
          serviceId: null,
          projectId: 'web',
          respondedAt: expect.any(String),
          canceledAt: null,
          expiresAt: expect.any(String),
          createdAt: expect.any(String),
        },
      },
      test: false,
    });
    await answered(person, { webhookId: second.id, kind: 'reply' });
    const [toDefault] = await receiver.expect(1);
    const [toChosen] = await other.expect(1);
    expect(verified(second.signingSecret, toChosen!)).toEqual(verified(chosen.signingSecret, toDefault!));
    expect(toDefault!.body.data.interaction).toMatchObject({ status: 'replied', response: 'Tomorrow' });
    expect(toDefault!.headers['webhook-id']).not.toBe(toChosen!.headers['webhook-id']);
    expect([toDefault, toChosen].map((each) => each!.headers['carillon-sequence'])).toEqual(['2', '1']);
  });

  it('is told when nobody answers and when it is taken back', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { signingSecret } = await endpoint(person, receiver.url, { isDefault: true });
    const left = await asked(person, { expiresInSeconds: 60 });
    await house.advance(61);
    const [expired] = await receiver.expect(1);
    expect(verified(signingSecret, expired!)).toMatchObject({
      type: 'interaction.expired',
      data: { interaction: { id: left.id, status: 'expired', response: null } },
    });
    const taken = await asked(person);
    await cancel(person, taken.id);
    const [canceled] = await receiver.expect(1);
    expect(verified(signingSecret, canceled!)).toMatchObject({
      type: 'interaction.canceled',
      data: { interaction: { id: taken.id, status: 'canceled', response: null } },
    });
  });

  it('is told in the form that the endpoint asks for', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const slack = await endpoint(person, receiver.url, { preset: 'slack' });
    await answered(person, { webhookId: slack.id, title: 'Deploy <now>' });
    const [toSlack] = await receiver.expect(1);
    expect(toSlack!.body.text).toBe('Approved: Deploy &lt;now&gt;');
    const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
    const grok = await endpoint(person, receiver.url, { preset: 'grok', signingSecret: secret });
    await answered(person, { webhookId: grok.id });
    const [toGrok] = await receiver.expect(1);
    expect(verified(secret, toGrok!).message).toBe(
      'The prompt "Deploy" was approved. Continue the task that asked for it.',
    );
  });

  it('is not sent to an endpoint that is disabled or has not subscribed', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const off = await endpoint(person, receiver.url, { enabled: false, isDefault: true });
    const deaf = await endpoint(person, receiver.url, { events: ['interaction.expired'] });
    await answered(person, { webhookId: deaf.id });
    const loud = await endpoint(person, receiver.url);
    await answered(person, { webhookId: loud.id });
    await receiver.expect(1);
    expect(await deliveriesOf(person, off.id)).toEqual([]);
    expect(await deliveriesOf(person, deaf.id)).toEqual([]);
  });
});

describe('a receiver that fails', () => {
  it('is told again with the same id, until it has it', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id, signingSecret } = await endpoint(person, receiver.url, { isDefault: true });
    receiver.says({ status: 500 });
    await answered(person);
    await becomes(person, id, 'retrying', 1);
    await house.advance(6);
    await becomes(person, id, 'retrying', 2);
    receiver.says({});
    await house.advance(331);
    const { attemptLog } = await becomes(person, id, 'delivered', 3);
    expect(attemptLog.map(({ status, error }) => [status, error])).toEqual([
      ['retrying', 'http_status'],
      ['retrying', 'http_status'],
      ['delivered', null],
    ]);
    const replies = await receiver.expect(3);
    for (const reply of replies) verified(signingSecret, reply);
    expect(new Set(replies.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('is left alone for as long as it asks', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id } = await endpoint(person, receiver.url, { isDefault: true });
    receiver.says({ status: 503, headers: { 'retry-after': '600' } });
    await answered(person);
    await becomes(person, id, 'retrying', 1);
    receiver.says({});
    await house.advance(500);
    expect(await deliveriesOf(person, id)).toMatchObject([{ status: 'retrying', attempts: 1 }]);
    await house.advance(101);
    await becomes(person, id, 'delivered', 2);
    await receiver.expect(2);
  });

  it('is not followed to where it redirects, nor read for long', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id } = await endpoint(person, receiver.url);
    const test = async () => (await person.api('POST', `/webhooks/${id}/test`)).body.delivery;
    receiver.says({ status: 302, headers: { location: receiver.at('/elsewhere') } });
    expect(await test()).toMatchObject({ status: 'failed', responseCode: 302, error: 'http_status' });
    receiver.says({ status: 200, body: Buffer.alloc(100_000, 'x') });
    expect(await test()).toMatchObject({ status: 'failed', responseCode: 200, error: 'response_too_large' });
    expect((await receiver.expect(2)).map(({ path }) => path)).toEqual(['/hooks', '/hooks']);
  });

  it('is switched off when it says that it is gone, and its owner hears of that', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    const receiver = await house.receiver();
    const { id } = await endpoint(person, receiver.url, { isDefault: true, name: 'Old bot' });
    receiver.says(later);
    const first = await asked(person);
    await house.expectPushes(phone, 1);
    await cancel(person, first.id);
    await becomes(person, id, 'retrying', 1);
    await house.expectPushes(phone, 1);
    receiver.says({ status: 410 });
    const second = await asked(person);
    await house.expectPushes(phone, 1);
    await cancel(person, second.id);
    const pushes = await house.expectPushes(phone, 2);
    expect(JSON.stringify(pushes)).toContain('A reply webhook was switched off');
    expect(JSON.stringify(pushes)).toContain('Old bot');
    expect((await read(person, id)).webhook.enabled).toBe(false);
    await eventually(
      async () => {
        const [newer, older] = await deliveriesOf(person, id);
        return (newer?.status === 'failed' && older?.status === 'canceled') || undefined;
      },
      () => 'what waited was not given up',
    );
    await receiver.expect(2);
    await answered(person, {});
    await house.expectPushes(phone, 2);
    expect(await deliveriesOf(person, id)).toHaveLength(2);
  });

  it('does not delay another by being slow', async () => {
    const person = await house.anotherAccount();
    const slow = await house.receiver();
    const quick = await house.receiver();
    const waiting: (() => void)[] = [];
    slow.says(() => new Promise((resolve) => waiting.push(() => resolve({}))));
    const first = await endpoint(person, slow.url);
    await endpoint(person, quick.url, { isDefault: true });
    for (let n = 0; n < 6; n += 1) await answered(person, { webhookId: first.id });
    await quick.expect(6);
    await eventually(
      () => waiting.length === 4 || undefined,
      () => `${waiting.length} requests were under way`,
    );
    slow.says({});
    for (const go of waiting) go();
    await slow.expect(6);
  });
});

describe('an endpoint that its owner changes', () => {
  it('is signed for with both secrets for a day, then with the new one', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id, signingSecret: before } = await endpoint(person, receiver.url, { isDefault: true });
    const rotate = async (body: object = {}) =>
      (await person.api('POST', `/webhooks/${id}/rotate-secret`, { body })).body.signingSecret as string;
    const after = await rotate();
    await answered(person);
    const [double] = await receiver.expect(1);
    expect(signaturesOf(double!)).toHaveLength(2);
    verified(before, double!);
    verified(after, double!);
    await house.advance(24 * 3600);
    await answered(person);
    const [single] = await receiver.expect(1);
    expect(signaturesOf(single!)).toHaveLength(1);
    verified(after, single!);
    expect(() => verified(before, single!)).toThrow();
    const last = await rotate({ revokeOld: true });
    await answered(person);
    const [revoked] = await receiver.expect(1);
    expect(signaturesOf(revoked!)).toHaveLength(1);
    verified(last, revoked!);
  });

  it('gets nothing of what waited once it is switched off, also when it is on again', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id } = await endpoint(person, receiver.url, { isDefault: true });
    receiver.says(later);
    await answered(person);
    await becomes(person, id, 'retrying', 1);
    const change = (body: object) => person.api('PATCH', `/webhooks/${id}`, { body });
    await change({ enabled: false });
    expect(await deliveriesOf(person, id)).toMatchObject([{ status: 'canceled', nextAttemptAt: null }]);
    await change({ enabled: true });
    receiver.says({});
    await house.advance(3700);
    expect(await deliveriesOf(person, id)).toMatchObject([{ status: 'canceled', attempts: 1 }]);
    await receiver.expect(1);
  });
});

describe('a test', () => {
  it('is sent ten times a minute at most, with permission, to an allowed address', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id, signingSecret } = await endpoint(person, receiver.url, { enabled: false });
    const test = (by = person) => by.api('POST', `/webhooks/${id}/test`);
    await house.beginWindow();
    for (let n = 0; n < 10; n += 1)
      expect(await test()).toMatchObject({
        status: 200,
        body: { delivery: { status: 'delivered', test: true } },
      });
    // What says that it is a test cannot be sent again.
    const [tested] = await deliveriesOf(person, id);
    expect(tested).toMatchObject({ test: true });
    await person.api('PATCH', `/webhooks/${id}`, { body: { enabled: true } });
    const again = await person.session('POST', `/webhooks/${id}/deliveries/${tested!.id}/resend`);
    expect(again.status).toBe(404);
    expect(await test()).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', limit: 10 } });
    expect(await test(await house.anotherAccount())).toMatchObject({ status: 404 });
    const replies = await receiver.expect(10);
    expect(verified(signingSecret, replies[0]!)).toMatchObject({ type: 'interaction.answered', test: true });
    expect(replies[0]!.headers['carillon-sequence']).toBeUndefined();
    await house.advance(120);
    expect(
      (await person.session('POST', `/webhooks/${id}/test`, { body: { event: 'interaction.canceled' } })).body
        .delivery.type,
    ).toBe('interaction.canceled');
    await receiver.expect(1);
    const { secret } = (
      await person.session('POST', '/tokens', { body: { name: 'Reads', scopes: ['services:read'] } })
    ).body;
    expect(await person.api('POST', `/webhooks/${id}/test`, { token: secret })).toMatchObject({
      status: 403,
      body: { required: ['services:write'] },
    });
  });
});

describe('recovering', () => {
  const lost = async (person: HouseAccount, receiver: Receiver, id: string, many: number) => {
    receiver.says(later);
    for (let n = 0; n < many; n += 1) await answered(person);
    await eventually(
      async () =>
        (await deliveriesOf(person, id)).filter(({ status }) => status === 'retrying').length === many ||
        undefined,
      () => `not all ${many} were attempted`,
    );
    await person.api('PATCH', `/webhooks/${id}`, { body: { enabled: false } });
    await person.api('PATCH', `/webhooks/${id}`, { body: { enabled: true } });
    const replies = await receiver.expect(many);
    receiver.says({});
    return replies.map(({ headers }) => headers['webhook-id']);
  };

  it('is for the owner in the Session API', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id } = await endpoint(person, receiver.url, { isDefault: true });
    const since = await house.advance(0);
    const ids = await lost(person, receiver, id, 3);
    const recover = (body: object) => person.session('POST', `/webhooks/${id}/recover`, { body });
    expect(await recover({ since })).toMatchObject({ status: 200, body: { recovered: 3, more: false } });
    const again = await receiver.expect(3);
    expect(again.map(({ headers }) => headers['webhook-id']).sort()).toEqual([...ids].sort());
    const { id: deliveryId } = await becomes(person, id, 'delivered', 2);
    const path = `/webhooks/${id}/deliveries/${deliveryId}/resend`;
    expect(await person.session('POST', path)).toMatchObject({
      status: 200,
      body: { delivery: { id: deliveryId } },
    });
    await receiver.expect(1);
    expect(await recover({ since: 'yesterday' })).toMatchObject({ status: 400 });
    expect(await recover({})).toMatchObject({ status: 400 });
    const stranger = await house.anotherAccount();
    expect(await stranger.session('POST', path)).toMatchObject({ status: 404 });
    expect(await person.session('POST', path.replace('/webhooks/whk', '/webhooks/whd'))).toMatchObject({
      status: 404,
    });
    await person.api('PATCH', `/webhooks/${id}`, { body: { enabled: false } });
    expect(await recover({ since })).toMatchObject({ status: 409, body: { code: 'WEBHOOK_DISABLED' } });
    expect(await person.session('POST', path)).toMatchObject({ status: 409 });
  });

  it('is a command of the operator', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id } = await endpoint(person, receiver.url, { isDefault: true });
    const since = await house.advance(0);
    const ids = await lost(person, receiver, id, 2);
    // Not waited for in this thread: the receiver lives in it.
    const command = async (...options: string[]) => {
      const child = spawn(process.execPath, ['tools/recover.mjs', ...options], {
        env: { ...process.env, NODE_OPTIONS: '', CARILLON_DATA: house.dataDir, NATS_URL: '' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (more: string) => (text += more));
      const [status] = await once(child, 'close');
      return { status, text };
    };
    expect(await command(`--webhook=${id}`, `--since=${since}`)).toEqual({
      status: 0,
      text: expect.stringContaining('2 deliveries to be sent once more'),
    });
    const again = await receiver.expect(2);
    expect(again.map(({ headers }) => headers['webhook-id']).sort()).toEqual([...ids].sort());
    const { id: deliveryId } = await becomes(person, id, 'delivered', 2);
    expect(await command(`--webhook=${id}`, `--delivery=${deliveryId}`)).toMatchObject({ status: 0 });
    await receiver.expect(1);
    expect(await command(`--webhook=${id}`)).toMatchObject({ status: 2 });
    expect(await command('--webhook=whk_0123456789abcdefghjkmnpqrs', `--since=${since}`)).toEqual({
      status: 1,
      text: expect.stringContaining('webhook.unknown'),
    });
  });
});

describe('secrets', () => {
  it('are in no log, no event, no row, no response and no published event', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const bytes = Buffer.from('planted signing secret, 32 bytes');
    const signingSecret = `whsec_${bytes.toString('base64')}`;
    const planted = 'planted-value-of-a-saved-header';
    const path = '/planted-part-of-the-url';
    const said: unknown[] = [];
    const { id } = await endpoint(person, receiver.at(path), {
      isDefault: true,
      signingSecret,
      headers: [{ name: 'Authorization', value: planted }],
    });
    receiver.says({ status: 500, body: 'planted-answer-of-the-receiver' });
    await answered(person);
    await becomes(person, id, 'retrying', 1);
    receiver.says({ status: 200, body: 'planted-answer-of-the-receiver' });
    await house.advance(6);
    await becomes(person, id, 'delivered', 2);
    said.push(await read(person, id), (await person.api('GET', '/webhooks')).body);
    said.push((await person.api('POST', `/webhooks/${id}/test`)).body);
    said.push((await person.session('GET', `/webhooks/${id}`)).body);
    const replies = await receiver.expect(3);
    for (const { headers } of replies) expect(headers['authorization']).toBe(planted);
    const secrets = [signingSecret.slice(6), bytes.toString(), planted, 'planted-answer-of-the-receiver'];
    for (const secret of secrets) expect(JSON.stringify(said)).not.toContain(secret);
    // The whole of what is kept: the log of events, the tables, JetStream and what was logged.
    const note = join(house.dataDir, 'postgres-folder.json');
    const folders = [house.dataDir];
    if (existsSync(note)) folders.push(JSON.parse(readFileSync(note, 'utf8')).folder);
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
    );
    const holding = (text: string) =>
      files.filter((file) => existsSync(file) && readFileSync(file).includes(text));
    // So that the search is known to find what is there.
    expect(holding(id).some((file) => file.includes('event-store'))).toBe(true);
    for (const secret of secrets) expect([secret, holding(secret)]).toEqual([secret, []]);
    // The address is in a row, for the list, and nowhere else.
    expect(holding(path.slice(1)).filter((file) => /event-store|nats|logs/.test(file))).toEqual([]);
  });
});

/** docs/examples/receiver.mjs, run as anybody would. */
class Example {
  readonly events: any[] = [];
  readonly told: any[] = [];
  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start(env: Record<string, string>): Promise<Example> {
    const child = spawn(process.execPath, ['docs/examples/receiver.mjs'], {
      env: { ...process.env, NODE_OPTIONS: '', PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines = createInterface({ input: child.stderr! });
    const [first] = (await once(lines, 'line')) as [string];
    const example = new Example(child, (JSON.parse(first) as { listening: number }).listening);
    lines.on('line', (line) => example.told.push(JSON.parse(line)));
    createInterface({ input: child.stdout! }).on('line', (line) => example.events.push(JSON.parse(line)));
    return example;
  }

  async expect(count: number): Promise<any[]> {
    await eventually(
      () => this.events.length >= count || undefined,
      () => `${count} events were expected, ${this.events.length} came: ${JSON.stringify(this.told)}`,
      30_000,
    );
    expect(this.events).toHaveLength(count);
    return this.events;
  }

  async stop(): Promise<any> {
    this.child.kill('SIGTERM');
    await once(this.child, 'close');
    return this.told.at(-1);
  }
}

describe('the example of a receiver', () => {
  it('takes what is genuine once, and tells what is missing until it has come', async () => {
    const person = await house.anotherAccount();
    const folder = mkdtempSync(join(tmpdir(), 'carillon-example-'));
    const { key, cert } = house.certificate;
    writeFileSync(join(folder, 'key.pem'), key);
    writeFileSync(join(folder, 'cert.pem'), cert);
    const signingSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const env = {
      WEBHOOK_SECRET: signingSecret,
      TLS_KEY: join(folder, 'key.pem'),
      TLS_CERT: join(folder, 'cert.pem'),
      STATE: join(folder, 'state'),
    };
    let example = await Example.start(env);
    try {
      const { port } = example;
      const url = `https://127.0.0.1:${port}/`;
      const { id } = await endpoint(person, url, { isDefault: true, signingSecret });
      const forged = await endpoint(person, url);
      await answered(person);
      await example.expect(1);
      // Signed by somebody else: refused, and none of its business.
      expect((await person.api('POST', `/webhooks/${forged.id}/test`)).body.delivery).toMatchObject({
        status: 'failed',
        responseCode: 401,
      });
      expect((await person.api('POST', `/webhooks/${id}/test`)).body.delivery.status).toBe('delivered');
      await example.expect(2);
      // One is lost while it is away.
      await example.stop();
      await answered(person);
      const away = await becomes(person, id, 'retrying', 1);
      expect(away.attemptLog[0].error).toBe('connect_error');
      await person.api('PATCH', `/webhooks/${id}`, { body: { enabled: false } });
      await person.api('PATCH', `/webhooks/${id}`, { body: { enabled: true } });
      example = await Example.start({ ...env, PORT: String(port) });
      await answered(person);
      await example.expect(1);
      await eventually(
        () => example.told.some(({ missing }) => JSON.stringify(missing) === '[2]') || undefined,
        () => `nothing was missed: ${JSON.stringify(example.told)}`,
      );
      const resend = await person.session('POST', `/webhooks/${id}/deliveries/${away.id}/resend`);
      expect(resend.status).toBe(200);
      await example.expect(2);
      // What it has already it answers and does not do again.
      await person.session('POST', `/webhooks/${id}/deliveries/${away.id}/resend`);
      await eventually(
        async () =>
          (await deliveriesOf(person, id)).find((each) => each.id === away.id)?.attempts === 3 || undefined,
        () => 'it was not sent again',
      );
      await example.expect(2);
      expect(await example.stop()).toEqual({ distinct: 4, highest: 3, missing: [] });
    } finally {
      if (example.child.exitCode === null) await example.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

describe('messages to pull', () => {
  const pull = async (who: HouseAccount, id: string, query = '', token = who.apiToken) =>
    who.api('GET', `/webhooks/${id}/messages?${query}`, { token });

  it('are byte for byte what the receiver got', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const { id, signingSecret } = await endpoint(person, receiver.url, { isDefault: true });
    await answered(person, { title: 'Größe "ä" 🚀', prompt: 'Ship\nit?', kind: 'reply' });
    const [sent] = await receiver.expect(1);
    const { status, body } = await pull(person, id);
    expect(status).toBe(200);
    const [{ id: messageId, sequence, headers, body: text }] = body.messages;
    expect(text).toBe(sent!.text);
    const unsigned = ({ 'webhook-timestamp': _, 'webhook-signature': __, ...rest }: any) => rest;
    expect(sent!.headers).toMatchObject(unsigned(headers));
    expect([messageId, String(sequence)]).toEqual([
      sent!.headers['webhook-id'],
      sent!.headers['carillon-sequence'],
    ]);
    expect(new Webhook(signingSecret).verify(text, headers)).toEqual(verified(signingSecret, sent!));
  });

  it('are waited for, whatever comes of their delivery', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    receiver.says(later);
    const { id } = await endpoint(person, receiver.url, { isDefault: true });
    expect((await pull(person, id, 'timeoutSeconds=0')).body).toEqual({
      messages: [],
      nextAfter: 0,
      gaps: [],
    });
    const waiting = pull(person, id, 'after=0&timeoutSeconds=55');
    const first = await answered(person);
    const page = (await waiting).body;
    expect(JSON.parse(page.messages[0].body).data.interaction.id).toBe(first);
    const began = performance.now();
    const [next] = await Promise.all([
      pull(person, id, `after=${page.nextAfter}`),
      asked(person).then((prompt) => cancel(person, prompt.id)),
    ]);
    expect(next.body).toMatchObject({ messages: [{ sequence: 2 }], nextAfter: 2 });
    // Less than the time after which a lost signal is made up for.
    expect(performance.now() - began).toBeLessThan(4_500);
    await receiver.expect(2);
  });

  it('are as scarce as other waits of a token, and end with it', async () => {
    const person = await house.anotherAccount();
    const { id } = await endpoint(person, 'https://127.0.0.1:9443/');
    const prompt = await asked(person);
    const scopes = ['services:write', 'interactions:create', 'interactions:read'];
    const made = (await person.session('POST', '/tokens', { body: { name: 'Waits', scopes } })).body;
    const waits = Array.from({ length: 20 }, () => pull(person, id, 'timeoutSeconds=55', made.secret));
    await eventually(
      async () => (await pull(person, id, 'timeoutSeconds=0', made.secret)).status === 429 || undefined,
      () => 'the waits have not begun',
    );
    expect(await person.api('GET', `/interactions/${prompt.id}/wait`, { token: made.secret })).toMatchObject({
      status: 429,
      body: { code: 'TOO_MANY_WAITS' },
    });
    await person.session('DELETE', `/tokens/${made.token.id}`);
    for (const { status, body } of await Promise.all(waits))
      expect([status, body.code]).toEqual([401, 'TOKEN_REVOKED']);
  });

  it("are nobody else's, and need a number that was used", async () => {
    const person = await house.anotherAccount();
    const { id } = await endpoint(person, 'https://127.0.0.1:9443/');
    expect((await pull(await house.anotherAccount(), id)).status).toBe(404);
    for (const query of ['after=1', 'after=-1', 'after=x', 'timeoutSeconds=56'])
      expect(await pull(person, id, query)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', issues: [{ path: query.split('=')[0] }] },
      });
  });
});
