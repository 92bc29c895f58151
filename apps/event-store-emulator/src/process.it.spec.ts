import { spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { startEmulator } from './emulator';
import { all, client, failure, jsonEvent, temporaryFolder, until } from './testbed';

/** The built program: these tests are about the process, not about what it answers. */
const program = join(import.meta.dirname, '../../../dist/apps/event-store-emulator/src/main.js');

interface Running {
  port: number;
  pid: number;
  lines: Record<string, unknown>[];
  exited: Promise<{ code: number | null; signal: string | null }>;
  signal(name: NodeJS.Signals): void;
}

const children = new Set<ChildProcess>();
const folder = temporaryFolder();
let folders = 0;
const dataFolder = () => join(folder.path, `data-${++folders}`);

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  folder?.remove();
});

function run(...args: string[]): Omit<Running, 'port'> & { listening: Promise<Running> } {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => {
      children.delete(child);
      resolve({ code, signal });
    }),
  );
  const running = { pid: child.pid!, lines, exited, signal: (name: NodeJS.Signals) => void child.kill(name) };
  const listening = new Promise<Running>((resolve, reject) => {
    child.stdout!.on('data', (text: Buffer) => {
      const parts = (rest + text.toString()).split('\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const line = JSON.parse(part) as Record<string, unknown>;
        lines.push(line);
        if (line['msg'] === 'listening') resolve({ ...running, port: line['port'] as number });
      }
    });
    void exited.then(({ code }) => reject(new Error(`ended with ${code} before it listened`)));
  });
  listening.catch(() => undefined);
  return { ...running, listening };
}

const start = (data: string, ...args: string[]) => run('--port', '0', '--data', data, ...args).listening;
const url = ({ port }: { port: number }) => `esdb://127.0.0.1:${port}?tls=false`;
const event = (data: object = {}) => jsonEvent({ type: 'Happened', data: { ...data } });

describe('the program', () => {
  it('says first what it is not, and then where it listens', async () => {
    const { lines, signal, exited } = await start(dataFolder());
    expect(lines[0]!['msg']).toMatch(/no production database/);
    expect(lines[1]).toMatchObject({ msg: 'listening', port: expect.any(Number) });
    signal('SIGTERM');
    expect(await exited).toEqual({ code: 0, signal: null });
  });

  it('says what is wrong with how it was started', async () => {
    const wrong = run('--port', '0');
    expect(await wrong.exited).toMatchObject({ code: 1 });
    expect(wrong.lines.at(-1)!['msg']).toMatch(/--data/);
  });

  it('is refused a folder that another one has, and gets it when that one was killed', async () => {
    const data = dataFolder();
    const first = await start(data);
    const second = run('--port', '0', '--data', data);
    expect(await second.exited).toMatchObject({ code: 1 });
    expect(second.lines.at(-1)!['msg']).toMatch(/in use by another event-store-emulator/);
    first.signal('SIGKILL');
    await first.exited;
    const third = await start(data);
    third.signal('SIGINT');
    expect(await third.exited).toMatchObject({ code: 0 });
    expect(existsSync(join(data, 'emulator.lock'))).toBe(false);
  });

  it('stops within two seconds with subscriptions and appends open, and loses no acknowledged event', async () => {
    const data = dataFolder();
    const server = await start(data);
    const db = client(url(server));
    db.subscribeToAll().on('error', () => undefined);
    const acknowledged: string[] = [];
    let stopped = false;
    const load = Array.from({ length: 16 }, async (_, writer) => {
      for (let n = 0; !stopped; n++) {
        const one = event({ n });
        try {
          await db.appendToStream(`writer-${writer}`, one);
          acknowledged.push(one.id);
        } catch {
          return;
        }
      }
    });
    await until(() => acknowledged.length > 200);
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    stopped = true;
    await Promise.all(load);
    await db.dispose();
    expect(await missing(data, acknowledged)).toEqual([]);
  });

  it('goes when its parent goes', async () => {
    const data = dataFolder();
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, [${JSON.stringify(program)}, '--port', '0', '--data', ${JSON.stringify(data)}, '--exit-with-parent'], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.on('data', (text) => { if (String(text).includes('listening')) { console.log(child.pid); process.kill(process.pid, 'SIGKILL'); } });
    `;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(parent);
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))),
    );
    await until(() => !isAlive(pid));
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Opens a folder and says which events are not in it, or are in it twice. */
async function missing(data: string, ids: readonly string[]): Promise<string[]> {
  const emulator = await startEmulator({ dataDir: data });
  const reader = client(emulator.connectionString);
  try {
    const events = (await all(reader.readAll())).map((each) => each.event!);
    const there = new Map<string, number>();
    const last = new Map<string, bigint>();
    for (const { id, streamId, revision } of events) {
      there.set(id, (there.get(id) ?? 0) + 1);
      expect(revision).toBe((last.get(streamId) ?? -1n) + 1n);
      last.set(streamId, revision);
    }
    // The index by stream is written with the events and must agree with them.
    for (const [stream, revision] of last) {
      if (stream.startsWith('$')) continue;
      const ofStream = await all(reader.readStream(stream));
      expect(ofStream).toHaveLength(Number(revision) + 1);
    }
    return ids.filter((id) => there.get(id) !== 1);
  } finally {
    await reader.dispose();
    await emulator.close();
  }
}

describe('kill -9 during load', () => {
  it('keeps every acknowledged event, and a retry of the others happens once, five times in a row', async () => {
    const data = dataFolder();
    const acknowledged: string[] = [];
    const heads = new Map<string, number>();
    let unknown: { stream: string; events: ReturnType<typeof event>[]; expected: 'no_stream' | bigint }[] =
      [];
    for (let round = 0; round < 5; round++) {
      const server = await start(data);
      const db = client(url(server));

      // What nobody answered before the kill is there with all its events or with none; with the same ids and
      // revision it happens once. A half-written one would be the wrong version now.
      for (const { stream, events, expected } of unknown) {
        const { nextExpectedRevision } = await db.appendToStream(stream, events, {
          expectedRevision: expected,
        });
        acknowledged.push(...events.map((one) => one.id));
        heads.set(stream, Number(nextExpectedRevision));
      }
      unknown = [];

      const before = acknowledged.length;
      const load = Array.from({ length: 32 }, async (_, writer) => {
        const stream = `writer-${writer}`;
        for (;;) {
          const head = heads.get(stream);
          const expected = head === undefined ? ('no_stream' as const) : BigInt(head);
          const events = Array.from({ length: 1 + ((writer + round) % 3) }, () =>
            event({ round, padding: 'x'.repeat((writer * 97) % 3000) }),
          );
          try {
            await db.appendToStream(stream, events, { expectedRevision: expected });
          } catch (error) {
            expect(['unavailable', 14]).toContain(
              (error as { type?: string }).type ?? (error as { code?: number }).code,
            );
            unknown.push({ stream, events, expected });
            return;
          }
          acknowledged.push(...events.map((one) => one.id));
          heads.set(stream, (head ?? -1) + events.length);
        }
      });
      await until(() => acknowledged.length > before + 150 + round * 70, 30_000);
      server.signal('SIGKILL');
      await server.exited;
      await Promise.all(load);
      await db.dispose();
      expect(await missing(data, acknowledged)).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(1000);
  }, 60_000);
});

describe('a torn end of the data file', () => {
  const PAGE = 4096;
  /** The number of pages that the last commit knows of: from the newer of the two meta pages. */
  const committedPages = (file: string) => {
    const bytes = readFileSync(file);
    const meta = (page: number) => {
      const at = page * PAGE + 24;
      expect(bytes.readUInt32LE(at)).toBe(0xbeefc0de);
      return {
        lastPage: Number(bytes.readBigUInt64LE(at + 120)),
        txn: Number(bytes.readBigUInt64LE(at + 128)),
      };
    };
    const [a, b] = [meta(0), meta(1)];
    return (a.txn > b.txn ? a : b).lastPage + 1;
  };

  it('is ignored: garbage behind the last commit, or less than LMDB had reserved', async () => {
    const data = dataFolder();
    const server = await start(data);
    const db = client(url(server));
    const acknowledged: string[] = [];
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let n = 0; n < 30; n++) {
          const one = event({ n, padding: 'x'.repeat(500) });
          await db.appendToStream(`writer-${writer}`, one);
          acknowledged.push(one.id);
        }
      }),
    );
    server.signal('SIGKILL');
    await server.exited;
    await db.dispose();

    const committed = committedPages(join(data, 'data.mdb')) * PAGE;
    expect(statSync(join(data, 'data.mdb')).size).toBeGreaterThanOrEqual(committed);
    const torn = (tear: (file: string) => void) => {
      const copy = dataFolder();
      mkdirSync(copy);
      const file = join(copy, 'data.mdb');
      copyFileSync(join(data, 'data.mdb'), file);
      truncateSync(file, committed);
      tear(file);
      return copy;
    };
    const exact = torn(() => undefined);
    const garbage = torn((file) => appendFileSync(file, Buffer.alloc(10 * PAGE + 123, 0xa5)));
    const half = torn((file) => appendFileSync(file, Buffer.alloc(PAGE / 2, 0)));
    for (const copy of [exact, garbage, half]) {
      expect(await missing(copy, acknowledged)).toEqual([]);
      // And it can be written again.
      const again = await startEmulator({ dataDir: copy });
      const writer = client(again.connectionString);
      const one = event();
      await writer.appendToStream('after', one);
      await writer.dispose();
      await again.close();
      expect(await missing(copy, [...acknowledged, one.id])).toEqual([]);
    }
  });
});

describe('a server that stands still', () => {
  it('writes nothing whose deadline passed meanwhile', async () => {
    const server = await start(dataFolder());
    const db = client(url(server));
    await db.appendToStream('s', event());
    server.signal('SIGSTOP');
    const late = failure(db.appendToStream('s', event(), { deadline: 300 }));
    await new Promise((resolve) => setTimeout(resolve, 800));
    server.signal('SIGCONT');
    expect(await late).toMatchObject({ type: 'deadline-exceeded' });
    expect(await all(db.readStream('s'))).toHaveLength(1);
    await db.dispose();
    server.signal('SIGTERM');
    await server.exited;
  });
});

describe('a subscriber that does not read', () => {
  it('does not make the server grow', async () => {
    const server = await start(dataFolder());
    const db = client(url(server));
    const anonymous = () => {
      const status = `/proc/${server.pid}/status`;
      // Without /proc there is nothing to measure with.
      if (!existsSync(status)) return 0;
      return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0) / 1024;
    };
    const subscriptions = Array.from({ length: 8 }, () => db.subscribeToAll());
    let caughtUp = 0;
    for (const each of subscriptions)
      each
        .once('caughtUp', () => {
          caughtUp++;
          each.pause();
        })
        .on('error', () => undefined)
        .resume();
    await until(() => caughtUp === subscriptions.length);
    const padding = 'x'.repeat(30 * 1024);
    const flood = async (megabytes: number) => {
      for (let written = 0; written < megabytes; written++)
        await db.appendToStream(
          'flood',
          Array.from({ length: 32 }, () => event({ padding })),
        );
    };
    await flood(40);
    const before = anonymous();
    await flood(32);
    // Eight queues of 32 MB would be seen.
    expect(anonymous() - before).toBeLessThan(128);
    for (const each of subscriptions) await each.unsubscribe();
    await db.dispose();
    server.signal('SIGTERM');
    await server.exited;
  });
});
