import { publishedStream, serviceNames } from '@carillon/contracts';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { busAccessFile, natsPasswords, passwordsIncluded } from './bus-access';
import { eventually } from './eventually';
import { type NatsServer, startNats } from './nats';
import { type Authority, makeAuthority } from './receiver';

const users = ['gateway', ...serviceNames, 'operator', 'events', 'sys'];
const passwords = Object.fromEntries(users.map((user) => [user, `secret of ${user}`]));
const root = join(import.meta.dirname, '../../..');
const accounts = readFileSync(join(root, busAccessFile), 'utf8');

let authority: Authority;
let nats: NatsServer;
const open: NatsConnection[] = [];

beforeAll(async () => {
  authority = await makeAuthority();
  const folder = dirname(authority.caFile);
  const [cert, key] = [join(folder, 'server.pem'), join(folder, 'server.key')];
  writeFileSync(cert, authority.server.cert);
  writeFileSync(key, authority.server.key);
  nats = await startNats({
    jetstream: true,
    configuration: [
      `tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)} }`,
      accounts.replace(passwordsIncluded, natsPasswords(passwords)),
    ].join('\n'),
  });
});
afterAll(async () => {
  await nats?.stop();
  authority?.remove();
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});

async function come(options: NodeConnectionOptions): Promise<NatsConnection> {
  const connection = await connect({
    servers: `127.0.0.1:${nats.port}`,
    tls: { ca: authority.ca },
    reconnect: false,
    timeout: 5_000,
    ...options,
  });
  open.push(connection);
  return connection;
}
const as = (user: string): Promise<NatsConnection> =>
  come({ user, pass: passwords[user]!, inboxPrefix: `_INBOX.${user}` });

/** The subjects, or `subject queue`, that the server does not let this user listen to. */
async function refusedToHear(user: string, subjects: readonly string[]): Promise<string[]> {
  const connection = await as(user);
  const refused = refusals(connection);
  for (const each of subjects) {
    const [subject = '', queue = ''] = each.split(' ');
    connection.subscribe(subject, { queue, callback: () => {} });
  }
  await connection.flush();
  await connection.flush();
  return subjects.filter((each) => refused.some((said) => said.includes(`"${each.split(' ')[0]}"`)));
}

/** What the server says no to, as it comes. */
function refusals(connection: NatsConnection): readonly string[] {
  const refused: string[] = [];
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error') refused.push(status.error.message);
  })();
  return refused;
}

/** What the server said no to when this user said something. */
async function refusedToSay(user: string, subjects: readonly string[]): Promise<string[]> {
  const connection = await as(user);
  const refused = refusals(connection);
  for (const subject of subjects) connection.publish(subject, '{}');
  await connection.flush();
  await connection.flush();
  return subjects.filter((subject) => refused.some((said) => said.includes(`"${subject}"`)));
}

/** As they are mounted: each file beside the others, under names of this machine. */
function configurationIn(folder: string, from: string): string {
  const nats = join(folder, 'nats');
  mkdirSync(join(nats, 'tls'), { recursive: true });
  const { key, cert } = authority.server;
  const files = { 'tls/tls.crt': cert, 'tls/tls.key': key, 'tls/ca.crt': authority.ca };
  for (const [name, text] of Object.entries({ ...files, 'passwords.conf': natsPasswords(passwords) }))
    writeFileSync(join(nats, name), text);
  cpSync(join(root, busAccessFile), join(nats, 'accounts.conf'));
  const text = readFileSync(join(root, from, 'nats.conf'), 'utf8');
  writeFileSync(join(nats, 'nats.conf'), text.replaceAll('"/etc/nats/', `"${nats}/`));
  return join(nats, 'nats.conf');
}

describe('the configuration of nats-server', () => {
  it.each(['deploy/nats', 'k8s/chart/files/nats'])('in %s is one that it takes, as it is mounted', (from) => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-closed-'));
    try {
      const { status, stderr } = spawnSync('nats-server', ['-t', '-c', configurationIn(folder, from)], {
        encoding: 'utf8',
        env: { ...process.env, POD_NAME: 'nats-0' },
      });
      expect(`${status}: ${stderr}`).toMatch(/^0: .*is valid/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the closed bus', () => {
  it('lets no stranger in: without a name, with a wrong password, or without TLS', async () => {
    await expect(come({})).rejects.toThrow(/authorization/i);
    await expect(come({ user: 'gateway', pass: 'a guess' })).rejects.toThrow(/authorization/i);
    await expect(come({ user: 'gateway', pass: passwords['gateway']!, tls: null })).rejects.toThrow();
  });

  it('lets each of its users in, and gives them what they need', async () => {
    for (const user of users) expect((await as(user)).info?.auth_required).toBe(true);
    expect(await refusedToHear('push', ['rpc.push.device.get push'])).toEqual([]);
    expect(await refusedToHear('gateway', ['sig.interaction.ended.*', '_INBOX.gateway.*'])).toEqual([]);
  });

  it('does not let the gateway read the published events, what others are asked, or their answers', async () => {
    const forbidden = ['evt.>', 'evt.push.>', 'rpc.>', 'rpc.push.device.get', '_INBOX.>', '>', '$JS.>'];
    expect(await refusedToHear('gateway', forbidden)).toEqual(forbidden);
    const [gateway, readModels] = [await as('gateway'), await as('read-models')];
    const heard: string[] = [];
    gateway.subscribe('evt.>', { callback: (_, { subject }) => void heard.push(subject) });
    await gateway.flush();
    readModels.publish('evt.push.device.registered', '{}');
    await readModels.flush();
    await gateway.flush();
    expect(heard.filter(Boolean)).toEqual([]);
  });

  it('does not let a service hear what another is asked, nor its own replicas what they are', async () => {
    // Outside of its queue group it would hear everything without answering it.
    const forbidden = ['rpc.accounts.session.sign-in', 'rpc.accounts.token.list accounts', 'rpc.push.>'];
    expect(await refusedToHear('push', forbidden)).toEqual(forbidden);
  });

  it('lets nobody ask or tell what is not theirs to', async () => {
    const forbidden = ['rpc.accounts.token.create', 'sig.token.revoked.tok_1', 'evt.push.device.registered'];
    expect(await refusedToSay('push', [...forbidden, 'sig.delivery.settled.id'])).toEqual(forbidden);
    expect(
      await refusedToSay('gateway', ['rpc.teams.team.found', 'evt.a.b.c', 'rpc.teams.team.get']),
    ).toEqual(['rpc.teams.team.found', 'evt.a.b.c']);
    expect(
      await refusedToSay('events', ['evt.a.b.c', 'rpc.teams.team.get', 'sig.edge.pulse.x']),
    ).toHaveLength(3);
  });

  it('lets a service answer its callers, and publish to nobody else', async () => {
    const [gateway, push] = [await as('gateway'), await as('push')];
    push.subscribe('rpc.push.device.list', {
      queue: 'push',
      callback: (_, message) => void message.respond('here'),
    });
    await push.flush();
    const answer = await gateway.request('rpc.push.device.list', '', { timeout: 5_000 });
    expect(answer.string()).toBe('here');
    expect(await refusedToSay('push', ['_INBOX.gateway.guessed'])).toEqual(['_INBOX.gateway.guessed']);
  });

  it('lets read-models write the published events, and a program beside Carillon read them', async () => {
    const manager = await jetstreamManager(await as('read-models'));
    await manager.streams.add({ name: publishedStream, subjects: ['evt.>'] });
    await manager.streams.update(publishedStream, { max_bytes: 2 ** 20 });
    await manager.jetstream().publish('evt.notifications.notification.sent', '{}');

    expect((await manager.streams.getMessage(publishedStream, { seq: 1 }))?.string()).toBe('{}');

    const reader = await as('events');
    const { consumers } = await jetstreamManager(reader);
    await consumers.add(publishedStream, { durable_name: 'reader', ack_policy: AckPolicy.Explicit });
    const consumer = await jetstream(reader).consumers.get(publishedStream, 'reader');
    const message = await eventually(
      async () => (await consumer.next({ expires: 1_000 })) ?? undefined,
      () => 'the event did not come',
    );
    expect(message.subject).toBe('evt.notifications.notification.sent');
    expect(await message.ackAck()).toBe(true);
    await expect((await jetstreamManager(reader)).streams.delete(publishedStream)).rejects.toThrow();
  });
});
