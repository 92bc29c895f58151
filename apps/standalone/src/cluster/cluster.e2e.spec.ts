import { eventually, House } from '@carillon/testkit';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Kept {
  readonly part: string;
  readonly pid: number;
}

const isAlreadyCluster = process.env['CARILLON_HOUSE'] === 'cluster';
const house = new House({
  args: isAlreadyCluster ? [] : ['--cluster'],
  readyWithinMs: 180_000,
  limits: 'off',
});

beforeAll(() => house.start(), 200_000);
afterAll(() => house?.close(), 90_000);

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

  it('lets the operator in by the tools, as a user of the bus', async () => {
    const teamId = await house.workplaceTeam(house.owner);
    expect((await house.api('GET', `/teams/${teamId}`)).body.team).toMatchObject({ id: teamId });
  });
});

describe('a cluster under load, of which one process after the other dies', () => {
  it('goes on to serve by the others, answers as it may, and loses nothing that it acknowledged', async () => {
    const person = await house.anotherAccount();
    const acknowledged: string[] = [];
    const odd: unknown[] = [];
    let isOver = false;
    const asks = async (ask: (n: number) => ReturnType<typeof person.api>, done: (n: number) => void) => {
      for (let n = 0; !isOver; n += 1) {
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
