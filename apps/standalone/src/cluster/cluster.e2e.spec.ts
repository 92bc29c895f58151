import { type CollectedSpan, Collector, eventually, House } from '@carillon/testkit';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

interface Compose {
  readonly services: {
    readonly admin: {
      readonly entrypoint: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
    };
  };
}

interface Kept {
  readonly part: string;
  readonly pid: number;
}

const checkout = join(import.meta.dirname, '../../../..');
const secrets = mkdtempSync(join(tmpdir(), 'carillon-secrets-'));
const isAlreadyCluster = process.env['CARILLON_HOUSE'] === 'cluster';
let collector: Collector;
let house: House;

beforeAll(async () => {
  collector = await Collector.start();
  house = new House({
    args: isAlreadyCluster ? [] : ['--cluster'],
    readyWithinMs: 180_000,
    limits: 'off',
    env: collector.env,
    receivers: true,
  });
  await house.start();
}, 200_000);
afterAll(async () => {
  await house?.close();
  await collector?.stop();
  rmSync(secrets, { recursive: true });
}, 90_000);

const children = (): Kept[] => JSON.parse(readFileSync(join(house.dataDir, 'children.json'), 'utf8'));
const pidsOf = (part: RegExp): number[] =>
  children()
    .filter((child) => part.test(child.part))
    .map(({ pid }) => pid);

describe('a cluster on one machine', () => {
  it('has two processes of each service and two gateways, started by the entry point of the image', () => {
    const parts = children().map(({ part }) => part);
    const services = [...new Set(parts.flatMap((part) => /^(.+)-2$/.exec(part)?.[1] ?? []))];
    expect(services).toHaveLength(10);
    for (const name of services) expect(parts).toEqual(expect.arrayContaining([`${name}-1`, `${name}-2`]));
    const commands = pidsOf(/^push-/).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    for (const command of commands) expect(command).toContain('push');
  });

  it('comes to a closed bus, with TLS, each process under its own name', () => {
    expect(house.state.natsUrl).toMatch(/^tls:\/\/operator:.+@localhost:\d+$/);
    const environments = pidsOf(/^(push|teams)-/).map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(environments).toHaveLength(4);
    for (const environment of environments) expect(environment).toMatch(/\0NATS_USER=(push|teams)\0/);
  });

  it('comes to Postgres and the event store as each service itself, and as the gateway not at all', async () => {
    const database = new pg.Client({ connectionString: house.state.databaseUrl });
    await database.connect();
    const { rows } = await database.query<{ program: string; role: string }>(
      `SELECT DISTINCT substr(application_name, 10) AS program, usename AS role FROM pg_stat_activity
       WHERE application_name LIKE 'carillon %' AND application_name NOT LIKE '% migrations' ORDER BY 1`,
    );
    await database.end();
    expect(rows.map(({ role }) => role)).toEqual(rows.map(({ program }) => `carillon_${program}`));
    expect(rows).toHaveLength(9);
    const [store = '', gateway = ''] = [/^read-models-1$/, /^gateway-1$/]
      .flatMap(pidsOf)
      .map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(store).toMatch(/\0EVENTSTORE_URL=esdb:\/\/carillon-read-models:/);
    expect(gateway).toMatch(/\0DATABASE_URL=\0/);
    expect(gateway).toMatch(/\0EVENTSTORE_URL=\0/);
  });

  it('rings both phones, through gateway, notifications, push and back', async () => {
    const sent = await house.api('POST', '/notifications', { body: { title: 'Two', body: 'of each' } });
    expect(sent).toMatchObject({ status: 201, body: { accepted: 2 } });
    await house.expectPushes(house.phones.ios, 1);
    await house.expectPushes(house.phones.android, 1);
  });

  it('shows everybody what they have just written, whichever gateway they come to', async () => {
    const person = await house.anotherAccount();
    for (let n = 0; n < 6; n += 1) {
      const sent = await person.api('POST', '/notifications', {
        body: { title: `Number ${n}`, body: 'Read at once' },
      });
      expect(sent.status).toBe(201);
      const { body } = await person.api('GET', '/inbox/notifications?limit=1');
      expect(body.items[0].title).toBe(`Number ${n}`);
    }
  });

  it('tells the agent that waits what a person has pressed on the phone', async () => {
    const asked = await house.api('POST', '/interactions', {
      body: { kind: 'approval', title: 'Deploy?', prompt: 'Deploy main to production?' },
    });
    expect(asked).toMatchObject({ status: 201, body: { accepted: 2 } });
    const { id } = asked.body.interaction;
    const waiting = house.api('GET', `/interactions/${id}/wait?timeoutSeconds=55`);
    await house.simulator('POST', `/phones/${house.phones.ios.id}/press`, {
      promptId: id,
      answer: 'approved',
    });
    expect((await waiting).body.interaction).toMatchObject({ id, status: 'approved' });
    house.ignorePushes();
  });

  it('shows no text of a deleted account after five seconds, whichever process had read it', async () => {
    const [sender, reader] = [await house.anotherAccount(), await house.anotherAccount()];
    const familyId = await sender.family(reader);
    const userIds = [sender.id, reader.id];
    const made = await sender.api('POST', `/teams/${familyId}/groups`, { body: { name: 'All', userIds } });
    const to = { deviceGroupId: made.body.group.id };
    const said = { kind: 'yes_no', title: 'Of the sender', prompt: 'What the sender asks', ...to };
    const asked = await sender.api('POST', '/interactions', { body: said });
    await sender.api('POST', '/notifications', { body: { title: said.title, body: said.prompt, ...to } });
    // So many that each process of the services answers some, and would have it from memory.
    const texts = async (): Promise<string> => {
      const paths = [
        `/prompts/${asked.body.interaction.id}`,
        '/prompts',
        '/inbox/notifications',
        '/inbox/projects',
      ];
      const all = Array.from({ length: 15 }, () => paths).flat();
      const answers = await Promise.all(all.map((path) => reader.session('GET', path)));
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      return JSON.stringify(answers.map(({ body }) => body));
    };
    expect(await texts()).toContain('sender');
    const { status, stderr } = await house.admin('account', 'delete', `--id=${sender.id}`);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    const deleted = performance.now();
    let lastSeenMs = 0;
    for (let ms = 0; ms < 6_000; ms = performance.now() - deleted)
      if ((await texts()).includes('sender')) lastSeenMs = performance.now() - deleted;
    expect(lastSeenMs).toBeLessThan(5_000);
  }, 60_000);

  it('lets the operator in by the tools, as a user of the bus', async () => {
    const teamId = await house.workplaceTeam(house.owner);
    expect((await house.api('GET', `/teams/${teamId}`)).body.team).toMatchObject({ id: teamId });
  });

  it('lets the operator in with what compose gives the tools, by the entry point of the image', async () => {
    const text = readFileSync(join(checkout, 'deploy/compose.full.yaml'), 'utf8');
    const { admin } = (load(text, { schema: YAML11_SCHEMA }) as Compose).services;
    const { username, password, origin } = new URL(house.state.natsUrl.replace(/^tls:/, 'https:'));
    expect(username).toBe('operator');
    const [command, ...args] = admin.entrypoint as [string, ...string[]];
    const given = { 'caller-key': house.callerKey, 'nats-user': decodeURIComponent(password) };
    for (const [name, secret] of Object.entries(given))
      writeFileSync(join(secrets, name), secret, { mode: 0o600 });
    cpSync(house.busSettings('gateway')['NATS_CA_FILE']!, join(secrets, 'nats-ca'));
    const here = Object.entries(admin.environment).map(([name, value]) => [
      name,
      value.replace('/run/secrets', secrets),
    ]);
    const { stdout } = await promisify(execFile)(command, [...args, 'accounts', 'list'], {
      cwd: checkout,
      env: {
        PATH: process.env['PATH'],
        ...Object.fromEntries(here),
        NATS_URL: origin.replace(/^https:/, 'tls:'),
      },
    });
    expect(stdout).toContain(house.owner.email);
  });
});

/** What a caller sends whose own trace is recorded. */
const newTrace = () => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
};

/** From what the caller has given to the first span with this name. */
function wayTo(name: string, spans: readonly CollectedSpan[]): string[] {
  const way: string[] = [];
  let at = spans.find((span) => span.name === name);
  let first = '';
  while (at) {
    way.unshift(`${at.service}: ${at.name}`);
    first = at.parentSpanId ?? '';
    at = spans.find(({ spanId }) => spanId === first);
  }
  return [first, ...way];
}

describe('the trace of a request', () => {
  it('is one, over all processes: to the phones, and from the answer to the reply webhook', async () => {
    const receiver = await house.receiver();
    const person = await house.anotherAccount();
    await person.addPhone('ios');
    await person.addPhone('android');
    await person.api('POST', '/webhooks', { body: { name: 'Bot', url: receiver.url, isDefault: true } });

    const asking = newTrace();
    const asked = await person.api('POST', '/interactions', {
      body: { kind: 'approval', title: 'Deploy?', prompt: 'Deploy main to production?' },
      headers: asking.headers,
    });
    expect(asked).toMatchObject({ status: 201, body: { accepted: 2 } });
    const { id, actionDigest } = asked.body.interaction;
    const toPhones = [
      'gateway: POST /api/agent/interactions',
      'gateway: send rpc.interactions.prompt.ask',
      'interactions: process rpc.interactions.prompt.ask',
      'interactions: append interaction',
      'push: apply deliveries',
    ];
    const shown = await collector.expect(asking.traceId, [
      'POST /api/agent/interactions',
      'push apns',
      'push fcm',
      'append delivery',
      'apply inbox',
    ]);
    for (const provider of ['apns', 'fcm'])
      expect(wayTo(`push ${provider}`, shown)).toEqual([
        asking.spanId,
        ...toPhones,
        `push: push ${provider}`,
      ]);

    const answering = newTrace();
    const answered = await person.session('POST', `/prompts/${id}/answer`, {
      body: { answer: 'approved', actionDigest },
      headers: answering.headers,
    });
    expect(answered.status).toBe(200);
    const [reply] = await receiver.expect(1);
    const told = await collector.expect(answering.traceId, [
      'POST /api/session/prompts/:id/answer',
      'reply webhook',
      'push apns',
      'append outbox',
      'apply replies',
    ]);
    const toLog = [
      'gateway: POST /api/session/prompts/:id/answer',
      'gateway: send rpc.interactions.prompt.answer',
      'interactions: process rpc.interactions.prompt.answer',
      'interactions: append interaction',
    ];
    const start = [answering.spanId, ...toLog];
    expect(wayTo('reply webhook', told)).toEqual([...start, 'webhooks: reply webhook']);
    expect(wayTo('push apns', told)).toEqual([...start, 'push: apply deliveries', 'push: push apns']);
    expect(wayTo('append outbox', told)).toEqual([
      ...start,
      'webhooks: apply outbox',
      'webhooks: append outbox',
    ]);
    const attempt = told.find(({ name }) => name === 'reply webhook');
    expect(attempt).toMatchObject({
      links: [asking.traceId],
      attributes: { 'http.response.status_code': 204 },
    });
    expect(reply!.headers).not.toHaveProperty('traceparent');

    const text = JSON.stringify([shown, told]);
    for (const secret of [person.id, person.email, person.apiToken, id, 'Deploy', '127.0.0.1'])
      expect(text).not.toContain(secret);
    house.ignorePushes();
  });

  it.each(['01', '00'])('with the flags %s is told in the lines of the log', async (flags) => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    await house.simulator('POST', `/phones/${phone.id}/uninstall`);
    const { traceId, spanId } = newTrace();
    const headers = { traceparent: `00-${traceId}-${spanId}-${flags}` };
    await person.api('POST', '/notifications', { body: { title: 'Nobody', body: 'is there' }, headers });
    const lines = house.logs().filter(({ msg }) => msg === 'Deactivated a device: its push token is dead');
    expect(lines.map(({ text }) => JSON.parse(text).traceId)).toContain(traceId);
    house.ignorePushes();
  });

  it('hurts nobody when there is no collector any more', async () => {
    await collector.stop();
    const sent = await house.api('POST', '/notifications', {
      body: { title: 'Still', body: 'here' },
      headers: newTrace().headers,
    });
    expect(sent).toMatchObject({ status: 201, body: { accepted: 2 } });
    house.ignorePushes();
    collector = await Collector.start();
  });
});

describe('a cluster under load, of which one process after the other dies', () => {
  it('goes on to serve by the others, answers as it may, and loses nothing that it acknowledged', async () => {
    const person = await house.anotherAccount();
    const acknowledged: string[] = [];
    const odd: unknown[] = [];
    let isOver = false;
    const asks = async (ask: (n: number) => ReturnType<typeof person.api>, done: (n: number) => void) => {
      for (let n = 0; !isOver; n += 1, await pause(30)) {
        const { status, body } = await ask(n);
        if (status < 300) done(n);
        else if (status !== 503 && status !== 504) odd.push({ status, body });
      }
    };
    const clients = Array.from({ length: 6 }, (_, client) => {
      const title = (n: number): string => `client ${client} number ${n}`;
      return asks(
        (n) => person.api('POST', '/notifications', { body: { title: title(n), body: 'x' } }),
        (n) => acknowledged.push(title(n)),
      );
    });
    let read = 0;
    clients.push(
      asks(
        () => person.api('GET', '/inbox/notifications?limit=1'),
        () => (read += 1),
      ),
    );
    for (const part of ['gateway-1', 'notifications-2', 'read-models-1'] as const) {
      const [pid] = house.pidsOf(part);
      process.kill(pid!, 'SIGKILL');
      const [sent, seen] = [acknowledged.length, read];
      await eventually(
        () => (acknowledged.length >= sent + 20 && read >= seen + 5) || undefined,
        () => `nobody serves without ${part}: ${acknowledged.length - sent} sends, ${read - seen} reads`,
      );
      await eventually(
        () => children().some((child) => child.part === part && child.pid !== pid) || undefined,
        () => `${part} is not started again`,
      );
    }
    isOver = true;
    await Promise.all(clients);
    expect(odd).toEqual([]);

    const titles: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body } = await person.api('GET', `/inbox/notifications?limit=100${cursor}`);
      expect(status).toBe(200);
      titles.push(...body.items.map((item: { title: string }) => item.title));
      cursor = body.nextCursor && `&cursor=${body.nextCursor}`;
    }
    expect(acknowledged.filter((title) => !titles.includes(title))).toEqual([]);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  }, 120_000);
});
