import { eventually, House, standaloneMain } from '@carillon/testkit';
import { EventStoreDBClient } from '@eventstore/db-client';
import { connect } from '@nats-io/transport-node';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'carillon-parts-'));
// The database's own user must be able to get there.
chmodSync(folder, 0o755);
const data = join(folder, 'data');
const house = new House({ dataDir: data, args: ['--parts'] });
house.ignorePushes();

/** The options of a NATS client for what stands before the @ of a URL. */
const asUser = (who: string) => {
  const [user, pass] = who.slice(0, -1).split(':');
  return who ? { user, pass } : {};
};

/** The file's own bits, and those of every folder that leads to it. */
const othersCanRead = (file: string): boolean => {
  if ((statSync(file).mode & 0o004) === 0) return false;
  for (let at = dirname(file); at !== folder; at = dirname(at))
    if ((statSync(at).mode & 0o001) === 0) return false;
  return true;
};

/** Runs standalone to its end. */
function run(args: string[], env: Record<string, string> = {}): { code: number | null; said: string } {
  const ended = spawnSync(process.execPath, [standaloneMain, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, NODE_OPTIONS: '', PORT: '0', SIMULATOR_PORT: '0', CARILLON_DATA: data, ...env },
  });
  return { code: ended.status, said: ended.stdout + ended.stderr };
}

const kept = (): { part: string; pid: number }[] =>
  JSON.parse(readFileSync(join(data, 'children.json'), 'utf8'));
const pidOf = (part: string): number => kept().find((child) => child.part === part)!.pid;

afterAll(async () => {
  await house?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the parts of standalone', () => {
  it('come up on ports and in folders of their own, closed to others', async () => {
    await house.start();
    expect(house.state).toMatchObject({
      databaseUrl: expect.stringMatching(/^postgres:\/\/carillon:.+@127\.0\.0\.1:\d+\/carillon$/),
      natsUrl: expect.stringMatching(/^nats:\/\/carillon:.+@127\.0\.0\.1:\d+$/),
      eventStoreUrl: expect.stringMatching(/^esdb:\/\/carillon:.+@localhost:\d+\?tls=true&tlsCAFile=/),
      simulatorUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/),
    });
    for (const file of ['standalone.json', 'secrets.json', 'children.json'])
      expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
    expect(
      kept()
        .map(({ part }) => part)
        .sort(),
    ).toEqual(['event-store', 'nats', 'postgres', 'simulator']);
  });

  it('tell another user of the machine nothing, who knows only their ports', async () => {
    const ports = {
      nats: Number(/:(\d+)$/.exec(house.state.natsUrl)![1]),
      eventStore: Number(/localhost:(\d+)/.exec(house.state.eventStoreUrl)![1]),
    };
    const guesses = ['', 'carillon:guessed@'];
    for (const who of guesses)
      await expect(
        connect({ servers: `127.0.0.1:${ports.nats}`, ...asUser(who), timeout: 2_000 }),
      ).rejects.toThrow(/authorization/i);
    const ca = new URL(`http://${house.state.eventStoreUrl.split('@')[1]}`).search;
    for (const who of guesses) {
      const client = EventStoreDBClient.connectionString(`esdb://${who}localhost:${ports.eventStore}${ca}`);
      const reading = async () => {
        for await (const _ of client.readAll({ maxCount: 1 })) throw new Error('it could be read');
      };
      await expect(reading()).rejects.toMatchObject({ type: 'access-denied' });
      await client.dispose();
    }
    const open = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${ports.eventStore}?tls=false`);
    await expect(
      open.readStream('$settings', { maxCount: 1 })[Symbol.asyncIterator]().next(),
    ).rejects.toBeDefined();
    await open.dispose();
  });

  it('show no password in a command line, and none in a file that others can read', () => {
    const { natsPassword, eventStorePassword, databasePassword } = JSON.parse(
      readFileSync(join(data, 'secrets.json'), 'utf8'),
    ) as Record<string, string>;
    const passwords = [natsPassword!, eventStorePassword!, databasePassword!];
    const shown = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          return readFileSync(join('/proc', pid, 'cmdline'), 'utf8');
        } catch {
          return '';
        }
      });
    expect(shown.some((line) => line.includes('event-store-emulator'))).toBe(true);
    expect(shown.filter((line) => passwords.some((password) => line.includes(password)))).toEqual([]);

    const readable = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => othersCanRead(file));
    expect(
      readable.filter((file) => passwords.some((password) => readFileSync(file).includes(password))),
    ).toEqual([]);
  });

  it('refuse a second start beside the first', () =>
    expect(run(['--parts'])).toEqual({
      code: 1,
      said: expect.stringContaining(`is running already on ${data} (process ${house.state.pid})`),
    }));

  it.each(['nats', 'event-store', 'postgres', 'simulator'])(
    'are started again when one dies: %s',
    async (part) => {
      const before = pidOf(part);
      process.kill(before, 'SIGKILL');
      await eventually(
        () => kept().some((child) => child.part === part && child.pid !== before) || undefined,
        () => 'it is not started again',
        30_000,
      );
      expect(house.output()).toMatch(new RegExp(`${part} +ended \\(SIGKILL\\); it is started again`));
      // What standalone has found and made meanwhile is in its own environment, and none of this part's business.
      const environment = readFileSync(`/proc/${pidOf(part)}/environ`, 'utf8');
      expect(environment).toContain('PATH=');
      expect(environment).not.toMatch(/CARILLON_(KEYS|PEPPER|CALLER_KEY|AUDIT_KEY|BOOTSTRAP_SECRET)|_URL=/);
    },
  );

  it('end with the process that started them, even when that is killed', async () => {
    const pids = house.childPids();
    expect(pids).toHaveLength(4);
    await house.kill9();
    expect(existsSync(join(data, 'standalone.json'))).toBe(true);
  });

  it('start again after that, on the same ports and data', async () => {
    const secrets = readFileSync(join(data, 'secrets.json'), 'utf8');
    const ports = readFileSync(join(data, 'ports.json'), 'utf8');
    await house.start();
    expect(readFileSync(join(data, 'secrets.json'), 'utf8')).toBe(secrets);
    expect(readFileSync(join(data, 'ports.json'), 'utf8')).toBe(ports);
  });

  it('start again straight after kill -9 of everything, when a session of Postgres is still dying', async () => {
    const [, session] = house.pidsOf('postgres') as [number, number];
    process.kill(session, 'SIGSTOP');
    house.kill9All([session]);
    const started = house.start();
    const waits = /postgres +waits for what an earlier start has left to end/;
    await eventually(
      () => waits.test(house.output()) || undefined,
      () => house.output(),
      60_000,
    ).finally(() => process.kill(session, 'SIGCONT'));
    await started;
  });

  it('start again when nobody has noticed yet that Postgres is dead', async () => {
    await house.stop();
    const note = join(data, 'postgres-folder.json');
    const folder = existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')).folder : join(data, 'postgres');
    const { uid, gid } = statSync(join(folder, 'cluster'));
    // Its parent has become a program that never asks what became of it. It ends after that: the shell would ask.
    const afterParent = '(until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done)';
    const deaf = spawn('/bin/sh', ['-c', `${afterParent} & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: '/',
      uid,
      gid,
    });
    const [said] = (await once(deaf.stdout, 'data')) as [Buffer];
    const pid = Number(String(said));
    await eventually(
      () => /^Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!) || undefined,
      () => 'it did not die',
    );
    writeFileSync(join(folder, 'cluster', 'postmaster.pid'), `${pid}\n`);
    await house.start();
    deaf.kill('SIGKILL');
  });

  it('stop with one Ctrl-C and leave nothing', async () => {
    await house.stop('SIGINT');
    expect(existsSync(join(data, 'standalone.json'))).toBe(false);
    expect(kept()).toEqual([]);
  });

  it('that an earlier start has left are stopped by the next, others with the same number are not', async () => {
    const left = spawn('sleep', ['60'], { stdio: 'ignore' });
    const innocent = spawn('sleep', ['60'], { stdio: 'ignore' });
    const stat = readFileSync(`/proc/${left.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const mark = `${boot}:${stat[19]}`;
    writeFileSync(
      join(data, 'children.json'),
      JSON.stringify([
        { part: 'nats', pid: left.pid, mark, stopSignal: 'SIGTERM' },
        { part: 'postgres', pid: innocent.pid, mark: `${boot}:1`, stopSignal: 'SIGTERM' },
      ]),
    );
    const gone = once(left, 'exit');
    await house.start();
    await gone;
    expect(left.signalCode).toBe('SIGTERM');
    expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
    innocent.kill();
    await house.stop();
  });

  it('stop cleanly when the signal comes while they start', async () => {
    const other = join(folder, 'early');
    const child = spawn(process.execPath, [standaloneMain, '--parts', '--data', other], {
      env: { ...process.env, NODE_OPTIONS: '', SIMULATOR_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const gone = once(child, 'exit');
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    expect(await gone).toEqual([0, null]);
    expect(JSON.parse(readFileSync(join(other, 'children.json'), 'utf8'))).toEqual([]);
    expect(existsSync(join(other, 'lock'))).toBe(false);
  });
});

describe('a start that cannot succeed', () => {
  it('names the port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as { port: number }).port);
    try {
      expect(run([], { PORT: port })).toEqual({
        code: 1,
        said: expect.stringMatching(`gateway +FAILED: port ${port} is taken .* PORT=`),
      });
      expect(run([], { SIMULATOR_PORT: port })).toEqual({
        code: 1,
        said: expect.stringMatching(`simulator +FAILED: port ${port} is taken .* SIMULATOR_PORT=`),
      });
    } finally {
      other.close();
    }
  });

  it('names the manual steps when there is no nats-server and none can be provided', () => {
    const old = join(folder, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'nats-server'), '#!/bin/sh\necho nats-server: v2.8.4\n');
    chmodSync(join(old, 'nats-server'), 0o755);
    const { code, said } = run(['--parts'], {
      PATH: `${old}:${process.env['PATH']}`,
      CARILLON_INSTALL: 'never',
    });
    expect(code).toBe(1);
    expect(said).toMatch(/nats +FAILED: no nats-server was found/);
    expect(said).toContain('is version 2.8.4; 2.9 or later is needed');
    expect(said).toMatch(/apt-get install nats-server[^]*NATS_URL=/);
  });

  it('names the part, the reason and the log file', () => {
    const folderOfStore = join(data, 'event-store');
    rmSync(folderOfStore, { recursive: true, force: true });
    writeFileSync(folderOfStore, 'in the way');
    const { code, said } = run(['--parts']);
    expect(code).toBe(1);
    expect(said).toMatch(/event-store +FAILED: .*EEXIST/);
    rmSync(folderOfStore);
    expect(kept()).toEqual([]);
  });

  it.each([
    [
      { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
      /postgres +FAILED: DATABASE_URL cannot be used: .*ECONNREFUSED/,
    ],
    [{ NATS_URL: 'nats://127.0.0.1:1' }, /nats +FAILED: NATS_URL cannot be used/],
    [{ EVENTSTORE_URL: 'http://127.0.0.1:1' }, /event-store +FAILED: EVENTSTORE_URL must begin with esdb/],
  ])('does not take another part for the one that %j names', (env, message) => {
    const { code, said } = run(['--parts'], env as Record<string, string>);
    expect(code).toBe(1);
    expect(said).toMatch(message);
  });

  it('lists everything with --help and starts nothing', () => {
    const nowhere = join(folder, 'nowhere');
    const { code, said } = run(['--help'], { CARILLON_DATA: nowhere });
    expect(code).toBe(0);
    expect(said).toContain('CARILLON_BASE_URL');
    expect(existsSync(nowhere)).toBe(false);
  });
});
